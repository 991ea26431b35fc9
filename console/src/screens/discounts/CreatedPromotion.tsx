import { Link } from 'wouter';
import { useProject } from '../../api/project';
import { paths } from '../../app/paths';
import { CopyButton } from '../../detail/CopyButton';
import type { Document, Kind } from '../../model/types';
import { Button } from '../../ui/Button';
import { Banner } from '../../ui/Feedback';
import { saveCodes, type CreatedCodes } from './codes';
import { usePromotionTexts } from './promotion-texts';
import { LocalizedText } from '../../ui/values';

const SHOWN = 20;

/** Shows the created promotion, with the codes to copy. */
export function CreatedPromotion({
  discountKind,
  codeKind,
  discount,
  codes,
  onAnother,
}: {
  discountKind: Kind;
  codeKind: Kind;
  discount: Document;
  codes: CreatedCodes;
  onAnother: () => void;
}) {
  const t = usePromotionTexts();
  const { key } = useProject();
  const { created, failed } = codes;
  return (
    <section className="stack created">
      <Banner look="success">
        <b>{t('created')}</b>: <LocalizedText value={discount.name} />. {t('createdHint')}
      </Banner>
      {failed.length > 0 && (
        <Banner look="danger">{t('codesFailed', { count: failed.length, message: failed[0]!.message })}</Banner>
      )}
      {created.length > 0 && (
        <ul className="code-list">
          {created.slice(0, SHOWN).map(({ id, code }) => (
            <li key={id} className="row">
              <Link href={paths.document(key, codeKind, id)} className="mono">
                {code}
              </Link>
              <CopyButton text={code} />
            </li>
          ))}
          {created.length > SHOWN && <li className="muted">+{created.length - SHOWN}</li>}
        </ul>
      )}
      <div className="row wrap">
        <Link className="button button-normal" href={paths.document(key, discountKind, discount.id)}>
          {t('openDiscount')}
        </Link>
        {created.length > 1 && (
          <Button
            icon="download"
            onPress={() =>
              saveCodes(
                created.map(({ code }) => code),
                'codes.csv',
              )
            }
          >
            {t('download')}
          </Button>
        )}
        <Button look="plain" icon="plus" onPress={onAnother}>
          {t('another')}
        </Button>
      </div>
    </section>
  );
}
