// What a type of trigger is: which members it has, what it needs before it can run, and what is looked up for it. THE list of
// types is in triggers.ts.
import type { z } from 'zod';
import type { Match, SegmentFilter } from '../../audience/model/segment.ts';
import type { Tx } from '../../db/connect.ts';
import type { Kind, Settings } from '../steps/kind.ts';

/** Conditions whose contacts are looked up at intervals: those who join them, or leave them, enter. */
export type Watched = { match: Match; filter: SegmentFilter; change: 'joined' | 'left' };

export type TriggerKind<
  Type extends string = string,
  Members extends z.ZodRawShape = z.ZodRawShape,
  S extends Settings = Settings,
> = Kind<Type, Members, S> & {
  /** What a change of a contact is compared with, kept in columns: the field, its value, and whether imports count. */
  columns?(trigger: z.output<z.ZodObject<Members>>): { field?: string; value?: string; imports?: boolean };
  /** What no change reports. Undefined when it is deleted. */
  watched?(
    tx: Tx,
    of: { account: number; list: number },
    trigger: z.output<z.ZodObject<Members>>,
  ): Watched | undefined | Promise<Watched | undefined>;
};

/** Declares a type of trigger, so that the shape of its members is inferred. */
export const triggerKind = <const Type extends string, Members extends z.ZodRawShape, S extends Settings>(
  kind: TriggerKind<Type, Members, S>,
): TriggerKind<Type, Members, S> => kind;
