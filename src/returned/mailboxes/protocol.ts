// What IMAP and POP3 have in common: the settings of a mailbox, up to where it was read, its limits and its problems.

export type Mailbox = {
  account: number;
  id: number;
  protocol: 'imap' | 'pop3';
  host: string;
  port: number;
  security: 'tls' | 'starttls' | 'none';
  user: string;
  password: string;
  /** oauth: signed in to with an access token, and the password is empty. */
  auth?: 'password' | 'oauth';
  /** The present one. */
  token?: string;
  folder: string;
  remove: boolean;
  position: Position;
};

/**
 * IMAP: messages up to `uid` were read. POP3: the unique ids of messages that were read and are still there. Both: the messages
 * before that point that could not be read.
 */
export type Position = { validity?: string; uid?: number; seen?: string[]; missed?: Missed[] };

/** A message that could not be read. `id` is a UID or a unique id; `at` is the time of the last try. */
export type Missed = { id: string; tries: number; at: string; why: string };

/** Whether the message is to be deleted. */
export type Take = (raw: Buffer) => Promise<boolean>;

/** @property problem what did not work although the mailbox was read; '' if everything did */
export type Done = { position: Position; more: boolean; problem: string };

/** How a protocol reads: at most `max` new messages; with 0 it only opens the mailbox. */
export type Read = (server: Server, mailbox: Mailbox, take: Take, max: number, limits: Limits) => Promise<Done>;

/** The checked addresses of the server, and its name for the certificate. */
export type Server = { addresses: readonly string[]; port: number; servername?: string };

/** What is read of a message: bounce.ts reads no further. */
export const keptBytes = 1024 * 1024;

export type Limits = {
  /** From the first address to the open mailbox, whatever arrives meanwhile. */
  openMs: number;
  /** Without a byte. */
  silenceMs: number;
  /** From the open mailbox to the end of the reading, whatever arrives meanwhile. */
  readMs: number;
  /** After this time a reading begins no further message. */
  portionMs: number;
  /** Once this time has passed, a line or a message that arrives at less than `minBytesPerS` on average is given up. */
  slowAfterMs: number;
  minBytesPerS: number;
};

export const usualLimits: Limits = {
  openMs: 20_000,
  silenceMs: 20_000,
  readMs: 120_000,
  portionMs: 60_000,
  slowAfterMs: 5_000,
  minBytesPerS: 100,
};

/** An error whose message may be shown to the owner of the account. */
export class MailboxProblem extends Error {
  /** The settings may be right. */
  readonly mayPass: boolean;
  /** For the log only. */
  readonly detail: string;
  /** Messages that were read before it, which are read again: what they had as effect is not lost, but they are not deleted yet. */
  readBefore = 0;
  /** The server refuses the access token. */
  isRefusedToken = false;
  /** Where the next reading starts, if elsewhere than this one. */
  position: Position | undefined;

  constructor(message: string, mayPass = false, detail = '') {
    super(message);
    this.mayPass = mayPass;
    this.detail = detail;
  }
}

/** The one text for all failures before a greeting: no one learns from it what else listens at an address. */
export const notReached = (detail: string): MailboxProblem =>
  new MailboxProblem(
    'no connection: no mail server with this protocol and a valid certificate answers at this address and port',
    true,
    detail,
  );
