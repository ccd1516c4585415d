// What a method is: one object that describes it completely. The XML-RPC, form and JSON doors, the introspection, the
// OpenAPI description, the reference pages, the command line and the typed client are derived from it.
import type { z } from 'zod';
import type { Account, App, Caller, Context, PrepareContext, Scope } from '../base/context.ts';
import type { FaultName } from '../base/faults.ts';
import type { Permission } from '../base/permissions.ts';
import type { Family } from './family.ts';

export type Method<
  P extends z.ZodType = z.ZodType,
  R extends z.ZodType = z.ZodType,
  N = unknown,
  Name extends string = string,
> = {
  /** The public name, camelCase, matched without regard to case. Never changes. */
  name: Name;
  /** The chapter of the reference that contains the method. */
  group:
    | 'campaigns'
    | 'recurring'
    | 'automations'
    | 'templates'
    | 'lists'
    | 'members'
    | 'contacts'
    | 'fields'
    | 'segments'
    | 'imports'
    | 'reports'
    | 'webhooks'
    | 'suppression'
    | 'account'
    | 'sign-in'
    | 'sending'
    | 'inbox'
    | 'labels'
    | 'messages';
  /** One sentence for lists of methods. */
  summary: string;
  /** Further details, if needed: units, defaults, what a repeated call does. Plain text. */
  description?: string;
  /** A struct made with params(…). */
  params: P;
  returns: R;
  /** What published clients of the API family send and read, where it differs. */
  family?: Family<z.output<R>>;
  /** The faults specific to it; those that any method can return (key, parameter, rate …) are not listed. */
  faults: readonly FaultName[];
  /** What it does. With the group it decides which permission it needs: src/accounts/keys/permissions.ts. */
  scope: Scope;
  /** The permission it needs instead, or several of which one is enough, where group and scope are not fine enough. */
  permission?: Permission | readonly Permission[];
  /** Whether it shows addresses of contacts, or takes some: it needs contacts:read too. A function: only calls with such parameters do. */
  addresses?: true | ((params: z.output<P>) => boolean);
  /** A call that works on a new account. The conformance test replaces `{{list}}` and similar placeholders by ids. */
  example: { params: Record<string, unknown> };
  /** True for methods that change nothing: they run in a read-only transaction and are not recorded in the audit log. */
  reads?: boolean;
  /** True for methods that read and also store something about it, such as the result of a check: they need a transaction that may write. */
  notes?: true;
  /** True for methods that read what no standby has, such as which workers are alive. */
  primary?: true;
  /**
   * True for methods that callers with a set of lists may call: all that it reads and writes is of their lists, or may be seen by
   * everyone in the account. They are refused every other method.
   */
  narrowed?: true;
  /** True for methods about the signed-in user; an API key is refused. */
  person?: true;
  /** True for methods about the whole installation: only the account of its operator may call them. */
  operator?: true;
  /** Whether a signed-in user must have entered the password recently, because what the call does outlives the session. */
  confirm?(params: z.output<P>): boolean;
  /** True for methods that give access to everything: they need all rights, as an owner and a key without limits have. */
  owner?: true;
  /** True for methods that people of a suspended account may call: to see that it is, and to go to another account. */
  whileSuspended?: true;
  /** For methods that identify the caller by their parameters instead of a key or session. */
  identify?(app: App, params: z.output<P>, ip: string): Promise<{ account: Account; caller: Caller }>;
  /** Network and file work before the transaction. */
  prepare?(context: PrepareContext, params: z.output<P>): Promise<N>;
  run(context: Context, params: z.output<P>, prepared: N): Promise<z.input<R>>;
};

/** Declares a method, so that its name, parameters and result are inferred from the definition. */
export function method<P extends z.ZodType, R extends z.ZodType, N = undefined, const Name extends string = string>(
  definition: Method<P, R, N, Name>,
): Method<P, R, N, Name> {
  return definition;
}

/** A method of any shape. */
// biome-ignore lint/suspicious/noExplicitAny: the registry is where the shapes of all methods meet
export type AnyMethod = Method<any, any, any>;
