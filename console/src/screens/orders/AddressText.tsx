import { usePreferences } from '../../app/preferences';
import type { JsonObject } from '../../model/types';
import { nameOfCode } from '../../ui/values';
import { textOfField } from './documents';
import { useOrderTexts } from './texts';

/** Shows an address in the layout of a letter. */
export function AddressText({ address }: { address: JsonObject | undefined }) {
  const t = useOrderTexts();
  const { language } = usePreferences();
  if (!address) return <span className="muted">{t('noAddress')}</span>;
  const line = (...names: string[]) =>
    names
      .map((name) => textOfField(address[name]))
      .filter(Boolean)
      .join(' ');
  const country = textOfField(address.country);
  const lines = [
    line('company', 'department'),
    line('title', 'salutation', 'firstName', 'lastName'),
    line('streetName', 'streetNumber'),
    line('additionalStreetInfo', 'building', 'apartment'),
    line('pOBox'),
    line('postalCode', 'city'),
    line('region', 'state'),
    country ? nameOfCode('country', country, language) : '',
    line('additionalAddressInfo'),
  ].filter(Boolean);
  const contact = [textOfField(address.email), textOfField(address.phone) ?? textOfField(address.mobile)].filter(Boolean);
  return (
    <address className="address" dir="auto">
      {lines.map((text, at) => (
        <span key={at}>{text}</span>
      ))}
      {contact.length > 0 && <span className="muted">{contact.join(' · ')}</span>}
    </address>
  );
}
