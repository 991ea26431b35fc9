import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { useKind } from '../../api/hooks';
import { useClient } from '../../api/project';
import { defineTexts } from '../../i18n/texts';
import type { JsonObject, Kind } from '../../model/types';
import { Button } from '../../ui/Button';
import { Banner, Progress } from '../../ui/Feedback';
import { TextField } from '../../ui/Field';
import { Panel } from '../../ui/Overlay';
import { ReferencePicker } from '../../ui/ReferencePicker';
import { useWords } from '../../ui/texts';
import { codesFor, createCodes, saveCodes, randomCode, type CreatedCodes } from './codes';
import { CODES_MAX } from './promotion';
import { RequestView } from './PromotionAside';

const useTexts = defineTexts(
  {
    title: 'Generate codes',
    like: 'Like {code}: the same Cart Discounts, limits and validity.',
    discount: 'Cart Discount',
    count: 'How many',
    countProblem: 'Between 1 and 5,000',
    prefix: 'Prefix',
    perCustomer: 'Limit per customer',
    inAll: 'Limit of each code',
    noLimit: 'no limit',
    run: 'Generate {count} codes',
    run_one: 'Generate 1 code',
    progress: '{done} of {count} codes',
    stop: 'Stop',
    done: '{count} codes are created',
    done_one: '1 code is created',
    failed: '{count} were refused: {message}',
    download: 'Save as a file',
    request: 'Each code is one request:',
  },
  {
    title: 'Codes erzeugen',
    like: 'Wie {code}: dieselben Warenkorbrabatte, Grenzen und Gültigkeit.',
    discount: 'Warenkorbrabatt',
    count: 'Wie viele',
    countProblem: 'Zwischen 1 und 5.000',
    prefix: 'Anfang',
    perCustomer: 'Grenze je Kunde',
    inAll: 'Grenze jedes Codes',
    noLimit: 'keine Grenze',
    run: '{count} Codes erzeugen',
    run_one: '1 Code erzeugen',
    progress: '{done} von {count} Codes',
    stop: 'Anhalten',
    done: '{count} Codes sind angelegt',
    done_one: '1 Code ist angelegt',
    failed: '{count} wurden abgelehnt: {message}',
    download: 'Als Datei sichern',
    request: 'Jeder Code ist eine Anfrage:',
  },
);

const limitOf = (text: string) => (/^[1-9]\d*$/.test(text.trim()) ? Number(text) : undefined);

/** Creates codes one after the other, until it is stopped. */
function useGenerator(kind: Kind) {
  const client = useClient();
  const cache = useQueryClient();
  const [progress, setProgress] = useState<number>();
  const [result, setResult] = useState<CreatedCodes>();
  const signal = useRef({ stopped: false });
  const run = async (draft: JsonObject, codes: string[]) => {
    signal.current = { stopped: false };
    setProgress(0);
    setResult(await createCodes(client, draft, codes, setProgress, signal.current));
    setProgress(undefined);
    void cache.invalidateQueries({ queryKey: [client.project, kind.name] });
  };
  return { progress, result, run, stop: () => (signal.current.stopped = true) };
}

interface GenerateInput {
  discount?: JsonObject;
  count: string;
  prefix: string;
  perCustomer: string;
  inAll: string;
}

const countOf = ({ count }: GenerateInput) => (/^\d+$/.test(count.trim()) ? Number(count) : 0);
const isCount = (count: number) => count >= 1 && count <= CODES_MAX;

/** Returns the fields that all codes share, from the form. */
function draftOf({ discount, perCustomer, inAll }: GenerateInput): JsonObject {
  const draft: JsonObject = { cartDiscounts: discount ? [discount] : [] };
  const [each, all] = [limitOf(perCustomer), limitOf(inAll)];
  if (each) draft.maxApplicationsPerCustomer = each;
  if (all) draft.maxApplications = all;
  return draft;
}

/** Creates many codes with random ends. `template` is what all of them have. */
export function GenerateCodes({
  kind,
  template,
  like,
  onClose,
}: {
  kind: Kind;
  template: JsonObject;
  like?: string;
  onClose: () => void;
}) {
  const t = useTexts();
  const words = useWords();
  const { progress, result, run, stop } = useGenerator(kind);
  const [input, setInput] = useState<GenerateInput>({ count: '100', prefix: '', perCustomer: '', inAll: '1' });
  const wanted = countOf(input);
  const draft = like ? template : draftOf(input);
  const isFine = isCount(wanted) && (like !== undefined || input.discount !== undefined);
  const close = () => {
    stop();
    onClose();
  };
  const names = result?.created.map(({ code }) => code) ?? [];
  const footer = result ? (
    <>
      {names.length > 0 && (
        <Button icon="download" onPress={() => saveCodes(names, 'codes.csv')}>
          {t('download')}
        </Button>
      )}
      <Button look="primary" onPress={onClose}>
        {words('done')}
      </Button>
    </>
  ) : progress !== undefined ? (
    <Button onPress={stop}>{t('stop')}</Button>
  ) : (
    <>
      <Button onPress={close}>{words('cancel')}</Button>
      <Button look="primary" isDisabled={!isFine} onPress={() => void run(draft, codesFor(wanted, input.prefix.trim()))}>
        {t('run', { count: wanted })}
      </Button>
    </>
  );
  return (
    <Panel title={t('title')} isOpen onClose={close} footer={footer}>
      {result ? (
        <GeneratedCodes result={result} />
      ) : progress !== undefined ? (
        <Progress value={progress} max={wanted} label={t('progress', { done: progress, count: wanted })} />
      ) : (
        <GenerateForm kind={kind} input={input} draft={draft} like={like} onChange={setInput} />
      )}
    </Panel>
  );
}

function GeneratedCodes({ result }: { result: CreatedCodes }) {
  const t = useTexts();
  const { created, failed } = result;
  return (
    <div className="stack">
      <Banner look={created.length > 0 ? 'success' : 'warning'}>{t('done', { count: created.length })}</Banner>
      {failed.length > 0 && <Banner look="danger">{t('failed', { count: failed.length, message: failed[0]!.message })}</Banner>}
      <pre className="snippet" tabIndex={0}>
        {created.map(({ code }) => code).join('\n')}
      </pre>
    </div>
  );
}

function GenerateForm({
  kind,
  input,
  draft,
  like,
  onChange,
}: {
  kind: Kind;
  input: GenerateInput;
  draft: JsonObject;
  like?: string;
  onChange: (input: GenerateInput) => void;
}) {
  const t = useTexts();
  const discounts = useKind('CartDiscount').kind;
  const set = (name: keyof GenerateInput) => (value: string) => onChange({ ...input, [name]: value });
  const limit = { inputMode: 'numeric' as const, placeholder: t('noLimit') };
  return (
    <div className="stack">
      {like && <p className="muted">{t('like', { code: like })}</p>}
      {!like && discounts && (
        <ReferencePicker
          label={t('discount')}
          required
          kinds={[discounts]}
          value={input.discount}
          onChange={(discount) => onChange({ ...input, discount })}
          filter="requiresDiscountCode = true"
        />
      )}
      <div className="fields">
        <TextField
          label={t('count')}
          required
          inputMode="numeric"
          value={input.count}
          onChange={set('count')}
          error={isCount(countOf(input)) ? undefined : t('countProblem')}
        />
        <TextField label={t('prefix')} mono value={input.prefix} onChange={set('prefix')} placeholder="SPRING" />
        {!like && (
          <>
            <TextField label={t('inAll')} {...limit} value={input.inAll} onChange={set('inAll')} />
            <TextField label={t('perCustomer')} {...limit} value={input.perCustomer} onChange={set('perCustomer')} />
          </>
        )}
      </div>
      <p className="muted small">{t('request')}</p>
      <RequestView path={kind.path} body={{ code: sampleOf(input.prefix), ...draft }} />
    </div>
  );
}

let sample: { prefix: string; code: string } | undefined;
/** The same example as long as the prefix is the same. */
function sampleOf(prefix: string): string {
  if (sample?.prefix !== prefix) sample = { prefix, code: randomCode(prefix.trim()) };
  return sample.code;
}
