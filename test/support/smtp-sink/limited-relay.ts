// An SMTP relay with limits, written by the test: `judge` is asked before each reply and may refuse, close or stay silent. Keeps
// what it accepted and every connection, which is what tests about limits compare.
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

export type RelayStep = 'connect' | 'ehlo' | 'mail' | 'rcpt' | 'data' | 'dot';

export type RelaySession = {
  number: number;
  /** Messages accepted in this session. */
  accepted: number;
  /** MAIL commands of this session. */
  mailCommands: number;
  /** The recipient of the message in progress. */
  to: string;
};

/** A reply line, which ends the session if `closes`; `silent` never replies again; undefined is the usual reply. */
export type Judgement = { reply?: string; closes?: boolean; silent?: boolean } | undefined;

export type LimitedRelayOptions = {
  judge?(step: RelayStep, session: RelaySession, relay: LimitedRelay): Judgement;
  /** Before the banner. */
  greetMs?: number;
  /** Before each other reply. */
  replyMs?: number;
  /** Ends a session right after so many acceptances. */
  closesAfter?: number;
  /** Ends a session with 421, or without a word, after so long without a command. */
  idleMs?: number;
};

export class LimitedRelay {
  readonly options: LimitedRelayOptions;
  readonly accepted: { to: string; atMs: number; session: number }[] = [];
  readonly refused: { step: RelayStep; reply: string; to: string; atMs: number }[] = [];
  readonly #sockets = new Set<Socket>();
  readonly #server = createServer((socket) => void this.#serve(socket));
  /** Connections since the start. */
  connections = 0;
  maxOpen = 0;
  quits = 0;
  /** Sessions that closed without QUIT of the client. */
  port = 0;

  private constructor(options: LimitedRelayOptions) {
    this.options = options;
  }

  static async start(options: LimitedRelayOptions = {}): Promise<LimitedRelay> {
    const relay = new LimitedRelay(options);
    await new Promise<void>((resolve) => relay.#server.listen(0, '127.0.0.1', resolve));
    relay.port = (relay.#server.address() as AddressInfo).port;
    return relay;
  }

  get open(): number {
    return this.#sockets.size;
  }

  /** How often each recipient's message was accepted. */
  get copies(): Map<string, number> {
    const copies = new Map<string, number>();
    for (const { to } of this.accepted) copies.set(to, (copies.get(to) ?? 0) + 1);
    return copies;
  }

  url(query = ''): string {
    return `smtp://127.0.0.1:${this.port}?tls=none${query}`;
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #serve(socket: Socket): Promise<void> {
    const session: RelaySession = { number: this.connections++, accepted: 0, mailCommands: 0, to: '' };
    this.#sockets.add(socket);
    this.maxOpen = Math.max(this.maxOpen, this.#sockets.size);
    socket.setNoDelay(true);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => this.#sockets.delete(socket));
    if (this.options.idleMs !== undefined) socket.setTimeout(this.options.idleMs, () => socket.end());
    const lines = linesOf(socket);
    try {
      await sleep(this.options.greetMs ?? 0);
      if (!(await this.#reply(socket, session, 'connect', '220 relay.example ESMTP'))) return;
      for await (const line of lines) if (!(await this.#command(socket, session, lines, line))) return;
    } catch {
      // The client has gone.
    }
    socket.end();
  }

  async #command(
    socket: Socket,
    session: RelaySession,
    lines: AsyncGenerator<string, void>,
    line: string,
  ): Promise<boolean> {
    const verb = line.slice(0, 4).toUpperCase();
    if (this.options.replyMs) await sleep(this.options.replyMs);
    if (verb === 'EHLO')
      return this.#reply(socket, session, 'ehlo', '250-relay.example\r\n250-PIPELINING\r\n250 8BITMIME');
    if (verb === 'MAIL') {
      session.mailCommands += 1;
      session.to = '';
      return this.#reply(socket, session, 'mail', '250 2.1.0 ok');
    }
    if (verb === 'RCPT') {
      session.to = /<(.*?)>/.exec(line)?.[1] ?? '';
      const before = this.refused.length;
      const goesOn = await this.#reply(socket, session, 'rcpt', '250 2.1.5 ok');
      if (this.refused.length > before) session.to = '';
      return goesOn;
    }
    if (verb === 'DATA') {
      if (session.to === '') return this.#say(socket, '503 5.5.1 no recipients');
      const before = this.refused.length;
      const goesOn = await this.#reply(socket, session, 'data', '354 go ahead');
      if (!goesOn || this.refused.length > before) return goesOn;
      for (let next = await lines.next(); next.value !== '.'; next = await lines.next()) if (next.done) return false;
      if (this.options.replyMs) await sleep(this.options.replyMs);
      return this.#reply(socket, session, 'dot', '250 2.0.0 ok');
    }
    if (verb === 'QUIT') {
      this.quits += 1;
      this.#say(socket, '221 2.0.0 bye');
      socket.end();
      return false;
    }
    return this.#say(socket, '250 2.0.0 ok');
  }

  /** @returns false when the session is over */
  async #reply(socket: Socket, session: RelaySession, step: RelayStep, usual: string): Promise<boolean> {
    const judged = this.options.judge?.(step, session, this);
    const atMs = performance.now();
    if (judged?.silent) {
      await new Promise((resolve) => socket.once('close', resolve));
      return false;
    }
    if (!judged || (judged.reply === undefined && !judged.closes)) {
      if (step === 'dot') {
        session.accepted += 1;
        this.accepted.push({ to: session.to, atMs, session: session.number });
      }
      this.#say(socket, usual);
      const isOver = step === 'dot' && session.accepted === this.options.closesAfter;
      if (isOver) socket.end();
      return !isOver;
    }
    this.refused.push({ step, reply: judged.reply ?? '', to: session.to, atMs });
    if (step === 'mail') session.to = '';
    if (judged.reply !== undefined) this.#say(socket, judged.reply);
    if (judged.closes) socket.end();
    return !judged.closes;
  }

  #say(socket: Socket, reply: string): boolean {
    socket.write(`${reply}\r\n`);
    return true;
  }
}

async function* linesOf(socket: Socket): AsyncGenerator<string, void> {
  let rest = '';
  for await (const chunk of socket) {
    rest += (chunk as Buffer).toString('latin1');
    for (let end = rest.indexOf('\r\n'); end >= 0; end = rest.indexOf('\r\n')) {
      yield rest.slice(0, end);
      rest = rest.slice(end + 2);
    }
  }
}
