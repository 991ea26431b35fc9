import { useQueryClient } from '@tanstack/react-query';
import { useMemo, useRef, useState, type ReactNode } from 'react';
import { Link } from 'wouter';
import type { Client } from '../../api/client';
import { useProject } from '../../api/project';
import { runEach } from '../../api/run-each';
import { usePageTitle } from '../../app/breadcrumbs';
import { useLeaveGuard } from '../../app/leave-guard';
import { paths } from '../../app/paths';
import { csvHead, csvRows, download } from '../../list/csv';
import type { Kind } from '../../model/types';
import { Button } from '../../ui/Button';
import { Banner, Progress } from '../../ui/Feedback';
import { Switch, TextField } from '../../ui/Field';
import { decodeText, readCsv, type CsvColumn, type CsvRow } from './csv-file';
import { useImportTexts } from './import-texts';
import './import.css';
import './products.css';

/** The columns of a CSV file of one kind, and the function that imports its rows. */
export interface ImportKind {
  columns: CsvColumn[];
  kindName: string;
  nameOf: (values: Record<string, string>) => string;
  /** Reads what the rows need, and returns what sends one of them; an error says why a row was refused. */
  prepare: (client: Client, rows: CsvRow[]) => Promise<(row: CsvRow) => Promise<Outcome>>;
}

type Outcome = 'created' | 'changed' | 'same';

const REQUESTS_AT_ONCE = 4;
const ROWS_SHOWN_MAX = 300;

interface Result {
  counts: Record<Outcome, number>;
  failed: CsvRow[];
  stopped: number;
}

/** Sends the rows, some at a time. */
function useRun(spec: ImportKind, kind: Kind) {
  const { client } = useProject();
  const cache = useQueryClient();
  const [progress, setProgress] = useState<{ done: number; of: number }>();
  const [result, setResult] = useState<Result>();
  const signal = useRef({ stopped: false });
  const start = async (rows: CsvRow[]) => {
    const counts: Result['counts'] = { created: 0, changed: 0, same: 0 };
    const failed: CsvRow[] = [];
    signal.current = { stopped: false };
    setProgress({ done: 0, of: 0 });
    let sent = 0;
    try {
      const send = await spec.prepare(client, rows);
      setProgress({ done: 0, of: rows.length });
      const one = async (row: CsvRow) => {
        try {
          counts[await send(row)] += 1;
        } catch (error) {
          failed.push({ ...row, errors: [messageOf(error)] });
        }
      };
      await runEach(rows, REQUESTS_AT_ONCE, one, signal.current, (done) => {
        sent = done;
        setProgress({ done, of: rows.length });
      });
    } catch (error) {
      for (const row of rows) failed.push({ ...row, errors: [messageOf(error)] });
      sent = rows.length;
    }
    failed.sort((a, b) => a.line - b.line);
    setProgress(undefined);
    setResult({ counts, failed, stopped: rows.length - sent });
    void cache.invalidateQueries({ queryKey: [client.project, kind.name] });
  };
  return { start, progress, result, stop: () => (signal.current.stopped = true), clear: () => setResult(undefined) };
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

/** Imports a CSV file: choose it, look at its rows and their errors, send them, see what was refused. */
export function CsvImport({ title, spec, kind }: { title: string; spec: ImportKind; kind: Kind }) {
  const t = useImportTexts();
  const { key } = useProject();
  const [text, setText] = useState<string>();
  const run = useRun(spec, kind);
  usePageTitle(title);
  useLeaveGuard(run.progress !== undefined);
  const file = useMemo(
    () =>
      text === undefined
        ? undefined
        : readCsv(text, spec.columns, spec.nameOf, {
            required: () => t('isRequired'),
            tooLong: t('tooLong'),
            twice: (line) => t('twice', { line }),
          }),
    [text, spec, t],
  );
  const good = file?.rows.filter((row) => row.errors.length === 0) ?? [];
  const bad = file?.rows.filter((row) => row.errors.length > 0) ?? [];
  const again = () => {
    setText(undefined);
    run.clear();
  };
  return (
    <div className="page page-narrow">
      <div className="page-head">
        <h1>{title}</h1>
        <div className="page-actions">
          {file && !run.progress && (
            <Button icon="upload" onPress={again}>
              {t('another')}
            </Button>
          )}
          <Link className="button" href={paths.list(key, kind)}>
            {t('back')}
          </Link>
          {file && !run.result && !run.progress && (
            <Button look="primary" isDisabled={good.length === 0} onPress={() => void run.start(good)}>
              {t('start', { count: good.length })}
            </Button>
          )}
        </div>
      </div>
      {!file ? (
        <Choose columns={spec.columns} kind={kind} onText={setText} />
      ) : run.progress ? (
        <div className="row-top">
          <div className="grow">
            <Progress
              value={run.progress.done}
              max={run.progress.of || undefined}
              label={run.progress.of === 0 ? t('reading') : t('progress', { done: run.progress.done, of: run.progress.of })}
            />
          </div>
          <Button onPress={run.stop}>{t('stop')}</Button>
        </div>
      ) : run.result ? (
        <ShowResult result={run.result} columns={spec.columns} kind={kind} leftOut={bad} />
      ) : (
        <div className="stack">
          {file.missing.length > 0 && <Banner look="danger">{t('missing', { names: file.missing.join(', ') })}</Banner>}
          {file.rows.length === 0 && <Banner look="warning">{t('noRows')}</Banner>}
          {file.unknown.length > 0 && <p className="muted">{t('unknown', { names: file.unknown.join(', ') })}</p>}
          <div className="row wrap" role="status">
            {good.length > 0 && <b>{t('good', { count: good.length })}</b>}
            {bad.length > 0 && <span className="import-bad">{t('bad', { count: bad.length })}</span>}
          </div>
          {file.rows.length > 0 && <Rows rows={file.rows} columns={spec.columns} canFilter={bad.length > 0 && good.length > 0} />}
        </div>
      )}
    </div>
  );
}

/** Reads a file that the operator drops, chooses or pastes. */
function Choose({ columns, kind, onText }: { columns: CsvColumn[]; kind: Kind; onText: (text: string) => void }) {
  const t = useImportTexts();
  const [isOver, setOver] = useState(false);
  const [pasted, setPasted] = useState('');
  const input = useRef<HTMLInputElement>(null);
  const read = (file: File | undefined) => void file?.arrayBuffer().then((bytes) => onText(decodeText(bytes)));
  return (
    <div className="stack-large">
      <button
        type="button"
        className="import-drop"
        data-over={isOver || undefined}
        onClick={() => input.current?.click()}
        onDragOver={(event) => {
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={(event) => {
          event.preventDefault();
          setOver(false);
          read(event.dataTransfer.files[0]);
        }}
      >
        {t('drop')}
      </button>
      <input
        ref={input}
        type="file"
        hidden
        accept=".csv,.tsv,.txt,text/csv"
        aria-label={t('drop')}
        onChange={(event) => read(event.target.files?.[0])}
      />
      <div className="stack-small">
        <TextField
          multiline
          mono
          rows={4}
          dir="ltr"
          label={t('paste')}
          placeholder={columns.map((column) => column.name).join('\t')}
          value={pasted}
          onChange={setPasted}
        />
        <span>
          <Button isDisabled={pasted.trim() === ''} onPress={() => onText(pasted)}>
            {t('use')}
          </Button>
        </span>
      </div>
      <section className="stack-small">
        <h2>{t('columns')}</h2>
        <p className="row wrap">
          {columns.map((column) => (
            <span key={column.name}>
              <code>{column.name}</code>
              {column.required && <span className="muted small"> {t('required')}</span>}
            </span>
          ))}
        </p>
        <p className="muted small">{t('hint')}</p>
        <span>
          <Button
            small
            icon="download"
            onPress={() =>
              download(`${kind.path}-import.csv`, 'text/csv;charset=utf-8', [
                `\uFEFF${csvHead(columns.map((column) => column.name))}\r\n`,
              ])
            }
          >
            {t('template')}
          </Button>
        </span>
      </section>
    </div>
  );
}

function Rows({
  rows,
  columns,
  canFilter,
  action,
}: {
  rows: CsvRow[];
  columns: CsvColumn[];
  canFilter: boolean;
  action?: ReactNode;
}) {
  const t = useImportTexts();
  const [onlyBad, setOnlyBad] = useState(false);
  const used = columns.filter((column) => column.required || rows.some((row) => row.values[column.name] !== ''));
  const shown = onlyBad ? rows.filter((row) => row.errors.length > 0) : rows;
  const hasErrors = shown.some((row) => row.errors.length > 0);
  return (
    <div className="stack-small">
      {(canFilter || action) && (
        <div className="row wrap">
          {canFilter && (
            <Switch isSelected={onlyBad} onChange={setOnlyBad}>
              {t('onlyBad')}
            </Switch>
          )}
          <span className="push">{action}</span>
        </div>
      )}
      <div className="preview-scroll" tabIndex={0} role="region" aria-label={t('example')}>
        <table className="preview">
          <thead>
            <tr>
              <th scope="col" className="preview-end">
                {t('line')}
              </th>
              {hasErrors && <th scope="col">{t('problem')}</th>}
              {used.map((column) => (
                <th key={column.name} scope="col">
                  {column.name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {shown.slice(0, ROWS_SHOWN_MAX).map((row) => (
              <tr key={row.line} data-bad={row.errors.length > 0 || undefined}>
                <td className="preview-end muted">{row.line}</td>
                {hasErrors && <td className="import-bad pre-line">{row.errors.join('\n')}</td>}
                {used.map((column) => (
                  <td key={column.name}>{row.values[column.name]}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
        {shown.length > ROWS_SHOWN_MAX && (
          <p className="muted small preview-more">{t('more', { count: shown.length - ROWS_SHOWN_MAX })}</p>
        )}
      </div>
    </div>
  );
}

/** Shows the result of the import, and the failed rows, to correct and import again. */
function ShowResult({ result, columns, kind, leftOut }: { result: Result; columns: CsvColumn[]; kind: Kind; leftOut: CsvRow[] }) {
  const t = useImportTexts();
  const failed = [...leftOut, ...result.failed].sort((a, b) => a.line - b.line);
  const names = columns.map((column) => column.name);
  const save = () =>
    download(`${kind.path}-errors.csv`, 'text/csv;charset=utf-8', [
      `\uFEFF${csvHead([...names, 'line', 'error'])}\r\n`,
      csvRows(
        failed.map((row) => ({ ...row.values, line: row.line, error: row.errors.join(' ') })),
        [...names, 'line', 'error'],
      ),
    ]);
  return (
    <div className="stack">
      <Banner look={failed.length === 0 ? 'success' : 'info'}>
        {failed.length === 0 && result.stopped === 0 && <b>{t('allGood')}. </b>}
        {t('result', result.counts)}
      </Banner>
      {result.stopped > 0 && <Banner look="warning">{t('stopped', { count: result.stopped })}</Banner>}
      {failed.length > 0 && (
        <>
          <h2 className="import-bad">{t('failed', { count: failed.length })}</h2>
          <Rows
            rows={failed}
            columns={columns}
            canFilter={false}
            action={
              <Button icon="download" onPress={save}>
                {t('download')}
              </Button>
            }
          />
        </>
      )}
    </div>
  );
}
