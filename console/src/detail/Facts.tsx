import { useModel } from '../api/project';
import type { Document, Json, Kind } from '../model/types';
import { isObject } from '../model/values';
import { Reference } from '../ui/Reference';
import { DateTime } from '../ui/values';
import { CopyId } from './CopyId';
import { useDetailTexts } from './texts';

/** Who made a change: a customer, an operator, a client. */
export function Author({ value }: { value: Json | undefined }) {
  if (!isObject(value)) return null;
  if (isObject(value.customer)) return <Reference value={value.customer} compact />;
  if (isObject(value.associate)) return <Reference value={value.associate} compact />;
  const text = value.externalUserId ?? value.id ?? value.clientId ?? value.anonymousId;
  return typeof text === 'string' ? <span className="truncate" title={text}>{text}</span> : null;
}

export function Facts({ kind, document }: { kind: Kind; document: Document }) {
  const t = useDetailTexts();
  useModel();
  return (
    <section className="side-section">
      <h2>{t('facts')}</h2>
      <dl className="facts">
        {!kind.singleton && document.id && <><dt>{t('id')}</dt><dd><CopyId text={document.id} /></dd></>}
        {typeof document.key === 'string' && <><dt>{t('key')}</dt><dd><CopyId text={document.key} /></dd></>}
        {document.version !== undefined && <><dt>{t('version')}</dt><dd className="numbers">{document.version}</dd></>}
        {typeof document.createdAt === 'string' && <><dt>{t('created')}</dt><dd><DateTime value={document.createdAt} /> <Author value={document.createdBy} /></dd></>}
        {typeof document.lastModifiedAt === 'string' && <><dt>{t('modified')}</dt><dd><DateTime value={document.lastModifiedAt} /> <Author value={document.lastModifiedBy} /></dd></>}
      </dl>
    </section>
  );
}
