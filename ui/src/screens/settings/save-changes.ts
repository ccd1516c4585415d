// Saving a form of account settings: only what was changed is sent, one value a call, as the method takes them.
import { ApiFault, call } from '../../api/call.ts';

/** @throws ApiFault whose member is the name of the value that was refused */
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

/** The fault names the parameter `value`; the form has a field by the name of the option. */
const renamed = (text: ApiFault['text'], name: string): ApiFault['text'] =>
  text && { ...text, values: { ...text.values, member: String(text.values['member']).replace(/^value\b/, name) } };
