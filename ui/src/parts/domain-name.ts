// International domain names as people write them: exämple.de for xn--exmple-cua.de (RFC 3492, RFC 5890). Addresses are stored and
// sent with the ASCII form; only what is shown is decoded. A label that cannot be decoded stays.

/** A text, such as a domain or an address, with each of its ASCII labels decoded. */
export const shownDomains = (text: string): string =>
  text.replace(
    /(?<![\w-])xn--([a-z0-9-]+)(?![\w-])/gi,
    (whole, label: string) => decoded(label.toLowerCase()) ?? whole,
  );

/** The domain in what was pasted: an address of a site, or the domain itself. */
export const pastedDomain = (text: string): string => text.trim().replace(/^https?:\/\/|[/?#].*$/gi, '');

const base = 36;
const tMin = 1;
const tMax = 26;
const skew = 38;
const damp = 700;

function decoded(label: string): string | undefined {
  const dash = label.lastIndexOf('-');
  const points = [...label.slice(0, Math.max(0, dash))].map((sign) => sign.codePointAt(0)!);
  let code = 128;
  let bias = 72;
  let at = 0;
  for (let from = dash + 1; from < label.length; ) {
    const before = at;
    let weight = 1;
    for (let k = base; ; k += base) {
      const digit = digitOf(label[from++]);
      if (digit === undefined) return undefined;
      at += digit * weight;
      const threshold = Math.min(tMax, Math.max(tMin, k - bias));
      if (digit < threshold) break;
      weight *= base - threshold;
    }
    const length = points.length + 1;
    bias = adapted(at - before, length, before === 0);
    code += Math.floor(at / length);
    at %= length;
    if (code > 0x10ffff) return undefined;
    points.splice(at, 0, code);
    at += 1;
  }
  const text = String.fromCodePoint(...points);
  // Signs that are not seen, or look like the end of the name, are shown as they are written.
  return /[\p{C}\p{Z}@]/u.test(text) ? undefined : text;
}

/** a to z are 0 to 25, 0 to 9 are 26 to 35. */
function digitOf(sign: string | undefined): number | undefined {
  if (sign === undefined) return undefined;
  if (sign >= 'a' && sign <= 'z') return sign.charCodeAt(0) - 97;
  return sign >= '0' && sign <= '9' ? Number(sign) + 26 : undefined;
}

function adapted(difference: number, length: number, isFirst: boolean): number {
  let delta = isFirst ? Math.floor(difference / damp) : Math.floor(difference / 2);
  delta += Math.floor(delta / length);
  let k = 0;
  for (; delta > ((base - tMin) * tMax) / 2; k += base) delta = Math.floor(delta / (base - tMin));
  return k + Math.floor(((base - tMin + 1) * delta) / (delta + skew));
}
