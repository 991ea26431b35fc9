import type { Kind } from '../model/types';
import { createStore } from './store';

/** The document that a reference shows at the side, over the open page. */
export const peek = createStore<{ kind: Kind; id: string } | undefined>(undefined);
