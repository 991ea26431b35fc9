import { useCallback, useMemo, useRef, useState } from 'react';
import { useProjectSettings } from '../../api/hooks';
import { useModel } from '../../api/project';
import { useTarget } from '../../api/references';
import { usePreferences } from '../../app/preferences';
import { useOpenDocument } from '../../detail/editing';
import type { Document, JsonObject, Kind } from '../../model/types';
import { isObject } from '../../model/values';
import { Button } from '../../ui/Button';
import { Banner, EmptyState } from '../../ui/Feedback';
import { Menu } from '../../ui/Overlay';
import { variantColumns, type VariantColumn } from './columns';
import { NewPriceColumn } from './NewPriceColumn';
import { useNames } from './names';
import { PriceChangePanel } from './PriceChangePanel';
import { raiseVariant, scopesIn, type PriceScope } from './prices';
import { Sheet } from './Sheet';
import { bounds, cellRange, type Range, type Write } from './sheet-state';
import { useProductTexts } from './texts';
import { attributeOf, objectsIn, sideOf, STAGED, textIn, variantName, variantsOf, withAttribute, withVariants } from './variants';

/** The steps back and forth in the grid, as lists of variants. */
function useSteps(version: number, variants: JsonObject[], set: (variants: JsonObject[]) => void) {
  const steps = useRef<{ version: number; past: JsonObject[][]; future: JsonObject[][] }>({ version, past: [], future: [] });
  if (steps.current.version !== version) steps.current = { version, past: [], future: [] };
  return {
    change: (next: JsonObject[]) => {
      steps.current.past.push(variants);
      steps.current.future = [];
      set(next);
    },
    undo: () => {
      const before = steps.current.past.pop();
      if (!before) return;
      steps.current.future.push(variants);
      set(before);
    },
    redo: () => {
      const after = steps.current.future.pop();
      if (!after) return;
      steps.current.past.push(variants);
      set(after);
    },
  };
}

/** The variants of a Product as a sheet: names, Attributes, prices, stock. */
export default function VariantsTab({ document }: { kind: Kind; document: Document }) {
  const t = useProductTexts();
  const { language } = usePreferences();
  const { languages } = useProjectSettings();
  const model = useModel();
  const { editing, mayUpdate } = useOpenDocument();
  const { edited, set } = editing;
  const [range, setRange] = useState<Range>(cellRange({ row: 0, column: 0 }));
  const [note, setNote] = useState<string>();
  const [open, setOpen] = useState<'prices' | 'column'>();
  const [extraScopes, setExtraScopes] = useState<PriceScope[]>([]);
  const type = useTarget(model.kindOfType('product-type'), {
    id: textIn(isObject(document.productType) ? document.productType.id : undefined),
  });
  const side = sideOf(edited, STAGED);
  const variants = useMemo(() => variantsOf(side), [side]);
  const storedById = useMemo(
    () => new Map(variantsOf(sideOf(document, STAGED)).map((variant) => [variant.id, variant])),
    [document],
  );
  const stored = useCallback(
    (variant: JsonObject) => (variant.id === undefined ? undefined : storedById.get(variant.id)),
    [storedById],
  );
  const { scopes, scopesId } = useScopes(variants, extraScopes, storedById);
  const names = useNames(scopes);
  const columns = useMemo(
    () => variantColumns(type.data ?? undefined, scopes, { t, language, languages, names, stored }),
    // A scope's id says all of it: columns stay the same objects while amounts change.
    // eslint-disable-next-line
    [type.data, scopesId, t, language, languages, names, stored],
  );
  const steps = useSteps(document.version, variants, (next) => set(withVariants(edited, next)));
  const write = (writes: Write[]) => steps.change(applyWrites(variants, columns, writes));
  const { top, bottom } = bounds(range);
  const chosen = variants.slice(top, bottom + 1);
  const addVariant = () => {
    const same = columns.filter((column) => column.isOfAll).map((column) => column.id.split('.')[1]!);
    const empty: JsonObject = { attributes: [], prices: [], images: [], assets: [] };
    const first = variants[0];
    const next = same.reduce((one, name) => (first ? withAttribute(one, name, attributeOf(first, name)) : one), empty);
    steps.change([...variants, next]);
    setRange(cellRange({ row: variants.length, column: 0 }));
  };
  if (variants.length === 0)
    return (
      <EmptyState
        icon="products"
        title={t('noVariants')}
        action={mayUpdate && <Button onPress={addVariant}>{t('addVariant')}</Button>}
      >
        {t('noVariantsHint')}
      </EmptyState>
    );
  return (
    <div className="stack variants-tab">
      {edited.priceMode === 'Standalone' && <Banner>{t('standaloneHint')}</Banner>}
      {mayUpdate && (
        <div className="row wrap">
          <Button icon="discounts" onPress={() => setOpen('prices')}>
            {t('changePrices')}
          </Button>
          <Button icon="plus" onPress={addVariant}>
            {t('addVariant')}
          </Button>
          <Button icon="columns" onPress={() => setOpen('column')}>
            {t('addPriceColumn')}
          </Button>
          <Menu
            label={t('rowActions', { count: chosen.length })}
            trigger={<Button>{t('rowActions', { count: chosen.length })}</Button>}
            entries={[
              {
                id: 'master',
                label: t('makeMaster'),
                icon: 'star',
                disabled: chosen.length !== 1 || top === 0 || chosen[0]?.id === undefined,
                onAction: () => steps.change([variants[top]!, ...variants.filter((_, at) => at !== top)]),
              },
              {
                id: 'remove',
                label: t('removeVariants', { count: chosen.length }),
                icon: 'trash',
                danger: true,
                disabled: chosen.length >= variants.length,
                onAction: () => {
                  steps.change(variants.filter((variant) => !chosen.includes(variant)));
                  setRange(cellRange({ row: 0, column: 0 }));
                },
              },
            ]}
          />
        </div>
      )}
      <Sheet
        label={t('variants')}
        rows={variants}
        columns={columns}
        rowId={variantRowId}
        rowHead={variantHead}
        range={clamped(range, variants.length, columns.length)}
        onRange={setRange}
        onWrite={mayUpdate ? write : undefined}
        onUndo={steps.undo}
        onRedo={steps.redo}
        onNote={setNote}
      />
      <div className="sheet-foot">
        <span role="status" className={note ? 'sheet-note' : undefined}>
          {note ?? t('sheetHint')}
        </span>
        <span className="push numbers">{t('variantCount', { count: variants.length })}</span>
      </div>
      {open === 'prices' && (
        <PriceChangePanel
          variants={variants}
          chosen={chosen}
          onClose={() => setOpen(undefined)}
          onApply={(change, of) => {
            const changed = new Set(of);
            steps.change(variants.map((variant) => (changed.has(variant) ? raiseVariant(variant, change) : variant)));
            setOpen(undefined);
          }}
        />
      )}
      {open === 'column' && (
        <NewPriceColumn
          known={scopes}
          onClose={() => setOpen(undefined)}
          onAdd={(scope) => {
            setExtraScopes((now) => [...now, scope]);
            setOpen(undefined);
          }}
        />
      )}
    </div>
  );
}

/** The scopes of all prices: stored, edited, and of columns that were added. */
function useScopes(variants: JsonObject[], extra: PriceScope[], stored: Map<unknown, JsonObject>) {
  const all = [...scopesIn([...variants, ...stored.values()]), ...extra];
  const scopes = [...new Map(all.map((scope) => [scope.id, scope])).values()];
  const scopesId = scopes.map((scope) => scope.id).join('\n');
  // eslint-disable-next-line
  return useMemo(() => ({ scopes, scopesId }), [scopesId]);
}

function applyWrites(variants: JsonObject[], columns: VariantColumn[], writes: Write[]): JsonObject[] {
  const byId = new Map(columns.map((column) => [column.id, column]));
  const next = [...variants];
  for (const { row, column: id, value } of writes) {
    const column = byId.get(id);
    if (!column) continue;
    const rows = column.isOfAll ? next.keys() : [row];
    for (const at of rows) next[at] = column.write(next[at]!, value);
  }
  return next;
}

function clamped(range: Range, rows: number, columns: number): Range {
  const fit = ({ row, column }: Range['focus']) => ({ row: Math.min(row, rows - 1), column: Math.min(column, columns - 1) });
  return range.focus.row < rows && range.anchor.row < rows && range.focus.column < columns && range.anchor.column < columns
    ? range
    : { anchor: fit(range.anchor), focus: fit(range.focus) };
}

const variantRowId = (variant: JsonObject, at: number) => (variant.id === undefined ? `new-${at}` : String(variant.id));

function variantHead(variant: JsonObject, at: number) {
  const url = textIn(objectsIn(variant.images)[0]?.url);
  return (
    <span className="sheet-variant" title={variantName(variant)}>
      <span className="numbers">
        {variant.id === undefined ? '+' : String(variant.id)}
        {at === 0 && '★'}
      </span>
      {url && <img src={url} alt="" loading="lazy" />}
    </span>
  );
}
