// Parses an address that a user entered, or that a redirect names, and decides from its text alone: http and https only,
// no user name or password, no port of another protocol. Uses the URL Standard's parser here and for the connection, so
// there is only one reading of a text.

export type Target =
  | { ok: true; url: URL; host: string; port: number; secure: boolean }
  | { ok: false; detail: string };

/** Longest address accepted, in characters. */
const maxUrlLength = 4096;

/** @param base what a relative address in a redirect is relative to */
export function readTarget(text: string, base?: URL): Target {
  if (text.length > maxUrlLength) return { ok: false, detail: 'the address is too long' };
  if (!URL.canParse(text, base?.href)) return { ok: false, detail: 'not an address' };
  const url = new URL(text, base?.href);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    return { ok: false, detail: `scheme ${url.protocol} is not http or https` };
  }
  if (url.username !== '' || url.password !== '') return { ok: false, detail: 'user name or password in the address' };
  url.hash = '';
  const secure = url.protocol === 'https:';
  const port = url.port === '' ? (secure ? 443 : 80) : Number(url.port);
  if (!portAllowed(port)) return { ok: false, detail: `port ${port} is not a web port` };
  const host = url.hostname.startsWith('[') ? url.hostname.slice(1, -1) : url.hostname;
  return { ok: true, url, host, port, secure };
}

/** Below 1024 only 80 and 443; above, everything but the ports that the Fetch Standard blocks ("bad port"). */
function portAllowed(port: number): boolean {
  return port === 80 || port === 443 || (port >= 1024 && !otherProtocols.has(port));
}

const otherProtocols = new Set([
  1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
]);
