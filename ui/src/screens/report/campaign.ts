// A campaign as the API returns it.
import type { ResultOf } from '../../api/types.ts';

export type Campaign = ResultOf<'campaigns'>[number];
