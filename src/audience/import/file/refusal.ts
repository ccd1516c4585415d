// Why a file cannot be imported.
import { type Message, renderMessage } from '../../../base/messages.ts';

/** Why a file cannot be imported, for the user. */
export class ImportRefusal extends Error {
  readonly reason: Message;

  constructor(reason: Message) {
    super(renderMessage(reason));
    this.name = 'ImportRefusal';
    this.reason = reason;
  }
}
