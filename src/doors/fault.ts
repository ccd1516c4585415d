// What a door answers for anything that a call can throw.
import { Fault } from '../base/faults.ts';
import type { Message } from '../base/messages.ts';
import { WireFault } from '../method/wire.ts';

/** The code and text of anything a call can throw. */
export function faultOf(error: unknown): {
  code: number;
  message: string;
  status: number;
  retryAfter?: number;
  text?: Message;
} {
  if (error instanceof WireFault) return { code: error.code, message: error.message, status: 400 };
  if (error instanceof Fault) {
    const { code, status, retryAfter, text } = error;
    return {
      code,
      message: error.message,
      status,
      ...(retryAfter !== undefined && { retryAfter }),
      ...(text && { text }),
    };
  }
  throw error;
}
