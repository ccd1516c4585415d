// What the first page tells, as one answer.
import type { ResultOf } from '../../api/types.ts';

export type Summary = ResultOf<'homeSummary'>;
