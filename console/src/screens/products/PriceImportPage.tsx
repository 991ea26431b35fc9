import { useMemo } from 'react';
import { useKind } from '../../api/hooks';
import { NoAccess } from '../../ui/NoAccess';
import { CsvImport } from './CsvImport';
import { useImportTexts } from './import-texts';
import { priceImport } from './price-import';

export default function PriceImportPage() {
  const t = useImportTexts();
  const { kind, mayManage } = useKind('StandalonePrice');
  const spec = useMemo(() => priceImport(t), [t]);
  return kind && mayManage ? <CsvImport title={t('priceTitle')} spec={spec} kind={kind} /> : <NoAccess />;
}
