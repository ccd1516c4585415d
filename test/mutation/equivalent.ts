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
  {
    file: 'src/campaigns/compile/footer.ts',
    code: "const [inText, inLinks] = [unsubscribeTags(html, 'text'), unsubscribeTags(html, 'address')];",
    what: "'address' → ''",
    reason: 'the function distinguishes text from everything else',
  },
  {
    file: 'src/audience/import/file/detect.ts',
    code: 'for (let i = 0; i < looked; i++) if (bytes[i] === 0) i % 2 === 0 ? even++ : odd++;',
    what: '< → <=',
    reason: 'one byte more of a file that is longer; behind a shorter one there is none',
  },
  {
    file: 'src/audience/import/file/detect.ts',
    code: 'for (let i = 0; i < text.length && rows.length < 100; i++) {',
    what: '< → <=',
    reason: 'the sign behind the end or one row more does not change a guess',
  },
  {
    file: 'src/audience/import/file/records.ts',
    code: 'const source = Readable.from(text, { objectMode: false, highWaterMark: 64 * 1024 });',
    what: '64 → 65',
    reason: 'the size of a buffer',
  },
  {
    file: 'src/delivery/message/quoted-printable.ts',
    code: "const hex = Array.from({ length: 256 }, (_, byte) => byte.toString(16).toUpperCase().padStart(2, '0'));",
    what: '256 → 257',
    reason: 'one entry that no byte reaches',
  },
  {
    file: 'src/doors/form/php.ts',
    code: "if (!Number.isFinite(number)) return number > 0 ? 'd:INF;' : 'd:-INF;';",
    what: '> → >=',
    reason: 'an infinite number is not zero',
  },
  {
    file: 'src/doors/form/php.ts',
    code: "if (!Number.isFinite(number)) return number > 0 ? 'd:INF;' : 'd:-INF;';",
    what: '0 → 1',
    reason: 'an infinite number is not between them',
  },
  {
    file: 'src/campaigns/compile/analytics.ts',
    code: 'return mark < 0 ? null : text.slice(mark + 1);',
    what: '< → <=',
    reason: 'an address does not begin with its question mark',
  },
  {
    file: 'src/campaigns/compile/analytics.ts',
    code: 'return mark < 0 ? null : text.slice(mark + 1);',
    what: '0 → 1',
    reason: 'an address does not begin with its question mark',
  },
  {
    file: 'src/audience/import/file/records.ts',
    code: 'if (from >= text.length) return undefined;',
    what: '>= → >',
    reason: 'reads an empty line behind the end, which is no record',
  },
];
