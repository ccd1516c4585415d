// A segment as the program tells it.
import type { ResultOf } from '../../api/types.ts';

export type Segment = ResultOf<'listSegments'>[number];
