// The person behind a call: a caller who is signed in.
import type { Caller } from '../../base/context.ts';
import { fault } from '../../base/faults.ts';

export type Person = Caller & { kind: 'user' };

/** The user who calls a method that is for users only; `call` has refused API keys before. */
export function personOf(caller: Caller): Person {
  if (caller.kind !== 'user') throw fault('NOT_ALLOWED', 'session.person_only');
  return caller;
}
