import { useQuery } from '@tanstack/react-query';
import type { Operator } from '../api/console';
import { useModel } from '../api/project';
import { callSignedIn, useSession } from '../api/session';
import type { Document, Json, Kind } from '../model/types';
import { isObject } from '../model/values';
import { Reference } from '../ui/Reference';
import { DateTime } from '../ui/values';
import { CopyId } from './CopyId';
import { useDetailTexts } from './texts';

/** Names of operators by their ids: of all for an administrator, else only the own one. */
function useOperatorNames(): (id: string) => string | undefined {
  const { administrator, operator } = useSession();
  const { data } = useQuery({
    queryKey: ['console', 'operators'],
    enabled: administrator,
    staleTime: 60_000,
    queryFn: () => callSignedIn<Operator[]>('GET', 'operators').catch(() => []),
  });
  return (id) => (id === operator.id ? operator.name || operator.email : data?.find((one) => one.id === id)?.name);
}

/** Shows the author of a change: a customer, an associate, an operator or a client. */
export function Author({ value }: { value: Json | undefined }) {
  const nameOf = useOperatorNames();
  if (!isObject(value)) return null;
  if (isObject(value.customer)) return <Reference value={value.customer} compact />;
  if (isObject(value.associate)) return <Reference value={value.associate} compact />;
  const text = value.externalUserId ?? value.id ?? value.clientId ?? value.anonymousId;
  return typeof text === 'string' ? (
    <span className="truncate" title={text}>
      {nameOf(text) ?? text}
    </span>
  ) : null;
}

export function Facts({ kind, document }: { kind: Kind; document: Document }) {
  const t = useDetailTexts();
  useModel();
  return (
    <section className="side-section">
      <h2>{t('facts')}</h2>
      <dl className="facts">
        {!kind.singleton && document.id && (
          <>
            <dt>{t('id')}</dt>
            <dd>
              <CopyId text={document.id} />
            </dd>
          </>
        )}
        {typeof document.key === 'string' && (
          <>
            <dt>{t('key')}</dt>
            <dd>
              <CopyId text={document.key} />
            </dd>
          </>
        )}
        {document.version !== undefined && (
          <>
            <dt>{t('version')}</dt>
            <dd className="numbers">{document.version}</dd>
          </>
        )}
        {typeof document.createdAt === 'string' && (
          <>
            <dt>{t('created')}</dt>
            <dd>
              <DateTime value={document.createdAt} /> <Author value={document.createdBy} />
            </dd>
          </>
        )}
        {typeof document.lastModifiedAt === 'string' && (
          <>
            <dt>{t('modified')}</dt>
            <dd>
              <DateTime value={document.lastModifiedAt} /> <Author value={document.lastModifiedBy} />
            </dd>
          </>
        )}
      </dl>
    </section>
  );
}
