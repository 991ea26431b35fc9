import { useEffect, useMemo, useState } from 'react';
import {
  Autocomplete,
  Dialog,
  Header,
  Input,
  Menu,
  MenuItem,
  MenuSection,
  Modal,
  ModalOverlay,
  TextField,
} from 'react-aria-components';
import { useLocation } from 'wouter';
import { useProjectSettings } from '../api/hooks';
import { useModel, useProject } from '../api/project';
import { signOut } from '../api/session';
import { may, segmentOf } from '../model/model';
import { titleOf } from '../model/display';
import type { Document, Kind } from '../model/types';
import { Icon, type IconName } from '../ui/Icon';
import { moneyText, relativeTime } from '../ui/values';
import { useFindings } from './findings';
import { kindName, useNavigation } from './navigation';
import { preferences, usePreferences } from './preferences';
import { useTasks } from './tasks';
import { useShellTexts } from './texts';

interface Command {
  id: string;
  label: string;
  icon: IconName;
  hint?: string;
  /** Other words by which it is found. */
  words?: string;
  run: () => void;
}

const COMMANDS_MAX = 8;
/** The search begins after a pause of this length in typing. */
const PAUSE_MS = 180;

function matches(label: string, text: string): boolean {
  const words = label.toLowerCase();
  return text
    .toLowerCase()
    .split(/\s+/)
    .every((part) => words.includes(part));
}

function useCommands(close: () => void): { pages: Command[]; tasks: Command[]; actions: Command[] } {
  const t = useShellTexts();
  const groups = useNavigation();
  const allowedTasks = useTasks();
  const model = useModel();
  const { key, scopes } = useProject();
  const { theme, language } = usePreferences();
  const [, navigate] = useLocation();
  return useMemo(() => {
    const base = `/${encodeURIComponent(key)}`;
    const go = (path: string) => () => {
      close();
      navigate(path);
    };
    const pages: Command[] = [
      { id: 'home', label: t('home'), icon: 'home', run: go(base) },
      ...groups.flatMap((group) =>
        group.entries.map((entry) => ({
          id: `page-${entry.path}`,
          label: entry.label,
          icon: group.icon,
          hint: group.label,
          run: go(`${base}/${entry.path}`),
        })),
      ),
    ];
    const tasks: Command[] = allowedTasks.map((task) => ({
      id: `task-${task.label.en}`,
      label: task.label[language],
      icon: 'bolt',
      hint: task.hint?.[language],
      words: task.words,
      run: go(`${base}/${task.path}`),
    }));
    const actions: Command[] = [
      ...model.kinds
        .filter((kind) => !kind.hidden && kind.operations.includes('create') && kind.draft && may.manage(kind, scopes))
        .map((kind) => ({
          id: `new-${kind.name}`,
          label: t('newOne', { name: kindName(kind) }),
          icon: 'plus' as const,
          run: go(`${base}/${segmentOf(kind)}/new`),
        })),
      {
        id: 'theme',
        label: theme === 'dark' ? t('light') : t('dark'),
        icon: 'star',
        hint: t('appearance'),
        run: () => {
          preferences.update({ theme: theme === 'dark' ? 'light' : 'dark' });
          close();
        },
      },
      {
        id: 'language',
        label: language === 'de' ? 'English' : 'Deutsch',
        icon: 'globe',
        hint: t('language'),
        run: () => {
          preferences.update({ language: language === 'de' ? 'en' : 'de' });
          close();
        },
      },
      { id: 'sign-out', label: t('signOut'), icon: 'external', run: () => void signOut() },
    ];
    return { pages, tasks, actions };
  }, [groups, allowedTasks, model, key, scopes, theme, language, navigate, close, t]);
}

/** Describes a document so that it differs from others of the same name: `Open · €42.00 · yesterday · Order`. */
function useDescription() {
  const model = useModel();
  const { language, zone } = usePreferences();
  return (kind: Kind, document: Document): string => {
    const states = model.fieldsOf(kind.type).filter((field) => /(state|status)$/i.test(field.name) && model.enumOf(field.type));
    const state = states.map((field) => document[field.name]).find((value) => typeof value === 'string');
    const time = typeof document.createdAt === 'string' ? relativeTime(document.createdAt, language, zone) : '';
    return [state, moneyText(document.totalPrice, language), time, kindName(kind)].filter(Boolean).join(' · ');
  };
}

/** Finds documents and pages, and starts actions. */
export default function Palette({ onClose }: { onClose: () => void }) {
  const t = useShellTexts();
  const describe = useDescription();
  const { key } = useProject();
  const { language } = usePreferences();
  const { languages } = useProjectSettings();
  const [, navigate] = useLocation();
  const [text, setText] = useState('');
  const [settled, setSettled] = useState('');
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  const { pages, tasks, actions } = useCommands(onClose);
  const findings = useFindings(settled, languages);
  const isSearched = text.trim().length >= 2;
  const isSearching = isSearched && (text !== settled || findings.isFetching);
  const found: Command[] = (isSearched && text === settled ? (findings.data ?? []) : []).map(({ kind, document }) => ({
    id: `document-${document.id}`,
    label: titleOf(kind, document, language),
    icon: 'right',
    hint: describe(kind, document),
    run: () => {
      onClose();
      navigate(`/${encodeURIComponent(key)}/${segmentOf(kind)}/${encodeURIComponent(document.id)}`);
    },
  }));
  const filter = (commands: Command[], max: number) =>
    commands.filter((command) => matches(`${command.label} ${command.hint ?? ''} ${command.words ?? ''}`, text)).slice(0, max);
  const sections = [
    { id: 'results', label: t('results'), commands: found },
    { id: 'tasks', label: t('tasks'), commands: text ? filter(tasks, COMMANDS_MAX) : [] },
    { id: 'pages', label: t('pages'), commands: filter(pages, text ? COMMANDS_MAX : pages.length) },
    { id: 'actions', label: t('actions'), commands: filter(actions, text ? COMMANDS_MAX : 6) },
  ].filter((section) => section.commands.length > 0);
  // Operators who type fast press Enter before the search has found anything.
  const [isAwaited, setAwaited] = useState(false);
  const [first] = found;
  useEffect(() => {
    if (!isAwaited || isSearching) return;
    setAwaited(false);
    first?.run();
  }, [isAwaited, isSearching, first]);
  const change = (next: string) => {
    setText(next);
    setAwaited(false);
  };
  return (
    <ModalOverlay className="scrim" isOpen onOpenChange={(open) => !open && onClose()} isDismissable>
      <Modal className="palette">
        <Dialog aria-label={t('palette')} className="overlay">
          <Autocomplete inputValue={text} onInputChange={change}>
            <TextField
              aria-label={t('palette')}
              autoFocus
              className="palette-input"
              onKeyDown={({ key: pressed }) => pressed === 'Enter' && isSearching && sections.length === 0 && setAwaited(true)}
            >
              <Icon name="search" size={18} />
              <Input placeholder={t('paletteHint')} />
              {findings.isFetching && <span className="spinner" role="status" aria-label={t('searching')} />}
            </TextField>
            <Menu
              className="menu"
              aria-label={t('palette')}
              renderEmptyState={() => (
                <div className="menu-empty">{isSearching || !isSearched ? '…' : t('nothingFound', { text })}</div>
              )}
            >
              {sections.map((section) => (
                <MenuSection key={section.id} id={section.id}>
                  <Header className="menu-section">{section.label}</Header>
                  {section.commands.map((command) => (
                    <MenuItem
                      key={command.id}
                      id={command.id}
                      textValue={command.label}
                      className="menu-item"
                      onAction={command.run}
                    >
                      <Icon name={command.icon} />
                      <span className="truncate">{command.label}</span>
                      {command.hint && <span className="muted small push truncate">{command.hint}</span>}
                    </MenuItem>
                  ))}
                </MenuSection>
              ))}
            </Menu>
          </Autocomplete>
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}
