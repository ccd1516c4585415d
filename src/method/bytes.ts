// Parameters that are bytes, or text in Base64.
import { fault } from '../base/faults.ts';

/** @throws Fault INVALID_PARAMETER */
export function bytesOf(content: string | Uint8Array, member: string): Uint8Array {
  if (typeof content !== 'string') return content;
  const text = content.replace(/\s/g, '');
  if (!/^[A-Za-z0-9+/_-]*={0,2}$/.test(text)) throw fault('INVALID_PARAMETER', 'message.not_base64', { member });
  return Buffer.from(text, 'base64');
}
