// Why a relay could not be connected to, in words that say what to look at, instead of the error of Node.js, OpenSSL or the system.
// Pure. What the server itself replied stays as it is.
import type { Message, MessageKey } from '../../base/messages.ts';
import type { Relay } from '../../base/relay/relay.ts';
import type { Lost, Outcome, Replied } from '../verdict/outcome.ts';

type Key = Extract<MessageKey, `relay.failed.${string}`>;

/** @returns undefined for what has no better words than its own text */
export function failureInWords(
  failure: Outcome | undefined,
  { host, port, auth }: Pick<Relay, 'host' | 'port' | 'auth'>,
): Message | undefined {
  if (!failure || failure.kind === 'notSent') return undefined;
  const key = failure.kind === 'reply' ? keyOfReply(failure, auth?.grant !== undefined) : keyOfLost(failure);
  // Not as a number, which would be shown with a separator of thousands.
  return key && { key, values: { host, port: String(port), text: withCode(failure) } };
}

const withCode = (failure: Replied | Lost): string =>
  failure.kind === 'reply' && !failure.local ? `${failure.code} ${failure.text}` : failure.text;

function keyOfReply({ stage, code, local }: Replied, hasTokens: boolean): Key | undefined {
  if (stage !== 'auth' || code < 500) return undefined;
  // A refused token is no wrong password: the reply says more.
  if (!local) return hasTokens ? undefined : 'relay.failed.sign_in';
  return code === 538 ? 'relay.failed.plain_text' : code === 504 ? 'relay.failed.sign_in_way' : undefined;
}

function keyOfLost({ stage, why, code = '', text }: Lost): Key | undefined {
  const known = causes.find(([codes]) => codes.test(code))?.[1];
  if (known) return known;
  if (why === 'tls') return keyOfTls(stage, text);
  if (why === 'timeout') {
    // The server has taken the connection and sends no greeting: usually it waits for TLS.
    return stage === 'connect' && text.endsWith('the banner') ? 'relay.failed.silent' : 'relay.failed.timeout';
  }
  if (why === 'garbage' || why === 'too_long') return stage === 'connect' ? 'relay.failed.no_smtp' : undefined;
  // Without a code it may be a text of this program, such as one about its networks.
  const isEnded = why === 'reset' || /^the (server closed the )?connection( closed)?$/.test(text);
  return isEnded && (stage === 'connect' || stage === 'ehlo') ? 'relay.failed.ended' : undefined;
}

function keyOfTls(stage: Lost['stage'], text: string): Key {
  if (text.includes('offers no STARTTLS')) return 'relay.failed.no_starttls';
  // With TLS from the first byte the plain greeting of the server is no TLS.
  const isPlain = stage === 'connect' && /wrong version number|packet length too long|http request/i.test(text);
  return isPlain ? 'relay.failed.no_tls' : 'relay.failed.tls';
}

/** By the codes of Node.js and OpenSSL. */
const causes: [codes: RegExp, key: Key][] = [
  [/^ECONNREFUSED$/, 'relay.failed.refused'],
  [/^(ENOTFOUND|ENODATA)$/, 'relay.failed.name'],
  [/^EAI_/, 'relay.failed.name_servers'],
  [/^(EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|EHOSTDOWN|ENETDOWN|EACCES|EPERM)$/, 'relay.failed.no_route'],
  [/^CERT_HAS_EXPIRED$/, 'relay.failed.certificate_expired'],
  [/^ERR_TLS_CERT_ALTNAME/, 'relay.failed.certificate_name'],
  [/SELF_SIGNED|UNABLE_TO|CERT_UNTRUSTED|SIGNATURE_FAILURE/, 'relay.failed.certificate_authority'],
  [/CERT|^INVALID_(CA|PURPOSE)$/, 'relay.failed.certificate'],
];
