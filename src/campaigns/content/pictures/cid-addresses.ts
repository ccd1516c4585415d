// Replaces the addresses of pictures in a page by those of parts of the same message. Uses neither database nor network.
import { editHtml } from '../relink.ts';

/** The HTML with the addresses of these pictures replaced by those of the parts of the message. */
export function withInlineImages(
  html: string,
  pictures: readonly { cid: string; addresses: readonly string[] }[],
): string {
  if (pictures.length === 0) return html;
  const cids = new Map(
    pictures.flatMap((picture) => picture.addresses.map((address) => [address, picture.cid] as const)),
  );
  return editHtml(html, {
    address: (address, where) => {
      const cid = isPicture(where) ? cids.get(address) : undefined;
      return cid === undefined ? null : `cid:${cid}`;
    },
  });
}

/** Whether an address is that of a picture. */
export const isPicture = ({ element, attribute }: { element: string; attribute: string }) =>
  (element === 'img' && attribute === 'src') || (attribute === 'background' && element !== '');
