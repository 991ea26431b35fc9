import { preferences, usePreferences, type Language } from '../app/preferences';

export type Parameters = Record<string, string | number>;
type Key<T> = Extract<keyof T, string>;
type Base<K extends string> = K extends `${infer Name}_one` ? Name : K;

/** Returns the text of a key. With `count: 1` the text of `key_one` is used if there is one. */
export type Translate<T> = (key: Base<Key<T>>, parameters?: Parameters) => string;

function fill(text: string, parameters: Parameters | undefined, language: Language): string {
  if (!parameters) return text;
  return text.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = parameters[name];
    return typeof value === 'number' ? value.toLocaleString(language) : (value ?? '');
  });
}

/**
 * Declares the texts of a part of the console in both languages: `const useTexts = defineTexts({…}, {…})`. The German texts must have the same
 * keys, which the compiler checks.
 */
export function defineTexts<T extends Record<string, string>>(english: T, german: Record<Key<T>, string>) {
  const translate =
    (language: Language): Translate<T> =>
    (key, parameters) => {
      const texts = (language === 'de' ? german : english) as Record<string, string>;
      const name = parameters?.count === 1 && texts[`${key}_one`] !== undefined ? `${key}_one` : key;
      return fill(texts[name] ?? key, parameters, language);
    };
  const byLanguage = { en: translate('en'), de: translate('de') };
  const useTexts = (): Translate<T> => byLanguage[usePreferences().language];
  /** For code outside of components. */
  useTexts.now = (): Translate<T> => byLanguage[preferences.get().language];
  return useTexts;
}
