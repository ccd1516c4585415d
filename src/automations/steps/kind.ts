// What a type of step is: one object that says which members it has, what it needs before it can run, how long contacts stay
// on it, and what it does to them. THE list of types is in steps.ts.
import type { z } from 'zod';
import type { Field } from '../../audience/model/field.ts';
import type { Context } from '../../base/context.ts';
import type { Message } from '../../base/messages.ts';

/** A contact on a step that is due. */
export type Due = { no: number; contact: number; email: string; domain: string };

export type StepOf = { automation: number; title: string; list: number };

/** Why a step cannot be carried out for anyone, with nothing changed; or the contacts that match, for a condition. */
export type Effect = { unfit: Message } | { matching: ReadonlySet<number> };

export const done: Effect = { matching: new Set() };

/** What a check of a draft knows: the automation, and the fields of its list. */
export type Draft = { automation: number; list: number; fields: readonly Field[] };

/** Parameters of a method, of which each type has some. */
export type Settings = Record<string, z.ZodType>;
export type Given<S extends Settings> = { [name in keyof S]?: z.output<S[name]> };

/** What types of steps and of triggers have in common. */
export type Kind<Type extends string, Members extends z.ZodRawShape, S extends Settings> = {
  type: Type;
  /** Follows the type in the description of the parameter. */
  about: string;
  /** As it is stored, and as methods return it; besides its type, and the key of a step. */
  members: Members;
  /** As methods take it. All are optional, since a draft may be incomplete. */
  settings: S;
  read(given: Given<S>): z.output<z.ZodObject<Members>>;
  /** Why it cannot run. */
  problem?(
    context: Context,
    draft: Draft,
    own: z.output<z.ZodObject<Members>>,
  ): Message | undefined | Promise<Message | undefined>;
};

/** The settings of all types together. */
export type All<Union> = (Union extends unknown ? (each: Union) => void : never) extends (all: infer Each) => void
  ? Each
  : never;

export type StepKind<
  Type extends string = string,
  Members extends z.ZodRawShape = z.ZodRawShape,
  S extends Settings = Settings,
> = Kind<Type, Members, S> & {
  /** When contacts that arrive now move on; at once without it. `zone`: of the contact. */
  dueAt?(step: z.output<z.ZodObject<Members>>, arrivedAt: Date, zone: string): Date;
  /** Whether its effect is written contact by contact: fewer of them fit into a transaction. */
  isContactwise?: true;
  /**
   * For contacts that are subscribed to the list, at least one, in the transaction that moves them on. Nothing here leaves the
   * database: delivery, the outbox and the queue do. Without it, it only waits.
   */
  carryOut?(
    context: Context,
    of: StepOf,
    step: { key: string } & z.output<z.ZodObject<Members>>,
    due: readonly Due[],
  ): Promise<Effect>;
};

/** Declares a type of step, so that the shape of its members is inferred. */
export const stepKind = <const Type extends string, Members extends z.ZodRawShape, S extends Settings>(
  kind: StepKind<Type, Members, S>,
): StepKind<Type, Members, S> => kind;
