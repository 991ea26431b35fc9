import { isLocalized, isMoney, isReference, type ModelIndex } from '../model/model';
import type { Field } from '../model/types';

interface Token {
  is: 'name' | 'string' | 'number' | 'sign';
  text: string;
  from: number;
}

/** The place of the cursor in a predicate: the objects around it and the words before it. */
export interface Place {
  /** Names of the objects around the cursor: `['masterData', 'current']`. */
  path: string[];
  /** `field`: a name is expected; `operator`: behind a name; `value`: behind an operator; `link`: behind a complete comparison. */
  expects: 'field' | 'operator' | 'value' | 'link';
  /** The field before the operator. */
  field?: string;
  /** The word at the cursor, and where it begins. */
  word: string;
  from: number;
}

function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  const pattern = /"(?:[^"\\]|\\.)*"?|`[^`]*`?|[A-Za-z_][\w-]*|-?\d[\d.]*|<>|!=|>=|<=|[=<>(),:]/g;
  for (const found of text.matchAll(pattern)) {
    const word = found[0];
    const is = word.startsWith('"') ? 'string' : /^[A-Za-z_`]/.test(word) ? 'name' : /^-?\d/.test(word) ? 'number' : 'sign';
    tokens.push({ is, text: word, from: found.index });
  }
  return tokens;
}

const LINKS = new Set(['and', 'or']);
const OPERATORS = new Set(['=', '!=', '<>', '<', '>', '<=', '>=']);

/** Finds the place of the cursor at the end of `text`. */
export function placeOf(text: string): Place {
  const tokens = tokensOf(text);
  const last = tokens.at(-1);
  const atWord =
    last !== undefined &&
    (last.is === 'name' || last.is === 'string' || last.is === 'number') &&
    last.from + last.text.length === text.length;
  const word = atWord && last ? last.text : '';
  const before = atWord ? tokens.slice(0, -1) : tokens;
  const stack: { name: string; list: boolean }[] = [];
  let expects: Place['expects'] = 'field';
  let field: string | undefined;
  let inList = false;
  for (const [at, token] of before.entries()) {
    const lower = token.text.toLowerCase();
    if (token.text === '(') {
      const previous = before[at - 1]?.text.toLowerCase();
      inList = previous === 'in' || previous === 'all' || previous === 'any' || previous === 'circle';
      stack.push({
        name:
          inList || LINKS.has(previous ?? '') || previous === 'not' || previous === '(' || at === 0
            ? ''
            : (before[at - 1]?.text.replaceAll('`', '') ?? ''),
        list: inList,
      });
      expects = inList ? 'value' : 'field';
    } else if (token.text === ')') {
      inList = false;
      stack.pop();
      expects = 'link';
    } else if (token.text === ',') expects = 'value';
    else if (OPERATORS.has(token.text)) expects = 'value';
    else if (LINKS.has(lower)) expects = 'field';
    else if (lower === 'not' && expects === 'field') expects = 'field';
    else if (expects === 'field') {
      field = token.text.replaceAll('`', '');
      expects = 'operator';
    } else if (expects === 'operator') {
      if (lower === 'defined' || lower === 'empty') expects = 'link';
      else if (lower === 'in' || lower === 'contains' || lower === 'within') expects = 'value';
    } else if (expects === 'value' && lower !== 'all' && lower !== 'any') expects = inList ? 'value' : 'link';
  }
  return {
    path: stack.map((one) => one.name).filter((name) => name !== ''),
    expects,
    field,
    word,
    from: atWord && last ? last.from : text.length,
  };
}

export interface Suggestion {
  label: string;
  apply: string;
  detail?: string;
  info?: string;
}

/** Suggestions for a place, from the model. `languages` complete localized texts. */
export function suggest(model: ModelIndex, type: string, place: Place, languages: string[]): Suggestion[] {
  let fields = model.allFieldsOf(type);
  let around: Field | undefined;
  for (const name of place.path) {
    around = fields.find((field) => field.name === name);
    fields = around ? model.allFieldsOf(around.type) : [];
  }
  if (place.expects === 'field') {
    if (around && isLocalized(around))
      return languages.map((language) => ({
        label: language,
        apply: /^[a-z]+$/i.test(language) ? `${language} = ` : `\`${language}\` = `,
      }));
    if (around && isReference(around)) return ['id', 'typeId', 'key'].map((name) => ({ label: name, apply: `${name} = ` }));
    return [...fields.map(fieldSuggestion(model)), { label: 'not', apply: 'not(' }];
  }
  const field = fields.find((one) => one.name === place.field);
  if (place.expects === 'operator') return operators(model, field);
  if (place.expects === 'value') return values(model, field);
  return ['and', 'or'].map((word) => ({ label: word, apply: `${word} ` }));
}

const fieldSuggestion =
  (model: ModelIndex) =>
  (field: Field): Suggestion => {
    const nested = isLocalized(field) || isReference(field) || model.type(field.type) !== undefined;
    const simpleList = field.list > 0 && !nested;
    return {
      label: field.name,
      apply: nested ? `${field.name}(` : simpleList ? `${field.name} contains any (` : `${field.name} `,
      detail: field.references?.join(' | ') ?? `${field.type}${field.list ? '[]' : ''}`,
      info: field.description,
    };
  };

function operators(model: ModelIndex, field: Field | undefined): Suggestion[] {
  const always = ['is defined', 'is not defined'];
  if (!field) return ['=', '!=', ...always].map(plain);
  if (field.list > 0) return ['contains any (', 'contains all (', 'is empty', 'is not empty'].map(plain);
  const ordered = ['Int', 'Long', 'Float', 'DateTime', 'Date', 'Time', 'String'].includes(field.type) || isMoney(field);
  return ['=', '!=', 'in (', 'not in (', ...(ordered && !model.enumOf(field.type) ? ['<', '<=', '>', '>='] : []), ...always].map(
    plain,
  );
}

const plain = (text: string): Suggestion => ({ label: text, apply: `${text}${text.endsWith('(') ? '' : ' '}` });

function values(model: ModelIndex, field: Field | undefined): Suggestion[] {
  const allowed = field && model.enumOf(field.type);
  if (allowed) return allowed.map((value) => ({ label: `"${value}"`, apply: `"${value}"` }));
  if (field?.type === 'Boolean') return ['true', 'false'].map((value) => ({ label: value, apply: value }));
  if (field?.type === 'DateTime') {
    const day = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();
    return [
      ['today', 0],
      ['7 days ago', 7],
      ['30 days ago', 30],
    ].map(([detail, days]) => ({
      label: `"${day(Number(days)).slice(0, 10)}T00:00:00.000Z"`,
      apply: `"${day(Number(days)).slice(0, 10)}T00:00:00.000Z"`,
      detail: String(detail),
    }));
  }
  return [];
}
