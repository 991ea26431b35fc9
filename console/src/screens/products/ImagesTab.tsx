import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState, type DragEvent } from 'react';
import { documentKey, documentPath } from '../../api/hooks';
import { useProject } from '../../api/project';
import { useOpenDocument } from '../../detail/editing';
import type { Document, JsonObject, Kind } from '../../model/types';
import { objectsOf } from '../../model/values';
import { Button, IconButton } from '../../ui/Button';
import { Banner, notify, Progress } from '../../ui/Feedback';
import { TextField } from '../../ui/Field';
import { useWords } from '../../ui/texts';
import { useProductTexts } from './texts';
import { sideOf, STAGED, textIn, variantName, variantsOf, withVariants } from './variants';
import './products.css';

const TYPES = ['image/jpeg', 'image/png', 'image/gif', 'image/webp'];

/** Uploads files to a variant, one after the other. They are stored at once: only what is changed in the form waits for a save. */
export function useUpload(kind: Kind, document: Document) {
  const t = useProductTexts();
  const { client } = useProject();
  const cache = useQueryClient();
  const [progress, setProgress] = useState<{ done: number; of: number }>();
  const upload = async (variantId: number, files: File[]) => {
    const failed: string[] = [];
    setProgress({ done: 0, of: files.length });
    for (const [at, file] of files.entries()) {
      try {
        if (!TYPES.includes(file.type)) throw new Error(t('noImage'));
        const after = await client.request<Document>(`${documentPath(kind, document)}/images`, {
          method: 'POST',
          file,
          query: { variant: variantId, filename: file.name.replace(/\.[^.]*$/, ''), staged: true },
        });
        cache.setQueryData(documentKey(client.project, kind, document.id), after);
      } catch (error) {
        failed.push(`${file.name}: ${error instanceof Error ? error.message : String(error)}`);
      }
      setProgress({ done: at + 1, of: files.length });
    }
    setProgress(undefined);
    const count = files.length - failed.length;
    if (count > 0) notify({ look: 'success', text: t('uploaded', { count }) });
    if (failed.length > 0)
      notify({ look: 'danger', text: t('notUploaded', { count: failed.length }), detail: failed.join('\n') });
    void cache.invalidateQueries({ queryKey: [client.project, kind.name] });
  };
  return { upload, progress };
}

/** The images of each variant: drop files to add, drag or use the arrows to arrange. */
export default function ImagesTab({ kind, document }: { kind: Kind; document: Document }) {
  const t = useProductTexts();
  const { editing, mayUpdate } = useOpenDocument();
  const { upload, progress } = useUpload(kind, document);
  const { edited, set, isDirty } = editing;
  const variants = variantsOf(sideOf(edited, STAGED));
  const change = (at: number) => (images: JsonObject[]) =>
    set(withVariants(edited, variants.with(at, { ...variants[at]!, images })));
  return (
    <div className="stack-large">
      {isDirty && mayUpdate && <Banner>{t('saveBeforeUpload')}</Banner>}
      {progress && (
        <Progress value={progress.done} max={progress.of} label={t('uploading', { done: progress.done, of: progress.of })} />
      )}
      {variants.map((variant, at) => (
        <VariantImages
          key={String(variant.id ?? at)}
          variant={variant}
          mayChange={mayUpdate}
          onChange={change(at)}
          onUpload={
            mayUpdate && !isDirty && !progress && typeof variant.id === 'number'
              ? (files) => void upload(variant.id as number, files)
              : undefined
          }
        />
      ))}
    </div>
  );
}

export function VariantImages({
  variant,
  mayChange,
  onChange,
  onUpload,
}: {
  variant: JsonObject;
  mayChange: boolean;
  onChange: (images: JsonObject[]) => void;
  onUpload?: (files: File[]) => void;
}) {
  const t = useProductTexts();
  const [isOver, setOver] = useState(false);
  const [dragged, setDragged] = useState<number>();
  const input = useRef<HTMLInputElement>(null);
  const images = objectsOf(variant.images);
  const move = (from: number, to: number) => {
    const next = images.filter((_, at) => at !== from);
    next.splice(to, 0, images[from]!);
    onChange(next);
  };
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    const files = [...event.dataTransfer.files];
    if (files.length > 0) onUpload?.(files);
  };
  return (
    <section
      className="stack-small image-drop"
      data-over={isOver || undefined}
      aria-label={t('imagesOf', { name: variantName(variant) })}
      onDragOver={(event) => {
        if (!event.dataTransfer.types.includes('Files')) return;
        event.preventDefault();
        setOver(!!onUpload);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
    >
      <div className="row">
        <h2 className="truncate image-title">{variantName(variant)}</h2>
        <span className="muted small numbers">{t('imageCount', { count: images.length })}</span>
      </div>
      <ul className="images">
        {images.map((image, at) => (
          <ImageCard
            key={textIn(image.url) ?? at}
            image={image}
            at={at}
            count={images.length}
            mayChange={mayChange}
            onMove={(to) => move(at, to)}
            onLabel={(label) => {
              const { label: _, ...rest } = image;
              onChange(images.with(at, label ? { ...image, label } : rest));
            }}
            onRemove={() => onChange(images.filter((_, index) => index !== at))}
            onDragStart={() => setDragged(at)}
            onDropOn={() => dragged !== undefined && dragged !== at && move(dragged, at)}
          />
        ))}
        {onUpload && (
          <li>
            <button type="button" className="image-add" onClick={() => input.current?.click()}>
              {t('dropHere')}
            </button>
            <input
              ref={input}
              type="file"
              hidden
              multiple
              accept={TYPES.join(',')}
              aria-label={t('imagesOf', { name: variantName(variant) })}
              onChange={(event) => {
                onUpload([...(event.target.files ?? [])]);
                event.target.value = '';
              }}
            />
          </li>
        )}
        {!onUpload && images.length === 0 && <li className="muted small">{t('noImages')}</li>}
      </ul>
      {mayChange && <AddByAddress onAdd={(image) => onChange([...images, image])} known={images} />}
    </section>
  );
}

function ImageCard({
  image,
  at,
  count,
  mayChange,
  onMove,
  onLabel,
  onRemove,
  onDragStart,
  onDropOn,
}: {
  image: JsonObject;
  at: number;
  count: number;
  mayChange: boolean;
  onMove: (to: number) => void;
  onLabel: (label: string) => void;
  onRemove: () => void;
  onDragStart: () => void;
  onDropOn: () => void;
}) {
  const t = useProductTexts();
  const words = useWords();
  const url = textIn(image.url) ?? '';
  const name = textIn(image.label) ?? url.split('/').at(-1) ?? '';
  return (
    <li
      className="image-card"
      draggable={mayChange}
      onDragStart={(event) => {
        event.dataTransfer.effectAllowed = 'move';
        onDragStart();
      }}
      onDragOver={(event) => !event.dataTransfer.types.includes('Files') && event.preventDefault()}
      onDrop={(event) => {
        if (event.dataTransfer.files.length > 0) return;
        event.preventDefault();
        onDropOn();
      }}
    >
      <a href={url} target="_blank" rel="noreferrer" draggable={false}>
        <img src={url} alt={name} loading="lazy" draggable={false} />
      </a>
      {mayChange ? (
        <>
          <TextField
            aria-label={t('labelOf', { name: url.split('/').at(-1) ?? '' })}
            placeholder={t('label')}
            value={textIn(image.label) ?? ''}
            onChange={onLabel}
          />
          <span className="row image-buttons">
            <IconButton
              small
              icon="left"
              label={`${words('moveUp')}: ${name}`}
              isDisabled={at === 0}
              onPress={() => onMove(at - 1)}
            />
            <IconButton
              small
              icon="right"
              label={`${words('moveDown')}: ${name}`}
              isDisabled={at === count - 1}
              onPress={() => onMove(at + 1)}
            />
            <span className="push">
              <IconButton small icon="trash" label={`${words('remove')}: ${name}`} onPress={onRemove} />
            </span>
          </span>
        </>
      ) : (
        <span className="small truncate">{name}</span>
      )}
    </li>
  );
}

/** Adds an image that another server has. Its size is read by loading it. */
function AddByAddress({ onAdd, known }: { onAdd: (image: JsonObject) => void; known: JsonObject[] }) {
  const t = useProductTexts();
  const words = useWords();
  const [isOpen, setOpen] = useState(false);
  const [url, setUrl] = useState('');
  const [error, setError] = useState<string>();
  const add = () => {
    if (known.some((image) => image.url === url)) return setError(t('imageThere'));
    const image = new Image();
    image.onload = () => {
      onAdd({ url, dimensions: { w: image.naturalWidth, h: image.naturalHeight } });
      setUrl('');
      setOpen(false);
    };
    image.onerror = () => setError(t('imageNotLoaded'));
    image.src = url;
    return undefined;
  };
  if (!isOpen)
    return (
      <span>
        <Button small look="plain" icon="link" onPress={() => setOpen(true)}>
          {t('addByAddress')}
        </Button>
      </span>
    );
  return (
    <form
      className="row-top"
      onSubmit={(event) => {
        event.preventDefault();
        if (url) add();
      }}
    >
      <div className="grow">
        <TextField
          autoFocus
          type="url"
          aria-label={t('imageAddress')}
          placeholder="https://"
          value={url}
          error={error}
          onChange={(next) => {
            setUrl(next.trim());
            setError(undefined);
          }}
        />
      </div>
      <Button type="submit" isDisabled={!/^https?:\/\//.test(url)}>
        {words('add')}
      </Button>
      <Button look="plain" onPress={() => setOpen(false)}>
        {words('cancel')}
      </Button>
    </form>
  );
}
