// Saves a form of account settings: sends only changed values, one per call, as the method requires.
import { ApiFault, call } from '../../api/call.ts';

/** @throws ApiFault whose member is the name of the rejected value */
export async function saveChanges<V extends Record<string, string>>(before: V, after: V): Promise<void> {
  for (const name of Object.keys(before) as (keyof V & string)[]) {
    if (before[name] === after[name]) continue;
    try {
      await call('accountUpdate', { name, value: after[name] });
    } catch (error) {
      throw error instanceof ApiFault
        ? new ApiFault(
            error.code,
            error.message.replace(/^value\b/, name),
            error.status,
            renamed(error.text, name),
            error.rest,
          )
        : error;
    }
  }
}

/** The fault names the parameter `value`; the form field is named after the setting. */
const renamed = (text: ApiFault['text'], name: string): ApiFault['text'] => {
  const member = text?.values['member'];
  if (!text || typeof member !== 'string') return text;
  return { ...text, values: { ...text.values, member: member.replace(/^value\b/, name) } };
};
