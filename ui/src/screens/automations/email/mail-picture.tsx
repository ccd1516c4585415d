// The mail of a step as a picture: the page at its full width, made smaller. A thumbnail takes no focus and no clicks; a larger one
// can be scrolled. As in every preview, no script runs and only what readers can load is loaded.
import { IconPencil } from '@tabler/icons-react';
import { useMemo } from 'react';
import { homeUrl } from '../../../api/base-path.ts';
import { isForReaders, shownMail } from '../../../parts/mail-page.ts';
import { useTagsMarked } from '../../../parts/tagged/mail-tags.ts';
import { useText } from '../../../text/use-text.tsx';
import classes from './email.module.css';

/** Most emails are made for this width. */
const mailWidth = 640;

type Size = { width: number; height: number };

/** Where there is no email, or nothing in it. */
export function NoMail(size: Size) {
  return (
    <div className={classes.blank} style={size} aria-hidden>
      <IconPencil size={18} />
    </div>
  );
}

/** @param scrolls its name for a reader who may scroll it; without, it is decoration */
export function MailPicture({ html, width, height, scrolls }: { html: string; scrolls?: string } & Size) {
  const t = useText('automations');
  const shown = useMemo(() => shownMail(html, (address) => isForReaders(address, homeUrl())), [html]);
  const marked = useTagsMarked(shown);
  const page = useMemo(() => (scrolls === undefined ? asDecoration(marked) : asPage(marked)), [marked, scrolls]);
  const scale = width / mailWidth;
  const still = scrolls === undefined;
  return (
    <div className={classes.picture} style={{ width, height }} aria-hidden={still || undefined} inert={still}>
      <iframe
        title={scrolls ?? t('email')}
        sandbox={still ? '' : 'allow-popups'}
        referrerPolicy="no-referrer"
        loading="lazy"
        tabIndex={still ? -1 : undefined}
        srcDoc={page}
        style={{ width: mailWidth, height: height / scale, transform: `scale(${scale})` }}
      />
    </div>
  );
}

const asPage = (html: string): string =>
  withHead(html, '<base target="_blank"><meta name="color-scheme" content="light">');

/** Nothing in it can be reached by keyboard. */
const asDecoration = (html: string): string =>
  withHead(
    html.replace(/\s(?:href|tabindex|controls)(?=\s*=)/gi, ' data-still'),
    '<meta name="color-scheme" content="light"><style>html{overflow:hidden}</style>',
  );

function withHead(html: string, head: string): string {
  return /<head[^>]*>/i.test(html) ? html.replace(/<head[^>]*>/i, (tag) => tag + head) : head + html;
}
