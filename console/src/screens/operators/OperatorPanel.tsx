import { useState } from 'react';
import type { Operator } from '../../api/console';
import { callSignedIn, useSession } from '../../api/session';
import { Button, IconButton } from '../../ui/Button';
import { Banner } from '../../ui/Feedback';
import { Select, TextField } from '../../ui/Field';
import { Panel } from '../../ui/Overlay';
import { useWords } from '../../ui/texts';
import { useRoles } from './OperatorsPage';
import { useOperatorTexts } from './texts';

/** Adds an operator, or changes one. */
export function OperatorPanel({
  operator,
  onClose,
  onSaved,
}: {
  operator?: Operator;
  onClose: () => void;
  onSaved: (operator: Operator, link?: string) => void;
}) {
  const t = useOperatorTexts();
  const words = useWords();
  const { projects } = useSession();
  const roles = useRoles();
  const [name, setName] = useState(operator?.name ?? '');
  const [email, setEmail] = useState(operator?.email ?? '');
  const [rows, setRows] = useState(
    operator?.roles ?? [{ project: projects.length === 1 ? projects[0]!.key : '*', role: 'read-only' }],
  );
  const [error, setError] = useState<string>();
  const [isPending, setPending] = useState(false);
  const save = () => {
    setPending(true);
    const body = operator ? { name, roles: rows } : { name, email, roles: rows };
    callSignedIn<{ operator: Operator; link?: string }>('POST', operator ? `operators/${operator.id}` : 'operators', body)
      .then(
        (answer) => onSaved(answer.operator, answer.link),
        (reason: unknown) => setError(reason instanceof Error ? reason.message : String(reason)),
      )
      .finally(() => setPending(false));
  };
  const projectOptions = [
    { id: '*', label: t('allProjects') },
    ...projects.map((project) => ({ id: project.key, label: project.name ?? project.key, hint: project.key })),
  ];
  const roleOptions = (roles.data ?? []).map((role) => ({ id: role.name, label: role.name }));
  const set = (at: number, change: Partial<(typeof rows)[number]>) =>
    setRows(rows.map((row, index) => (index === at ? { ...row, ...change } : row)));
  return (
    <Panel
      title={operator ? t('edit') : t('invite')}
      isOpen
      onClose={onClose}
      footer={
        <>
          <Button onPress={onClose}>{words('cancel')}</Button>
          <Button look="primary" onPress={save} isPending={isPending} isDisabled={!name.trim() || !/.@./.test(email)}>
            {words('save')}
          </Button>
        </>
      }
    >
      <div className="stack">
        {error && <Banner look="danger">{error}</Banner>}
        <TextField label={t('name')} value={name} onChange={setName} autoFocus required />
        <TextField label={t('email')} type="email" value={email} onChange={setEmail} isReadOnly={!!operator} required />
        <h3>{t('roles')}</h3>
        {rows.map((row, at) => (
          <div key={at} className="row">
            <div className="grow">
              <Select
                aria-label={t('project')}
                value={row.project}
                options={projectOptions}
                onChange={(project) => set(at, { project })}
              />
            </div>
            <div className="grow">
              <Select aria-label={t('role')} value={row.role} options={roleOptions} onChange={(role) => set(at, { role })} />
            </div>
            <IconButton
              icon="trash"
              label={t('removeRole', { name: row.role })}
              onPress={() => setRows(rows.filter((_, index) => index !== at))}
            />
          </div>
        ))}
        <div>
          <Button small icon="plus" onPress={() => setRows([...rows, { project: projects[0]?.key ?? '*', role: 'read-only' }])}>
            {t('addRole')}
          </Button>
        </div>
      </div>
    </Panel>
  );
}
