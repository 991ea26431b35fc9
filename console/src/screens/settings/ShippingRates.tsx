import { useState } from 'react';
import { Link } from 'wouter';
import { useKind, useList, useProjectSettings } from '../../api/hooks';
import { useModel, useProject } from '../../api/project';
import { paths } from '../../app/paths';
import { useOpenDocument } from '../../detail/editing';
import { asInput } from '../../model/draft';
import type { Document, Json, JsonObject, Kind } from '../../model/types';
import { Button, IconButton } from '../../ui/Button';
import { Chip, EmptyState } from '../../ui/Feedback';
import { Menu } from '../../ui/Overlay';
import { Reference } from '../../ui/Reference';
import { Money } from '../../ui/values';
import { ShippingRatePanel } from './ShippingRatePanel';
import { currencyOf, queuedAbout, withQueued, type PlacedRate, type PlacedZone } from './zone-rates';
import { useRateTexts } from './rate-texts';
import './settings.css';

const ZONES_MAX = 500;

/** The prices of a Shipping Method as a table: a row for each Zone and currency. */
export default function ShippingRates({ document }: { kind: Kind; document: Document }) {
  const t = useRateTexts();
  const model = useModel();
  const { key } = useProject();
  const { editing, mayUpdate } = useOpenDocument();
  const { currencies } = useProjectSettings();
  const { kind: zoneKind } = useKind('Zone');
  const { data } = useList(zoneKind!, { limit: ZONES_MAX, withTotal: false, sort: ['name asc'] }, { enabled: !!zoneKind });
  const [open, setOpen] = useState<{ zone: PlacedZone; rate?: PlacedRate }>();
  const zones = withQueued(document.zoneRates, editing.queued);
  const names = new Map((data?.results ?? []).map((zone) => [zone.id, String(zone.name)]));
  const nameOf = (id: string) => names.get(id) ?? `…${id.slice(-8)}`;
  const free = (data?.results ?? []).filter((zone) => !zones.some((one) => one.id === zone.id));
  const reference = (id: string): Json => ({ typeId: 'zone', id });
  const input = (rate: JsonObject): Json => asInput(model, rate, { type: 'ShippingRateDraft', list: 0 }) ?? null;
  const removeRate = (zone: PlacedZone, { rate, queuedAt }: PlacedRate) => {
    if (queuedAt !== undefined) editing.unqueue(queuedAt);
    else editing.queue({ action: 'removeShippingRate', zone: reference(zone.id), shippingRate: input(rate) });
  };
  const removeZone = (zone: PlacedZone) => {
    for (const at of queuedAbout(editing.queued, zone.id)) editing.unqueue(at);
    if (zone.queuedAt === undefined) editing.queue({ action: 'removeZone', zone: reference(zone.id) });
  };
  const save = (rate: JsonObject) => {
    if (!open) return;
    if (open.rate) removeRate(open.zone, open.rate);
    editing.queue({ action: 'addShippingRate', zone: reference(open.zone.id), shippingRate: input(rate) });
    setOpen(undefined);
  };
  const addZone = mayUpdate && (
    <Menu
      label={t('addZone')}
      trigger={
        <Button icon="plus" look={zones.length === 0 ? 'primary' : 'normal'}>
          {t('addZone')}
        </Button>
      }
      entries={free.map((zone) => ({
        id: zone.id,
        label: String(zone.name),
        onAction: () => editing.queue({ action: 'addZone', zone: reference(zone.id) }),
      }))}
    />
  );
  return (
    <div className="stack">
      {zones.length === 0 ? (
        <EmptyState icon="globe" title={t('noZones')} action={free.length > 0 && addZone}>
          {t('noZonesHint')}
        </EmptyState>
      ) : (
        <div className="grid-scroll" role="region" aria-label={t('shipping')} tabIndex={0}>
          <table className="grid-table">
            <thead>
              <tr>
                <th scope="col">{t('zone')}</th>
                <th scope="col" className="table-end">
                  {t('price')}
                </th>
                <th scope="col" className="table-end">
                  {t('free')}
                </th>
                <th scope="col">{t('tiers')}</th>
                <td />
              </tr>
            </thead>
            {zones.map((zone) => (
              <ZoneRows
                key={zone.id}
                zone={zone}
                name={nameOf(zone.id)}
                currencies={currencies}
                mayUpdate={mayUpdate}
                onAdd={() => setOpen({ zone })}
                onEdit={(rate) => setOpen({ zone, rate })}
                onRemove={(rate) => removeRate(zone, rate)}
                onRemoveZone={() => removeZone(zone)}
              />
            ))}
          </table>
        </div>
      )}
      {mayUpdate && zones.length > 0 && (
        <div className="row wrap">
          {free.length > 0 ? addZone : <span className="muted small">{t('allZones')}</span>}
          {zoneKind && (
            <Link className="small" href={paths.create(key, zoneKind)}>
              {t('newZone')}
            </Link>
          )}
        </div>
      )}
      {open && (
        <ShippingRatePanel
          title={open.rate ? t('editPrice', { name: nameOf(open.zone.id) }) : `${t('addPrice')}: ${nameOf(open.zone.id)}`}
          rate={open.rate?.rate}
          taken={open.zone.rates.map((one) => currencyOf(one.rate))}
          onClose={() => setOpen(undefined)}
          onSave={save}
        />
      )}
    </div>
  );
}

function ZoneRows({
  zone,
  name,
  currencies,
  mayUpdate,
  onAdd,
  onEdit,
  onRemove,
  onRemoveZone,
}: {
  zone: PlacedZone;
  name: string;
  currencies: string[];
  mayUpdate: boolean;
  onAdd: () => void;
  onEdit: (rate: PlacedRate) => void;
  onRemove: (rate: PlacedRate) => void;
  onRemoveZone: () => void;
}) {
  const t = useRateTexts();
  const rows: (PlacedRate | undefined)[] = zone.rates.length > 0 ? zone.rates : [undefined];
  const hasFree = currencies.some((currency) => !zone.rates.some((one) => currencyOf(one.rate) === currency));
  return (
    <tbody>
      {rows.map((row, at) => (
        <tr
          key={row ? currencyOf(row.rate) : 'none'}
          data-changed={(row ? row.queuedAt : zone.queuedAt) !== undefined || undefined}
          data-follows={at > 0 || undefined}
        >
          {at === 0 ? (
            <th scope="rowgroup" rowSpan={rows.length}>
              <span className="row">
                <Reference value={{ typeId: 'zone', id: zone.id }} compact />
                {mayUpdate && (
                  <Menu
                    label={name}
                    trigger={<Button small look="plain" icon="more" aria-label={t('zoneActions', { name })} />}
                    entries={[
                      ...(hasFree ? [{ id: 'add', label: t('addPrice'), icon: 'plus' as const, onAction: onAdd }] : []),
                      {
                        id: 'remove',
                        label: t('removeZone', { name }),
                        icon: 'trash' as const,
                        danger: true,
                        onAction: onRemoveZone,
                      },
                    ]}
                  />
                )}
              </span>
            </th>
          ) : null}
          {row ? (
            <>
              <td className="table-end">
                <Money value={row.rate.price} />
              </td>
              <td className="table-end">
                {row.rate.freeAbove ? <Money value={row.rate.freeAbove} /> : <span className="muted">{t('never')}</span>}
              </td>
              <td>
                {Array.isArray(row.rate.tiers) && row.rate.tiers.length > 0 ? (
                  t('tierCount', { count: row.rate.tiers.length })
                ) : (
                  <span className="muted">–</span>
                )}
              </td>
              <td className="grid-actions">
                <span className="row">
                  {row.queuedAt !== undefined && <Chip look="accent">{t('pending')}</Chip>}
                  {mayUpdate && (
                    <>
                      <IconButton
                        small
                        icon="edit"
                        label={t('editPrice', { name: `${name} ${currencyOf(row.rate)}` })}
                        onPress={() => onEdit(row)}
                      />
                      <IconButton
                        small
                        icon="trash"
                        label={t('removePrice', { name: `${name} ${currencyOf(row.rate)}` })}
                        onPress={() => onRemove(row)}
                      />
                    </>
                  )}
                </span>
              </td>
            </>
          ) : (
            <td colSpan={4}>
              <span className="row wrap">
                <span className="muted">{t('noPrice')}</span>
                {mayUpdate && (
                  <Button small icon="plus" onPress={onAdd}>
                    {t('addPrice')}
                  </Button>
                )}
              </span>
            </td>
          )}
        </tr>
      ))}
    </tbody>
  );
}
