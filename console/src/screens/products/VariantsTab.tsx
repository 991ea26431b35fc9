import { useCallback, useMemo, useRef, useState } from 'react';
import { useProjectSettings } from '../../api/hooks';
import { useModel } from '../../api/project';
import { useTarget } from '../../api/references';
import { usePreferences } from '../../app/preferences';
import { useOpenDocument } from '../../detail/editing';
import type { Document, JsonObject, Kind } from '../../model/types';
import { isObject, objectsOf } from '../../model/values';
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
import { attributeOf, sideOf, STAGED, textIn, variantName, variantsOf, withAttribute, withVariants } from './variants';

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
  const { editing, mayUpdate } = useOpenDocument();
  const { edited, set } = editing;
  const [range, setRange] = useState<Range>(cellRange({ row: 0, column: 0 }));
  const [note, setNote] = useState<string>();
  const [open, setOpen] = useState<'prices' | 'column'>();
  const [extraScopes, setExtraScopes] = useState<PriceScope[]>([]);
  const side = sideOf(edited, STAGED);
  const variants = useMemo(() => variantsOf(side), [side]);
  const { columns, scopes } = useColumns(document, variants, extraScopes);
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
        <GridTools
          variants={variants}
          chosen={chosen}
          onOpen={setOpen}
          onAdd={addVariant}
          onChange={(next) => {
            steps.change(next);
            setRange(cellRange({ row: 0, column: 0 }));
          }}
        />
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

/** The columns of the grid. They stay the same objects while values change, so that only changed rows are drawn again. */
function useColumns(document: Document, variants: JsonObject[], extraScopes: PriceScope[]) {
  const t = useProductTexts();
  const { language } = usePreferences();
  const { languages } = useProjectSettings();
  const model = useModel();
  const type = useTarget(model.kindOfType('product-type'), {
    id: textIn(isObject(document.productType) ? document.productType.id : undefined),
  });
  const storedById = useMemo(
    () => new Map(variantsOf(sideOf(document, STAGED)).map((variant) => [variant.id, variant])),
    [document],
  );
  const stored = useCallback(
    (variant: JsonObject) => (variant.id === undefined ? undefined : storedById.get(variant.id)),
    [storedById],
  );
  const scopes = useScopes(variants, extraScopes, storedById);
  const names = useNames(scopes);
  const columns = useMemo(
    () => variantColumns(type.data ?? undefined, scopes, { t, language, languages, names, stored }),
    [type.data, scopes, t, language, languages, names, stored],
  );
  return { columns, scopes };
}

/** Buttons above the grid: what is done with many rows at once. */
function GridTools({
  variants,
  chosen,
  onOpen,
  onAdd,
  onChange,
}: {
  variants: JsonObject[];
  chosen: JsonObject[];
  onOpen: (panel: 'prices' | 'column') => void;
  onAdd: () => void;
  onChange: (variants: JsonObject[]) => void;
}) {
  const t = useProductTexts();
  const [first] = chosen;
  const title = t('rowActions', { count: chosen.length });
  return (
    <div className="row wrap">
      <Button icon="discounts" onPress={() => onOpen('prices')}>
        {t('changePrices')}
      </Button>
      <Button icon="plus" onPress={onAdd}>
        {t('addVariant')}
      </Button>
      <Button icon="columns" onPress={() => onOpen('column')}>
        {t('addPriceColumn')}
      </Button>
      <Menu
        label={title}
        trigger={<Button>{title}</Button>}
        entries={[
          {
            id: 'master',
            label: t('makeMaster'),
            icon: 'star',
            disabled: chosen.length !== 1 || first === variants[0] || first?.id === undefined,
            onAction: () => first && onChange([first, ...variants.filter((variant) => variant !== first)]),
          },
          {
            id: 'remove',
            label: t('removeVariants', { count: chosen.length }),
            icon: 'trash',
            danger: true,
            disabled: chosen.length >= variants.length,
            onAction: () => onChange(variants.filter((variant) => !chosen.includes(variant))),
          },
        ]}
      />
    </div>
  );
}

/** The scopes of all prices: stored, edited, and of columns that were added. */
function useScopes(variants: JsonObject[], extra: PriceScope[], stored: Map<unknown, JsonObject>): PriceScope[] {
  const all = [...scopesIn([...variants, ...stored.values()]), ...extra];
  const scopes = [...new Map(all.map((scope) => [scope.id, scope])).values()];
  // An id says all of a scope.
  const ids = scopes.map((scope) => scope.id).join('\n');
  const kept = useRef({ ids, scopes });
  if (kept.current.ids !== ids) kept.current = { ids, scopes };
  return kept.current.scopes;
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
  const url = textIn(objectsOf(variant.images)[0]?.url);
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
