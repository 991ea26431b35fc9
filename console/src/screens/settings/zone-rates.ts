import type { Json, JsonObject, UpdateAction } from '../../model/types';
import { isObject, objectsOf } from '../../model/values';

/** A price of a Shipping Method in a Zone. */
export interface PlacedRate {
  rate: JsonObject;
  /** The position of the queued action that adds it; absent: it is stored. */
  queuedAt?: number;
}

export interface PlacedZone {
  id: string;
  rates: PlacedRate[];
  /** The position of the queued action that adds the Zone. */
  queuedAt?: number;
}

const idOf = (value: Json | undefined): string => (isObject(value) && typeof value.id === 'string' ? value.id : '');
const currencyOf = (rate: Json | undefined): string =>
  isObject(rate) && isObject(rate.price) ? String(rate.price.currencyCode ?? '') : '';
export { currencyOf };

/** The Zones and prices as they will be when the queued actions are saved. */
export function withQueued(zoneRates: Json | undefined, queued: UpdateAction[]): PlacedZone[] {
  let zones: PlacedZone[] = objectsOf(zoneRates).map((one) => ({
    id: idOf(one.zone),
    rates: objectsOf(one.shippingRates).map((rate) => ({ rate })),
  }));
  queued.forEach((action, at) => {
    const id = idOf(action.zone);
    const rate = action.shippingRate;
    if (action.action === 'addZone') zones.push({ id, rates: [], queuedAt: at });
    else if (action.action === 'removeZone') zones = zones.filter((zone) => zone.id !== id);
    else if (action.action === 'addShippingRate' && isObject(rate))
      zones = zones.map((zone) => (zone.id === id ? { ...zone, rates: [...zone.rates, { rate, queuedAt: at }] } : zone));
    else if (action.action === 'removeShippingRate')
      zones = zones.map((zone) =>
        zone.id === id
          ? {
              ...zone,
              rates: zone.rates.filter((one) => one.queuedAt !== undefined || currencyOf(one.rate) !== currencyOf(rate)),
            }
          : zone,
      );
  });
  return zones;
}

/** The positions of queued actions about a Zone, the last first, so that they can be taken out one by one. */
export const queuedAbout = (queued: UpdateAction[], zone: string): number[] =>
  queued.flatMap((action, at) => (idOf(action.zone) === zone ? [at] : [])).reverse();
