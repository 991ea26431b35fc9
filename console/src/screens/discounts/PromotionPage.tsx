import { useMemo, useState } from 'react';
import { useKind } from '../../api/hooks';
import { usePageTitle } from '../../app/breadcrumbs';
import { useShortcuts } from '../../app/keyboard';
import { useLeaveGuard } from '../../app/leave-guard';
import type { Kind } from '../../model/types';
import { Button } from '../../ui/Button';
import { Banner, EmptyState, Progress } from '../../ui/Feedback';
import { readPredicate } from './conditions';
import { CreatedPromotion } from './CreatedPromotion';
import { codeCount, codeTemplate, discountDraft, emptyPromotion, problemsOf, type Problem, type Promotion } from './promotion';
import { PromotionAside } from './PromotionAside';
import { PromotionForm } from './PromotionForm';
import { usePromotionTexts } from './promotion-texts';
import { useDiscountTexts } from './texts';
import { TryOnCart } from './TryOnCart';
import { useCreatePromotion } from './use-create-promotion';
import { useNeighbours, useProposedName } from './use-proposals';
import './discounts.css';

/** One form that makes a Cart Discount with its conditions and codes, and tries it on a cart. */
export default function PromotionPage() {
  const t = usePromotionTexts();
  const words = useDiscountTexts();
  const discounts = useKind('CartDiscount');
  const codes = useKind('DiscountCode');
  usePageTitle(words('new'));
  if (!discounts.kind || !codes.kind || !discounts.mayManage)
    return (
      <div className="page">
        <EmptyState icon="key" title={t('mayNot')} />
      </div>
    );
  return <PromotionEditor discountKind={discounts.kind} codeKind={codes.kind} mayMakeCodes={codes.mayManage} />;
}

function PromotionEditor({
  discountKind,
  codeKind,
  mayMakeCodes,
}: {
  discountKind: Kind;
  codeKind: Kind;
  mayMakeCodes: boolean;
}) {
  const t = usePromotionTexts();
  const words = useDiscountTexts();
  const start: Promotion = mayMakeCodes ? emptyPromotion : { ...emptyPromotion, codeMode: 'none' };
  const [promotion, setPromotion] = useState(start);
  const change = (next: Partial<Promotion>) => setPromotion((now) => ({ ...now, ...next }));
  const neighbours = useNeighbours(promotion.sortOrder);
  const proposedName = useProposedName(promotion);
  const name = promotion.name ?? proposedName;
  const draft = discountDraft(promotion, name, promotion.sortOrder ?? neighbours.proposed);
  const template = codeTemplate(promotion, name);
  const problems = problemsOf(promotion);
  const creation = useCreatePromotion(discountKind, codeKind);
  const isDone = creation.state === 'done';
  useLeaveGuard(promotion !== start && !isDone);
  const create = () => {
    if (problems.length === 0) void creation.run(draft, template, promotion);
  };
  useShortcuts(useMemo(() => ({ 'mod+s': create }), [promotion, draft, template]));
  const restart = () => {
    setPromotion(start);
    creation.reset();
  };
  return (
    <div className="page">
      <header className="page-head">
        <div className="stack-small grow">
          <h1>{words('new')}</h1>
          <p className="muted">{words('newHint')}</p>
        </div>
      </header>
      <div className="detail promotion">
        <div className="detail-main stack-large">
          {creation.error !== undefined && (
            <Banner look="danger">
              {creation.error instanceof Error ? creation.error.message : String(creation.error)}
              {creation.discount && `\n${t('discountMade')}`}
            </Banner>
          )}
          {isDone && creation.discount ? (
            <CreatedPromotion
              discountKind={discountKind}
              codeKind={codeKind}
              discount={creation.discount}
              codes={creation.codes}
              onAnother={restart}
            />
          ) : (
            <PromotionForm
              promotion={promotion}
              onChange={change}
              name={name}
              neighbours={neighbours}
              problems={problems}
              mayMakeCodes={mayMakeCodes}
              errors={creation.fieldErrors}
            />
          )}
          <section className="promotion-try">
            <TryOnCart
              title={words('tryIt')}
              hint={isDone ? undefined : t('tryHint')}
              codes={isDone ? creation.codes.created.slice(0, 1).map((one) => one.code) : []}
              temporary={
                isDone || problems.some((problem) => problem !== 'code' && problem !== 'count')
                  ? undefined
                  : { discount: draft, code: template }
              }
              conditions={readPredicate(promotion.cartPredicate, 'cart')}
            />
          </section>
        </div>
        <PromotionAside promotion={promotion} draft={draft} template={template} isSent={isDone} />
      </div>
      {!isDone && <CreateBar promotion={promotion} problems={problems} creation={creation} onCreate={create} />}
    </div>
  );
}

function CreateBar({
  promotion,
  problems,
  creation,
  onCreate,
}: {
  promotion: Promotion;
  problems: Problem[];
  creation: ReturnType<typeof useCreatePromotion>;
  onCreate: () => void;
}) {
  const t = usePromotionTexts();
  const { progress } = creation;
  return (
    <div className="save-bar" role="region" aria-label={t('create')}>
      {progress ? (
        <div className="grow">
          <Progress value={progress.done} max={progress.count} label={t('creating', progress)} />
        </div>
      ) : (
        <Missing problems={problems} requests={1 + codeCount(promotion)} />
      )}
      <span className="row push">
        <Button look="primary" onPress={onCreate} isPending={creation.state === 'running'} isDisabled={problems.length > 0}>
          {creation.discount ? t('createCodes') : t('create')}
        </Button>
      </span>
    </div>
  );
}

/** The field that a problem is about. */
const FIELD_OF = {
  code: 'code',
  percent: 'percent',
  money: 'amounts',
  product: 'product',
  count: 'count',
  period: 'when',
  limit: 'maxApplications',
} as const satisfies Record<Problem, string>;

function Missing({ problems, requests }: { problems: Problem[]; requests: number }) {
  const t = usePromotionTexts();
  if (problems.length === 0) return <span className="muted small numbers">{t('requestCount', { count: requests })}</span>;
  const names = problems.map((problem) => t(FIELD_OF[problem]));
  return <span className="muted small truncate">{t('missing', { names: names.join(', ') })}</span>;
}
