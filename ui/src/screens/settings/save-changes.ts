// Saves a form of account settings: sends only changed values, one per call, as the method requires.
import { call } from '../../api/call.ts';

/** @throws ApiFault whose member is the name of the rejected value */
export async function saveChanges<V extends Record<string, string>>(before: V, after: V): Promise<void> {
  for (const name of Object.keys(before) as (keyof V & string)[])
    if (before[name] !== after[name]) await call('accountUpdate', { name, value: after[name] });
}
