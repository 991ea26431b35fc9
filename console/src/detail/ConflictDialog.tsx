import { useState } from 'react';
import { useModel } from '../api/project';
import type { Kind } from '../model/types';
import { humanize } from '../model/values';
import { Button } from '../ui/Button';
import { Dialog } from '../ui/Overlay';
import { ValueCell } from '../ui/ValueCell';
import { useWords } from '../ui/texts';
import type { Conflict, Editing } from './editing';
import { useDetailTexts } from './texts';

/** Both sides of a conflict, field by field. By default each keeps what only one side changed, and yours where both did. */
export function ConflictDialog({ kind, editing, conflict }: { kind: Kind; editing: Editing; conflict: Conflict }) {
  const t = useDetailTexts();
  const words = useWords();
  const model = useModel();
  const byMe = conflict.differences.filter((one) => JSON.stringify(one.mine) !== JSON.stringify(one.base));
  const [mine, setMine] = useState<ReadonlySet<string>>(() => new Set(byMe.map((one) => one.path)));
  const choose = (path: string, isMine: boolean) =>
    setMine((now) => {
      const next = new Set(now);
      if (isMine) next.add(path);
      else next.delete(path);
      return next;
    });
  return (
    <Dialog
      title={t('conflictTitle')}
      isOpen
      onClose={editing.cancelConflict}
      wide
      footer={
        <>
          <Button onPress={editing.cancelConflict}>{words('cancel')}</Button>
          <Button look="primary" onPress={() => editing.resolve(mine)}>
            {t('reapply')}
          </Button>
        </>
      }
    >
      <div className="stack">
        <p className="muted">
          {t('conflictHint', { mine: String(editing.document.version), theirs: String(conflict.theirs.version) })}
        </p>
        <div className="conflict-scroll">
          <table className="conflict">
            <thead>
              <tr>
                <th scope="col">{t('field')}</th>
                <th scope="col">{t('before')}</th>
                <th scope="col">{t('mine')}</th>
                <th scope="col">{t('theirs')}</th>
              </tr>
            </thead>
            <tbody>
              {conflict.differences.map((one) => {
                const field = model.fieldAt(kind.type, one.path) ?? {
                  name: one.path,
                  type: 'Json',
                  list: 0 as const,
                  required: false,
                };
                const isMine = mine.has(one.path);
                return (
                  <tr key={one.path}>
                    <th scope="row">{one.path.split('.').map(humanize).join(' · ')}</th>
                    <td>
                      <ValueCell field={field} value={one.base} />
                    </td>
                    <td>
                      <label className="conflict-choice" data-chosen={isMine || undefined}>
                        <input type="radio" name={`side-${one.path}`} checked={isMine} onChange={() => choose(one.path, true)} />
                        <span className="visually-hidden">{t('keepMine')}: </span>
                        <ValueCell field={field} value={one.mine} />
                      </label>
                    </td>
                    <td>
                      <label className="conflict-choice" data-chosen={!isMine || undefined}>
                        <input
                          type="radio"
                          name={`side-${one.path}`}
                          checked={!isMine}
                          onChange={() => choose(one.path, false)}
                        />
                        <span className="visually-hidden">{t('keepTheirs')}: </span>
                        <ValueCell field={field} value={one.theirs} />
                      </label>
                    </td>
                  </tr>
                );
              })}
            </tbody>
          </table>
        </div>
      </div>
    </Dialog>
  );
}
