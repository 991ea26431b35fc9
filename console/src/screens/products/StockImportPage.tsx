import { useMemo } from 'react';
import { useKind } from '../../api/hooks';
import { NoAccess } from '../../ui/NoAccess';
import { CsvImport } from './CsvImport';
import { useImportTexts } from './import-texts';
import { stockImport } from './stock-import';

export default function StockImportPage() {
  const t = useImportTexts();
  const { kind, mayManage } = useKind('InventoryEntry');
  const spec = useMemo(() => stockImport(t), [t]);
  return kind && mayManage ? <CsvImport title={t('stockTitle')} spec={spec} kind={kind} /> : <NoAccess />;
}
