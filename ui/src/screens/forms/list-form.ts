// The sign-up form of a list, with its texts.
import type { ResultOf } from '../../api/types.ts';

export type ListForm = ResultOf<'listForm'>;
