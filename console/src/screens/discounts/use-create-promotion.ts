import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ApiError } from '../../api/errors';
import { useCreate } from '../../api/hooks';
import { useClient } from '../../api/project';
import type { Document, JsonObject, Kind } from '../../model/types';
import { createCodes, type CreatedCodes } from './codes';
import { codesOf, type Promotion } from './promotion';

const NO_CODES: CreatedCodes = { created: [], failed: [] };

/** Creates the Cart Discount, then its codes. If the codes are refused, a second run sends only them. */
export function useCreatePromotion(discountKind: Kind, codeKind: Kind) {
  const client = useClient();
  const cache = useQueryClient();
  const create = useCreate(discountKind);
  const [state, setState] = useState<'form' | 'running' | 'done'>('form');
  const [discount, setDiscount] = useState<Document>();
  const [codes, setCodes] = useState(NO_CODES);
  const [progress, setProgress] = useState<{ done: number; count: number }>();
  const [error, setError] = useState<unknown>();

  const run = async (draft: JsonObject, template: JsonObject, promotion: Promotion) => {
    setState('running');
    setError(undefined);
    try {
      const made = discount ?? (await create.mutateAsync(draft));
      setDiscount(made);
      if (promotion.codeMode !== 'none') {
        const wanted = codesOf(promotion);
        if (wanted.length > 1) setProgress({ done: 0, count: wanted.length });
        const body = { ...template, cartDiscounts: [{ typeId: discountKind.typeId, id: made.id }] };
        const result = await createCodes(client, body, wanted, (done) =>
          setProgress((now) => now && { done, count: wanted.length }),
        );
        void cache.invalidateQueries({ queryKey: [client.project, codeKind.name] });
        setCodes(result);
        if (result.created.length === 0) throw new Error(result.failed[0]?.message);
      }
      setState('done');
    } catch (reason) {
      setError(reason);
      setState('form');
    } finally {
      setProgress(undefined);
    }
  };
  const reset = () => {
    setState('form');
    setDiscount(undefined);
    setCodes(NO_CODES);
    setError(undefined);
  };
  return { state, discount, codes, progress, error, fieldErrors: fieldErrorsOf(error), run, reset };
}

/** Returns the message of an error by the field that it concerns. */
function fieldErrorsOf(error: unknown): Partial<Record<'cartPredicate' | 'predicate' | 'sortOrder', string>> {
  if (!(error instanceof ApiError)) return {};
  const found = error.message.match(/\b(cartPredicate|sortOrder|predicate)\b/)?.[1] ?? error.errors[0]?.field;
  return found ? { [found]: error.message.split('\n')[0] } : {};
}
