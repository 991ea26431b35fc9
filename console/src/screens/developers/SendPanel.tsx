import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useClient } from '../../api/project';
import { JsonEditor } from '../../editor';
import type { Json, JsonObject } from '../../model/types';
import { humanize } from '../../model/values';
import { Button } from '../../ui/Button';
import { Banner, notify } from '../../ui/Feedback';
import { Select } from '../../ui/Field';
import { Panel } from '../../ui/Overlay';
import { useWords } from '../../ui/texts';
import { IMPORT, importPath } from './imports';
import { TYPES } from './ImportsPage';
import { useImportTexts } from './import-texts';

/** Types whose requests have a list of patches instead of resources. */
const PATCHES = new Set(['order-patch', 'product-variant-patch']);

const EXAMPLES: Record<string, JsonObject> = {
  inventory: { key: 'stock-1', sku: 'alster-lamp-oak', quantityOnStock: 25 },
  category: { key: 'lamps', name: { en: 'Lamps' }, slug: { en: 'lamps' }, orderHint: '0.5' },
  customer: { key: 'ada', email: 'ada@example.com', password: 'secret' },
  'standalone-price': {
    key: 'price-1',
    sku: 'alster-lamp-oak',
    value: { type: 'centPrecision', currencyCode: 'EUR', centAmount: 9900, fractionDigits: 2 },
  },
};
const example = (type: string) => JSON.stringify([EXAMPLES[type] ?? { key: '' }], null, 2);

interface Answer {
  operationStatus: { state: string; errors?: { message?: string }[] }[];
}

/** Sends resources to a container, as a program would. */
export function SendPanel({ containerKey, type: only, onClose }: { containerKey: string; type?: string; onClose: () => void }) {
  const t = useImportTexts();
  const words = useWords();
  const client = useClient();
  const cache = useQueryClient();
  const [type, setType] = useState(only ?? 'inventory');
  const [text, setText] = useState(() => example(only ?? 'inventory'));
  const [problem, setProblem] = useState<string>();
  const send = useMutation({
    mutationFn: (resources: Json) =>
      client.request<Answer>(`${importPath(type)}/import-containers/${encodeURIComponent(containerKey)}`, {
        method: 'POST',
        service: IMPORT,
        body: { type, [PATCHES.has(type) ? 'patches' : 'resources']: resources },
      }),
    onSuccess: async ({ operationStatus }) => {
      const refused = operationStatus.filter((one) => one.state === 'validationFailed').length;
      notify(
        refused > 0
          ? { look: 'danger', text: t('refused', { count: refused }) }
          : { look: 'success', text: t('sent', { count: operationStatus.length }) },
      );
      await cache.invalidateQueries({ queryKey: [client.project, 'imports'] });
      onClose();
    },
  });
  const run = () => {
    try {
      const value = JSON.parse(text) as Json;
      if (!Array.isArray(value)) throw new Error('[ … ]');
      setProblem(undefined);
      send.mutate(value);
    } catch (error) {
      setProblem(`${t('noList')} ${error instanceof Error ? error.message : ''}`);
    }
  };
  return (
    <Panel
      title={t('send')}
      isOpen
      onClose={onClose}
      wide
      footer={
        <>
          <Button onPress={onClose}>{words('cancel')}</Button>
          <Button look="primary" onPress={run} isPending={send.isPending}>
            {t('send')}
          </Button>
        </>
      }
    >
      <div className="stack">
        {(problem ?? send.error?.message) && (
          <Banner look="danger">
            <span className="pre-line">{problem ?? send.error?.message}</span>
          </Banner>
        )}
        <p className="muted">{t('sendHint')}</p>
        {only === undefined && (
          <Select
            label={t('type')}
            value={type}
            options={TYPES.map((id) => ({ id, label: humanize(id.replaceAll('-', ' ')) }))}
            onChange={(next) => {
              setType(next);
              setText(example(next));
            }}
          />
        )}
        <JsonEditor value={text} onChange={setText} label={t('resources')} />
      </div>
    </Panel>
  );
}
