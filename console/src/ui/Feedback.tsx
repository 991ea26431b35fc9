import { useEffect, useState, type ReactNode } from 'react';
import {
  Text,
  UNSTABLE_Toast as Toast,
  UNSTABLE_ToastContent as ToastContent,
  UNSTABLE_ToastQueue as ToastQueue,
  UNSTABLE_ToastRegion as ToastRegion,
} from 'react-aria-components';
import { ApiError } from '../api/errors';
import { Button, IconButton } from './Button';
import { Icon, type IconName } from './Icon';
import { useWords } from './texts';

interface Note {
  look: 'success' | 'danger' | 'info';
  text: string;
  detail?: string;
  action?: { label: string; run: () => void };
}

const queue = new ToastQueue<Note>({ maxVisibleToasts: 3 });
const TOAST_MS = 6000;
const TOAST_WITH_ACTION_MS = 15_000;

/** Shows a message at the edge of the window. */
export function notify(note: Note): void {
  queue.add(note, note.look === 'danger' ? {} : { timeout: note.action ? TOAST_WITH_ACTION_MS : TOAST_MS });
}

export function notifyError(error: unknown): void {
  notify({ look: 'danger', text: useWords.now()('failed'), detail: error instanceof Error ? error.message : String(error) });
}

const noteIcon: Record<Note['look'], IconName> = { success: 'check', danger: 'warning', info: 'info' };

export function Toasts() {
  const t = useWords();
  return (
    <ToastRegion queue={queue} className="toasts" aria-label={t('notifications')}>
      {({ toast }) => (
        <Toast toast={toast} className={`toast toast-${toast.content.look}`}>
          <Icon name={noteIcon[toast.content.look]} />
          <ToastContent className="grow stack-small">
            <Text slot="title">{toast.content.text}</Text>
            {toast.content.detail && (
              <Text slot="description" className="small toast-detail">
                {toast.content.detail}
              </Text>
            )}
          </ToastContent>
          {toast.content.action && (
            <Button
              small
              onPress={() => {
                toast.content.action?.run();
                queue.close(toast.key);
              }}
            >
              {toast.content.action.label}
            </Button>
          )}
          <IconButton small icon="close" label={t('close')} slot="close" />
        </Toast>
      )}
    </ToastRegion>
  );
}

/** A small label with a colour and a text. */
export function Chip({
  look = 'neutral',
  icon,
  children,
  title,
}: {
  look?: 'neutral' | 'success' | 'warning' | 'danger' | 'info' | 'accent';
  icon?: IconName;
  children: ReactNode;
  title?: string;
}) {
  return (
    <span className={`chip chip-${look}`} title={title}>
      {icon && <Icon name={icon} size={12} />}
      <span className="truncate">{children}</span>
    </span>
  );
}

export function Banner({
  look = 'info',
  children,
  action,
}: {
  look?: 'info' | 'warning' | 'danger' | 'success';
  children: ReactNode;
  action?: ReactNode;
}) {
  return (
    <div className={`banner banner-${look}`} role={look === 'danger' ? 'alert' : 'status'}>
      <Icon name={look === 'danger' || look === 'warning' ? 'warning' : look === 'success' ? 'check' : 'info'} />
      <div className="grow">{children}</div>
      {action}
    </div>
  );
}

export function EmptyState({
  icon = 'info',
  title,
  children,
  action,
}: {
  icon?: IconName;
  title: string;
  children?: ReactNode;
  action?: ReactNode;
}) {
  return (
    <div className="empty">
      <span className="empty-icon">
        <Icon name={icon} size={22} />
      </span>
      <h2>{title}</h2>
      {children && <div className="empty-text">{children}</div>}
      {action && <div className="row wrap empty-action">{action}</div>}
    </div>
  );
}

/** Shows grey lines in place of loading content, after 150 ms. */
export function Skeleton({ lines = 3 }: { lines?: number }) {
  const t = useWords();
  const [visible, setVisible] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setVisible(true), 150);
    return () => clearTimeout(timer);
  }, []);
  return (
    <div className="skeleton" role="status" aria-label={t('loading')}>
      {visible && Array.from({ length: lines }, (_, at) => <div key={at} className="skeleton-line" />)}
    </div>
  );
}

/** Shows an error in place of content that could not be loaded. */
export function ErrorState({ error, onRetry }: { error: unknown; onRetry?: () => void }) {
  const t = useWords();
  const title =
    error instanceof ApiError
      ? error.status === 404
        ? t('notFound')
        : error.status === 403
          ? t('noAccess')
          : t('failed')
      : t('failed');
  return (
    <EmptyState
      icon="warning"
      title={title}
      action={
        onRetry && (
          <Button icon="refresh" onPress={onRetry}>
            {t('retry')}
          </Button>
        )
      }
    >
      <span className="pre-line">{error instanceof Error ? error.message : String(error)}</span>
    </EmptyState>
  );
}

export function Progress({ value, max, label }: { value: number; max?: number; label: string }) {
  return (
    <div className="progress">
      <progress className="progress-bar" value={max ? value : undefined} max={max} aria-label={label} />
      <span className="small muted numbers">{label}</span>
    </div>
  );
}
