import type { ReactNode } from 'react';
import { Button } from '../../ui/Button';
import { Panel } from '../../ui/Overlay';
import { useWords } from '../../ui/texts';
import { useOrderTexts } from './texts';

/** Shows a form in a side panel, with a button that opens the review of its changes. */
export function FormPanel({
  title,
  children,
  onClose,
  onReview,
  review,
  isDisabled,
  isPending,
  wide,
}: {
  title: string;
  children: ReactNode;
  onClose: () => void;
  onReview: () => void;
  /** The text of the button, instead of `Review`. */
  review?: string;
  isDisabled?: boolean;
  isPending?: boolean;
  wide?: boolean;
}) {
  const t = useOrderTexts();
  const words = useWords();
  return (
    <Panel
      title={title}
      isOpen
      onClose={onClose}
      wide={wide}
      footer={
        <>
          <Button onPress={onClose}>{words('cancel')}</Button>
          <Button look="primary" onPress={onReview} isDisabled={isDisabled} isPending={isPending}>
            {review ?? t('reviewChange')}
          </Button>
        </>
      }
    >
      {children}
    </Panel>
  );
}
