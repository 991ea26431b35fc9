import { createStore, readStored, useStore, writeStored } from './store';

export type Language = 'en' | 'de';
export type Theme = 'system' | 'light' | 'dark';

export interface Preferences {
  language: Language;
  theme: Theme;
  /** In which time zone times are shown. */
  zone: 'local' | 'UTC';
  /** Whether open lists follow changes. */
  live: boolean;
}

const initial: Preferences = {
  language: navigator.language.startsWith('de') ? 'de' : 'en',
  theme: 'system',
  zone: 'local',
  live: true,
};
export const preferences = createStore<Preferences>({ ...initial, ...readStored<Partial<Preferences>>('preferences', {}) });
export const usePreferences = () => useStore(preferences);

const dark = matchMedia('(prefers-color-scheme: dark)');
function apply(): void {
  const { theme, language } = preferences.get();
  document.documentElement.dataset.theme = theme === 'system' ? (dark.matches ? 'dark' : 'light') : theme;
  document.documentElement.lang = language;
}
preferences.subscribe(() => {
  apply();
  writeStored('preferences', preferences.get());
});
dark.addEventListener('change', apply);
apply();
