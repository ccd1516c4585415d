// A segment as the API returns it.
import type { ResultOf } from '../../../api/types.ts';

export type Segment = ResultOf<'listSegments'>[number];
