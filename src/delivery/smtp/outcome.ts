// What can become of a message given to a relay, as far as the conversation tells. What to do about it (try later,
// give up, ask nobody) is decided by verdict.ts.

/** The step of the conversation whose reply came, or did not come. `data` is the wait for 354 and the body after it. */
export type Stage = 'connect' | 'ehlo' | 'starttls' | 'auth' | 'mail' | 'rcpt' | 'data' | 'dot';

export type Replied = {
  kind: 'reply';
  stage: Stage;
  code: number;
  /** RFC 3463, such as 5.1.1, where the reply carries one. */
  enhanced?: string;
  text: string;
  /** Whether the final dot had been given to the socket: only then can the server have taken the message. */
  dotted: boolean;
  /** Said by this program instead of the server: the message cannot go this way (size, alphabet, address). */
  local?: true;
  /** The server answered before it had read the message to its end; the socket may still be reading our memory. */
  early?: true;
};

export type Lost = {
  kind: 'lost';
  stage: Stage;
  dotted: boolean;
  why: 'closed' | 'reset' | 'timeout' | 'tls' | 'garbage' | 'too_long';
  text: string;
  /**
   * The server never came to it, so this was not an attempt: nothing of it was sent, or only its envelope, behind a mail
   * that ended the connection.
   */
  untried?: true;
};

/** The caller's `onDot` said no; the server cannot have taken the message. */
export type Withheld = { kind: 'withheld' };

export type Outcome = Replied | Lost | Withheld;

/** How long each reply may take in full, in milliseconds (RFC 5321 4.5.3.2; where it is silent, ours). */
export const limitsMs = {
  connect: 5 * 60_000,
  ehlo: 5 * 60_000,
  starttls: 2 * 60_000,
  auth: 2 * 60_000,
  mail: 5 * 60_000,
  rcpt: 5 * 60_000,
  data: 2 * 60_000,
  dot: 10 * 60_000,
} as const satisfies Record<Stage, number>;

/** A TCP connection that is not there by then is tried again later (RFC 5321 is silent). */
export const dialMs = 60_000;
/** For a piece of the body to be taken by the socket (RFC 5321 4.5.3.2.5). */
export const pieceMs = 3 * 60_000;
export const handshakeMs = 60_000;
export const quitMs = 5_000;
