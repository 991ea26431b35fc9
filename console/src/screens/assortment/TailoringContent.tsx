import { useModel } from '../../api/project';
import { usePreferences } from '../../app/preferences';
import { useOpenDocument } from '../../detail/editing';
import { FieldEditor } from '../../form/FieldEditor';
import { shortText } from '../../model/display';
import type { Document, Kind } from '../../model/types';
import { valueAt, withValueAt } from '../../model/values';
import { sideOf, STAGED } from '../products/variants';
import { useTailoredProduct } from './tailoring';
import { useAssortmentTexts } from './texts';
import './assortment.css';

const TEXTS = ['name', 'description', 'slug'];
const SEARCH = ['metaTitle', 'metaDescription', 'metaKeywords'];
const SHOWN_CHARS = 160;

/** Shows the texts of a Store, each with the text of the Product. */
export default function TailoringContent({ kind, document }: { kind: Kind; document: Document }) {
  const t = useAssortmentTexts();
  return (
    <div className="sections">
      <p className="muted">{t('emptyHint')}</p>
      <Fields kind={kind} document={document} names={TEXTS} />
      <section className="section stack">
        <h2>{t('forSearchEngines')}</h2>
        <Fields kind={kind} document={document} names={SEARCH} />
      </section>
    </div>
  );
}

function Fields({ kind, document, names }: { kind: Kind; document: Document; names: string[] }) {
  const t = useAssortmentTexts();
  const model = useModel();
  const { language } = usePreferences();
  const { editing, mayUpdate } = useOpenDocument();
  const { edited, set } = editing;
  const product = useTailoredProduct(document);
  const says = (name: string): string | undefined => {
    if (!product) return undefined;
    const text = shortText(sideOf(product, STAGED)[name], language);
    if (!text) return t('productSaysNothing');
    return t('productSays', { text: text.length > SHOWN_CHARS ? `${text.slice(0, SHOWN_CHARS)}…` : text });
  };
  return (
    <div className="fields">
      {names.map((name) => {
        const path = `staged.${name}`;
        const field = model.fieldAt(kind.type, path);
        if (!field) return null;
        return (
          <div key={path} className="fields-wide">
            <FieldEditor
              field={{ ...field, description: says(name) }}
              path={path}
              value={valueAt(edited, path)}
              stored={valueAt(document, path)}
              mayEdit={mayUpdate ? undefined : () => false}
              onChange={(value) => set(withValueAt(edited, path, value))}
            />
          </div>
        );
      })}
    </div>
  );
}
