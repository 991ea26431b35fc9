import { useKind } from '../../api/hooks';
import { useModel } from '../../api/project';
import { usePreferences } from '../../app/preferences';
import { FieldsEditor } from '../../form/FieldEditor';
import { LocalizedField } from '../../form/LocalizedField';
import { fromInputTime, ScalarField, toInputTime } from '../../form/ScalarField';
import type { Field, JsonObject } from '../../model/types';
import { Button } from '../../ui/Button';
import { Select, Switch, TextField } from '../../ui/Field';
import { ReferencePicker } from '../../ui/ReferencePicker';
import { Choices } from '../../ui/Choices';
import { randomCode } from './codes';
import { ConditionBuilder } from './ConditionBuilder';
import type { Problem, Promotion } from './promotion';
import { usePromotionTexts } from './promotion-texts';
import { isSortOrder } from './sort-order';
import { useDiscountTexts } from './texts';
import type { Neighbours } from './use-proposals';
import { ValueSection } from './ValueSection';

export interface SectionProps {
  promotion: Promotion;
  onChange: (change: Partial<Promotion>) => void;
  problems: Problem[];
}

/** The sections of the form, in the order in which people think of a promotion. */
export function PromotionForm({
  name,
  neighbours,
  mayMakeCodes,
  errors,
  ...section
}: SectionProps & {
  name: JsonObject;
  neighbours: Neighbours;
  mayMakeCodes: boolean;
  errors: Partial<Record<'cartPredicate' | 'predicate' | 'sortOrder', string>>;
}) {
  const t = usePromotionTexts();
  const { promotion, onChange } = section;
  return (
    <div className="stack-large">
      <ValueSection {...section} itemError={errors.predicate} />
      <section className="stack">
        <h2>{t('who')}</h2>
        <ConditionBuilder
          dialect="cart"
          label={t('carts')}
          value={promotion.cartPredicate}
          onChange={(cartPredicate) => onChange({ cartPredicate })}
          error={errors.cartPredicate}
        />
      </section>
      <WhenSection {...section} />
      {mayMakeCodes && <CodeSection {...section} />}
      <MoreSection {...section} name={name} neighbours={neighbours} sortError={errors.sortOrder} />
    </div>
  );
}

/** The last moment of a day: the next Sunday, or the last day of this month. */
function lastMoment(of: 'sunday' | 'month', zone: 'local' | 'UTC'): string {
  const today = toInputTime(new Date().toISOString(), zone).slice(0, 10);
  const day = new Date(`${today}T00:00:00Z`);
  if (of === 'sunday') day.setUTCDate(day.getUTCDate() + ((7 - day.getUTCDay()) % 7));
  else day.setUTCMonth(day.getUTCMonth() + 1, 0);
  return fromInputTime(`${day.toISOString().slice(0, 10)}T23:59:59`, zone);
}

function WhenSection({ promotion, onChange, problems }: SectionProps) {
  const t = usePromotionTexts();
  const { zone } = usePreferences();
  const time = (name: string): Field => ({ name, type: 'DateTime', list: 0, required: false });
  return (
    <section className="stack">
      <h2>{t('when')}</h2>
      <div className="fields">
        <div className="stack-small">
          <ScalarField
            field={time('validFrom')}
            label={t('from')}
            value={promotion.validFrom}
            onChange={(value) => onChange({ validFrom: value === undefined ? undefined : String(value) })}
          />
          <p className="field-hint">{promotion.validFrom ? '' : t('now')}</p>
        </div>
        <div className="stack-small">
          <ScalarField
            field={time('validUntil')}
            label={t('until')}
            value={promotion.validUntil}
            onChange={(value) => onChange({ validUntil: value === undefined ? undefined : String(value) })}
            error={problems.includes('period') ? t('periodProblem') : undefined}
          />
          <div className="row wrap quick">
            <Button small onPress={() => onChange({ validUntil: lastMoment('sunday', zone) })}>
              {t('toSunday')}
            </Button>
            <Button small onPress={() => onChange({ validUntil: lastMoment('month', zone) })}>
              {t('toMonthEnd')}
            </Button>
            {promotion.validUntil && (
              <Button small look="plain" onPress={() => onChange({ validUntil: undefined })}>
                {t('forever')}
              </Button>
            )}
          </div>
        </div>
      </div>
    </section>
  );
}

function CodeSection({ promotion, onChange, problems }: SectionProps) {
  const t = usePromotionTexts();
  const limit = problems.includes('limit') ? t('limitProblem') : undefined;
  return (
    <section className="stack">
      <h2>{t('codes')}</h2>
      <Choices
        label={t('codes')}
        value={promotion.codeMode}
        options={(['one', 'many', 'none'] as const).map((id) => ({ id, label: t(id) }))}
        onChange={(codeMode) => onChange({ codeMode })}
      />
      {promotion.codeMode !== 'none' && (
        <div className="fields">
          {promotion.codeMode === 'one' ? (
            <div className="fields-wide row code-field">
              <div className="grow">
                <TextField
                  label={t('code')}
                  required
                  mono
                  placeholder={t('codeHint')}
                  value={promotion.code}
                  onChange={(code) => onChange({ code })}
                  autoComplete="off"
                />
              </div>
              <Button onPress={() => onChange({ code: randomCode('') })}>{t('suggest')}</Button>
            </div>
          ) : (
            <>
              <TextField
                label={t('count')}
                required
                inputMode="numeric"
                value={promotion.count}
                onChange={(count) => onChange({ count })}
                error={problems.includes('count') ? t('countProblem') : undefined}
              />
              <TextField
                label={t('prefix')}
                mono
                placeholder="SPRING"
                value={promotion.prefix}
                onChange={(prefix) => onChange({ prefix })}
                hint={`${randomCodeShape(promotion.prefix)}`}
              />
            </>
          )}
          <TextField
            label={t('maxPerCustomer')}
            inputMode="numeric"
            placeholder={t('noLimit')}
            value={promotion.maxPerCustomer}
            onChange={(maxPerCustomer) => onChange({ maxPerCustomer })}
            error={limit}
          />
          <TextField
            label={t('maxApplications')}
            inputMode="numeric"
            placeholder={t('noLimit')}
            value={promotion.maxApplications}
            onChange={(maxApplications) => onChange({ maxApplications })}
            error={limit}
          />
        </div>
      )}
    </section>
  );
}

/** Returns an example of a generated code. */
function randomCodeShape(prefix: string): string {
  const text = prefix.trim();
  return `${text}${text && !/[-_]$/.test(text) ? '-' : ''}7K4XQ2MN`;
}

function MoreSection({
  promotion,
  onChange,
  name,
  neighbours,
  sortError,
}: SectionProps & { name: JsonObject; neighbours: Neighbours; sortError?: string }) {
  const t = usePromotionTexts();
  const words = useDiscountTexts();
  const model = useModel();
  const groups = useKind('DiscountGroup');
  const shown = promotion.sortOrder ?? neighbours.proposed;
  const problem = !isSortOrder(shown) ? t('sortBad') : neighbours.taken.has(shown) ? t('sortTaken') : sortError;
  const further = model.fieldsOf('CartDiscountDraft').filter((field) => ['key', 'description', 'stores'].includes(field.name));
  return (
    <section className="stack">
      <h2>{t('more')}</h2>
      <div className="fields">
        <div className="fields-wide">
          <LocalizedField
            field={{ name: 'name', type: 'LocalizedString', list: 0, required: true }}
            label={t('name')}
            hint={promotion.name ? undefined : t('nameHint')}
            required
            value={name}
            onChange={(value) => onChange({ name: (value as JsonObject | undefined) ?? undefined })}
          />
        </div>
        <Select
          label={t('stacking')}
          value={promotion.stackingMode}
          options={[
            { id: 'Stacking', label: words('stackingOn') },
            { id: 'StopAfterThisDiscount', label: words('stackingOff') },
          ]}
          onChange={(stackingMode) => onChange({ stackingMode })}
        />
        {!promotion.group && (
          <TextField
            label={t('sortOrder')}
            inputMode="decimal"
            value={shown}
            onChange={(sortOrder) => onChange({ sortOrder: sortOrder || undefined })}
            error={problem}
            hint={neighbours.before ? t('after', { name: neighbours.before }) : neighbours.isKnown ? t('first') : undefined}
          />
        )}
        {groups.kind && groups.mayView && (
          <ReferencePicker
            label={t('group')}
            hint={t('groupHint')}
            kinds={[groups.kind]}
            value={promotion.group}
            onChange={(group) => onChange({ group })}
          />
        )}
        <div className="field switch-field">
          <Switch isSelected={promotion.isActive} onChange={(isActive) => onChange({ isActive })}>
            {t('isActive')}
          </Switch>
        </div>
      </div>
      <details className="more-fields">
        <summary>{t('moreFields')}</summary>
        <FieldsEditor
          fields={further}
          value={promotion.more}
          onChange={(more) => onChange({ more })}
          path=""
          document={promotion.more}
        />
      </details>
    </section>
  );
}
