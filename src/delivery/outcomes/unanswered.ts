// Whether a message came back because no server answered until its time was up. That counts for the clean-up of addresses like
// a soft bounce. It does not if a server answered, even to put the message off: then the reply is about its load or the sender.

/** RFC 3463 3.5: no answer from the host, name server failure, no route, time expired. Exchange uses 300 to 399. */
const codes = /(?<![\d.])(?:4\.4\.(?:1|3|4|7|3\d\d)|5\.4\.(?:7|3\d\d))(?![\d.])/;

const words =
  /\b(message|mail|delivery|queue|retry|time)\b.{0,40}\b(expired|timeout exceeded|time exceeded)|\bconnect(ion)?\b.{0,80}\b(timed out|timeout|refused)\b|no (answer|response) from|no route to host|\bunreachable\b|(unable|able|failed|could not|couldn't|cannot) (to )?(connect|establish an smtp connection)/;

/** What a server said, or a code of mailbox, system, protocol or policy. */
const answered =
  /\bsaid:|refused to talk|remote (mail )?server (after|said|returned)|(?<![\d.])[45]\.[23567]\.\d{1,3}(?![\d.])|(?<![\d.])4[25]\d[ -](?!4\.4\.)|throttl|too (many|fast|quickly)|rate.?limit|\blimit\b|gr[ae]y ?-?list|quota|reputation|\bblocked\b|\bspam|polic(y|ies)|deferred due/;

/** @param reply as it is stored: the words of the notice, with the code that it states */
export function isUnanswered(reply: string): boolean {
  const text = wordsOf(reply);
  return !answered.test(text) && (codes.test(text) || words.test(text));
}

/** A reply in lower case, without addresses: names of mailboxes are no words. */
export const wordsOf = (reply: string): string => reply.toLowerCase().replace(/\S{1,128}@\S{1,253}/g, ' ');

/** The reply that is stored for a notice: its words, after the code that only the notice states. */
export function replyWith(status: string, diagnostic: string): string {
  if (diagnostic === '') return status;
  const stated = codes.test(status) && !/(?<![\d.])[245]\.\d{1,3}\.\d{1,3}(?![\d.])/.test(diagnostic);
  return stated ? `${status} ${diagnostic}` : diagnostic;
}
