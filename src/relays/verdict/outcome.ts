// The outcome of a message given to a relay, as the SMTP session shows it. What it means for the recipient (retry, fail,
// unclear) is decided by verdict.ts.

/** The step whose reply came, or failed to come. `data` is the wait for 354 and the body after it. */
export const stages = ['connect', 'ehlo', 'starttls', 'auth', 'mail', 'rcpt', 'data', 'dot'] as const;
export type Stage = (typeof stages)[number];

export type Replied = {
  kind: 'reply';
  stage: Stage;
  code: number;
  /** RFC 3463, such as 5.1.1, if the reply has one. */
  enhanced?: string;
  text: string;
  /** Whether the final dot was written to the socket: only then can the server have accepted the message. */
  dotted: boolean;
  /** A reply of this program instead of the server's: the message cannot be sent there (size, alphabet, address). */
  local?: true;
  /** The server replied before it had read the whole message; the socket may still be reading our buffer. */
  early?: true;
};

export type Lost = {
  kind: 'lost';
  stage: Stage;
  dotted: boolean;
  why: 'closed' | 'reset' | 'timeout' | 'tls' | 'garbage' | 'too_long';
  text: string;
  /** Of Node.js, OpenSSL or the system, such as ECONNREFUSED; missing where this program ended the connection. */
  code?: string;
  /**
   * Not an attempt, since the server never processed it: nothing was sent, or only its envelope, behind a message that
   * ended the connection.
   */
  untried?: true;
};

/** The caller's `onDot` returned false; the server cannot have accepted the message. */
type NotSent = { kind: 'notSent' };

export type Outcome = Replied | Lost | NotSent;

/** Time limit for each complete reply, in milliseconds (RFC 5321 4.5.3.2; where it gives none, ours). */
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

/** Time limit for the TCP connection (RFC 5321 gives none). */
export const dialMs = 60_000;
/** Time limit for the socket to take a piece of the body (RFC 5321 4.5.3.2.5). */
export const pieceMs = 3 * 60_000;
export const handshakeMs = 60_000;
export const quitMs = 5_000;
