// What every use case is given as its first argument: who asks, on whose behalf, in which transaction, at what time.
// No globals: the parts of the running program travel as `app`.
import type { Config } from '../config.ts';
import type { Database, Tx } from '../db/connect.ts';
import type { Log } from './log.ts';
import type { MessageLanguage } from './messages.ts';
import type { Outbound } from './outbound/outbound.ts';

/** The running program's parts, made once in main.ts. */
export type App = {
  config: Config;
  db: Database;
  log: Log;
  /** The only way to an address that a user typed. */
  outbound: Outbound;
  /** The installation's secret for signed tokens (32 bytes). */
  secret: Buffer;
  /** The address all public links begin with, without a slash at its end. */
  baseUrl: string;
};

export type Account = {
  id: number;
  name: string;
  email: string;
  company: string;
  postalAddress: string;
  phone: string;
  website: string;
  language: string;
  timeZone: string;
  plan: 'free' | 'pro';
  addons: string[];
  active: boolean;
  maySend: boolean;
  settings: Record<string, unknown>;
  createdAt: Date;
};

export type Role = 'owner' | 'editor' | 'viewer';

/** What a caller may do: read; write (change lists, contacts, drafts); send (make mail leave); admin (keys, users, account). */
export type Scope = 'read' | 'write' | 'send' | 'admin';

/** Who makes the call. A key carries a scope of its own; a user has the role of the membership. */
export type Caller =
  | { kind: 'key'; keyId: number; scopes: Scope[]; ip: string }
  | {
      kind: 'user';
      userId: number;
      sessionId: number;
      role: Role;
      scopes: Scope[];
      ip: string;
      /** Told the new token of the session, when a method gives it one. */
      renewed: (token: string) => void;
    }
  | { kind: 'system'; scopes: Scope[]; ip: string };

/** The context of one call or task, inside its transaction. */
export type Context = {
  app: App;
  account: Account;
  caller: Caller;
  tx: Tx;
  /** The database's clock at the start of the transaction. */
  now: Date;
  log: Log;
  requestId: string;
  /** The language of messages in the answer: English for programs, the user's choice on our own pages. */
  language: MessageLanguage;
};

/** The context of the part of a call that does network or file work before the transaction. */
export type PrepareContext = Omit<Context, 'tx' | 'now'>;
