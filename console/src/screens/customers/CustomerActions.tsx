import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useKind } from '../../api/hooks';
import { useClient } from '../../api/project';
import { usePreferences } from '../../app/preferences';
import { CopyButton } from '../../detail/CopyButton';
import type { Document, Kind } from '../../model/types';
import { isObject } from '../../model/values';
import { Button } from '../../ui/Button';
import { Banner } from '../../ui/Feedback';
import { Checkbox, Select } from '../../ui/Field';
import { Dialog, Menu } from '../../ui/Overlay';
import { useWords } from '../../ui/texts';
import { formatDateTime } from '../../ui/values';
import { useCustomerTexts } from './texts';

type TokenType = 'password' | 'email';
interface Token {
  value: string;
  expiresAt: string;
}

/** Tokens for a new password and for the e-mail address. */
export default function CustomerActions({ kind, document }: { kind: Kind; document: Document }) {
  const t = useCustomerTexts();
  const { mayManage } = useKind(kind.name);
  const [open, setOpen] = useState<TokenType>();
  if (!mayManage) return null;
  return (
    <>
      <Menu
        label={t('token')}
        trigger={<Button icon="key">{t('token')}</Button>}
        entries={[
          ...(document.authenticationMode === 'ExternalAuth'
            ? []
            : [{ id: 'password', label: t('passwordToken'), icon: 'key' as const, onAction: () => setOpen('password') }]),
          { id: 'email', label: t('emailToken'), icon: 'check', onAction: () => setOpen('email') },
        ]}
      />
      {open && <TokenDialog type={open} customer={document} onClose={() => setOpen(undefined)} />}
    </>
  );
}

const HOUR = 60;
const DAY = 24 * HOUR;
const TIMES = [30, HOUR, DAY, 7 * DAY];

function TokenDialog({ type, customer, onClose }: { type: TokenType; customer: Document; onClose: () => void }) {
  const t = useCustomerTexts();
  const words = useWords();
  const client = useClient();
  const { language, zone } = usePreferences();
  const [minutes, setMinutes] = useState(DAY);
  const [endsOlder, setEndsOlder] = useState(false);
  const store = Array.isArray(customer.stores) && isObject(customer.stores[0]) ? customer.stores[0].key : undefined;
  const make = useMutation({
    // The token stays out of the cache: it is only in this dialog.
    gcTime: 0,
    mutationFn: () => {
      const of = type === 'password' ? { email: customer.email } : { id: customer.id, version: customer.version };
      const path = `customers/${type}-token`;
      return client.request<Token>(store ? `in-store/key=${encodeURIComponent(String(store))}/${path}` : path, {
        method: 'POST',
        body: { ...of, ttlMinutes: minutes, invalidateOlderTokens: endsOlder },
      });
    },
  });
  const email = String(customer.email);
  const time = (count: number) =>
    count >= DAY
      ? t('days', { count: count / DAY })
      : count >= HOUR
        ? t('hours', { count: count / HOUR })
        : t('minutes', { count });
  const token = make.data;
  return (
    <Dialog
      title={type === 'password' ? t('passwordToken') : t('emailToken')}
      isOpen
      onClose={onClose}
      footer={
        token ? (
          <Button look="primary" onPress={onClose}>
            {words('done')}
          </Button>
        ) : (
          <>
            <Button onPress={onClose}>{words('cancel')}</Button>
            <Button look="primary" onPress={() => make.mutate()} isPending={make.isPending}>
              {t('create')}
            </Button>
          </>
        )
      }
    >
      <div className="stack">
        {make.error && <Banner look="danger">{make.error.message}</Banner>}
        {token ? (
          <>
            <Banner look="warning">{t('once')}</Banner>
            <div className="row snippet token">
              <code className="grow">{token.value}</code>
              <CopyButton text={token.value} />
            </div>
            <p className="muted small">{t('expires', { time: formatDateTime(token.expiresAt, language, zone, 'short') })}</p>
          </>
        ) : (
          <>
            <p className="muted">{t(type === 'password' ? 'passwordHint' : 'emailHint', { name: email })}</p>
            <Select
              label={t('validFor')}
              value={String(minutes)}
              options={TIMES.map((count) => ({ id: String(count), label: time(count) }))}
              onChange={(id) => setMinutes(Number(id))}
            />
            <Checkbox isSelected={endsOlder} onChange={setEndsOlder}>
              {t('older')}
            </Checkbox>
          </>
        )}
      </div>
    </Dialog>
  );
}
