import { useModel } from '../../api/project';
import { useTarget } from '../../api/references';
import { useOpenDocument } from '../../detail/editing';
import { DefinedField } from '../../form/DefinedField';
import { readDefinition } from '../../form/definitions';
import { FieldEditor, isWide } from '../../form/FieldEditor';
import type { Document, Json, Kind } from '../../model/types';
import { isObject, valueAt, withValueAt } from '../../model/values';
import { useProductTexts } from './texts';
import { attributeOf, sideOf, STAGED, textIn, withAttribute } from './variants';

const TEXTS = ['name', 'description', 'slug', 'categories'].map((name) => `${STAGED}.${name}`);
const SEARCH = ['metaTitle', 'metaDescription', 'metaKeywords'].map((name) => `${STAGED}.${name}`);
const OWN = ['key', 'taxCategory', 'state', 'priceMode'];

/** Texts, Categories and Attributes of a Product: what all its variants share. */
export default function ContentTab({ kind, document }: { kind: Kind; document: Document }) {
  const t = useProductTexts();
  return (
    <div className="sections">
      <Fields kind={kind} document={document} paths={[...TEXTS, ...OWN]} />
      <ProductAttributes document={document} />
      <section className="section stack">
        <h2>{t('forSearchEngines')}</h2>
        <Fields kind={kind} document={document} paths={SEARCH} />
      </section>
    </div>
  );
}

function Fields({ kind, document, paths }: { kind: Kind; document: Document; paths: string[] }) {
  const model = useModel();
  const { editing, mayUpdate } = useOpenDocument();
  const { edited, set } = editing;
  return (
    <div className="fields">
      {paths.map((path) => {
        const field = model.fieldAt(kind.type, path);
        if (!field) return null;
        return (
          <div key={path} className={isWide(field, model) ? 'fields-wide' : undefined}>
            <FieldEditor
              field={field}
              path={path}
              value={valueAt(edited, path)}
              stored={valueAt(document, path)}
              mayEdit={mayUpdate ? undefined : () => false}
              mayArrange={() => false}
              onChange={(value) => set(withValueAt(edited, path, value))}
            />
          </div>
        );
      })}
    </div>
  );
}

/** Attributes of the Product itself, as its Product Type defines them. */
function ProductAttributes({ document }: { document: Document }) {
  const t = useProductTexts();
  const model = useModel();
  const { editing, mayUpdate } = useOpenDocument();
  const { edited, set } = editing;
  const id = isObject(document.productType) ? textIn(document.productType.id) : undefined;
  const type = useTarget(model.kindOfType('product-type'), { id });
  const definitions = (Array.isArray(type.data?.attributes) ? type.data.attributes : [])
    .map(readDefinition)
    .filter((one) => one?.level === 'Product');
  if (definitions.length === 0) return null;
  const change = (name: string) => (value: Json | undefined) =>
    set(withValueAt(edited, STAGED, withAttribute(sideOf(edited, STAGED), name, value)));
  return (
    <section className="section stack">
      <h2>{t('attributes')}</h2>
      <div className="fields">
        {definitions.map((definition) => (
          <div key={definition!.name}>
            <DefinedField
              definition={definition!}
              value={attributeOf(sideOf(edited, STAGED), definition!.name)}
              stored={attributeOf(sideOf(document, STAGED), definition!.name)}
              isDisabled={!mayUpdate}
              onChange={change(definition!.name)}
            />
          </div>
        ))}
      </div>
    </section>
  );
}
