// Changes that no test can detect, because the program behaves the same with them. run.ts leaves them out.
import type { Change } from './changes.ts';

export const equivalent: (Pick<Change, 'file' | 'code' | 'what'> & { reason: string })[] = [
  {
    file: 'src/campaigns/compile/date-tag.ts',
    code: "if (day >= 11 && day <= 13) return 'th';",
    what: '13 → 14',
    reason: 'the 14th ends in th anyway',
  },
  {
    file: 'src/audience/address.ts',
    code: 'if (text.length > maxLabel + 1) return undefined;',
    what: '> → >=',
    reason: 'only decides whether the fast expression is tried; the general one gives the same result',
  },
  {
    file: 'src/base/zones.ts',
    code: 'if (tables.size >= maxTables) tables.clear();',
    what: '>= → >',
    reason: 'one more table in memory',
  },
];
