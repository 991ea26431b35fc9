import { useRef, useState } from 'react';
import { useProjectSettings } from '../api/hooks';
import { useModel, useProject } from '../api/project';
import { isLocalized, segmentOf } from '../model/model';
import type { Kind } from '../model/types';
import { Button } from '../ui/Button';
import { notify, notifyError } from '../ui/Feedback';
import { csvHead, csvRows, download } from './csv';
import { readAll } from './list-data';
import { useListTexts } from './texts';

/** Exports all documents of a list, with the columns that it shows. */
export function ExportButton({ kind, where, columns }: { kind: Kind; where: string; columns: string[] }) {
  const t = useListTexts();
  const model = useModel();
  const { client } = useProject();
  const { languages } = useProjectSettings();
  const [progress, setProgress] = useState<string>();
  const stopped = useRef(false);
  const run = async () => {
    stopped.current = false;
    const paths = columns.flatMap((path) => {
      const field = model.fieldAt(kind.type, path);
      return field && isLocalized(field) ? languages.map((language) => `${path}.${language}`) : [path];
    });
    const all = [...new Set(['id', ...(kind.keyed ? ['key'] : []), ...paths])];
    const parts = [`\uFEFF${csvHead(all)}`];
    let count = 0;
    for await (const { documents, total } of readAll(client, kind, where)) {
      if (stopped.current) return;
      parts.push(`\r\n${csvRows(documents, all)}`);
      count += documents.length;
      setProgress(t('exporting', { done: count, total }));
    }
    download(`${segmentOf(kind)}.csv`, 'text/csv;charset=utf-8', parts);
    notify({ look: 'success', text: t('exported', { count }) });
  };
  const start = () => {
    setProgress('…');
    run()
      .catch(notifyError)
      .finally(() => setProgress(undefined));
  };
  return progress === undefined ? (
    <Button icon="download" compact onPress={start}>
      {t('exportCsv')}
    </Button>
  ) : (
    <Button
      icon="close"
      onPress={() => {
        stopped.current = true;
      }}
    >
      {progress}
    </Button>
  );
}
