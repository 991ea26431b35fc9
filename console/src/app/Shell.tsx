import { lazy, Suspense, useEffect, useMemo, useRef, useState, type ReactNode } from 'react';
import { Dialog as AriaDialog, Modal, ModalOverlay } from 'react-aria-components';
import { Link, useLocation } from 'wouter';
import { onReturn, useConnection } from '../api/connection';
import { useApp, useProject } from '../api/project';
import { signOut, useSession } from '../api/session';
import { Button, IconButton } from '../ui/Button';
import { notify, notifyError } from '../ui/Feedback';
import { Icon } from '../ui/Icon';
import { Confirm, Menu, type MenuEntry } from '../ui/Overlay';
import { Select } from '../ui/Field';
import { useWords } from '../ui/texts';
import { useBreadcrumbs } from './breadcrumbs';
import { useShortcuts } from './keyboard';
import { pendingLeave } from './leave-guard';
import { peek } from './peek';
import { Navigation } from './Navigation';
import { useNavigation } from './navigation';
import { preferences, usePreferences } from './preferences';
import { useStore } from './store';
import { useShellTexts } from './texts';

const loadPalette = () => import('./Palette');
const Palette = lazy(loadPalette);
/** The palette is loaded when the first page is there, so that it opens at once. */
const PALETTE_AFTER_MS = 1500;
const PeekPanel = lazy(() => import('../detail/PeekPanel'));
const ShortcutsDialog = lazy(() => import('./ShortcutsDialog'));
const PasswordDialog = lazy(() => import('../screens/account/PasswordDialog'));

type Open = 'palette' | 'shortcuts' | 'password' | 'navigation' | undefined;

/** Navigation on the left, bar at the top, the page between them. */
export function Shell({ children }: { children: ReactNode }) {
  const t = useShellTexts();
  const [open, setOpen] = useState<Open>();
  const [path, navigate] = useLocation();
  const main = useRef<HTMLElement>(null);
  const { key } = useProject();
  const groups = useNavigation();
  const session = useSession();
  const peeked = useStore(peek);
  useEffect(() => {
    setOpen((current) => (current === 'navigation' ? undefined : current));
    main.current?.scrollTo(0, 0);
  }, [path]);
  useEffect(() => {
    const timer = setTimeout(() => void loadPalette(), PALETTE_AFTER_MS);
    return () => clearTimeout(timer);
  }, []);
  useEffect(() => onReturn(() => notify({ look: 'success', text: useShellTexts.now()('back') })), []);
  const shortcuts = useMemo(() => {
    const to = (segment: string) => () => navigate(`/${encodeURIComponent(key)}/${segment}`);
    const first = (id: string) => groups.find((group) => group.id === id)?.entries[0]?.path;
    const keys: Record<string, () => void> = {
      'mod+k': () => setOpen('palette'),
      '?': () => setOpen('shortcuts'),
      'g h': () => navigate(`/${encodeURIComponent(key)}`),
    };
    for (const [letter, id] of Object.entries({
      o: 'orders',
      p: 'products',
      c: 'customers',
      d: 'discounts',
      s: 'settings',
      v: 'developers',
    })) {
      const segment = first(id);
      if (segment) keys[`g ${letter}`] = to(segment);
    }
    return keys;
  }, [groups, key, navigate]);
  useShortcuts(shortcuts);
  return (
    <div className="shell">
      <a
        className="skip"
        href="#main"
        onClick={(event) => {
          event.preventDefault();
          main.current?.focus();
        }}
      >
        {t('skip')}
      </a>
      <nav className="nav" aria-label={t('navigation')}>
        <Navigation />
      </nav>
      <TopBar onOpen={setOpen} />
      <main className="main" id="main" ref={main} tabIndex={-1}>
        {children}
      </main>
      <ModalOverlay
        className="scrim scrim-nav"
        isOpen={open === 'navigation'}
        onOpenChange={(isOpen) => !isOpen && setOpen(undefined)}
        isDismissable
      >
        <Modal className="nav-sheet">
          <AriaDialog className="overlay" aria-label={t('navigation')}>
            <Navigation expanded />
          </AriaDialog>
        </Modal>
      </ModalOverlay>
      <Suspense>
        {peeked && <PeekPanel />}
        {open === 'palette' && <Palette onClose={() => setOpen(undefined)} />}
        {open === 'shortcuts' && <ShortcutsDialog onClose={() => setOpen(undefined)} />}
        {open === 'password' && <PasswordDialog onClose={() => setOpen(undefined)} />}
        {session.setPassword && <PasswordDialog isFirst onClose={() => undefined} />}
      </Suspense>
      <LeaveDialog />
      <Offline />
    </div>
  );
}

function Offline() {
  const t = useShellTexts();
  const state = useConnection();
  if (state === 'online') return null;
  return (
    <div className="offline" role="alert">
      <span className="spinner" />
      {t('gone')}
    </div>
  );
}

function LeaveDialog() {
  const t = useShellTexts();
  const leave = useStore(pendingLeave);
  const close = () => pendingLeave.set(undefined);
  return (
    <Confirm
      title={t('unsaved')}
      isOpen={!!leave}
      onClose={close}
      confirm={t('leave')}
      onConfirm={() => {
        leave?.go();
        close();
      }}
    >
      {t('unsavedHint')}
    </Confirm>
  );
}

function TopBar({ onOpen }: { onOpen: (what: Open) => void }) {
  const t = useShellTexts();
  const { live } = usePreferences();
  const connection = useConnection();
  const session = useSession();
  const project = useProject();
  const [, navigate] = useLocation();
  return (
    <header className="bar">
      <span className="bar-menu">
        <IconButton icon="menu" label={t('openNavigation')} onPress={() => onOpen('navigation')} />
      </span>
      {session.projects.length > 1 && (
        <div className="project-switch">
          <Select
            small
            aria-label={t('project')}
            value={project.key}
            onChange={(key) => navigate(`/${encodeURIComponent(key)}`)}
            options={session.projects.map(({ key, name, role }) => ({ id: key, label: name ?? key, hint: role }))}
          />
        </div>
      )}
      <Breadcrumbs />
      <button type="button" className="find" onClick={() => onOpen('palette')}>
        <Icon name="search" size={15} />
        <span>{t('find')}</span>
        <kbd>Ctrl K</kbd>
      </button>
      <Button look="plain" small aria-pressed={live} onPress={() => preferences.update({ live: !live })}>
        <span className="live">
          <span className="live-dot" data-on={live || undefined} data-gone={connection === 'gone' || undefined} />
          <span>{t('live')}</span>
        </span>
        <span className="visually-hidden">: {live ? t('liveOn') : t('liveOff')}</span>
      </Button>
      <OperatorMenu onOpen={onOpen} />
    </header>
  );
}

function Breadcrumbs() {
  const words = useWords();
  const crumbs = useBreadcrumbs();
  return (
    <nav aria-label={words('path')} className="grow">
      <ol className="crumbs">
        {crumbs.map((crumb, at) => (
          <li key={crumb.path}>
            {at > 0 && <Icon name="right" size={12} />}
            {at < crumbs.length - 1 ? (
              <Link href={crumb.path} className="truncate">
                {crumb.label}
              </Link>
            ) : (
              <span className="truncate" aria-current="page">
                {crumb.label}
              </span>
            )}
          </li>
        ))}
      </ol>
    </nav>
  );
}

function OperatorMenu({ onOpen }: { onOpen: (what: Open) => void }) {
  const t = useShellTexts();
  const { operator } = useSession();
  const { configuration } = useApp();
  const { theme, language, zone } = usePreferences();
  const initials = (operator.name || operator.email)
    .split(/[\s@.]+/)
    .map((word) => word[0])
    .slice(0, 2)
    .join('')
    .toUpperCase();
  const entries: MenuEntry[] = [
    {
      id: 'theme',
      label: t('appearance'),
      icon: 'star',
      children: (['system', 'light', 'dark'] as const).map((id) => ({
        id,
        label: t(id),
        checked: theme === id,
        onAction: () => preferences.update({ theme: id }),
      })),
    },
    {
      id: 'language',
      label: t('language'),
      icon: 'globe',
      children: [
        { id: 'en', label: 'English', checked: language === 'en', onAction: () => preferences.update({ language: 'en' }) },
        { id: 'de', label: 'Deutsch', checked: language === 'de', onAction: () => preferences.update({ language: 'de' }) },
      ],
    },
    {
      id: 'zone',
      label: t('zone'),
      icon: 'clock',
      children: [
        {
          id: 'local',
          label: t('local'),
          hint: Intl.DateTimeFormat().resolvedOptions().timeZone,
          checked: zone === 'local',
          onAction: () => preferences.update({ zone: 'local' }),
        },
        { id: 'UTC', label: 'UTC', checked: zone === 'UTC', onAction: () => preferences.update({ zone: 'UTC' }) },
      ],
    },
    { id: 'shortcuts', label: t('shortcuts'), icon: 'bolt', hint: '?', onAction: () => onOpen('shortcuts') },
    ...(configuration.mode === 'embedded'
      ? [{ id: 'password', label: t('password'), icon: 'key' as const, separated: true, onAction: () => onOpen('password') }]
      : []),
    { id: 'sign-out', label: t('signOut'), icon: 'external', onAction: () => void signOut().catch(notifyError) },
  ];
  return (
    <Menu
      label={operator.email}
      entries={entries}
      trigger={
        <Button look="plain" aria-label={t('operatorMenu', { name: operator.name || operator.email })}>
          <span className="avatar" data-initials={initials} />
        </Button>
      }
    />
  );
}
