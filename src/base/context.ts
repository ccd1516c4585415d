// The first argument of every use case: the caller, the account, the transaction and the time.
// There are no globals: the parts of the running program are passed as `app`.
import type { Config } from '../config.ts';
import type { Database, Tx } from '../db/connect.ts';
import type { Standby } from '../db/standby/standby.ts';
import type { Log } from './log.ts';
import type { MessageLanguage } from './messages.ts';
import type { Outbound } from './outbound-client.ts';
import type { Permission, Role } from './permissions.ts';
import type { Telemetry } from './telemetry.ts';

/** The parts of a running program, created once by openApp. */
export type App = {
  config: Config;
  db: Database;
  /** Undefined without READ_DATABASE_URL, and in processes that answer no calls of others. */
  standby?: Standby | undefined;
  log: Log;
  /** The only way to an address that a user typed. */
  outbound: Outbound;
  /** The installation's secret (32 bytes), which never changes. */
  secret: Buffer;
  /** The secrets of the tokens in messages: the one that signs first, the oldest one last. */
  tokenSecrets: () => readonly string[];
  /** The URL that all public links begin with, without a trailing slash. It can change while the process runs. */
  baseUrl: string;
  /** The host in List-Id. Stays that of the first `baseUrl` with a domain name. */
  listIdHost: string;
  /** Undefined without OTEL_EXPORTER_OTLP_ENDPOINT. */
  telemetry?: Telemetry | undefined;
};

export const plans = ['free', 'pro'] as const;

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
  plan: (typeof plans)[number];
  addons: string[];
  active: boolean;
  maySend: boolean;
  /** What it sends stays in the built-in inbox. */
  isTest: boolean;
  settings: Record<string, unknown>;
  createdAt: Date;
};

/** What a method does: read; write (lists, contacts, drafts); send (start sending); admin (keys, users, account). */
export const scopes = ['read', 'write', 'send', 'admin'] as const;
export type Scope = (typeof scopes)[number];

/** The ways in by which a method is called. */
export const doors = ['xmlrpc', 'form', 'json', 'mcp', 'cli', 'web', 'smtp'] as const;
export type Door = (typeof doors)[number];

/** A key's own limits of calls; null: those of the installation, which only keys of the operator's account may exceed. */
export type KeyLimits = { perMinute: number | null; atOnce: number | null; mayExceed: boolean };

/** The caller. `permissions` is all that it may do, with what they include: of a key its own, of a user those of the membership. */
export type Caller = CallerKind & {
  /** The only lists that it sees and touches, which may be none; null for all. What that means for the database: src/db/narrowed. */
  lists: readonly number[] | null;
};

type CallerKind =
  | {
      kind: 'key';
      keyId: number;
      permissions: readonly Permission[];
      limits?: KeyLimits | undefined;
      /** What is sent by its calls stays in the built-in inbox. */
      isTest?: boolean | undefined;
      ip: string;
    }
  | {
      kind: 'user';
      userId: number;
      sessionId: number;
      /** Whether the user has entered the password again within the last minutes. */
      confirmed: boolean;
      role: Role;
      permissions: readonly Permission[];
      ip: string;
      /** Until when the operator acts in this account, which is not theirs. */
      actingUntil?: Date | undefined;
      /** Called with the new session token when a method renews it. */
      renewed: (token: string) => void;
    }
  | { kind: 'system'; permissions: readonly Permission[]; ip: string };

/** The context of a call or task within its transaction. */
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
  /** What the audit log keeps of the call besides names and ids of its parameters: never a content or a secret. */
  noted?: Map<string, string> | undefined;
  /** In calls through XML-RPC and forms, the doors of published clients of the API family. */
  published?: PublishedCall | undefined;
};

/** What a method does for published clients besides its work. */
export type PublishedCall = {
  /** The names among the values of contacts that are no field, and how many contacts had each. */
  ignored: Map<string, number>;
};

/** The context of network and file work before the transaction. */
export type PrepareContext = Omit<Context, 'tx' | 'now' | 'noted' | 'published'>;
