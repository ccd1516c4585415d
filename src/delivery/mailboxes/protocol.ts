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
  folder: string;
  remove: boolean;
  position: Position;
};

/** IMAP: messages up to `uid` were read. POP3: the unique ids of messages that were read and are still there. */
export type Position = { validity?: string; uid?: number; seen?: string[] };

/** Whether the message is to be deleted. */
export type Take = (raw: Buffer) => Promise<boolean>;

/** How a protocol reads: at most `max` new messages. @returns the new position, and whether there may be more */
export type Read = (
  server: Server,
  mailbox: Mailbox,
  take: Take,
  max: number,
) => Promise<{ position: Position; more: boolean }>;

/** The checked address of the server, and its name for the certificate. */
export type Server = { address: string; port: number; servername?: string };

/** What is read of a message: bounce.ts reads no further. */
export const keptBytes = 1024 * 1024;
export const timeoutMs = 20_000;

/** An error whose message may be shown to the owner of the account. */
export class MailboxProblem extends Error {
  /** The server cannot be reached, so the settings may be right. */
  readonly mayPass: boolean;

  constructor(message: string, mayPass = false) {
    super(message);
    this.mayPass = mayPass;
  }
}
