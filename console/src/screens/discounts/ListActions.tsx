import { useState } from 'react';
import { Link } from 'wouter';
import { useKind } from '../../api/hooks';
import { useProject } from '../../api/project';
import type { Kind } from '../../model/types';
import { Button } from '../../ui/Button';
import { GenerateCodes } from './GenerateCodes';
import { useDiscountTexts } from './texts';

/** At the top of the lists: the page for a new promotion, the order of application, and many codes at once. */
export default function ListActions({ kind }: { kind: Kind }) {
  const t = useDiscountTexts();
  const { key } = useProject();
  const { mayManage } = useKind('CartDiscount');
  const isCodes = kind.name === 'DiscountCode';
  const mayGenerate = useKind(kind.name).mayManage && isCodes;
  const [isOpen, setOpen] = useState(false);
  const base = `/${encodeURIComponent(key)}`;
  return (
    <>
      {!isCodes && (
        <Link className="button button-normal" href={`${base}/discounts/order`}>
          {t('orderPage')}
        </Link>
      )}
      {mayGenerate && <Button onPress={() => setOpen(true)}>{t('generate')}</Button>}
      {mayManage && (
        <Link className="button button-normal" href={`${base}/discounts/new`}>
          {t('new')}
        </Link>
      )}
      {isOpen && <GenerateCodes kind={kind} template={{}} onClose={() => setOpen(false)} />}
    </>
  );
}
