// Renders a message in a sandboxed frame, at desktop or phone width, in light or dark. Guarantees that its content can do
// nothing: no script runs, no form is sent, and links open in another tab.
import { Box } from '@mantine/core';
import { useMemo } from 'react';
import { useTagsMarked } from '../../../parts/tagged/mail-tags.ts';
import classes from '../composer.module.css';

export type Device = 'desktop' | 'phone';

type Props = { html: string; title: string; device?: Device; dark?: boolean; height?: number | string };

export function MailFrame({ html, title, device = 'desktop', dark = false, height = 560 }: Props) {
  const marked = useTagsMarked(html);
  const page = useMemo(() => withScheme(marked, dark), [marked, dark]);
  return (
    <Box className={classes.frameGround} data-dark={dark || undefined} h={height}>
      {/* A new document for each scheme: a frame reads its colour scheme only once. */}
      <iframe
        key={String(dark)}
        title={title}
        sandbox="allow-popups"
        referrerPolicy="no-referrer"
        srcDoc={page}
        className={classes.mailFrame}
        data-device={device}
        style={{ colorScheme: dark ? 'dark' : 'light' }}
      />
    </Box>
  );
}

/** Links open in a new tab; the colour scheme is declared, as email clients in dark mode darken pages without colours. */
function withScheme(html: string, dark: boolean): string {
  const head = `<base target="_blank"><meta name="color-scheme" content="${dark ? 'dark' : 'light'}">`;
  return /<head[^>]*>/i.test(html) ? html.replace(/<head[^>]*>/i, (tag) => tag + head) : head + html;
}

/** Plain text as an HTML page. */
export const textPage = (text: string) =>
  `<pre style="white-space:pre-wrap;font:14px/1.5 ui-monospace,Menlo,Consolas,monospace;margin:16px">${text.replace(/[&<>]/g, (sign) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;' })[sign]!)}</pre>`;
