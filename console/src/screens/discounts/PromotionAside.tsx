import { useApiOrigin, useProject } from '../../api/project';
import { CopyButton } from '../../detail/CopyButton';
import { curlOf } from '../../model/snippets';
import type { JsonObject } from '../../model/types';
import { codeCount, type Promotion } from './promotion';
import { usePromotionTexts } from './promotion-texts';
import { useDiscountTexts } from './texts';
import { PredicateWords, TargetWords, ValidityWords, ValueWords, WordRows } from './words';

/** The column next to the form: the promotion in words, and the requests that create it. */
export function PromotionAside({
  promotion,
  draft,
  template,
  isSent,
}: {
  promotion: Promotion;
  draft: JsonObject;
  template: JsonObject;
  isSent: boolean;
}) {
  const t = usePromotionTexts();
  const words = useDiscountTexts();
  const count = codeCount(promotion);
  const code = promotion.codeMode === 'one' ? promotion.code.trim() : `${promotion.prefix.trim()}…`;
  const codeDraft = { code, ...template, cartDiscounts: [{ typeId: 'cart-discount', id: '{id}' }] };
  return (
    <aside className="detail-side" aria-label={t('summary')}>
      <section className="side-section">
        <h2>{t('summary')}</h2>
        <WordRows
          rows={[
            [words('value'), <ValueWords value={draft.value} />],
            ...(draft.target ? ([[words('target'), <TargetWords target={draft.target} />]] as [string, React.ReactNode][]) : []),
            [words('appliesTo'), <PredicateWords text={draft.cartPredicate} dialect="cart" />],
            [words('validity'), <ValidityWords document={draft} exact />],
            [
              t('codes'),
              count === 0 ? words('automatic') : count === 1 ? <code>{promotion.code.trim() || '…'}</code> : `${count} × ${code}`,
            ],
          ]}
        />
      </section>
      <section className="side-section">
        <h2>
          {isSent ? t('sent') : t('requests')} <span className="muted numbers">{t('requestCount', { count: 1 + count })}</span>
        </h2>
        <RequestView path="cart-discounts" body={draft} />
        {count > 0 && <RequestView path="discount-codes" body={codeDraft} />}
        {count > 1 && <p className="muted small">{t('andMore', { count: count - 1 })}</p>}
      </section>
    </aside>
  );
}

/** A request as it will be sent. */
export function RequestView({ path, body }: { path: string; body: JsonObject }) {
  const { key } = useProject();
  const origin = useApiOrigin();
  const json = JSON.stringify(body, null, 2);
  const curl = curlOf({ origin, project: key, path, body });
  return (
    <details className="request" open>
      <summary>
        <code>
          POST /{key}/{path}
        </code>
      </summary>
      <pre className="snippet" tabIndex={0}>
        {json}
      </pre>
      <CopyButton text={curl} label="curl" />
    </details>
  );
}
