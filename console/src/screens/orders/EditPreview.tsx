import { usePreferences, type Language } from '../../app/preferences';
import { ActionRow } from '../../detail/ReviewPanel';
import type { Document, JsonObject, UpdateAction } from '../../model/types';
import { humanize, objectOf, objectsOf } from '../../model/values';
import { Banner, Chip } from '../../ui/Feedback';
import { DateTime, Money, textOf } from '../../ui/values';
import { centsOf, itemsOf, moneyLike, numberOf, textOfField, type Item } from './documents';
import { useOrderTexts } from './texts';

const totalOf = (document: JsonObject | undefined) =>
  objectOf(objectOf(document?.taxedPrice)?.totalGross) ?? objectOf(document?.totalPrice);

/** Shows the effect of an Order Edit on its Order: totals before and after, and each item that changes. */
export function EditPreview({ result, order }: { result: JsonObject | undefined; order: JsonObject | undefined }) {
  const t = useOrderTexts();
  const preview = objectOf(result?.preview);
  switch (result?.type) {
    case 'PreviewSuccess':
      return (
        <div className="stack">
          <BeforeAfter before={totalOf(order)} after={totalOf(preview)} />
          {order && preview && <ItemChanges before={itemsOf(order)} after={itemsOf(preview)} />}
          <MessageList payloads={objectsOf(result.messagePayloads)} />
        </div>
      );
    case 'PreviewFailure':
      return (
        <Banner look="danger">
          <b>{t('editFails')}</b>
          {objectsOf(result.errors).map((error) => `\n${String(error.message ?? error.code)}`)}
        </Banner>
      );
    case 'Applied':
      return (
        <div className="stack">
          <span className="row wrap">
            <Chip look="success" icon="check">
              {t('applied')}
            </Chip>
            <DateTime value={result.appliedAt} exact />
          </span>
          <BeforeAfter before={totalOf(objectOf(result.excerptBeforeEdit))} after={totalOf(objectOf(result.excerptAfterEdit))} />
        </div>
      );
    default:
      return <p className="muted">{t('notProcessed')}</p>;
  }
}

/** `1.289,00 € → 1.020,00 € (−269,00 €)` */
function BeforeAfter({ before, after }: { before: JsonObject | undefined; after: JsonObject | undefined }) {
  const t = useOrderTexts();
  const change = centsOf(after) - centsOf(before);
  return (
    <dl className="before-after">
      <div>
        <dt>{t('totalBefore')}</dt>
        <dd>
          <Money value={before} />
        </dd>
      </div>
      <div>
        <dt>{t('totalAfter')}</dt>
        <dd>
          <b>
            <Money value={after} />
          </b>
        </dd>
      </div>
      <div>
        <dt>{t('difference')}</dt>
        <dd>
          <Chip look={change === 0 ? 'neutral' : 'accent'}>
            {change > 0 ? '+' : ''}
            <Money value={moneyLike(after, change)} />
          </Chip>
        </dd>
      </div>
    </dl>
  );
}

function ItemChanges({ before, after }: { before: Item[]; after: Item[] }) {
  const t = useOrderTexts();
  const { language } = usePreferences();
  const old = new Map(before.map((item) => [item.id, item]));
  const now = new Map(after.map((item) => [item.id, item]));
  const all = [...before, ...after.filter((item) => !old.has(item.id))];
  const changed = all.filter((item) => {
    const [a, b] = [old.get(item.id), now.get(item.id)];
    return a?.quantity !== b?.quantity || centsOf(a?.totalPrice) !== centsOf(b?.totalPrice);
  });
  if (changed.length === 0) return <p className="muted">{t('noItemChanges')}</p>;
  return (
    <ul className="home-rows">
      {changed.map((item) => {
        const [a, b] = [old.get(item.id), now.get(item.id)];
        return (
          <li key={item.id} className="home-row">
            <span className="grow truncate" dir="auto">
              {textOf(item.name, language)?.text ?? item.sku}
            </span>
            {!a && <Chip look="success">{t('added')}</Chip>}
            {!b && <Chip look="danger">{t('removed')}</Chip>}
            <span className="numbers muted">
              {a?.quantity ?? 0} → {b?.quantity ?? 0}
            </span>
            <span className="home-amount numbers">
              <Money value={b?.totalPrice ?? moneyLike(item.totalPrice, 0)} />
            </span>
          </li>
        );
      })}
    </ul>
  );
}

function MessageList({ payloads }: { payloads: JsonObject[] }) {
  const t = useOrderTexts();
  if (payloads.length === 0) return null;
  return (
    <p className="small muted">
      {t('messagesOf')} {payloads.map((payload) => String(payload.type)).join(', ')}
    </p>
  );
}

/** An update action of an Order Edit in words, if it is one of the usual ones. */
export function actionText(
  action: JsonObject,
  order: JsonObject | undefined,
  language: Language,
  t: ReturnType<typeof useOrderTexts>,
): string {
  const item = order && itemsOf(order).find((one) => one.id === action.lineItemId || one.id === action.customLineItemId);
  const name = (item && textOf(item.name, language)?.text) ?? textOfField(action.lineItemKey) ?? '…';
  const quantity = numberOf(action.quantity);
  switch (action.action) {
    case 'changeLineItemQuantity':
    case 'changeCustomLineItemQuantity':
      return quantity === 0 ? t('editRemoves', { name }) : t('editQuantity', { name, from: item?.quantity ?? '?', to: quantity });
    case 'removeLineItem':
    case 'removeCustomLineItem':
      return t('editRemoves', { name });
    case 'addLineItem':
      return t('editAdds', { count: quantity || 1, name: textOfField(action.sku) ?? '…' });
    case 'addDiscountCode':
      return t('editCode', { name: String(action.code) });
    default:
      return humanize(String(action.action));
  }
}

/** Shows the staged actions in words, each with its update action in detail. */
export function StagedActions({ actions, order }: { actions: JsonObject[]; order: JsonObject | undefined }) {
  const t = useOrderTexts();
  const { language } = usePreferences();
  return (
    <ul className="stack">
      {actions.map((action, at) => (
        <li key={at} className="stack-small">
          <span dir="auto">{actionText(action, order, language, t)}</span>
          <details className="action-detail">
            <summary>
              <code>{String(action.action)}</code>
            </summary>
            <ol className="action-list">
              <ActionRow action={action as UpdateAction} document={{ id: '', version: 0 } as Document} />
            </ol>
          </details>
        </li>
      ))}
    </ul>
  );
}
