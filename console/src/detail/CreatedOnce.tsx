import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { useProject } from '../api/project';
import { paths } from '../app/paths';
import { defineTexts } from '../i18n/texts';
import type { JsonObject, Kind } from '../model/types';
import { humanize } from '../model/values';
import { Banner } from '../ui/Feedback';
import { CopyButton } from './CopyButton';

const useTexts = defineTexts(
  { title: 'Copy the secret now', hint: 'It is shown only once. The server keeps its hash.', toList: 'I have copied it' },
  {
    title: 'Kopieren Sie das Geheimnis jetzt',
    hint: 'Es wird nur einmal gezeigt. Der Server behält seinen Hash.',
    toList: 'Ich habe es kopiert',
  },
);

/** A new document with a secret that no later response contains. */
export function CreatedOnce({ kind, document, children }: { kind: Kind; document: JsonObject; children?: ReactNode }) {
  const t = useTexts();
  const { key } = useProject();
  const shown = ['id', 'secret', 'scope'].filter((name) => typeof document[name] === 'string');
  return (
    <div className="page page-narrow">
      <div className="page-head">
        <h1>{t('title')}</h1>
      </div>
      <Banner look="warning">{t('hint')}</Banner>
      <dl className="secrets">
        {shown.map((name) => (
          <div key={name} className="secret">
            <dt>{humanize(name)}</dt>
            <dd className="row">
              <code className="grow">{String(document[name])}</code>
              <CopyButton text={String(document[name])} />
            </dd>
          </div>
        ))}
      </dl>
      {children}
      <div>
        <Link className="button button-primary" href={paths.list(key, kind)}>
          {t('toList')}
        </Link>
      </div>
    </div>
  );
}
