import { useOpenDocument } from '../../detail/editing';
import type { Document, JsonObject, Kind } from '../../model/types';
import { objectsOf } from '../../model/values';
import { Button } from '../../ui/Button';
import { Banner, Progress, Skeleton } from '../../ui/Feedback';
import { useUpload, VariantImages } from '../products/ImagesTab';
import { useProductTexts } from '../products/texts';
import { sideOf, STAGED, variantName, variantsOf } from '../products/variants';
import { ownImages, withImages } from './planner';
import { useTailoredProduct } from './tailoring';
import { useAssortmentTexts } from './texts';
import './assortment.css';

/** The images of each variant in the Store: those of the Product, or others. */
export default function TailoringImages({ kind, document }: { kind: Kind; document: Document }) {
  const t = useAssortmentTexts();
  const words = useProductTexts();
  const { editing, mayUpdate } = useOpenDocument();
  const { upload, progress } = useUpload(kind, document);
  const product = useTailoredProduct(document);
  const { edited, set, isDirty } = editing;
  if (!product) return <Skeleton lines={4} />;
  const side = sideOf(edited, 'staged');
  const change = (id: number, images: JsonObject[] | undefined) => set({ ...edited, staged: withImages(side, id, images) });
  return (
    <div className="stack-large">
      {isDirty && mayUpdate && <Banner>{words('saveBeforeUpload')}</Banner>}
      {progress && (
        <Progress value={progress.done} max={progress.of} label={words('uploading', { done: progress.done, of: progress.of })} />
      )}
      {variantsOf(sideOf(product, STAGED)).map((variant) => {
        const id = Number(variant.id);
        const own = ownImages(side, id);
        const shown = objectsOf(variant.images);
        if (own)
          return (
            <div key={id} className="stack-small">
              <VariantImages
                variant={{ ...variant, images: own }}
                mayChange={mayUpdate}
                onChange={(images) => change(id, images)}
                onUpload={mayUpdate && !isDirty && !progress ? (files) => void upload(id, files) : undefined}
              />
              {mayUpdate && (
                <span>
                  <Button small icon="undo" onPress={() => change(id, undefined)}>
                    {t('productImages')}
                  </Button>
                </span>
              )}
            </div>
          );
        return (
          <section key={id} className="stack-small" aria-label={words('imagesOf', { name: variantName(variant) })}>
            <h2 className="truncate image-title">{variantName(variant)}</h2>
            <p className="row wrap muted small">
              {shown.map((image, at) => (
                <img key={at} className="thumb" src={String(image.url)} alt="" loading="lazy" />
              ))}
              {t('ofProduct')}
            </p>
            {mayUpdate && (
              <span>
                <Button small icon="edit" onPress={() => change(id, shown)}>
                  {t('ownImages')}
                </Button>
              </span>
            )}
          </section>
        );
      })}
    </div>
  );
}
