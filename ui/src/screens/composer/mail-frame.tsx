// A mail as it looks: in a frame of its own without scripts, at the width of a desktop or a phone, on light or dark
// ground. What is in it can reach nothing: no script runs, no form is sent, no link is followed in place.
import { Box } from '@mantine/core';
import { useMemo } from 'react';
import classes from './composer.module.css';

export type Device = 'desktop' | 'phone';

type Props = { html: string; title: string; device?: Device; dark?: boolean; height?: number | string };

export function MailFrame({ html, title, device = 'desktop', dark = false, height = 560 }: Props) {
  const page = useMemo(() => withScheme(html, dark), [html, dark]);
  return (
    <Box className={classes.frameGround} data-dark={dark || undefined} h={height}>
      {/* A new document for each scheme: the frame takes its scheme when it is made. */}
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

/** Links open elsewhere; mail programs in dark mode turn a page dark that says nothing of its colours. */
function withScheme(html: string, dark: boolean): string {
  const head = `<base target="_blank"><meta name="color-scheme" content="${dark ? 'dark' : 'light'}">`;
  return /<head[^>]*>/i.test(html) ? html.replace(/<head[^>]*>/i, (tag) => tag + head) : head + html;
}

/** Plain text as a page. */
export const textPage = (text: string) =>
  `<pre style="white-space:pre-wrap;font:14px/1.5 ui-monospace,Menlo,Consolas,monospace;margin:16px">${text.replace(/[&<>]/g, (sign) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;' })[sign]!)}</pre>`;
