// One attempt at one recipient: render the message, sign it, hand it to a relay, and note in the journal what is about to
// happen and what came back. Writing the outcome to the database is left to the caller.
import type { App } from '../../base/context.ts';
import { noteFailure } from '../../base/full-disk.ts';
import type { Log } from '../../base/log.ts';
import { eventTag } from '../../campaigns/markup/data.ts';
import type { RelayPool } from '../../relays/smtp/relay-pool.ts';
import type { Outcome as RelayOutcome } from '../../relays/verdict/outcome.ts';
import { type Verdict, verdict } from '../../relays/verdict/verdict.ts';
import { tokensOf } from '../../tracking/token-secret.ts';
import type { TokenMaker } from '../../tracking/tokens.ts';
import type { Chunk, Marked } from '../ledger/chunk.ts';
import type { Content } from '../message/content.ts';
import { messageIdOf } from '../message/header.ts';
import { createMessageMemory } from '../message/message-memory.ts';
import type { Mail } from '../message/render.ts';
import { envelopeSender } from '../message/return-path.ts';
import { type Signing, signatureRoom, signed } from '../message/signing.ts';
import { SigningQueue } from '../message/signing-threads.ts';
import type { Feedback } from '../pace/pace.ts';
import type { Journal, Attempt as JournalKey } from '../recovery/journal.ts';
import { keepTest } from './keep-test.ts';

type MessageTokens = ReturnType<TokenMaker['tokens']>;
/** A message in its memory, or why there is none. */
type Rendered = { verdict?: undefined; mail: Mail; tokens: MessageTokens; memory: Buffer } | { verdict: Verdict };
type Made =
  | { verdict?: undefined; message: Buffer; isRendered: boolean; tokens: MessageTokens; memory: Buffer }
  | { verdict: Verdict };

/** How often rendering a message may throw before its recipient fails. */
const maxRenderings = 3;
/** An uncaught error ends the process within this time after its cause. */
const uncaughtMs = 100;
/** How long no message is started after a line of the journal could not be written. */
const journalRestMs = 5_000;

export type AttemptOptions = {
  chunk: Chunk;
  /** Undefined when it was deleted with its campaign. */
  content: Content | undefined;
  signing: Signing | undefined;
  /** False when the recipient must be re-read before MAIL FROM. */
  mayBegin(): boolean;
  /** Called when only the server's answer is waited for. */
  onTurn(): void;
  /** Called right before the final dot; false when the lease has expired or the campaign was stopped. */
  mayDot(): boolean;
};

export class Attempts {
  readonly #app: App;
  readonly #relayPool: RelayPool;
  readonly #journal: Journal<Verdict>;
  readonly #log: Log;
  readonly #memory = createMessageMemory();
  readonly #signingQueue = new SigningQueue();
  #journalRestUntil = 0;

  constructor(app: App, parts: { relayPool: RelayPool; journal: Journal<Verdict>; log: Log }) {
    this.#app = app;
    this.#relayPool = parts.relayPool;
    this.#journal = parts.journal;
    this.#log = parts.log;
  }

  /** Milliseconds until messages may start again, after a line of the journal could not be written; 0 or less: now. */
  get restMs(): number {
    return this.#journalRestUntil === 0 ? 0 : this.#journalRestUntil - performance.now();
  }

  async attempt(marked: Marked, options: AttemptOptions): Promise<{ verdict: Verdict; feedback: Feedback }> {
    const { chunk, content, signing } = options;
    if (!content) return unsent('the content is gone');
    const { seq, attempts, resent, contact } = marked;
    const key = {
      account: chunk.account,
      campaign: chunk.campaign,
      seq,
      lease: chunk.lease,
      attempts,
      resent,
      contact,
    };
    const suspicion = chunk.crashes > 0 ? this.#suspicion(key) : undefined;
    let made: Made;
    try {
      const render = () => {
        suspicion?.start();
        return this.#render(signing, content, key, marked);
      };
      // An unsigned message is not waited for.
      if (signing?.kind !== 'signed') made = this.#made(render());
      else made = await this.#signingQueue.run(() => this.#makeSigned(signing, render()));
    } catch (error) {
      this.#log.error(
        { err: error, account: key.account, campaign: key.campaign, seq },
        'a message cannot be rendered',
      );
      made = { verdict: renderingFailed(marked) };
    }
    if (made.verdict) return { verdict: made.verdict, feedback: feedbackOf(undefined, made.verdict) };
    const { tokens, message, memory } = made;
    const isOwn = message.buffer !== memory.buffer;
    let dotted = false;
    suspicion?.endSoon();
    const onDot = () => {
      if (!options.mayDot() || !this.#noted(() => this.#journal.dot(key))) return false;
      dotted = true;
      // The disk may have been slower than the lease: another worker has then read the journal without this line.
      return options.mayDot();
    };
    const toRelay = () =>
      this.#relayPool.send({
        sender: content.sender,
        mailFrom: envelopeSender(this.#app.config, content.fromEmail, tokens.bounce),
        rcptTo: marked.email,
        message,
        room: isOwn ? 0 : memory.byteOffset + memory.length - message.byteOffset - message.length,
        isRendered: made.isRendered,
        first: chunk.urgent === true,
        mayBegin: suspicion ? () => options.mayBegin() && suspicion.start() : options.mayBegin,
        onTurn: options.onTurn,
        confirmed: chunk.confirmed ?? undefined,
        onDot,
        // Until it is sent again, the relay has nothing of it, whatever happens to this worker.
        onRefused: () => void this.#noted(() => this.#journal.outcome(key, { kind: 'notSent' })),
      });
    const outcome = content.isTest
      ? await keepTest(this.#app, this.#log, {
          account: key.account,
          recipient: `${key.campaign} ${seq}`,
          mailFrom: content.fromEmail,
          rcptTo: marked.email,
          message,
          onDot,
        })
      : await toRelay();
    suspicion?.close();
    // The server has answered all of it, or a copy was sent: nothing will read this memory any more.
    const read = outcome.kind === 'reply' && outcome.stage === 'dot' && !outcome.early;
    if (read || isOwn) this.#memory.give(memory);
    // No relay was available: the recipient was never attempted.
    const result: Verdict = isBeforeMail(outcome) ? { kind: 'notSent' } : verdict(outcome);
    if (result.kind !== 'notSent' || dotted) this.#noted(() => this.#journal.outcome(key, result));
    return { verdict: result, feedback: content.isTest ? 'nothing' : feedbackOf(outcome, result) };
  }

  /** In a chunk whose worker has died the journal shows which message may be the cause. */
  #suspicion(key: JournalKey) {
    let timer: NodeJS.Timeout | undefined;
    return {
      /** @returns false when the disk refuses the line */
      start: (): boolean => {
        clearTimeout(timer);
        return this.#noted(() => this.#journal.start(key));
      },
      /** Unless it is started before, it waits for a connection. */
      endSoon: (): void => {
        timer = setTimeout(() => this.#noted(() => this.#journal.wait(key)), uncaughtMs);
      },
      close: (): void => clearTimeout(timer),
    };
  }

  async #makeSigned(signing: Signing, rendered: Rendered): Promise<Made> {
    if (rendered.verdict) return rendered;
    return this.#made(rendered, await signed(signing, rendered.mail, rendered.memory));
  }

  #made(rendered: Rendered, whole?: Buffer): Made {
    if (rendered.verdict) return rendered;
    const { mail, tokens, memory } = rendered;
    const message = mail.hasDots ? dotStuffed(whole ?? mail.whole) : (whole ?? mail.whole);
    return { message, isRendered: mail.isRendered === true, tokens, memory };
  }

  #tokens({ lists }: Content, { account, campaign, seq, contact }: JournalKey, { list }: Marked): MessageTokens {
    // The list that the recipient is reached through is first.
    const ordered =
      lists[0] !== list && lists.includes(list) ? [list, ...lists.filter((other) => other !== list)] : lists;
    return tokensOf(this.#app).tokens({ account, campaign, seq, contact, lists: ordered });
  }

  #render(signing: Signing | undefined, content: Content, key: JournalKey, marked: Marked): Rendered {
    const tokens = this.#tokens(content, key, marked);
    const room = signatureRoom(signing);
    let memory: Buffer | undefined;
    const take = (size: number) => {
      memory = this.#memory.take(room + size);
      return room === 0 ? memory : memory.subarray(room);
    };
    const mail = content.rendererOf(marked).render(
      {
        email: marked.email,
        emailType: marked.emailType,
        values: marked.values,
        ...(marked.event == null ? {} : { data: { [eventTag]: marked.event } }),
        list: marked.list,
        tokens,
        messageId: messageIdOf(key, marked.seq, tokens.message, content.host),
        at: new Date(),
        fields: content.noticeFields(tokens.bounce),
        utf8: /[^\x00-\x7f]/.test(marked.email),
      },
      take,
    );
    if ('refused' in mail) return { verdict: failed(`no message can be rendered for this ${mail.refused}`) };
    return { mail, tokens, memory: memory! };
  }

  /** Writes to the journal; false when the line could not be written. */
  #noted(write: () => void): boolean {
    try {
      write();
      return true;
    } catch (error) {
      noteFailure('journal', error);
      if (this.restMs <= 0)
        this.#log.error({ err: error }, 'the journal cannot be written; no message is sent without it');
      this.#journalRestUntil = performance.now() + journalRestMs;
      return false;
    }
  }
}

/** A dot before every dot that begins a line. RFC 5321 4.5.2 */
const dotStuffed = (message: Buffer): Buffer =>
  Buffer.from(message.toString('latin1').replaceAll('\r\n.', '\r\n..'), 'latin1');

/** Our own bug; a retry may succeed, so it is deferred first. The rest of the group continues. */
const renderingFailed = ({ attempts }: Marked): Verdict =>
  attempts >= maxRenderings
    ? failed('the message for this recipient could not be rendered three times')
    : {
        kind: 'later',
        scope: 'recipient',
        bounce: 'temporary',
        code: null,
        text: 'the message for this recipient could not be rendered',
      };

/** A worker with the key that sealed the content can send it later. */
export const contentSealed = (): { verdict: Verdict; feedback: Feedback } => ({
  verdict: {
    kind: 'later',
    scope: 'recipient',
    bounce: 'temporary',
    code: null,
    text: 'the content is encrypted with another SEAL_KEY',
  },
  feedback: 'nothing',
});

const failed = (text: string): Verdict => ({
  kind: 'failed',
  scope: 'recipient',
  bounce: 'generic',
  suppress: false,
  code: null,
  text,
});

const unsent = (text: string): { verdict: Verdict; feedback: Feedback } => {
  const result = failed(text);
  return { verdict: result, feedback: feedbackOf(undefined, result) };
};

/** The conversation ended before MAIL FROM. */
const isBeforeMail = (outcome: RelayOutcome): boolean =>
  outcome.kind !== 'notSent' && ['connect', 'ehlo', 'starttls', 'auth'].includes(outcome.stage);

/** What an outcome means for the pace of the recipient's domain. */
function feedbackOf(outcome: RelayOutcome | undefined, result: Verdict): Feedback {
  // A server that keeps a connection waiting for minutes asks for less, without words; before MAIL that is the relay.
  if (outcome?.kind === 'lost' && outcome.why === 'timeout' && !outcome.untried)
    return isBeforeMail(outcome) ? 'nothing' : 'slower';
  if (result.kind === 'later' && result.scope === 'domain' && !result.isDoubtful) return 'slower';
  if (result.kind === 'accepted') return 'took';
  return (result.kind === 'later' || result.kind === 'failed') && result.scope === 'recipient' ? 'took' : 'nothing';
}
