// What a method is: one object that says all there is to say. From it come the XML-RPC, form and JSON doors, the
// introspection, the OpenAPI description, the reference pages, the command line and the typed client.
import type { z } from 'zod';
import type { Account, App, Caller, Context, PrepareContext, Scope } from '../base/context.ts';
import type { FaultName } from '../base/faults.ts';

export type Method<
  P extends z.ZodType = z.ZodType,
  R extends z.ZodType = z.ZodType,
  N = unknown,
  Name extends string = string,
> = {
  /** The public name, camelCase; matched without regard to case. For ever. */
  name: Name;
  /** The folder of the reference this method stands in. */
  group:
    | 'campaigns'
    | 'templates'
    | 'lists'
    | 'members'
    | 'fields'
    | 'segments'
    | 'imports'
    | 'reports'
    | 'webhooks'
    | 'suppression'
    | 'account'
    | 'domains'
    | 'inbox';
  /** One sentence for lists of methods. */
  summary: string;
  /** More, where more needs saying: units, defaults, what happens on the second call. Plain text. */
  description?: string;
  /** A struct made with params(…). The order of its members is the positional order of the family. */
  params: P;
  returns: R;
  /** The faults of its own; those every method can answer with (key, parameter, rate …) are not listed. */
  faults: readonly FaultName[];
  /** What a caller needs; the web roles map to these. */
  scope: Scope;
  /** A call that works on a fresh account. `{{list}}` and the like stand for ids the conformance test fills in. */
  example: { params: Record<string, unknown> };
  /** True for methods that only read or look: they are not written to the audit log. */
  reads?: boolean;
  /** True for methods about the person who is signed in; a key is refused. */
  person?: true;
  /** For methods that find out themselves who asks, from their parameters, instead of by a key or session. */
  identify?(app: App, params: z.output<P>, ip: string): Promise<{ account: Account; caller: Caller }>;
  prepare?(context: PrepareContext, params: z.output<P>): Promise<N>;
  run(context: Context, params: z.output<P>, prepared: N): Promise<z.input<R>>;
};

/** Declares a method; exists so that its name, parameters and result are inferred from the definition. */
export function method<P extends z.ZodType, R extends z.ZodType, N = undefined, const Name extends string = string>(
  definition: Method<P, R, N, Name>,
): Method<P, R, N, Name> {
  return definition;
}

/** A method of any shape, as the registry holds them. */
// biome-ignore lint/suspicious/noExplicitAny: the registry is where the shapes of all methods meet
export type AnyMethod = Method<any, any, any>;
