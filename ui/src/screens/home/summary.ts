// The data of the home screen.
import type { ResultOf } from '../../api/types.ts';

export type Summary = ResultOf<'homeSummary'>;
