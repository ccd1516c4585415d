// The pictures of single messages stay reachable, as those of campaigns do: found in the octets that are sent, however
// their text is encoded.
import { keepSentAssets } from '../campaigns/content/pictures/asset.ts';
import type { Tx } from '../db/connect.ts';
import { allParts, readMail, textOf } from '../delivery/message/mime-tree.ts';

/** @param contents whole messages */
export async function keepSentPictures(tx: Tx, accountId: number, contents: readonly Buffer[]): Promise<void> {
  await keepSentAssets(tx, accountId, contents.flatMap(textsIn));
}

/** Texts that may name a picture: without the soft line breaks of quoted-printable, or decoded where a program chose base64. */
function textsIn(content: Buffer): string[] {
  const text = content.toString('latin1');
  const plain = text.replace(/=\r\n/g, '');
  if (!/^content-transfer-encoding:\s*base64/im.test(text)) return [plain];
  const decoded = allParts(readMail(content)).filter(
    ({ type, parts }) => parts.length === 0 && type.startsWith('text/'),
  );
  return [plain, ...decoded.map(textOf)];
}
