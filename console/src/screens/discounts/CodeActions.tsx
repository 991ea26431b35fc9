import { useState } from 'react';
import { useKind } from '../../api/hooks';
import { useModel } from '../../api/project';
import { asInput } from '../../model/draft';
import type { Document, JsonObject, Kind } from '../../model/types';
import { Button } from '../../ui/Button';
import DiscountActions from './DiscountActions';
import { GenerateCodes } from './GenerateCodes';
import { useDiscountTexts } from './texts';

/** Makes more codes like this one. */
export default function CodeActions({ kind, document }: { kind: Kind; document: Document }) {
  const t = useDiscountTexts();
  const model = useModel();
  const { mayManage } = useKind(kind.name);
  const [isOpen, setOpen] = useState(false);
  if (!mayManage || !kind.draft) return null;
  const { key: _, code: __, ...template } = asInput(model, document, { type: kind.draft, list: 0 }) as JsonObject;
  return (
    <>
      <DiscountActions kind={kind} document={document} />
      <Button compact icon="plus" onPress={() => setOpen(true)}>
        {t('generateLike')}
      </Button>
      {isOpen && <GenerateCodes kind={kind} template={template} like={String(document.code)} onClose={() => setOpen(false)} />}
    </>
  );
}
