// One client's conversation with the sink: reads commands and bodies, consults the script, logs, answers.
import { createHash, createHmac } from 'node:crypto';
import type { Socket } from 'node:net';
import { createSecureContext, TLSSocket } from 'node:tls';
import { type Act, actFor, type Step } from './script.ts';

const none = Buffer.alloc(0);
const lineEnd = Buffer.from('\r\n');
const properEnd = Buffer.from('\r\n.\r\n');
const lenientEnds = ['\r\n.\r\n', '\n.\n', '\n.\r\n', '\r\n.\n', '\r.\r', '\r\n.\r', '\n.\r'].map((end) =>
  Buffer.from(end),
);
const challenge = '<1.2@sink.example>';

export type SinkOptions = {
  port?: number;
  /** Append-only JSON lines. Without it only `log`. */
  logFile?: string;
  /** false for long benches: keeps counts, not entries. */
  remember?: boolean;
  /** Log every step, not only the end of each message. */
  trace?: boolean;
  /** Keep the message's octets (Latin 1) in the log. */
  raw?: boolean;
  /** false spares the hash in benches. */
  hash?: boolean;
  /** Refuse with 550 what RFC 5321 forbids in a message (bare CR or LF, lines over 998); else it is only logged. */
  strict?: boolean;
  /** Take any lone dot between any line ends as the end, as servers open to smuggling do. */
  lenientEnd?: boolean;
  pipelining?: boolean;
  eightBit?: boolean;
  smtpUtf8?: boolean;
  chunking?: boolean;
  size?: number;
  /** false: EHLO is unknown, HELO works. */
  ehlo?: boolean;
  tls?: {
    key: string;
    cert: string;
    starttls?: boolean;
    implicit?: boolean;
    minVersion?: 'TLSv1';
    maxVersion?: 'TLSv1' | 'TLSv1.2';
  };
  /** `isValid` judges access tokens instead of the password, also of open sessions: 530 at MAIL when the token has ended. */
  auth?: {
    user: string;
    password: string;
    mechanisms?: string[];
    required?: boolean;
    isValid?: (token: string) => boolean;
  };
  session?: SessionScript;
  /** 1 greylist second lasts this many seconds. */
  timeScale?: number;
  /** Between the octets of a drip. */
  dripMs?: number;
  /** Whole replies that recipients can ask for by number, such as `421 4.7.0 Too many errors`. */
  says?: readonly string[];
};

/** What happens at the steps that know no recipient: '421', 'drop', 'stall' … */
export type SessionScript = Partial<Record<'connect' | 'ehlo' | 'starttls' | 'auth' | 'quit', string>>;

export type Entry = {
  /** discarded: its end came, but the sink neither took nor refused it. step: with `trace` only. */
  event: 'accepted' | 'refused' | 'discarded' | 'step';
  step: Step;
  connection: number;
  atMs: number;
  from?: string;
  to?: string;
  code?: number;
  messageId?: string;
  sha256?: string;
  size?: number;
  flaws?: string[];
  raw?: string;
};

export type Release = 'go' | 'drop' | 'rst';
/** What a session needs of the sink it belongs to. */
export type SinkFace = {
  /** The names clients gave in EHLO and HELO. */
  readonly greetings: string[];
  options: SinkOptions;
  /** Written to the file before the client gets its reply. */
  record(entry: Omit<Entry, 'atMs'>): void;
  /** Turns "the first three times" and greylisting into what happens this time. */
  resolve(act: Act, key: string): Act;
  scripted(step: keyof SessionScript): Act;
  /** When a test holds this step: resolves with how it goes on. */
  held(step: Step, connection: number, to: string | undefined): Promise<Release> | undefined;
};

export class Session {
  readonly #sink: SinkFace;
  readonly #number: number;
  #socket: Socket;
  #input: Buffer = none;
  #out = '';
  /** Waiting for a hold, for a delay or without end: input is kept, not read. */
  #busy = false;
  #inBody = false;
  #parts: Buffer[] = [];
  #partsLength = 0;
  /** The last octets before what comes next, to find an end that is split between two pieces. */
  #tail: Buffer = lineEnd;
  #halfSeen = false;
  #greeted = false;
  #authenticated = false;
  #token = '';
  #authStep: ((line: string) => void) | undefined;
  #from: string | undefined;
  #eightBit = false;
  #to: string[] = [];
  #flaws: string[] = [];

  constructor(sink: SinkFace, socket: Socket, number: number) {
    this.#sink = sink;
    this.#socket = socket;
    this.#number = number;
  }

  begin(): void {
    this.#listen();
    this.#answer('connect', this.#sink.scripted('connect'), '220 sink.example ESMTP');
    this.#flush();
  }

  #listen(): void {
    this.#socket.on('data', (chunk) => this.#read(chunk));
    this.#socket.on('error', () => this.#socket.destroy());
  }

  #read(chunk: Buffer): void {
    this.#input = this.#input.length === 0 ? chunk : Buffer.concat([this.#input, chunk]);
    this.#run();
  }

  #run(): void {
    while (!this.#busy && this.#input.length > 0) {
      if (this.#inBody) {
        if (!this.#readBody()) break;
      } else {
        const end = this.#input.indexOf(10);
        if (end < 0) break;
        const line = this.#input.toString('utf8', 0, end).replace(/\r$/, '');
        this.#input = this.#input.subarray(end + 1);
        if (this.#authStep) this.#authStep(line);
        else this.#command(line);
      }
    }
    this.#flush();
  }

  #command(line: string): void {
    const { options } = this.#sink;
    if (line.length > 510) this.#flaws.push('command over 512 octets');
    if (options.pipelining === false && this.#input.length > 0) this.#flaws.push('pipelined without leave');
    const verb = line.slice(0, 4).toUpperCase();
    if (verb === 'EHLO' || verb === 'HELO') this.#sink.greetings.push(line.slice(5));
    if (verb === 'EHLO' && options.ehlo !== false) this.#hello();
    else if (verb === 'HELO') {
      this.#greeted = true;
      this.#answer('ehlo', this.#sink.scripted('ehlo'), '250 sink.example');
    } else if (verb === 'STAR' && options.tls?.starttls) this.#startTls();
    else if (verb === 'AUTH' && options.auth) this.#auth(line);
    else if (verb === 'MAIL') this.#mail(line);
    else if (verb === 'RCPT') this.#rcpt(line);
    else if (verb === 'DATA') this.#data();
    else if (verb === 'RSET') {
      this.#reset();
      this.#out += '250 2.0.0 reset\r\n';
    } else if (verb === 'NOOP') this.#out += '250 2.0.0 ok\r\n';
    else if (verb === 'QUIT') {
      const act = this.#sink.scripted('quit');
      this.#answer('quit', act, '221 2.0.0 bye', () => this.#end());
    } else this.#out += '502 5.5.1 unknown command\r\n';
  }

  #hello(): void {
    const { options } = this.#sink;
    this.#greeted = true;
    this.#reset();
    const lines = ['sink.example'];
    if (options.pipelining !== false) lines.push('PIPELINING');
    if (options.eightBit !== false) lines.push('8BITMIME');
    if (options.smtpUtf8 !== false) lines.push('SMTPUTF8');
    if (options.chunking) lines.push('CHUNKING');
    if (options.size !== undefined) lines.push(`SIZE ${options.size}`);
    if (options.tls?.starttls && !('encrypted' in this.#socket)) lines.push('STARTTLS');
    if (options.auth)
      lines.push(
        `AUTH ${(options.auth.mechanisms ?? ['PLAIN', 'LOGIN', 'CRAM-MD5', 'XOAUTH2', 'OAUTHBEARER']).join(' ')}`,
      );
    lines.push('ENHANCEDSTATUSCODES');
    const text = lines.map((line, i) => `250${i === lines.length - 1 ? ' ' : '-'}${line}`).join('\r\n');
    this.#answer('ehlo', this.#sink.scripted('ehlo'), text);
  }

  #startTls(): void {
    const act = this.#sink.scripted('starttls');
    this.#answer('starttls', act, '220 2.0.0 go ahead', () => {
      const { key, cert, minVersion, maxVersion } = this.#sink.options.tls!;
      this.#flush();
      const plain = this.#socket;
      plain.removeAllListeners('data');
      const secureContext = createSecureContext({
        key,
        cert,
        ...(minVersion ? { minVersion, ciphers: 'ALL:@SECLEVEL=0' } : {}),
        ...(maxVersion ? { maxVersion } : {}),
      });
      this.#socket = new TLSSocket(plain, { isServer: true, secureContext });
      this.#input = none;
      this.#greeted = false;
      this.#listen();
    });
  }

  #auth(line: string): void {
    const [, mechanism = '', initial] = line.split(' ');
    const { user, password } = this.#sink.options.auth!;
    const judge = (right: boolean) => {
      this.#authStep = undefined;
      const scripted = this.#sink.scripted('auth');
      const act: Act = scripted.act === 'accept' && !right ? { act: 'reply', code: 535 } : scripted;
      if (act.act === 'accept') this.#authenticated = true;
      this.#answer('auth', act, '235 2.7.0 welcome');
    };
    const next = (prompt: string, step: (text: string) => void) => {
      this.#out += `334 ${Buffer.from(prompt).toString('base64')}\r\n`;
      this.#authStep = (answer) => step(answer === '*' ? '*' : Buffer.from(answer, 'base64').toString());
    };
    const given = initial === undefined ? '' : Buffer.from(initial, 'base64').toString();
    if (mechanism === 'PLAIN') judge(given === `\0${user}\0${password}`);
    else if (mechanism === 'LOGIN')
      next('Username:', (name) => next('Password:', (word) => judge(name === user && word === password)));
    else if (mechanism === 'CRAM-MD5')
      next(challenge, (text) =>
        judge(text === `${user} ${createHmac('md5', password).update(challenge).digest('hex')}`),
      );
    else if (mechanism === 'XOAUTH2' || mechanism === 'OAUTHBEARER') {
      const head = mechanism === 'XOAUTH2' ? `user=${user}` : `n,a=${user},`;
      const [, of, token = ''] = /^(.*?)\x01auth=Bearer ([^\x01]*)\x01\x01$/.exec(given) ?? [];
      const isRight = this.#sink.options.auth!.isValid?.(token) ?? token === password;
      this.#token = token;
      if (of === head && isRight) judge(true);
      else next('{"status":"401"}', () => judge(false));
    } else this.#out += '504 5.5.4 unknown mechanism\r\n';
  }

  #isSignedIn(): boolean {
    return this.#authenticated && this.#sink.options.auth?.isValid?.(this.#token) !== false;
  }

  #mail(line: string): void {
    const from = /^MAIL FROM:\s*<([^>]*)>/i.exec(line)?.[1];
    if (!this.#greeted || from === undefined || this.#from !== undefined)
      this.#out += from === undefined ? '501 5.5.4 which sender?\r\n' : '503 5.5.1 not now\r\n';
    else if (this.#sink.options.auth?.required && !this.#isSignedIn()) this.#out += '530 5.7.0 log in first\r\n';
    else {
      this.#eightBit = /\sBODY=8BITMIME/i.test(line);
      const behind = /^RCPT TO:\s*<([^>]*)>/i.exec(this.#input.toString('utf8', 0, 600))?.[1];
      const address = behind ?? from;
      const act = this.#sink.resolve(actFor(address, 'mail'), `mail ${address}`);
      if (accepts(act)) this.#from = from;
      else this.#note('mail', act, address);
      this.#answer('mail', act, '250 2.1.0 ok', undefined, address);
    }
  }

  #rcpt(line: string): void {
    const to = /^RCPT TO:\s*<([^>]*)>/i.exec(line)?.[1];
    if (this.#from === undefined || !to) {
      this.#out += to ? '503 5.5.1 not now\r\n' : '501 5.5.4 which recipient?\r\n';
      return;
    }
    const act = this.#sink.resolve(actFor(to, 'rcpt'), `rcpt ${this.#from} ${to}`);
    if (accepts(act)) this.#to.push(to);
    else this.#note('rcpt', act, to);
    this.#answer('rcpt', act, '250 2.1.5 ok', undefined, to);
  }

  #data(): void {
    const to = this.#to[0];
    if (to === undefined) {
      this.#out += '554 5.5.1 no valid recipients\r\n';
      return;
    }
    if (this.#input.length > 0) this.#flaws.push('did not wait for 354');
    const act = this.#sink.resolve(actFor(to, 'data'), `data ${to}`);
    if (!accepts(act)) this.#note('data', act, to);
    this.#answer(
      'data',
      act,
      '354 go ahead',
      () => {
        this.#inBody = true;
        this.#halfSeen = false;
        this.#parts = [];
        this.#partsLength = 0;
        this.#tail = lineEnd;
      },
      to,
    );
  }

  /** Takes the input into the body; false when the end has not come. */
  #readBody(): boolean {
    const to = this.#to[0]!;
    if (!this.#halfSeen) {
      this.#halfSeen = true;
      const act = actFor(to, 'half');
      const held = this.#isHeld('half', to);
      // A held body is not read on, so that a long one stays unfinished at its client.
      if (act.act === 'stall' || held) this.#socket.pause();
      if (act.act !== 'accept' || held) {
        if (act.act === 'refuse') this.#note('half', { act: 'reply', code: 452 }, to);
        this.#answer('half', act, '', undefined, to);
        return true;
      }
    }
    const joined = Buffer.concat([this.#tail, this.#input]);
    let at = -1;
    let length = properEnd.length;
    for (const end of this.#sink.options.lenientEnd ? lenientEnds : [properEnd]) {
      const found = joined.indexOf(end);
      if (found >= 0 && (at < 0 || found < at || (found === at && end.length > length))) {
        at = found;
        length = end.length;
      }
    }
    this.#parts.push(this.#input);
    const before = this.#partsLength - this.#tail.length;
    this.#partsLength += this.#input.length;
    if (at < 0) {
      this.#tail = joined.subarray(Math.max(0, joined.length - 4));
      this.#input = none;
      return false;
    }
    this.#input = joined.subarray(at + length);
    // The line end before the dot belongs to the message.
    const lead = joined[at] === 13 && joined[at + 1] === 10 ? 2 : 1;
    const whole = this.#parts.length === 1 ? this.#parts[0]! : Buffer.concat(this.#parts);
    this.#inBody = false;
    this.#dot(whole.subarray(0, Math.max(0, before + at + lead)), to);
    return true;
  }

  #dot(wire: Buffer, to: string): void {
    const { options } = this.#sink;
    const content = unstuffed(wire);
    this.#judge(wire);
    let act = this.#sink.resolve(actFor(to, 'dot'), `dot ${to}`);
    if (options.strict && this.#flaws.length > 0 && act.act === 'accept') act = { act: 'reply', code: 550 };
    const taken = accepts(act) || act.act === 'keep' || act.act === 'last';
    const code = this.#codeOf(act);
    for (const recipient of this.#to)
      this.#sink.record({
        event: taken ? 'accepted' : code === undefined ? 'discarded' : 'refused',
        step: 'dot',
        connection: this.#number,
        from: this.#from ?? '',
        to: recipient,
        ...(code === undefined ? {} : { code }),
        ...messageIdOf(content),
        ...(options.hash === false ? {} : { sha256: createHash('sha256').update(content).digest('hex') }),
        size: content.length,
        ...(this.#flaws.length > 0 ? { flaws: this.#flaws } : {}),
        ...(options.raw ? { raw: content.toString('latin1') } : {}),
      });
    this.#flaws = [];
    this.#reset();
    this.#answer('dot', act, '250 2.0.0 taken', undefined, to);
  }

  /** Notes what RFC 5321 forbids: 2.3.8 bare line ends, 4.5.3.1.6 long lines. */
  #judge(wire: Buffer): void {
    if (!this.#sink.options.strict) return;
    const text = wire.toString('latin1');
    if (/(^|[^\r])\n/.test(text)) this.#flaws.push('bare LF');
    if (/\r(?!\n)/.test(text)) this.#flaws.push('bare CR');
    // Lines a little under the limit would make a pattern of 999 octets start again at each octet.
    if (text.split(/[\r\n]/).some((line) => line.length > 998)) this.#flaws.push('line over 998');
    if (text.includes('\0')) this.#flaws.push('NUL');
    if (!this.#eightBit && /[\x80-\xff]/.test(text)) this.#flaws.push('8-bit without leave');
  }

  #codeOf(act: Act): number | undefined {
    if (act.act === 'say') return Number(this.#sink.options.says?.[act.nth]?.slice(0, 3));
    return act.act === 'reply' ? act.code : undefined;
  }

  #note(step: Step, act: Act, to: string): void {
    const code = this.#codeOf(act);
    this.#sink.record({
      event: code === undefined ? 'discarded' : 'refused',
      step,
      connection: this.#number,
      ...(this.#from === undefined ? {} : { from: this.#from }),
      to,
      ...(code === undefined ? {} : { code }),
    });
  }

  #held: Promise<'go' | 'drop' | 'rst'> | undefined;

  #isHeld(step: Step, to: string | undefined): boolean {
    this.#held ??= this.#sink.held(step, this.#number, to);
    return this.#held !== undefined;
  }

  /** Answers by script, once no test holds this step. `then` follows a positive answer. */
  #answer(step: Step, act: Act, positive: string, then?: () => void, to?: string): void {
    this.#sink.record({ event: 'step', step, connection: this.#number, ...(to === undefined ? {} : { to }) });
    this.#isHeld(step, to);
    const held = this.#held;
    this.#held = undefined;
    if (!held) {
      this.#perform(step, act, positive, then);
      return;
    }
    this.#busy = true;
    this.#flush();
    held.then((how) => {
      this.#busy = false;
      if (step === 'half') this.#socket.resume();
      this.#perform(step, how === 'go' ? act : { act: how }, positive, then);
      this.#run();
    });
  }

  #perform(step: Step, act: Act, positive: string, then: (() => void) | undefined): void {
    const say = positive === '' ? '' : `${positive}\r\n`;
    switch (act.act) {
      case 'reply': {
        this.#out += `${act.code} ${Math.floor(act.code / 100)}.${scriptedWords(step, act.code)}\r\n`;
        if (act.code === 421) this.#end();
        else if (act.code < 400) then?.();
        return;
      }
      case 'say': {
        const said = this.#sink.options.says?.[act.nth] ?? '';
        this.#out += `${said.replaceAll('\n', '\r\n')}\r\n`;
        if (said.startsWith('421')) this.#end();
        return;
      }
      case 'refuse':
        this.#out += '452 4.3.1 out of space\r\n';
        this.#end();
        return;
      case 'drop':
      case 'keep':
        this.#end();
        return;
      case 'last':
        this.#out += say;
        this.#end();
        return;
      case 'rst':
        this.#busy = true;
        this.#flush();
        this.#socket.resetAndDestroy();
        return;
      case 'stall':
        this.#busy = true;
        return;
      case 'noeol':
        this.#out += positive;
        this.#busy = true;
        return;
      case 'garbage':
        this.#out += 'what would you like?\r\n';
        return;
      case 'nul':
        this.#out += `${positive.slice(0, 4)}o\0k\r\n`;
        then?.();
        return;
      case 'long':
        this.#out += `${positive.slice(0, 4)}${'x'.repeat(2_000_000)}\r\n`;
        then?.();
        return;
      case 'multi':
        this.#out += [1, 2, 3, 4].map((n) => `${positive.slice(0, 3)}-line ${n}\r\n`).join('') + say;
        then?.();
        return;
      case 'delay':
        this.#later(act.ms, () => {
          this.#out += say;
          then?.();
        });
        return;
      case 'endless':
        this.#repeat(1, () => `${positive.slice(0, 3)}-and more\r\n`.repeat(20));
        return;
      case 'drip': {
        let at = 0;
        this.#repeat(this.#sink.options.dripMs ?? 1000, () => {
          if (at === say.length) then?.();
          return say[at++];
        });
        return;
      }
      default:
        this.#out += say;
        then?.();
    }
  }

  #later(ms: number, then: () => void): void {
    this.#busy = true;
    this.#flush();
    setTimeout(() => {
      this.#busy = false;
      then();
      this.#run();
    }, ms);
  }

  /** Writes what `next` gives until it gives nothing or the client has gone. */
  #repeat(everyMs: number, next: () => string | undefined): void {
    this.#busy = true;
    this.#flush();
    const timer = setInterval(() => {
      const text = this.#socket.destroyed ? undefined : next();
      if (text !== undefined) {
        this.#socket.write(text);
        return;
      }
      clearInterval(timer);
      this.#busy = false;
      if (!this.#socket.destroyed) this.#run();
    }, everyMs);
  }

  #flush(): void {
    if (this.#out === '' || this.#socket.destroyed) return;
    this.#socket.write(this.#out);
    this.#out = '';
  }

  #end(): void {
    this.#busy = true;
    this.#flush();
    this.#socket.end();
    // The client's bytes still on their way must be read, or the kernel would answer them with a reset.
    this.#socket.resume();
  }

  #reset(): void {
    this.#from = undefined;
    this.#eightBit = false;
    this.#to = [];
  }
}

/** In words that the rules know, so that each code has its plain meaning; other words are for `says`. */
function scriptedWords(step: Step, code: number): string {
  if (step === 'rcpt') return '1.1 scripted: user unknown';
  if (step === 'mail') return '7.1 scripted';
  // Words that are about the recipient: unknown ones may be about the relay.
  return code >= 500 ? '7.1 scripted: blocked' : '7.1 scripted: greylisted';
}

function accepts(act: Act): boolean {
  return (
    ['accept', 'delay', 'multi', 'drip', 'nul', 'long', 'noeol'].includes(act.act) ||
    (act.act === 'reply' && act.code < 400)
  );
}

function messageIdOf(content: Buffer): { messageId?: string } {
  const head = content.toString('latin1', 0, Math.min(content.length, 16_384));
  const found = /^message-id:\s*(\S+)/im.exec(head.slice(0, head.indexOf('\r\n\r\n') + 1 || undefined))?.[1];
  return found === undefined ? {} : { messageId: found };
}

function unstuffed(wire: Buffer): Buffer {
  if (wire[0] !== 46 && !wire.includes('\n.')) return wire;
  return Buffer.from(wire.toString('latin1').replace(/(^|\n)\./g, '$1'), 'latin1');
}
