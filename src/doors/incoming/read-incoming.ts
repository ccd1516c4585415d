// The body of a request to an incoming webhook.
import { readJson } from '../admission/json-values.ts';

/** JSON whatever its type is said to be: curl calls everything a form. Undefined when it is neither JSON nor a form. */
export function readIncoming(contentType: string, body: Buffer): unknown {
  const text = body.toString('utf8').trim();
  if (!/^[{[]/.test(text) && /^application\/x-www-form-urlencoded\b/i.test(contentType))
    return Object.fromEntries(new URLSearchParams(text));
  try {
    return readJson(body);
  } catch {
    return undefined;
  }
}
