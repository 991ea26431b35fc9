import { useQueryClient } from '@tanstack/react-query';
import { useCreate, useKind, useUpdate } from '../../api/hooks';
import { useClient } from '../../api/project';
import type { Document, JsonObject, Kind } from '../../model/types';

export type Decision = 'accept' | 'order' | 'decline' | 'withdraw' | 'prepare' | 'reject' | 'send';

/** Returns the decisions that are possible for a document of a negotiation, the most usual one first. */
export function decisionsOf(document: JsonObject): Decision[] {
  if (document.quoteState === 'Pending') return ['accept', 'decline', 'withdraw'];
  if (document.quoteRequestState === 'Submitted') return ['prepare', 'reject'];
  if (document.quoteRequestState === 'Accepted') return ['prepare'];
  if (document.stagedQuoteState === 'InProgress') return ['send'];
  return [];
}

/** The request of a decision, as it is shown before it is sent. */
export function requestOf(decision: Decision, document: Document): { path?: string; body: JsonObject } {
  const change = (action: JsonObject): { body: JsonObject } => ({ body: { version: document.version, actions: [action] } });
  switch (decision) {
    case 'accept':
      return change({ action: 'changeQuoteState', quoteState: 'Accepted' });
    case 'decline':
      return change({ action: 'changeQuoteState', quoteState: 'Declined' });
    case 'withdraw':
      return change({ action: 'changeQuoteState', quoteState: 'Withdrawn' });
    case 'reject':
      return change({ action: 'changeQuoteRequestState', quoteRequestState: 'Rejected' });
    case 'order':
      return {
        path: 'orders/quotes',
        body: { quote: { typeId: 'quote', id: document.id }, version: document.version, quoteStateToAccepted: true },
      };
    case 'prepare':
      return {
        body: {
          quoteRequest: { typeId: 'quote-request', id: document.id },
          quoteRequestVersion: document.version,
          quoteRequestStateToAccepted: true,
        },
      };
    case 'send':
      return {
        body: {
          stagedQuote: { typeId: 'staged-quote', id: document.id },
          stagedQuoteVersion: document.version,
          stagedQuoteStateToSent: true,
        },
      };
  }
}

/** Carries out a decision. Returns what it created, if anything. */
export function useDecide(kind: Kind) {
  const client = useClient();
  const cache = useQueryClient();
  const update = useUpdate(kind);
  const staged = useKind('StagedQuote').kind;
  const quote = useKind('Quote').kind;
  const order = useKind('Order').kind;
  const createStaged = useCreate(staged ?? kind);
  const createQuote = useCreate(quote ?? kind);
  return async (decision: Decision, document: Document): Promise<{ kind: Kind; document: Document } | undefined> => {
    const { path, body } = requestOf(decision, document);
    const refresh = () => cache.invalidateQueries({ queryKey: [client.project, kind.name] });
    if (decision === 'prepare' && staged) {
      const created = await createStaged.mutateAsync(body);
      await refresh();
      return { kind: staged, document: created };
    }
    if (decision === 'send' && quote) {
      const created = await createQuote.mutateAsync(body);
      await refresh();
      return { kind: quote, document: created };
    }
    if (decision === 'order' && order && path) {
      const created = await client.request<Document>(path, { method: 'POST', body });
      await refresh();
      await cache.invalidateQueries({ queryKey: [client.project, order.name] });
      return { kind: order, document: created };
    }
    const [action] = body.actions as JsonObject[];
    await update.mutateAsync({ document, actions: [{ ...action, action: String(action!.action) }] });
    return undefined;
  };
}
