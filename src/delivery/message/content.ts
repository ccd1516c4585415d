// What a worker needs to compose the messages of a campaign, or of a single message.
import type { MessageSender } from '../../base/relay/message-sender.ts';
import type { Marked } from '../ledger/chunk.ts';
import type { NoticeFields } from './notice-fields.ts';
import type { Renderer } from './render.ts';

export type Reader = Pick<Marked, 'seq' | 'untracked' | 'language'>;

export type Content = {
  /** Of the variant that a recipient gets; without tracking for those who do not want it. */
  rendererOf(to: Reader): Renderer;
  host: string;
  fromEmail: string;
  /** Who the message is from, for the choice of its relay. */
  sender: MessageSender;
  lists: number[];
  /** Read once, so a source that is added while the campaign is being sent may not be in it. */
  noticeFields: NoticeFields;
  /** Kept in the built-in inbox instead of being passed to a relay. */
  isTest?: boolean;
  /** About what it needs in memory: the text in UTF-16, and images and attachments in Base64, twice if they are signed. */
  bytes: number;
};
