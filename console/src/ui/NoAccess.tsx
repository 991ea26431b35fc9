import { EmptyState } from './Feedback';
import { useWords } from './texts';

/** In place of a page that the operator's role may not open. */
export function NoAccess() {
  const words = useWords();
  return (
    <div className="page">
      <EmptyState icon="key" title={words('noAccess')} />
    </div>
  );
}
