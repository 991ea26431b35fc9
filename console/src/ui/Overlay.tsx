import type { ReactNode } from 'react';
import {
  Dialog as AriaDialog,
  Heading,
  Menu as AriaMenu,
  MenuItem,
  MenuTrigger,
  Modal,
  ModalOverlay,
  Popover,
  Separator,
  SubmenuTrigger,
} from 'react-aria-components';
import { Button, IconButton } from './Button';
import { Icon, type IconName } from './Icon';
import { useWords } from './texts';

interface OverlayProps {
  title: ReactNode;
  isOpen: boolean;
  onClose: () => void;
  children: ReactNode;
  footer?: ReactNode;
}

/** A choice that blocks the page. */
export function Dialog({
  title,
  isOpen,
  onClose,
  children,
  footer,
  wide,
  locked,
}: OverlayProps & { wide?: boolean; locked?: boolean }) {
  const t = useWords();
  return (
    <ModalOverlay
      className="scrim"
      isOpen={isOpen}
      onOpenChange={(open) => !open && onClose()}
      isDismissable={!locked}
      isKeyboardDismissDisabled={locked}
    >
      <Modal className={`dialog${wide ? ' dialog-wide' : ''}`}>
        <AriaDialog className="overlay">
          <header className="overlay-head">
            <Heading slot="title" className="overlay-title">
              {title}
            </Heading>
            {!locked && <IconButton icon="close" label={t('close')} onPress={onClose} />}
          </header>
          <div className="overlay-body">{children}</div>
          {footer && <footer className="overlay-foot">{footer}</footer>}
        </AriaDialog>
      </Modal>
    </ModalOverlay>
  );
}

/** Work at the side, while the page stays visible. */
export function Panel({ title, isOpen, onClose, children, footer, wide }: OverlayProps & { wide?: boolean }) {
  const t = useWords();
  return (
    <ModalOverlay className="scrim scrim-side" isOpen={isOpen} onOpenChange={(open) => !open && onClose()} isDismissable>
      <Modal className={`panel${wide ? ' panel-wide' : ''}`}>
        <AriaDialog className="overlay">
          <header className="overlay-head">
            <Heading slot="title" className="overlay-title">
              {title}
            </Heading>
            <IconButton icon="close" label={t('close')} onPress={onClose} />
          </header>
          <div className="overlay-body">{children}</div>
          {footer && <footer className="overlay-foot">{footer}</footer>}
        </AriaDialog>
      </Modal>
    </ModalOverlay>
  );
}

/** Asks before something that cannot be undone. */
export function Confirm({
  title,
  children,
  isOpen,
  onClose,
  onConfirm,
  confirm,
  isPending,
}: {
  title: string;
  children: ReactNode;
  isOpen: boolean;
  onClose: () => void;
  onConfirm: () => void;
  confirm: string;
  isPending?: boolean;
}) {
  const t = useWords();
  return (
    <Dialog
      title={title}
      isOpen={isOpen}
      onClose={onClose}
      footer={
        <>
          <Button onPress={onClose}>{t('cancel')}</Button>
          <Button look="danger" onPress={onConfirm} isPending={isPending}>
            {confirm}
          </Button>
        </>
      }
    >
      {children}
    </Dialog>
  );
}

export interface MenuEntry {
  id: string;
  label: string;
  icon?: IconName;
  hint?: string;
  danger?: boolean;
  checked?: boolean;
  disabled?: boolean;
  onAction?: () => void;
  children?: MenuEntry[];
  separated?: boolean;
}

const render = (entry: MenuEntry): ReactNode => {
  const item = (
    <MenuItem
      key={entry.id}
      id={entry.id}
      textValue={entry.label}
      isDisabled={entry.disabled}
      onAction={entry.onAction}
      className={`menu-item${entry.danger ? ' menu-item-danger' : ''}`}
    >
      {entry.icon && <Icon name={entry.icon} />}
      <span className="truncate">{entry.label}</span>
      {entry.hint && <span className="muted small push">{entry.hint}</span>}
      {entry.checked && (
        <span className="push">
          <Icon name="check" size={14} />
        </span>
      )}
      {entry.children && (
        <span className="push">
          <Icon name="right" size={14} />
        </span>
      )}
    </MenuItem>
  );
  const line = entry.separated ? [<Separator key={`${entry.id}-line`} className="menu-line" />] : [];
  if (!entry.children) return [...line, item];
  return [
    ...line,
    <SubmenuTrigger key={entry.id}>
      {item}
      <Popover className="popover" offset={2}>
        <AriaMenu className="menu">{entry.children.map(render)}</AriaMenu>
      </Popover>
    </SubmenuTrigger>,
  ];
};

/** A button with a menu. `trigger` is a Button. */
export function Menu({ trigger, entries, label }: { trigger: ReactNode; entries: MenuEntry[]; label?: string }) {
  return (
    <MenuTrigger>
      {trigger}
      <Popover className="popover" offset={4}>
        <AriaMenu className="menu" aria-label={label}>
          {entries.map(render)}
        </AriaMenu>
      </Popover>
    </MenuTrigger>
  );
}
