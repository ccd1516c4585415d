// Why a request to a receiver had no answer, for the people of its account. An address that this installation may reach, public or allowed by
// the operator, gets the cause. One that it may not reach gets one text, so that no one learns what is in the operator's network.
import { type Message, type MessageKey, message } from '../base/messages.ts';
import { timeoutCodes } from '../base/outbound/exchange.ts';
import { publicReason } from '../base/outbound/outbound.ts';
import { nameCodes } from '../base/outbound/resolve.ts';
import type { OutboundResult } from '../base/outbound-client.ts';

type Failed = Pick<Extract<OutboundResult, { ok: false }>, 'why' | 'code' | 'ms'>;
type Key = Extract<MessageKey, `webhook.unreached.${string}`>;

/** The causes that have a text, by the codes of Node.js, OpenSSL and the parser of HTTP. */
const causes: [codes: RegExp, key: Key][] = [
  [new RegExp(`^${nameCodes.unknown}$`), 'webhook.unreached.name'],
  [new RegExp(`^${nameCodes.unanswered}$`), 'webhook.unreached.name_servers'],
  [new RegExp(`^(${timeoutCodes.connection}|ETIMEDOUT)$`), 'webhook.unreached.connection_timeout'],
  [new RegExp(`^${timeoutCodes.answer}$`), 'webhook.unreached.answer_timeout'],
  [/^ECONNREFUSED$/, 'webhook.unreached.closed'],
  [/^(EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|EHOSTDOWN|ENETDOWN|EACCES|EPERM)$/, 'webhook.unreached.no_route'],
  [/^CERT_HAS_EXPIRED$/, 'webhook.unreached.certificate_expired'],
  [/^CERT_NOT_YET_VALID$/, 'webhook.unreached.certificate_early'],
  [/^ERR_TLS_CERT_ALTNAME/, 'webhook.unreached.certificate_name'],
  [/^UNABLE_TO_VERIFY_LEAF_SIGNATURE$/, 'webhook.unreached.certificate_chain'],
  [/SELF_SIGNED|UNABLE_TO_GET_ISSUER_CERT|CERT_UNTRUSTED|SIGNATURE_FAILURE/, 'webhook.unreached.certificate_authority'],
  [/CERT|^INVALID_(CA|PURPOSE)$/, 'webhook.unreached.certificate'],
  [/^(EPROTO|ERR_SSL|ERR_TLS|TLS)/, 'webhook.unreached.tls'],
  [/^(ECONNRESET|ECONNABORTED|EPIPE|socket hang up|HPE_INVALID_EOF_STATE)$/, 'webhook.unreached.ended'],
];

export function unreachedReason({ why, code, ms }: Failed, url: string): Message {
  if (why === 'refused' || why === 'too_large' || why === 'redirects' || !URL.canParse(url))
    return publicReason({ why }, url);
  const key =
    causes.find(([codes]) => codes.test(code))?.[1] ??
    (why === 'protocol'
      ? 'webhook.unreached.not_http'
      : why === 'timeout'
        ? 'webhook.unreached.answer_timeout'
        : undefined);
  if (!key) return publicReason({ why }, url);
  const { hostname, port, protocol } = new URL(url);
  return message(key, {
    host: hostname,
    port: port || (protocol === 'https:' ? '443' : '80'),
    seconds: Math.max(1, Math.round(ms / 1_000)),
    code: code || why,
  });
}
