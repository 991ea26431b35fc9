import { useApiOrigin, useAuthOrigin, useProject } from '../../api/project';
import { CreatedOnce } from '../../detail/CreatedOnce';
import { Snippet } from '../../detail/ReviewPanel';
import type { Document, Kind } from '../../model/types';
import { Tabs } from '../../ui/Tabs';
import { useApiClientTexts } from './texts';

/** The secret, once, and the same as a program takes it. */
export function ApiClientCreated({ kind, document }: { kind: Kind; document: Document }) {
  const t = useApiClientTexts();
  const { key } = useProject();
  const api = useApiOrigin();
  const auth = useAuthOrigin();
  const [id, secret, scope] = [document.id, document.secret, document.scope].map(String);
  const env = [
    `CTP_PROJECT_KEY=${key}`,
    `CTP_CLIENT_ID=${id}`,
    `CTP_CLIENT_SECRET=${secret}`,
    `CTP_SCOPES="${scope}"`,
    `CTP_AUTH_URL=${auth}`,
    `CTP_API_URL=${api}`,
  ].join('\n');
  const terraform = [
    'provider "commercetools" {',
    `  project_key   = "${key}"`,
    `  client_id     = "${id}"`,
    '  client_secret = var.client_secret',
    `  scopes        = "${scope}"`,
    `  token_url     = "${auth}"`,
    `  api_url       = "${api}"`,
    '}',
  ].join('\n');
  const curl = `curl ${auth}/oauth/token --user "${id}:${secret}" --data grant_type=client_credentials`;
  return (
    <CreatedOnce kind={kind} document={document}>
      <Tabs
        label={t('snippets')}
        tabs={[
          { id: 'env', label: '.env', content: <Snippet text={env} hint={t('envHint')} /> },
          { id: 'curl', label: 'curl', content: <Snippet text={curl} hint={t('curlHint')} /> },
          { id: 'terraform', label: 'Terraform', content: <Snippet text={terraform} hint={t('providerHint')} /> },
        ]}
      />
    </CreatedOnce>
  );
}
