// One SMTP connection, over which a relay gets message after message, several in flight together (RFC 5321, RFC 2920).
// Guarantees an outcome for every send, whatever the server does; that `onDot` is called before every final dot and no dot
// is sent after it returns false; and that the end of a message is sent only after the server has replied 354 to it.
// Which message is sent when, and what an outcome means, is left to the callers.

import { type Lost, limitsMs, type Outcome, pieceMs, quitMs, type Replied, type Stage } from '../verdict/outcome.ts';
import type { Channel, NegotiatedTls } from './channel.ts';
import { type Envelope, envelopeOf, type Message } from './envelope.ts';
import type { Capabilities } from './greeting.ts';
import { type Reply, replied } from './replies.ts';

type Job = Message & {
  envelope: Envelope;
  room: number;
  onTurn(): void;
  /** `onTurn` was called. */
  turned: boolean;
  /** Sender or recipient were refused while later commands of the group were already in flight. */
  refused?: Replied;
  /** MAIL was accepted: the server holds a transaction. */
  begun: boolean;
  /** RCPT was accepted: a final dot would be delivered. */
  addressed: boolean;
  dotted: boolean;
  done: boolean;
  resolve(outcome: Outcome): void;
  reject(error: unknown): void;
};

/** `lone` is the end of a message without recipients (RFC 2920 3.1), which holds nothing. */
type Step = 'rset' | 'mail' | 'rcpt' | 'data' | 'dot' | 'lone' | 'quit';
type Awaited = { step: Step; job?: Job };

const stageOf: Record<Step, Stage> = {
  rset: 'mail',
  mail: 'mail',
  rcpt: 'rcpt',
  data: 'data',
  dot: 'dot',
  lone: 'data',
  quit: 'mail',
};

/** Longer bodies are written in pieces, so that a slow reader is noticed and `onDot` is called late. */
const pieceBytes = 65_536;
const finalDot = '.\r\n';

export class Connection {
  readonly capabilities: Capabilities;
  /** Undefined for plain text. */
  readonly tls: NegotiatedTls | undefined;
  /** What the operator should know about this connection, such as an invalid certificate. */
  readonly notes: readonly string[];
  /** Milliseconds of the monotonic clock. */
  readonly openedAt = performance.now();
  /** Resolves with the reason when the connection has ended. */
  readonly closed: Promise<string>;
  /** Sends without an outcome yet. */
  pending = 0;
  /** Messages that the server has decided about, counted by its user: accepted, or refused for what they are. */
  taken = 0;
  /** Messages that it has accepted. */
  accepted = 0;
  readonly #channel: Channel;
  readonly #queue: Job[] = [];
  /** Replies that the server still owes, oldest first. */
  readonly #awaited: Awaited[] = [];
  /** The job between its MAIL and its final dot; until then nothing of another job may be written. */
  #current: Job | undefined;
  /** A body is being written and the socket has not taken all of it. */
  #flushing = false;
  #needsReset = false;
  #closing = false;
  /** The server has ended the session with 421: it has not looked at the messages behind that reply. */
  #disconnected = false;
  /** The connection was ended because the server answers nothing, whatever the message. */
  #unanswered = false;
  #resolveClosed: (why: string) => void = () => {};

  constructor(channel: Channel, capabilities: Capabilities, notes: readonly string[]) {
    this.#channel = channel;
    this.capabilities = capabilities;
    this.tls = channel.tls;
    this.notes = notes;
    this.closed = new Promise((resolve) => {
      this.#resolveClosed = resolve;
    });
    channel.onReply = (reply) => this.#onReply(reply);
    channel.onEnd = () => this.#onEnd();
    if (channel.ended) this.#onEnd();
  }

  /** Whether a send has a chance; false once either side has ended. */
  get usable(): boolean {
    return !this.#closing && !this.#channel.ended;
  }

  /** Queues a message. Rejects only with what `onDot` threw. */
  send(message: Message): Promise<Outcome> {
    return new Promise((resolve, reject) => {
      if (!this.usable) return resolve(untried(this.#channel.ended?.text ?? 'the connection is being closed'));
      const envelope = envelopeOf(message, this.capabilities);
      if ('kind' in envelope) return resolve(envelope);
      this.pending++;
      this.#queue.push({
        mailFrom: message.mailFrom,
        rcptTo: message.rcptTo,
        message: message.message,
        room: message.room ?? 0,
        onDot: () => message.onDot(),
        onTurn: () => message.onTurn?.(),
        turned: false,
        envelope,
        begun: false,
        addressed: false,
        dotted: false,
        done: false,
        resolve,
        reject,
      });
      this.#pump();
    });
  }

  /** The message that the server keeps waiting; `dotted` when it may have accepted it already. */
  get oldestInFlight(): { rcptTo: string; dotted: boolean } | undefined {
    const job = this.#awaited[0]?.job ?? this.#current;
    return job && { rcptTo: job.rcptTo, dotted: job.dotted };
  }

  /** When the present wait for the server began; undefined while the server takes a message, or nothing is in flight. */
  get waitsSince(): number | undefined {
    return this.pending === 0 || this.#flushing || this.#channel.ended ? undefined : this.#channel.waitsSince;
  }

  /** The server owes the reply to MAIL, which depends on no recipient. */
  get waitsAtMail(): boolean {
    const step = this.#awaited[0]?.step;
    return step === 'mail' || step === 'rset';
  }

  /** A message is being written, and the server reads it. */
  isRead(now: number, withinMs: number): boolean {
    return this.#flushing && now - this.#channel.waitsSince < withinMs;
  }

  /** Ends the wait of messages not written yet: they are untried and can go another way. */
  releaseQueued(): void {
    for (const job of this.#queue.splice(0)) this.#finish(job, untried('it was taken back before it was written'));
  }

  /**
   * The server answers nothing: messages whose final dot is not out count as untried. Those that may have been accepted keep
   * their connection, which takes no more.
   */
  withdraw(): void {
    this.releaseQueued();
    this.#closing = true;
    if (this.oldestInFlight?.dotted === false) {
      this.#unanswered = true;
      this.#channel.end('timeout', 'the server does not answer');
      return;
    }
    for (const { job } of this.#awaited)
      if (job && !job.dotted) this.#finish(job, untried('the server does not answer'));
  }

  /** Ends the connection because others wait for it; its oldest message counts as timed out. */
  giveUp(): void {
    this.#channel.end('timeout', 'other messages waited for this connection');
  }

  /** Finishes the queue, sends QUIT and waits briefly for the reply. */
  close(): Promise<string> {
    this.#closing = true;
    this.#pump();
    return this.closed;
  }

  /** Ends immediately; messages in flight are lost. */
  destroy(): void {
    this.#channel.end('closed', 'the connection was given up');
  }

  /** Writes the next envelope, or QUIT, if the protocol allows it now. */
  #pump(): void {
    if (this.#current || this.#channel.ended) return;
    const quiet = this.#awaited.length === 0;
    if (!quiet && !this.capabilities.pipelining) return;
    const job = this.#queue.shift();
    if (job) this.#channel.write(this.#begin(job));
    else if (this.#closing && quiet) {
      this.#awaited.push({ step: 'quit' });
      this.#channel.write('QUIT\r\n');
    } else return;
    if (quiet) this.#startClock();
  }

  /** The first text of a job: the whole command group if the server pipelines, else its first command. */
  #begin(job: Job): string {
    this.#current = job;
    const reset = this.#needsReset;
    this.#needsReset = false;
    const { mail, rcpt } = job.envelope;
    if (!this.capabilities.pipelining) {
      this.#awaited.push({ step: reset ? 'rset' : 'mail', job });
      return reset ? 'RSET\r\n' : mail;
    }
    if (reset) this.#awaited.push({ step: 'rset', job });
    this.#awaited.push({ step: 'mail', job }, { step: 'rcpt', job }, { step: 'data', job });
    return `${reset ? 'RSET\r\n' : ''}${mail}${rcpt}DATA\r\n`;
  }

  #onReply(reply: Reply): void {
    const head = this.#awaited.shift();
    if (!head) {
      this.#onUnexpectedReply(reply);
      return;
    }
    const { step, job } = head;
    if (step === 'quit') {
      this.#channel.end('closed', 'closed after QUIT');
      return;
    }
    const expected = step === 'data' ? reply.code === 354 : reply.code < 300;
    if (!expected && reply.code < 400) {
      this.#fail(head, 'garbage', `an unexpected ${reply.code} to ${step}`);
      return;
    }
    if (step === 'rset' && !expected && reply.code !== 421) {
      this.#fail(head, 'garbage', `the server refused RSET: ${reply.code}`);
      return;
    }
    if (job) this.#advance(job, step, reply, expected);
    if (this.#channel.ended) return;
    if (reply.code === 421) {
      this.#disconnected = true;
      this.#channel.end('closed', `the server ended the session: ${replied(reply, 'mail', false).text}`);
      return;
    }
    this.#pump();
    this.#startClock();
  }

  #advance(job: Job, step: Step, reply: Reply, expected: boolean): void {
    const stepwise = !this.capabilities.pipelining;
    if (step === 'dot') {
      const outcome = replied(reply, 'dot', true);
      this.#finish(job, this.#flushing ? { ...outcome, early: true } : outcome);
      return;
    }
    if (!expected) job.refused ??= replied(reply, stageOf[step], false);
    if (step === 'rset') {
      if (stepwise && expected) this.#command('mail', job, job.envelope.mail);
    } else if (step === 'mail') {
      job.begun = expected;
      if (stepwise && expected) this.#command('rcpt', job, job.envelope.rcpt);
    } else if (step === 'rcpt') {
      job.addressed = expected;
      if (stepwise && expected) this.#command('data', job, 'DATA\r\n');
    } else if (step === 'data' && expected) {
      if (job.done) {
        this.#channel.end('closed', 'closed before a message that was withdrawn');
        return;
      }
      if (!job.refused) {
        this.#writeBody(job, 0);
        return;
      }
      // The server accepted the recipient but not the sender: a dot now would deliver an empty message.
      if (job.addressed) {
        this.#fail({ step, job }, 'garbage', 'the server asks for the body of a message it refused');
        return;
      }
      this.#awaited.push({ step: 'lone' });
      this.#channel.write(finalDot);
    }
    if (job.refused && (stepwise || step === 'data')) this.#abandon(job, job.refused);
  }

  /** Ends a refused job; a transaction it left at the server is reset before the next one. */
  #abandon(job: Job, refused: Replied): void {
    this.#needsReset = job.begun;
    this.#current = undefined;
    this.#finish(job, refused);
  }

  #command(step: Step, job: Job, line: string): void {
    this.#awaited.push({ step, job });
    this.#channel.write(line);
  }

  /** Writes the body from `offset` on, and with its last piece the dot and the next job's envelope. */
  #writeBody(job: Job, offset: number): void {
    const { message, room } = job;
    this.#flushing = true;
    if (message.length - offset > pieceBytes) {
      this.#startClock();
      const end = offset + pieceBytes;
      this.#channel.writeThen(message.subarray(offset, end), () => this.#writeBody(job, end));
      return;
    }
    // The dot is confirmed when the socket can take it immediately, not while it would wait in our own queue.
    if (!this.#channel.drained) {
      this.#startClock();
      this.#channel.writeThen('', () => this.#writeBody(job, offset));
      return;
    }
    if (!this.#confirmDot(job)) return;
    this.#current = undefined;
    this.#awaited.push({ step: 'dot', job });
    const next = this.capabilities.pipelining ? this.#queue.shift() : undefined;
    const rest = offset === 0 ? message : message.subarray(offset);
    this.#channel.writeBoth(rest, room, next ? finalDot + this.#begin(next) : finalDot, this.#bodyWritten);
    this.#startClock();
  }

  readonly #bodyWritten = (): void => {
    this.#flushing = false;
    this.#startClock();
  };

  #confirmDot(job: Job): boolean {
    try {
      if (job.onDot()) {
        if (this.#channel.ended) return false;
        job.dotted = true;
        return true;
      }
      this.#finish(job, { kind: 'notSent' });
    } catch (error) {
      this.#finish(job, undefined, error);
    }
    this.#channel.end('closed', 'closed before a final dot that was not allowed');
    return false;
  }

  /** A reply to no command: the server ends the session, or refuses a body while it is being sent. */
  #onUnexpectedReply(reply: Reply): void {
    const outcome = replied(reply, 'data', false);
    if (this.#current && reply.code >= 400) this.#finish(this.#current, outcome);
    if (reply.code >= 400) this.#channel.end('closed', `the server ended the session: ${reply.code} ${outcome.text}`);
    else this.#channel.end('garbage', `an unexpected ${reply.code} to no command`);
  }

  #fail(head: Awaited, why: Lost['why'], text: string): void {
    this.#awaited.unshift(head);
    this.#channel.end(why, text);
  }

  /** Sets the deadline of the oldest reply owed, or of the piece of a body that the socket has not taken. */
  #startClock(): void {
    if (this.#channel.ended) return;
    const head = this.#awaited[0];
    if (head?.job && !head.job.turned) {
      head.job.turned = true;
      head.job.onTurn();
    }
    if (this.#flushing && (head === undefined || head.step === 'dot'))
      this.#channel.within(pieceMs, 'the server to read the message');
    else if (head === undefined) this.#channel.clearDeadline();
    else if (head.step === 'quit') this.#channel.within(quitMs, 'the reply to QUIT');
    else this.#channel.within(limitsMs[stageOf[head.step]], `the reply to ${head.step}`);
  }

  #finish(job: Job, outcome: Outcome | undefined, error?: unknown): void {
    if (job.done) return;
    job.done = true;
    this.pending--;
    if (outcome) job.resolve(outcome);
    else job.reject(error);
  }

  /** The channel has ended: every open job gets its outcome. */
  #onEnd(): void {
    const { why, text } = this.#channel.ended!;
    const lost = (job: Job, stage: Stage) =>
      this.#finish(job, job.refused ?? { kind: 'lost', stage, dotted: job.dotted, why, text });
    // Only the oldest message in flight can be the reason for the end.
    const oldest = this.#disconnected ? undefined : this.#awaited[0]?.job;
    if (this.#unanswered)
      for (const job of [...this.#awaited.map(({ job }) => job), this.#current])
        if (job && !job.dotted) this.#finish(job, untried(text));
    for (const { job, step } of this.#awaited.splice(0)) {
      if (!job) continue;
      const reached = job === oldest || job.begun || job.dotted || job.refused;
      if (reached) lost(job, stageOf[step]);
      else this.#finish(job, untried(text));
    }
    if (this.#current) lost(this.#current, 'data');
    this.#current = undefined;
    for (const job of this.#queue.splice(0)) this.#finish(job, untried(text));
    this.#resolveClosed(text);
  }
}

function untried(text: string): Lost {
  return { kind: 'lost', stage: 'mail', dotted: false, why: 'closed', text, untried: true };
}
