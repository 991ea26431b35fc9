import { Link } from 'wouter';
import { useApiOrigin, useApp, useAuthOrigin, useProject } from '../../api/project';
import { usePageTitle } from '../../app/breadcrumbs';
import { CopyId } from '../../detail/CopyId';
import { Snippet } from '../../detail/ReviewPanel';
import { Icon } from '../../ui/Icon';
import { useApiTexts } from './api-texts';
import './developers.css';

/** Shows the data that a program needs to call the API of the project, and links to the documentation of the API. */
export default function ApiPage() {
  const t = useApiTexts();
  const { configuration } = useApp();
  const { key, scopes } = useProject();
  usePageTitle(t('api'));
  const isEmbedded = configuration.mode === 'embedded';
  const origin = useApiOrigin();
  const auth = useAuthOrigin();
  const token = [
    `curl ${auth}/oauth/token \\`,
    '  --user "$CTP_CLIENT_ID:$CTP_CLIENT_SECRET" \\',
    '  --data grant_type=client_credentials',
  ].join('\n');
  const links = [
    ...(isEmbedded
      ? [
          { href: '/openapi', title: t('reference'), hint: t('referenceHint') },
          { href: '/openapi.json', title: 'openapi.json', hint: t('openapiHint') },
          { href: `/${encodeURIComponent(key)}/graphql`, title: t('graphiql'), hint: t('graphiqlHint') },
        ]
      : []),
  ];
  return (
    <div className="page">
      <header className="page-head">
        <div className="stack-small">
          <h1>{t('api')}</h1>
          <p className="muted">{t('apiHint')}</p>
        </div>
      </header>
      {links.length > 0 && (
        <div className="links">
          {links.map((link) => (
            <a key={link.href} className="link-card" href={link.href} target="_blank" rel="noreferrer">
              <span className="row">
                <b>{link.title}</b>
                <Icon name="external" size={14} />
              </span>
              <span className="muted small">{link.hint}</span>
            </a>
          ))}
        </div>
      )}
      <section className="section" aria-label={t('addresses')}>
        <h2>{t('addresses')}</h2>
        <dl className="facts about-receiver">
          <dt>{t('apiUrl')}</dt>
          <dd>
            <CopyId text={origin} />
          </dd>
          <dt>{t('authUrl')}</dt>
          <dd>
            <CopyId text={auth} />
          </dd>
          <dt>{t('projectKey')}</dt>
          <dd>
            <CopyId text={key} />
          </dd>
        </dl>
        {(scopes.has('manage_project') || scopes.has('manage_api_clients')) && (
          <p>
            <Link href={`/${encodeURIComponent(key)}/api-clients/new`}>{t('newClient')}</Link>
          </p>
        )}
      </section>
      <section className="section" aria-label={t('token')}>
        <h2>{t('token')}</h2>
        <Snippet text={token} hint={t('tokenHint')} />
        <Snippet
          text={`curl "${origin}/${key}/products?limit=1" \\\n  --header "Authorization: Bearer $TOKEN"`}
          hint={t('requestHint')}
        />
      </section>
    </div>
  );
}
