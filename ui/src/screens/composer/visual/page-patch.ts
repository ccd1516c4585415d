// Writes a change of the visual editor into the HTML as its author wrote it: what the change does not touch stays byte for
// byte. The editor returns the whole page in its own spelling, so the page is compared with what the editor returned
// before the change, token by token (tags, texts, comments), and every token that is still there keeps the author's
// spelling. Pure.

/** @param decode replaces character references */
export function pagePatch(source: string, first: string, decode: (text: string) => string) {
  const written = tokens(source);
  const shown = tokens(first);
  /** The author's token of each token of the editor; -1 where the editor has added one, such as a tbody. */
  const authored = align(
    written.map((token) => meaning(token, decode)),
    shown.map((token) => meaning(token, decode)),
    (at) => kindOf(written[at]!),
    (at) => kindOf(shown[at]!),
  );
  const owners = ownersOf(written.length, authored, shown.length);
  /** @returns the source with the differences between `first` and `next` */
  return (next: string): string => {
    if (next === first) return source;
    const now = tokens(next);
    const pairs = common(shown, now);
    const kept = new Set([-1, shown.length, ...pairs.map(([at]) => at)]);
    const out: string[] = [];
    let [passed, passedNow] = [0, 0];
    for (const [shownAt, nowAt] of [...pairs, [shown.length, now.length] as const]) {
      // What only the author has stays with what is before it, else with what follows; it goes when both are gone.
      for (; owners[passed]?.alone && kept.has(owners[passed]!.before); passed += 1) out.push(written[passed]!);
      out.push(...now.slice(passedNow, nowAt));
      passedNow = nowAt + 1;
      const writtenAt = shownAt === shown.length ? written.length : authored[shownAt]!;
      if (writtenAt < 0) continue;
      for (; passed < writtenAt; passed += 1) {
        const { alone, before, after } = owners[passed]!;
        if (alone && (kept.has(before) || kept.has(after))) out.push(written[passed]!);
      }
      if (writtenAt < written.length) out.push(written[writtenAt]!);
      passed = writtenAt + 1;
    }
    return out.join('');
  };
}

/** For each of the author's tokens: whether the editor lacks it, and the nearest tokens of the editor around it. */
function ownersOf(count: number, authored: readonly number[], end: number) {
  const at = new Map(authored.flatMap((written, shown): [number, number][] => (written < 0 ? [] : [[written, shown]])));
  const owners = Array.from({ length: count }, (_, written) => ({ alone: !at.has(written), before: -1, after: end }));
  for (let written = 1; written < count; written += 1)
    owners[written]!.before = at.get(written - 1) ?? owners[written - 1]!.before;
  for (let written = count - 2; written >= 0; written -= 1)
    owners[written]!.after = at.get(written + 1) ?? owners[written + 1]!.after;
  return owners;
}

const token =
  /<!--[\s\S]*?-->|<(script|style|title|textarea)\b[^>]*>[\s\S]*?<\/\1\s*>|<\/?[a-z](?:"[^"]*"|'[^']*'|[^'">])*>|<[!?/][^>]*>|[^<]+|</gi;

export const tokens = (html: string): string[] => html.match(token) ?? [];

/** What a token means, however it is written: attributes and styles in any order, references or characters. */
function meaning(text: string, decode: (text: string) => string): string {
  if (!text.startsWith('<')) return decode(text).replace(/\s+/g, ' ');
  const tag = /^<(\/?)([a-z][^\s/>]*)/i.exec(text);
  if (!tag || /^(script|style|title|textarea)$/i.test(tag[2]!)) return text;
  if (tag[1]) return `</${tag[2]!.toLowerCase()}>`;
  const attributes = new Map<string, string>();
  const inside = text.slice(tag[0].length, -1);
  for (const [, name, ...values] of inside.matchAll(/([^\s=/"'>]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+)))?/g)) {
    const value = decode(values.find((one) => one !== undefined) ?? '');
    const key = name!.toLowerCase();
    if (!attributes.has(key)) attributes.set(key, key === 'style' ? stylesOf(value) : value);
  }
  return `<${tag[2]!.toLowerCase()} ${JSON.stringify([...attributes].sort(([a], [b]) => (a < b ? -1 : 1)))}`;
}

const stylesOf = (style: string) =>
  style
    .split(';')
    .map((one) => one.replace(/\s+/g, ' ').replace(/ ?: ?/, ':').trim())
    .filter(Boolean)
    .sort()
    .join(';');

/** Text, comment, or the name of the tag. */
const kindOf = (text: string) =>
  text.startsWith('<') ? (/^<\/?[a-z][^\s/>]*/i.exec(text)?.[0].toLowerCase() ?? text.slice(0, 4)) : 'text';

/** Pairs equal meanings, and between them, in order, tokens of one kind. @returns for each of b its index in a, or -1 */
function align(
  a: readonly string[],
  b: readonly string[],
  kindA: (at: number) => string,
  kindB: (at: number) => string,
): number[] {
  const found = b.map(() => -1);
  const pairs: [number, number][] = [...common(a, b), [a.length, b.length]];
  let [nextA, nextB] = [0, 0];
  for (const [atA, atB] of pairs) {
    for (; nextB < atB; nextB += 1)
      for (let other = nextA; other < atA; other += 1)
        if (kindA(other) === kindB(nextB)) {
          found[nextB] = other;
          nextA = other + 1;
          break;
        }
    if (atB < b.length) found[atB] = atA;
    [nextA, nextB] = [atA + 1, atB + 1];
  }
  return found;
}

/** How many differences are looked for before the rest counts as changed. */
const maxDifferences = 1_500;

/** The pairs of indexes of a longest common subsequence (Myers 1986, greedy). */
export function common(a: readonly string[], b: readonly string[]): [number, number][] {
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start += 1;
  let [endA, endB] = [a.length, b.length];
  while (endA > start && endB > start && a[endA - 1] === b[endB - 1]) [endA, endB] = [endA - 1, endB - 1];
  const middle = shortest(a.slice(start, endA), b.slice(start, endB));
  return [
    ...Array.from({ length: start }, (_, at): [number, number] => [at, at]),
    ...middle.map(([x, y]): [number, number] => [x + start, y + start]),
    ...Array.from({ length: a.length - endA }, (_, at): [number, number] => [endA + at, endB + at]),
  ];
}

function shortest(a: readonly string[], b: readonly string[]): [number, number][] {
  const most = Math.min(a.length + b.length, maxDifferences);
  const reached = new Map<number, number>([[1, 0]]);
  const steps: Map<number, number>[] = [];
  for (let d = 0; d <= most; d += 1) {
    const before = new Map(reached);
    steps.push(before);
    for (let k = -d; k <= d; k += 2) {
      const down = k === -d || (k !== d && (reached.get(k - 1) ?? -1) < (reached.get(k + 1) ?? -1));
      let x = down ? (reached.get(k + 1) ?? 0) : (reached.get(k - 1) ?? 0) + 1;
      let y = x - k;
      while (x < a.length && y < b.length && a[x] === b[y]) [x, y] = [x + 1, y + 1];
      reached.set(k, x);
      if (x >= a.length && y >= b.length) return walkBack(steps, a.length, b.length);
    }
  }
  return [];
}

function walkBack(steps: readonly Map<number, number>[], endX: number, endY: number): [number, number][] {
  const pairs: [number, number][] = [];
  let [x, y] = [endX, endY];
  for (let d = steps.length - 1; d >= 0; d -= 1) {
    const reached = steps[d]!;
    const k = x - y;
    const down = k === -d || (k !== d && (reached.get(k - 1) ?? -1) < (reached.get(k + 1) ?? -1));
    const fromK = down ? k + 1 : k - 1;
    const fromX = d === 0 ? 0 : (reached.get(fromK) ?? 0);
    const fromY = d === 0 ? 0 : fromX - fromK;
    while (x > fromX && y > fromY) {
      [x, y] = [x - 1, y - 1];
      pairs.push([x, y]);
    }
    [x, y] = [fromX, fromY];
  }
  return pairs.reverse();
}
