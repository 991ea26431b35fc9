import type { Client } from '../../api/client';
import { ApiError } from '../../api/errors';
import type { Page } from '../../api/hooks';
import type { Document, Json, JsonObject } from '../../model/types';
import { isObject } from '../../model/values';
import { ALWAYS, clausesOf } from './conditions';
import { randomCode } from './codes';

export interface TryInput {
  /** The cart to copy; else a new one is made. */
  cartId?: string;
  country?: string;
  currency: string;
  customerId?: string;
  items: { sku: string; quantity: number }[];
  codes: string[];
  /** A discount that is not created yet, with the fields that its codes share. */
  temporary?: { discount: JsonObject; code: JsonObject };
}

export interface Check {
  clause: string;
  holds: boolean;
}

export interface CodeOutcome {
  code: string;
  isTemporary: boolean;
  /** A state of the cart's code; `Unknown` if there is no such code, `Refused` if the cart does not take it. */
  state: string;
  message?: string;
  document?: Document;
  discounts: Document[];
  /** Of each part of the predicates whether it holds for the cart. */
  checks: Check[];
}

export interface TryOutcome {
  cart: Document;
  customer?: Document;
  codes: CodeOutcome[];
  /** Cart Discounts that apply without a code and are active. */
  automatic: Document[];
}

const AUTOMATIC_MAX = 100;
/** A cart holds so many codes. */
const CODES_MAX = 10;
const one = (value: Json): JsonObject => (isObject(value) ? value : {});
const list = (value: Json | undefined): JsonObject[] => (Array.isArray(value) ? value.map(one) : []);

/** Works on temporary documents, which are deleted at the end whatever happens. */
class Trial {
  private readonly made: { path: string; document: Document }[] = [];

  constructor(readonly client: Client) {}

  async create(path: string, body: JsonObject, at = path): Promise<Document> {
    const document = await this.client.request<Document>(at, { method: 'POST', body });
    this.made.unshift({ path, document });
    return document;
  }

  async update(cart: Document, actions: JsonObject[]): Promise<Document> {
    const path = `carts/${cart.id}`;
    return this.client.request<Document>(path, { method: 'POST', body: { version: cart.version, actions } });
  }

  /** Deletes what was made, the newest first. If one document stays, the others are deleted all the same. */
  async end(): Promise<void> {
    let failure: unknown;
    for (const { path, document } of this.made) {
      const own = `${path}/${document.id}`;
      try {
        const now = await this.client.find<Document>(own);
        if (now) await this.client.request(own, { method: 'DELETE', query: { version: now.version } });
      } catch (error) {
        failure ??= error;
      }
    }
    if (failure !== undefined) throw failure;
  }
}

/** Makes a temporary cart, adds the codes, and reads what the cart costs and why codes do not apply. */
export async function tryOnCart(client: Client, input: TryInput): Promise<TryOutcome> {
  const trial = new Trial(client);
  try {
    const temporary = input.temporary && (await makeTemporary(trial, input.temporary));
    let cart = await makeCart(trial, input);
    const wanted = [
      ...new Set([...(temporary ? [temporary] : []), ...(await codesOfCart(client, input.cartId)), ...input.codes]),
    ];
    const codes: CodeOutcome[] = [];
    for (const code of wanted) {
      const outcome = await readCode(client, code, code === temporary);
      codes.push(outcome);
      if (!outcome.document) continue;
      try {
        cart = await trial.update(cart, [{ action: 'addDiscountCode', code }]);
      } catch (error) {
        if (!(error instanceof ApiError) || error.status !== 400) throw error;
        outcome.state = 'Refused';
        outcome.message = error.message;
      }
    }
    for (const info of list(cart.discountCodes)) {
      const outcome = codes.find((code) => code.document?.id === one(info.discountCode ?? null).id);
      if (outcome && outcome.state !== 'Refused') outcome.state = String(info.state);
    }
    for (const outcome of codes)
      if (outcome.state === 'DoesNotMatchCart' || outcome.state === 'Refused')
        outcome.checks = await checkClauses(trial, cart, predicatesOf(outcome));
    const automatic = await client.request<Page>('cart-discounts', {
      query: {
        where: 'isActive = true and requiresDiscountCode = false',
        sort: 'sortOrder desc',
        limit: AUTOMATIC_MAX,
        withTotal: false,
      },
    });
    const customer =
      typeof cart.customerId === 'string'
        ? await client.find<Document>(`customers/${cart.customerId}`).catch(() => undefined)
        : undefined;
    return { cart, customer, codes, automatic: automatic.results };
  } finally {
    await trial.end();
  }
}

/** The parts of a predicate, and whether each holds for a cart like the one that was tried. */
export async function explainPredicate(client: Client, input: TryInput, predicate: string): Promise<Check[]> {
  const trial = new Trial(client);
  try {
    return await checkClauses(trial, await makeCart(trial, input), [predicate]);
  } finally {
    await trial.end();
  }
}

/** Creates the Cart Discount and a secret code for it, and returns the code. */
async function makeTemporary(trial: Trial, { discount, code }: { discount: JsonObject; code: JsonObject }): Promise<string> {
  const { key: _, ...draft } = discount;
  const made = await trial.create('cart-discounts', { ...draft, isActive: true, requiresDiscountCode: true });
  const name = randomCode('TRY-');
  await trial.create('discount-codes', { ...code, code: name, cartDiscounts: [{ typeId: 'cart-discount', id: made.id }] });
  return name;
}

async function makeCart(trial: Trial, input: TryInput): Promise<Document> {
  if (input.cartId) return trial.create('carts', { reference: { typeId: 'cart', id: input.cartId } }, 'carts/replicate');
  const { country, currency, customerId, items } = input;
  return trial.create('carts', {
    currency,
    ...(country ? { country, shippingAddress: { country } } : {}),
    ...(customerId ? { customerId } : {}),
    lineItems: items.map(({ sku, quantity }) => ({ sku, quantity })),
    inventoryMode: 'None',
    deleteDaysAfterLastModification: 1,
  });
}

/** The codes that a cart has already. Its copy has none. */
async function codesOfCart(client: Client, cartId: string | undefined): Promise<string[]> {
  if (!cartId) return [];
  const cart = await client.request<Document>(`carts/${cartId}`, { query: { expand: 'discountCodes[*].discountCode' } });
  return list(cart.discountCodes).flatMap((info) => {
    const code = one(one(info.discountCode ?? null).obj ?? null).code;
    return typeof code === 'string' ? [code] : [];
  });
}

async function readCode(client: Client, code: string, isTemporary: boolean): Promise<CodeOutcome> {
  const page = await client.request<Page>('discount-codes', {
    query: { where: `code = ${JSON.stringify(code)}`, expand: 'cartDiscounts[*]', limit: 1, withTotal: false },
  });
  const [document] = page.results;
  const discounts = list(document?.cartDiscounts).flatMap(({ obj }) => (isObject(obj) ? [obj as Document] : []));
  return { code, isTemporary, state: document ? 'MatchesCart' : 'Unknown', document, discounts, checks: [] };
}

const predicatesOf = ({ document, discounts }: CodeOutcome): string[] =>
  [document?.cartPredicate, ...discounts.map((discount) => discount.cartPredicate)].filter(
    (predicate): predicate is string => typeof predicate === 'string',
  );

/**
 * Checks on the server which clauses of predicates hold: each clause is the predicate of a temporary code, whose state in the
 * cart is the result. So every clause is checked, even if the console cannot parse it.
 */
async function checkClauses(trial: Trial, cart: Document, predicates: string[]): Promise<Check[]> {
  const clauses = [...new Set(predicates.flatMap(clausesOf))].slice(0, CODES_MAX - list(cart.discountCodes).length);
  if (clauses.length === 0) return [];
  const order = `0.0${Array.from(crypto.getRandomValues(new Uint8Array(12)), (byte) => byte % 10).join('')}1`;
  const discount = await trial.create('cart-discounts', {
    name: { en: 'Check of conditions' },
    value: { type: 'relative', permyriad: 1 },
    target: { type: 'totalPrice' },
    cartPredicate: ALWAYS,
    sortOrder: order,
    requiresDiscountCode: true,
  });
  const codes = new Map<string, { clause: string; code: string }>();
  for (const clause of clauses) {
    const code = randomCode('CHECK-');
    const cartDiscounts = [{ typeId: 'cart-discount', id: discount.id }];
    const made = await trial.create('discount-codes', { code, cartDiscounts, cartPredicate: clause });
    codes.set(made.id, { clause, code });
  }
  const copy = await trial.update(
    cart,
    [...codes.values()].map(({ code }) => ({ action: 'addDiscountCode', code })),
  );
  return list(copy.discountCodes).flatMap((info) => {
    const found = codes.get(String(one(info.discountCode ?? null).id));
    return found ? [{ clause: found.clause, holds: info.state !== 'DoesNotMatchCart' }] : [];
  });
}

interface AppliedDiscount {
  reference: JsonObject;
  centAmount: number;
}

/** The discounts of a cart, or of one of its line items, with their amounts. */
export function appliedTo(holder: JsonObject): AppliedDiscount[] {
  const sums = new Map<string, AppliedDiscount>();
  const add = (portion: JsonObject, times: number) => {
    const reference = one(portion.discount ?? null);
    const cents = Number(one(portion.discountedAmount ?? null).centAmount ?? 0) * times;
    const id = String(reference.id);
    sums.set(id, { reference, centAmount: (sums.get(id)?.centAmount ?? 0) + cents });
  };
  for (const item of [holder, ...list(holder.lineItems), ...list(holder.customLineItems)])
    for (const part of list(item.discountedPricePerQuantity))
      for (const portion of list(one(part.discountedPrice ?? null).includedDiscounts)) add(portion, Number(part.quantity ?? 1));
  for (const portion of list(one(holder.discountOnTotalPrice ?? null).includedDiscounts)) add(portion, 1);
  const shipping = one(one(holder.shippingInfo ?? null).discountedPrice ?? null);
  for (const portion of list(shipping.includedDiscounts)) add(portion, 1);
  return [...sums.values()];
}

/** Returns the price of an item without Cart Discounts. */
export function fullPrice(item: JsonObject): number {
  const price = one(item.price ?? null);
  const money = one(one(price.discounted ?? null).value ?? price.value ?? item.money ?? null);
  return Number(money.centAmount ?? 0) * Number(item.quantity ?? 1);
}
