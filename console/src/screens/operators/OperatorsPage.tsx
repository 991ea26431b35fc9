import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Operator, Role } from '../../api/console';
import { useModel } from '../../api/project';
import { callSignedIn, useSession } from '../../api/session';
import { usePageTitle } from '../../app/breadcrumbs';
import { CopyButton } from '../../detail/CopyButton';
import { Button, IconButton } from '../../ui/Button';
import { Chip, EmptyState, ErrorState, notify, notifyError, Skeleton } from '../../ui/Feedback';
import { TextField } from '../../ui/Field';
import { Confirm, Dialog, Menu, Panel } from '../../ui/Overlay';
import { ScopeChooser } from '../../ui/ScopeChooser';
import { Tabs } from '../../ui/Tabs';
import { useWords } from '../../ui/texts';
import { OperatorPanel } from './OperatorPanel';
import { useOperatorTexts } from './texts';

const KEY = ['console'];

/** Shows the operators, with their roles in each project. */
export default function OperatorsPage() {
  const t = useOperatorTexts();
  const { administrator } = useSession();
  usePageTitle(t('title'));
  if (!administrator)
    return (
      <div className="page">
        <EmptyState icon="key" title={t('onlyAdmins')} />
      </div>
    );
  return (
    <div className="page page-narrow">
      <div className="page-head">
        <h1>{t('title')}</h1>
      </div>
      <Tabs
        label={t('title')}
        tabs={[
          { id: 'operators', label: t('operators'), content: <Operators /> },
          { id: 'roles', label: t('roles'), content: <Roles /> },
        ]}
      />
    </div>
  );
}

export const useRoles = () => useQuery({ queryKey: [...KEY, 'roles'], queryFn: () => callSignedIn<Role[]>('GET', 'roles') });

function Operators() {
  const t = useOperatorTexts();
  const { operator: me } = useSession();
  const cache = useQueryClient();
  const operators = useQuery({ queryKey: [...KEY, 'operators'], queryFn: () => callSignedIn<Operator[]>('GET', 'operators') });
  const [edited, setEdited] = useState<Operator | 'new'>();
  const [removed, setRemoved] = useState<Operator>();
  const [link, setLink] = useState<{ name: string; url: string }>();
  const refresh = () => void cache.invalidateQueries({ queryKey: KEY });
  if (operators.error) return <ErrorState error={operators.error} onRetry={() => void operators.refetch()} />;
  if (!operators.data) return <Skeleton />;
  const reset = (operator: Operator) =>
    callSignedIn<{ link?: string }>('POST', `operators/${operator.id}`, { resetPassword: true }).then(
      (answer) => answer.link && setLink({ name: operator.name, url: answer.link }),
      notifyError,
    );
  const remove = (operator: Operator) =>
    callSignedIn('DELETE', `operators/${operator.id}`)
      .then(refresh, notifyError)
      .finally(() => setRemoved(undefined));
  return (
    <div className="stack">
      <div>
        <Button look="primary" icon="plus" onPress={() => setEdited('new')}>
          {t('invite')}
        </Button>
      </div>
      <ul className="home-rows">
        {operators.data.map((operator) => (
          <li key={operator.id} className="home-row">
            <span className="avatar" data-initials={(operator.name || operator.email).slice(0, 1).toUpperCase()} />
            <span className="stack-tight grow">
              <span className="row">
                <b className="truncate">{operator.name || operator.email}</b>
                {operator.id === me.id && <Chip look="accent">{t('you')}</Chip>}
              </span>
              <span className="muted small truncate">{operator.email}</span>
            </span>
            <span className="row wrap">
              {operator.roles.length === 0 && <span className="muted small">{t('noRole')}</span>}
              {operator.roles.map((role) => (
                <Chip key={`${role.project} ${role.role}`}>
                  {role.project === '*' ? t('allProjects') : role.project} · {role.role}
                </Chip>
              ))}
            </span>
            <Menu
              label={operator.email}
              trigger={<IconButton icon="more" label={`${t('edit')}: ${operator.email}`} />}
              entries={[
                { id: 'edit', label: t('edit'), icon: 'edit', onAction: () => setEdited(operator) },
                { id: 'reset', label: t('reset'), icon: 'key', onAction: () => void reset(operator) },
                ...(operator.id === me.id
                  ? []
                  : [
                      {
                        id: 'remove',
                        label: t('remove'),
                        icon: 'trash' as const,
                        danger: true,
                        separated: true,
                        onAction: () => setRemoved(operator),
                      },
                    ]),
              ]}
            />
          </li>
        ))}
      </ul>
      {edited && (
        <OperatorPanel
          operator={edited === 'new' ? undefined : edited}
          onClose={() => setEdited(undefined)}
          onSaved={(operator, url) => {
            setEdited(undefined);
            refresh();
            if (url) setLink({ name: operator.name, url });
            else notify({ look: 'success', text: t('saved') });
          }}
        />
      )}
      <Confirm
        title={t('remove')}
        isOpen={!!removed}
        onClose={() => setRemoved(undefined)}
        confirm={t('remove')}
        onConfirm={() => removed && void remove(removed)}
      >
        {t('removeHint', { name: removed?.name ?? '' })}
      </Confirm>
      <LinkDialog link={link} onClose={() => setLink(undefined)} />
    </div>
  );
}

function LinkDialog({ link, onClose }: { link?: { name: string; url: string }; onClose: () => void }) {
  const t = useOperatorTexts();
  const words = useWords();
  return (
    <Dialog
      title={t('linkTitle', { name: link?.name ?? '' })}
      isOpen={!!link}
      onClose={onClose}
      footer={
        <Button look="primary" onPress={onClose}>
          {words('done')}
        </Button>
      }
    >
      <div className="stack">
        <p className="muted">{t('linkHint')}</p>
        <div className="secret">
          <div className="row snippet">
            <code className="grow">{link?.url}</code>
            <CopyButton text={link?.url ?? ''} />
          </div>
        </div>
      </div>
    </Dialog>
  );
}

function Roles() {
  const t = useOperatorTexts();
  const words = useWords();
  const cache = useQueryClient();
  const roles = useRoles();
  const [edited, setEdited] = useState<Role>();
  const [isNew, setNew] = useState(false);
  const [removed, setRemoved] = useState<Role>();
  const model = useModel();
  if (roles.error) return <ErrorState error={roles.error} onRetry={() => void roles.refetch()} />;
  if (!roles.data) return <Skeleton />;
  const refresh = () => void cache.invalidateQueries({ queryKey: KEY });
  const save = () => {
    if (!edited) return;
    callSignedIn('POST', 'roles', { name: edited.name.trim(), scopes: edited.scopes }).then(() => {
      setEdited(undefined);
      refresh();
      notify({ look: 'success', text: t('saved') });
    }, notifyError);
  };
  const all = [...new Set([...model.model.scopes, ...roles.data.flatMap((role) => role.scopes)])];
  return (
    <div className="stack">
      <p className="muted">{t('roleHint')}</p>
      <div>
        <Button
          icon="plus"
          onPress={() => {
            setNew(true);
            setEdited({ name: '', scopes: [], builtIn: false });
          }}
        >
          {t('newRole')}
        </Button>
      </div>
      <ul className="home-rows">
        {roles.data.map((role) => (
          <li key={role.name} className="home-row">
            <span className="stack-tight grow">
              <b>{role.name}</b>
              <span className="muted small">{t('scopeCount', { count: role.scopes.length })}</span>
            </span>
            {role.builtIn && <Chip>{t('builtIn')}</Chip>}
            <IconButton
              icon="edit"
              label={`${words('edit')}: ${role.name}`}
              onPress={() => {
                setNew(false);
                setEdited(role);
              }}
            />
            {!role.builtIn && (
              <IconButton icon="trash" label={`${words('delete')}: ${role.name}`} onPress={() => setRemoved(role)} />
            )}
          </li>
        ))}
      </ul>
      <Panel
        title={isNew ? t('newRole') : t('editRole', { name: edited?.name ?? '' })}
        isOpen={!!edited}
        onClose={() => setEdited(undefined)}
        footer={
          <>
            <Button onPress={() => setEdited(undefined)}>{words('cancel')}</Button>
            <Button look="primary" onPress={save} isDisabled={!edited?.name.trim() || edited.scopes.length === 0}>
              {words('save')}
            </Button>
          </>
        }
      >
        {edited && (
          <div className="stack">
            {isNew && (
              <TextField
                label={t('name')}
                value={edited.name}
                onChange={(name) => setEdited({ ...edited, name })}
                autoFocus
                required
              />
            )}
            <ScopeChooser
              scopes={all}
              chosen={new Set(edited.scopes)}
              onChange={(chosen) => setEdited({ ...edited, scopes: [...chosen] })}
            />
          </div>
        )}
      </Panel>
      <Confirm
        title={t('removeRoleTitle', { name: removed?.name ?? '' })}
        isOpen={!!removed}
        onClose={() => setRemoved(undefined)}
        confirm={words('delete')}
        onConfirm={() =>
          removed &&
          void callSignedIn('DELETE', `roles/${encodeURIComponent(removed.name)}`)
            .then(refresh, notifyError)
            .finally(() => setRemoved(undefined))
        }
      >
        {t('removeRoleHint')}
      </Confirm>
    </div>
  );
}
