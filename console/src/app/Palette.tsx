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
import { Icon, type IconName } from '../ui/Icon';
import { useFindings } from './find';
import { kindName, useKindLabel, useNavigation } from './navigation';
import { preferences, usePreferences } from './preferences';
import { useShellTexts } from './texts';

interface Command {
  id: string;
  label: string;
  icon: IconName;
  hint?: string;
  run: () => void;
}

const COMMANDS_MAX = 8;
/** Searching begins when somebody stops typing this long. */
const PAUSE_MS = 180;

function matches(label: string, text: string): boolean {
  const words = label.toLowerCase();
  return text
    .toLowerCase()
    .split(/\s+/)
    .every((part) => words.includes(part));
}

function useCommands(close: () => void): { pages: Command[]; actions: Command[] } {
  const t = useShellTexts();
  const groups = useNavigation();
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
    return { pages, actions };
  }, [groups, model, key, scopes, theme, language, navigate, close, t]);
}

/** Finds documents and pages, and starts actions. */
export default function Palette({ onClose }: { onClose: () => void }) {
  const t = useShellTexts();
  const label = useKindLabel();
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
  const { pages, actions } = useCommands(onClose);
  const findings = useFindings(settled, languages);
  const found: Command[] = (settled.trim().length >= 2 ? (findings.data ?? []) : []).map(({ kind, document }) => ({
    id: `document-${document.id}`,
    label: titleOf(kind, document, language),
    icon: 'right',
    hint: label(kind),
    run: () => {
      onClose();
      navigate(`/${encodeURIComponent(key)}/${segmentOf(kind)}/${encodeURIComponent(document.id)}`);
    },
  }));
  const filter = (commands: Command[], max: number) =>
    commands.filter((command) => matches(`${command.label} ${command.hint ?? ''}`, text)).slice(0, max);
  const sections = [
    { id: 'results', label: t('results'), commands: found },
    { id: 'pages', label: t('pages'), commands: filter(pages, text ? COMMANDS_MAX : pages.length) },
    { id: 'actions', label: t('actions'), commands: filter(actions, text ? COMMANDS_MAX : 6) },
  ].filter((section) => section.commands.length > 0);
  return (
    <ModalOverlay className="scrim" isOpen onOpenChange={(open) => !open && onClose()} isDismissable>
      <Modal className="palette">
        <Dialog aria-label={t('palette')} className="overlay">
          <Autocomplete inputValue={text} onInputChange={setText}>
            <TextField aria-label={t('palette')} autoFocus className="palette-input">
              <Icon name="search" size={18} />
              <Input placeholder={t('paletteHint')} />
              {findings.isFetching && <span className="spinner" role="status" aria-label={t('searching')} />}
            </TextField>
            <Menu className="menu" aria-label={t('palette')} renderEmptyState={() => <div className="menu-empty">…</div>}>
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
