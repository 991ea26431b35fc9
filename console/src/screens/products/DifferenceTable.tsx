import { useMemo } from 'react';
import { useModel } from '../../api/project';
import { useTarget } from '../../api/references';
import { usePreferences } from '../../app/preferences';
import type { Json, JsonObject } from '../../model/types';
import { isObject } from '../../model/values';
import { Chip } from '../../ui/Feedback';
import { ValueCell } from '../../ui/ValueCell';
import { changedPart, differencesOf, imageUrl, type Difference, type DifferenceGroup } from './differences';
import { useNames } from './names';
import { scopesIn } from './prices';
import { useProductTexts } from './texts';
import { CURRENT, sideOf, STAGED, textIn, variantsOf } from './variants';

/** Returns the differences between the published side of a Product and the staged one. */
export function useDifferences(product: JsonObject): DifferenceGroup[] {
  const t = useProductTexts();
  const model = useModel();
  const { language } = usePreferences();
  const current = sideOf(product, CURRENT);
  const staged = sideOf(product, STAGED);
  const id = isObject(product.productType) ? textIn(product.productType.id) : undefined;
  const type = useTarget(model.kindOfType('product-type'), { id });
  const scopes = useMemo(() => scopesIn([...variantsOf(current), ...variantsOf(staged)]), [current, staged]);
  const names = useNames(scopes);
  return useMemo(
    () =>
      differencesOf(current, staged, {
        model,
        type: model.fieldAt('Product', STAGED)?.type ?? '',
        productType: type.data ?? undefined,
        names,
        language,
        words: { image: t('image'), price: t('price'), assets: t('assets'), master: t('masterVariant') },
      }),
    [current, staged, model, type.data, names, language, t],
  );
}

export function DifferenceTable({ groups }: { groups: DifferenceGroup[] }) {
  const t = useProductTexts();
  return (
    <div className="preview-scroll differences" tabIndex={0} role="region" aria-label={t('differences')}>
      <table className="preview">
        <thead>
          <tr>
            <th scope="col">{t('field')}</th>
            <th scope="col">{t('published')}</th>
            <th scope="col">{t('staged')}</th>
          </tr>
        </thead>
        {groups.map((group, at) => (
          <tbody key={at}>
            {group.variant && (
              <tr>
                <th scope="rowgroup" colSpan={3} className="difference-group">
                  <span className="row">
                    {t('variantNamed', { name: group.variant.name })}
                    {group.variant.is !== 'changed' && (
                      <Chip look={group.variant.is === 'added' ? 'success' : 'danger'}>{t(group.variant.is)}</Chip>
                    )}
                  </span>
                </th>
              </tr>
            )}
            {group.rows.map((row, index) => (
              <DifferenceRow key={index} row={row} />
            ))}
          </tbody>
        ))}
      </table>
    </div>
  );
}

function DifferenceRow({ row }: { row: Difference }) {
  const texts = typeof row.before === 'string' && typeof row.after === 'string' ? ([row.before, row.after] as const) : undefined;
  const part = texts && changedPart(...texts);
  return (
    <tr>
      <th scope="row">
        {row.label}
        {row.of && <span className="muted"> {row.of}</span>}
      </th>
      <td>
        <del>
          {part ? <Marked text={texts[0]} start={part.start} end={part.endBefore} /> : <Side row={row} value={row.before} />}
        </del>
      </td>
      <td>
        <ins>
          {part ? <Marked text={texts[1]} start={part.start} end={part.endAfter} /> : <Side row={row} value={row.after} />}
        </ins>
      </td>
    </tr>
  );
}

const Marked = ({ text, start, end }: { text: string; start: number; end: number }) => (
  <span dir="auto" className="difference-text">
    {text.slice(0, start)}
    <mark>{text.slice(start, end)}</mark>
    {text.slice(end)}
  </span>
);

function Side({ row, value }: { row: Difference; value: Json | undefined }) {
  const url = imageUrl(value);
  if (url && isObject(value))
    return (
      <span className="row">
        <img className="difference-image" src={url} alt={textIn(value.label) ?? ''} />
        {textIn(value.label)}
      </span>
    );
  if (typeof value === 'string' && !row.field)
    return (
      <span dir="auto" className="difference-text">
        {value}
      </span>
    );
  return (
    <span className="row wrap">
      <ValueCell field={row.field ?? { name: row.label, type: 'Json', list: 0, required: false }} value={value} />
    </span>
  );
}
