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
import { codesFor, createCodes, downloadCodes, randomCode, type CreatedCodes } from './codes';
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
  const client = useClient();
  const cache = useQueryClient();
  const discounts = useKind('CartDiscount').kind;
  const [discount, setDiscount] = useState<JsonObject>();
  const [count, setCount] = useState('100');
  const [prefix, setPrefix] = useState('');
  const [perCustomer, setPerCustomer] = useState('');
  const [inAll, setInAll] = useState('1');
  const [progress, setProgress] = useState<number>();
  const [result, setResult] = useState<CreatedCodes>();
  const isStopped = useRef(false);
  const wanted = /^\d+$/.test(count.trim()) ? Number(count) : 0;
  const isFine = wanted >= 1 && wanted <= CODES_MAX && (like !== undefined || discount !== undefined);
  const limits = {
    ...(limitOf(perCustomer) ? { maxApplicationsPerCustomer: limitOf(perCustomer) } : {}),
    ...(limitOf(inAll) ? { maxApplications: limitOf(inAll) } : {}),
  } as JsonObject;
  const draft: JsonObject = like ? template : { cartDiscounts: discount ? [discount] : [], ...limits };
  const run = async () => {
    isStopped.current = false;
    setProgress(0);
    const made = await createCodes(client, draft, codesFor(wanted, prefix.trim()), setProgress, () => isStopped.current);
    setResult(made);
    setProgress(undefined);
    void cache.invalidateQueries({ queryKey: [client.project, kind.name] });
  };
  const close = () => {
    isStopped.current = true;
    onClose();
  };
  const footer = result ? (
    <>
      {result.created.length > 0 && (
        <Button
          icon="download"
          onPress={() =>
            downloadCodes(
              result.created.map(({ code }) => code),
              'codes.csv',
            )
          }
        >
          {t('download')}
        </Button>
      )}
      <Button look="primary" onPress={onClose}>
        {words('done')}
      </Button>
    </>
  ) : progress !== undefined ? (
    <Button onPress={() => (isStopped.current = true)}>{t('stop')}</Button>
  ) : (
    <>
      <Button onPress={close}>{words('cancel')}</Button>
      <Button look="primary" isDisabled={!isFine} onPress={() => void run()}>
        {t('run', { count: wanted })}
      </Button>
    </>
  );
  return (
    <Panel title={t('title')} isOpen onClose={close} footer={footer}>
      {result ? (
        <div className="stack">
          <Banner look={result.created.length > 0 ? 'success' : 'warning'}>{t('done', { count: result.created.length })}</Banner>
          {result.failed.length > 0 && (
            <Banner look="danger">{t('failed', { count: result.failed.length, message: result.failed[0]!.message })}</Banner>
          )}
          <pre className="snippet" tabIndex={0}>
            {result.created.map(({ code }) => code).join('\n')}
          </pre>
        </div>
      ) : progress !== undefined ? (
        <Progress value={progress} max={wanted} label={t('progress', { done: progress, count: wanted })} />
      ) : (
        <div className="stack">
          {like && <p className="muted">{t('like', { code: like })}</p>}
          {!like && discounts && (
            <ReferencePicker
              label={t('discount')}
              required
              kinds={[discounts]}
              value={discount}
              onChange={setDiscount}
              filter="requiresDiscountCode = true"
            />
          )}
          <div className="fields">
            <TextField
              label={t('count')}
              required
              inputMode="numeric"
              value={count}
              onChange={setCount}
              error={wanted < 1 || wanted > CODES_MAX ? t('countProblem') : undefined}
            />
            <TextField label={t('prefix')} mono value={prefix} onChange={setPrefix} placeholder="SPRING" />
            {!like && (
              <>
                <TextField label={t('inAll')} inputMode="numeric" placeholder={t('noLimit')} value={inAll} onChange={setInAll} />
                <TextField
                  label={t('perCustomer')}
                  inputMode="numeric"
                  placeholder={t('noLimit')}
                  value={perCustomer}
                  onChange={setPerCustomer}
                />
              </>
            )}
          </div>
          <p className="muted small">{t('request')}</p>
          <RequestView path={kind.path} body={{ code: sampleOf(prefix), ...draft }} />
        </div>
      )}
    </Panel>
  );
}

let sample: { prefix: string; code: string } | undefined;
/** The same example as long as the prefix is the same. */
function sampleOf(prefix: string): string {
  if (sample?.prefix !== prefix) sample = { prefix, code: randomCode(prefix.trim()) };
  return sample.code;
}
