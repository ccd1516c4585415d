// Changes that no test can detect, because the program behaves the same with them. run.ts leaves them out.
import type { Change } from './changes.ts';

export const equivalent: (Pick<Change, 'file' | 'code' | 'what'> & { reason: string })[] = [];
