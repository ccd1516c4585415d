// What the checks of optional records share: several hints as one message, which is kept with the finding and shown in the
// language of the reader, and what a failed fetch means.
import { type Message, message } from '../../base/messages.ts';

/** Several sentences as one message, in their order. */
export function adviceOf([first, ...rest]: readonly Message[]): Message {
  return rest.reduce((before, next) => message('domain.advice', { first: before, second: next }), first!);
}

/** Whether a fetch failed because of the server's certificate, rather than of the network between. */
export function isCertificateFailure({ detail }: { detail: string }): boolean {
  return /CERT|ALTNAME|SELF_SIGNED|UNABLE_TO_VERIFY|ERR_TLS|EPROTO/.test(detail);
}
