// Saves a form of account settings: sends only changed values, one per call, as the method requires.
import { ApiFault, call } from '../../api/call.ts';

/** @throws ApiFault whose member is the name of the rejected value */
export async function saveChanges<V extends Record<string, string>>(before: V, after: V): Promise<void> {
  for (const name of Object.keys(before) as (keyof V & string)[]) {
    if (before[name] === after[name]) continue;
    try {
      await call('accountUpdate', { name, value: after[name] });
    } catch (error) {
      throw namedAfter(name, error);
    }
  }
}

/** The fault of a call with `name` and `value`, with the name of the setting as its member. */
export function namedAfter(name: string, error: unknown): unknown {
  if (!(error instanceof ApiFault)) return error;
  const words = error.message.replace(/^value\b/, name);
  return new ApiFault(error.code, words, error.status, renamed(error.text, name), error.rest);
}

/** The fault names the parameter `value`; the form field is named after the setting. */
const renamed = (text: ApiFault['text'], name: string): ApiFault['text'] => {
  const member = text?.values['member'];
  if (!text || typeof member !== 'string') return text;
  return { ...text, values: { ...text.values, member: member.replace(/^value\b/, name) } };
};
