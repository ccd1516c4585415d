// One SMTP connection that gives a relay mail after mail, several under way at once (RFC 5321, RFC 2920).
// Promises an outcome for every send, whatever the server does; that `onDot` comes before every final dot and no dot
// follows its refusal; and that no message's end is sent unless the server has said 354 to it.
// Which message, when, and what an outcome means is left to the callers.
import { Channel } from './channel.ts';
import { type Envelope, envelopeOf, type Message } from './envelope.ts';
import { type Capabilities, greet } from './greeting.ts';
import { type Lost, limitsMs, type Outcome, pieceMs, quitMs, type Replied, type Stage } from './outcome.ts';
import type { Relay } from './relay.ts';
import { type Reply, replied } from './replies.ts';

export type { Message } from './envelope.ts';
export type { Outcome } from './outcome.ts';

export type ConnectionOptions = {
  /** Our name, as the receiving server can look it up. */
  ehloName: string;
  /** Shrinks every waiting limit, for tests. */
  timeScale?: number;
  /** Certificates to trust instead of the system's. */
  ca?: string | Buffer;
};

export type Opened = { ok: true; connection: Connection } | { ok: false; outcome: Replied | Lost };

export type Connection = {
  /** Sends may be queued; each is resolved with its own outcome. Rejects only with what `onDot` threw. */
  send(message: Message): Promise<Outcome>;
  /** Whether a send has a chance; false once the server or we have ended. */
  readonly usable: boolean;
  /** Sends without an outcome yet. */
  readonly pending: number;
  readonly capabilities: Capabilities;
  /** The TLS version, or undefined for plain text. */
  readonly encrypted: string | undefined;
  /** What the operator may want to know of this connection, such as a certificate not valid. */
  readonly notes: readonly string[];
  /** Resolves when the connection has ended, with the reason. */
  readonly closed: Promise<string>;
  /** The mail that the server has been told of and keeps waiting; `dotted` when it may have taken it already. */
  readonly foremost: { rcptTo: string; dotted: boolean } | undefined;
  /** Ends the wait of those that the server has not been told of: they are untried, and can go another way. */
  giveBackQueued(): void;
  /** Ends the connection because others wait for it; the foremost mail counts as one that timed out. */
  giveUp(): void;
  /** Lets what is queued finish, says QUIT, waits shortly for the answer. */
  close(): Promise<string>;
  /** Ends at once; what is under way is lost. */
  destroy(): void;
};

/** Connects, greets, turns TLS on and authenticates as the relay asks for. */
export async function openConnection(relay: Relay, options: ConnectionOptions): Promise<Opened> {
  if (!/^[A-Za-z0-9._:[\]-]{1,255}$/.test(options.ehloName))
    throw new Error(`${options.ehloName} is no name to say in EHLO`);
  const notes: string[] = [];
  for (let tryTls = true; ; tryTls = false) {
    const channel = new Channel(relay, {
      timeScale: options.timeScale ?? 1,
      ...(options.ca ? { ca: options.ca } : {}),
    });
    await channel.ready();
    if (channel.ended)
      return { ok: false, outcome: { kind: 'lost', stage: 'connect', dotted: false, ...channel.ended } };
    const greeted = await greet(channel, relay, options.ehloName, tryTls);
    if (greeted.ok) {
      if (relay.tls !== 'none' && !channel.encrypted) notes.push('without TLS');
      if (channel.certificateFlaw) notes.push(`certificate not valid: ${channel.certificateFlaw}`);
      return { ok: true, connection: new Conversation(channel, greeted.capabilities, notes) };
    }
    channel.end('closed', 'given up');
    if (!greeted.plainAgain || !tryTls) return { ok: false, outcome: greeted.outcome };
    notes.push(`TLS failed: ${'text' in greeted.outcome ? greeted.outcome.text : ''}`);
  }
}

type Job = Message & {
  envelope: Envelope;
  onTurn(): void;
  turned: boolean;
  /** Sender or recipient were refused while later commands of the group were under way already. */
  refused?: Replied;
  /** MAIL was taken: the server holds a transaction. */
  begun: boolean;
  /** RCPT was taken: a final dot would be delivered. */
  addressed: boolean;
  dotted: boolean;
  done: boolean;
  settle(outcome: Outcome): void;
  fail(error: unknown): void;
};

/** `lone` is the end of a message without recipients (RFC 2920 3.1), which carries nothing. */
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

/** Bodies longer than this go piece by piece, so that a slow reader is noticed and the dot is decided late. */
const pieceBytes = 65_536;
const finalDot = '.\r\n';

class Conversation implements Connection {
  readonly capabilities: Capabilities;
  readonly encrypted: string | undefined;
  readonly notes: readonly string[];
  readonly closed: Promise<string>;
  pending = 0;
  readonly #channel: Channel;
  readonly #queue: Job[] = [];
  /** Replies that the server owes us, oldest first. */
  readonly #awaited: Awaited[] = [];
  /** The job between its MAIL and its final dot; nothing of another one may be written meanwhile. */
  #current: Job | undefined;
  /** A body is on its way and the socket has not taken all of it. */
  #flushing = false;
  #needsReset = false;
  #closing = false;
  /** The server has answered a mail with 421: what stands behind that mail was not looked at. */
  #dismissed = false;
  #settleClosed: (why: string) => void = () => {};

  constructor(channel: Channel, capabilities: Capabilities, notes: readonly string[]) {
    this.#channel = channel;
    this.capabilities = capabilities;
    this.encrypted = channel.encrypted;
    this.notes = notes;
    this.closed = new Promise((resolve) => {
      this.#settleClosed = resolve;
    });
    channel.onReply = (reply) => this.#heard(reply);
    channel.onEnd = () => this.#finish();
    if (channel.ended) this.#finish();
  }

  get usable(): boolean {
    return !this.#closing && !this.#channel.ended;
  }

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
        onDot: () => message.onDot(),
        onTurn: () => message.onTurn?.(),
        turned: false,
        envelope,
        begun: false,
        addressed: false,
        dotted: false,
        done: false,
        settle: resolve,
        fail: reject,
      });
      this.#pump();
    });
  }

  get foremost(): { rcptTo: string; dotted: boolean } | undefined {
    const job = this.#awaited[0]?.job ?? this.#current;
    return job && { rcptTo: job.rcptTo, dotted: job.dotted };
  }

  giveBackQueued(): void {
    for (const job of this.#queue.splice(0)) this.#settle(job, untried('the server keeps the mail before it waiting'));
  }

  giveUp(): void {
    this.#channel.end('timeout', 'others waited for this connection');
  }

  close(): Promise<string> {
    this.#closing = true;
    this.#pump();
    return this.closed;
  }

  destroy(): void {
    this.#channel.end('closed', 'the connection was given up');
  }

  /** Writes the next envelope, or QUIT, where the order of things allows it. */
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
    if (quiet) this.#watch();
  }

  /** The text that begins a job: the whole group where the server takes groups, else its first command. */
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

  #heard(reply: Reply): void {
    const head = this.#awaited.shift();
    if (!head) {
      this.#unasked(reply);
      return;
    }
    const { step, job } = head;
    if (step === 'quit') {
      this.#channel.end('closed', 'closed after QUIT');
      return;
    }
    const expected = step === 'data' ? reply.code === 354 : reply.code < 300;
    if (!expected && reply.code < 400) {
      this.#broken(head, 'garbage', `an unexpected ${reply.code} to ${step}`);
      return;
    }
    if (step === 'rset' && !expected && reply.code !== 421) {
      this.#broken(head, 'garbage', `the server refused RSET: ${reply.code}`);
      return;
    }
    if (job) this.#advance(job, step, reply, expected);
    if (this.#channel.ended) return;
    if (reply.code === 421) {
      this.#dismissed = true;
      this.#channel.end('closed', `the server ended the session: ${replied(reply, 'mail', false).text}`);
      return;
    }
    this.#pump();
    this.#watch();
  }

  #advance(job: Job, step: Step, reply: Reply, expected: boolean): void {
    const stepwise = !this.capabilities.pipelining;
    if (step === 'dot') {
      const said = replied(reply, 'dot', true);
      this.#settle(job, this.#flushing ? { ...said, early: true } : said);
      return;
    }
    if (!expected) job.refused ??= replied(reply, stageOf[step], false);
    if (step === 'rset') {
      if (stepwise && expected) this.#ask('mail', job, job.envelope.mail);
    } else if (step === 'mail') {
      job.begun = expected;
      if (stepwise && expected) this.#ask('rcpt', job, job.envelope.rcpt);
    } else if (step === 'rcpt') {
      job.addressed = expected;
      if (stepwise && expected) this.#ask('data', job, 'DATA\r\n');
    } else if (step === 'data' && expected) {
      if (!job.refused) {
        this.#body(job, 0);
        return;
      }
      // A dot now would deliver an empty mail to somebody, when the server took the recipient but not the sender.
      if (job.addressed) {
        this.#broken({ step, job }, 'garbage', 'the server wants the body of a mail it refused');
        return;
      }
      this.#awaited.push({ step: 'lone' });
      this.#channel.write(finalDot);
    }
    if (job.refused && (stepwise || step === 'data')) this.#abandon(job, job.refused);
  }

  /** The refused job is over; what it left at the server is cleared before the next one. */
  #abandon(job: Job, refused: Replied): void {
    this.#needsReset = job.begun;
    this.#current = undefined;
    this.#settle(job, refused);
  }

  #ask(step: Step, job: Job, line: string): void {
    this.#awaited.push({ step, job });
    this.#channel.write(line);
  }

  /** Sends the body from `offset` on, and with its last piece the dot and the next job's envelope. */
  #body(job: Job, offset: number): void {
    const { message } = job;
    this.#flushing = true;
    if (message.length - offset > pieceBytes) {
      this.#watch();
      const end = offset + pieceBytes;
      this.#channel.writeThen(message.subarray(offset, end), () => this.#body(job, end));
      return;
    }
    // The dot is decided when the socket can take it at once, not while it would wait in a queue of ours.
    if (!this.#channel.drained) {
      this.#watch();
      this.#channel.writeThen('', () => this.#body(job, offset));
      return;
    }
    if (!this.#mayEnd(job)) return;
    this.#current = undefined;
    this.#awaited.push({ step: 'dot', job });
    const next = this.capabilities.pipelining ? this.#queue.shift() : undefined;
    const rest = offset === 0 ? message : message.subarray(offset);
    this.#channel.writeBoth(rest, next ? finalDot + this.#begin(next) : finalDot, this.#taken);
    this.#watch();
  }

  readonly #taken = (): void => {
    this.#flushing = false;
    this.#watch();
  };

  #mayEnd(job: Job): boolean {
    try {
      if (job.onDot()) {
        if (this.#channel.ended) return false;
        job.dotted = true;
        return true;
      }
      this.#settle(job, { kind: 'withheld' });
    } catch (error) {
      this.#settle(job, undefined, error);
    }
    this.#channel.end('closed', 'closed before a final dot that was withheld');
    return false;
  }

  /** A reply nobody asked for: a farewell, or a refusal in the midst of a body. */
  #unasked(reply: Reply): void {
    const said = replied(reply, 'data', false);
    if (this.#current && reply.code >= 400) this.#settle(this.#current, said);
    if (reply.code >= 400) this.#channel.end('closed', `the server ended the session: ${reply.code} ${said.text}`);
    else this.#channel.end('garbage', `a ${reply.code} that nobody asked for`);
  }

  #broken(head: Awaited, why: Lost['why'], text: string): void {
    this.#awaited.unshift(head);
    this.#channel.end(why, text);
  }

  /** The clock runs for the oldest reply owed, or for the piece of a body that the socket has not taken. */
  #watch(): void {
    if (this.#channel.ended) return;
    const head = this.#awaited[0];
    if (head?.job && !head.job.turned) {
      head.job.turned = true;
      head.job.onTurn();
    }
    if (this.#flushing && (head === undefined || head.step === 'dot'))
      this.#channel.within(pieceMs, 'the server to read the message');
    else if (head === undefined) this.#channel.unhurried();
    else if (head.step === 'quit') this.#channel.within(quitMs, 'the reply to QUIT');
    else this.#channel.within(limitsMs[stageOf[head.step]], `the reply to ${head.step}`);
  }

  #settle(job: Job, outcome: Outcome | undefined, error?: unknown): void {
    if (job.done) return;
    job.done = true;
    this.pending--;
    if (outcome) job.settle(outcome);
    else job.fail(error);
  }

  /** Nothing more can be said or heard: everything open gets the outcome it stands at. */
  #finish(): void {
    const { why, text } = this.#channel.ended!;
    const lost = (job: Job, stage: Stage) =>
      this.#settle(job, job.refused ?? { kind: 'lost', stage, dotted: job.dotted, why, text });
    // Of the mails under way only the foremost can be why it ended.
    const foremost = this.#dismissed ? undefined : this.#awaited[0]?.job;
    for (const { job, step } of this.#awaited.splice(0)) {
      if (!job) continue;
      const reached = job === foremost || job.begun || job.dotted || job.refused;
      if (reached) lost(job, stageOf[step]);
      else this.#settle(job, untried(text));
    }
    if (this.#current) lost(this.#current, 'data');
    this.#current = undefined;
    for (const job of this.#queue.splice(0)) this.#settle(job, untried(text));
    this.#settleClosed(text);
  }
}

function untried(text: string): Lost {
  return { kind: 'lost', stage: 'mail', dotted: false, why: 'closed', text, untried: true };
}
