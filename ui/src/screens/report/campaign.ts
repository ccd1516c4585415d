// A campaign as the program tells it.
import type { ResultOf } from '../../api/types.ts';

export type Campaign = ResultOf<'campaigns'>[number];
