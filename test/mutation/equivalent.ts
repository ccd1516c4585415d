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
    file: 'src/campaigns/compile/compile.ts',
    code: "if (findTags(start, 'address')[0]?.start === 0) return 'url-part';",
    what: "'address' → ''",
    reason: 'decides only whether the arguments of tags are decoded; this line needs the start',
  },
  {
    file: 'src/campaigns/content/pictures/metadata.ts',
    code: 'while (at < bytes.length && !(bytes[at] === 0xff && isMarker(bytes[at + 1]))) at += 1;',
    what: '< → <=',
    reason: 'one step past the end; everything after it treats both as the end',
  },
  {
    file: 'src/audience/import/file/detect.ts',
    code: "const addresses = rows.filter((row) => row.some((cell) => cell.includes('@') && parseAddress(cell).ok)).length;",
    what: "'@' → ''",
    reason: 'only spares cells without @ the full check, which they fail',
  },
  {
    file: 'src/jobs/sending-guard.ts',
    code: "const { instance, beat } = JSON.parse(readFileSync(file, 'utf8')) as Partial<Memory>;",
    what: "'utf8' → ''",
    reason: 'JSON.parse turns the bytes into the same text',
  },
  {
    file: 'src/campaigns/content/pictures/metadata.ts',
    code: "tiff.write('MM', 0, 'latin1');",
    what: "'latin1' → ''",
    reason: 'ASCII is the same in UTF-8',
  },
  {
    file: 'src/base/zones.ts',
    code: 'if (found.at(-1)?.offsetMs !== span.offsetMs) found.push(span);',
    what: '1 → 2',
    reason: 'a repeated offset gives the same instants, and no zone changes twice within the 32 hours asked for',
  },
  {
    file: 'src/base/zones.ts',
    code: 'if (tables.size >= maxTables) tables.clear();',
    what: '>= → >',
    reason: 'one more table in memory',
  },
];
