// Renders a message in a sandboxed frame, at desktop or phone width, in light or dark. Guarantees that its content can do
// nothing: no script runs, no form is sent, and links open in another tab. Pictures that readers cannot load are not loaded here either.
import { Box, Stack, Text } from '@mantine/core';
import { useMemo } from 'react';
import { homeUrl } from '../../../api/base-path.ts';
import { isForReaders, shownMail } from '../../../parts/mail-page.ts';
import { useTagsMarked } from '../../../parts/tagged/mail-tags.ts';
import { useText } from '../../../text/use-text.tsx';
import classes from '../composer.module.css';
import { darknessOf, darkStyle } from './dark-mail.ts';

export type Device = 'desktop' | 'phone';

type Props = { html: string; title: string; device?: Device; dark?: boolean; height?: number | string };

export function MailFrame({ html, title, device = 'desktop', dark = false, height = 560 }: Props) {
  const shown = useMemo(() => shownMail(html, (address) => isForReaders(address, homeUrl())), [html]);
  const marked = useTagsMarked(shown);
  const t = useText('composer');
  const darkness = useMemo(() => darknessOf(html), [html]);
  const page = useMemo(
    () => withHead(marked, headOf(dark) + (dark ? darkStyle(darkness) : '')),
    [marked, dark, darkness],
  );
  const frame = (
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
  if (!dark) return frame;
  return (
    <Stack gap="xs">
      {frame}
      <Text size="sm" c="dimmed">
        {t(`darkness.${darkness}`)}
      </Text>
    </Stack>
  );
}

/** Links open in a new tab; the colour scheme is declared, as email clients in dark mode darken pages without colours. */
const headOf = (dark: boolean) =>
  `<base target="_blank"><meta name="color-scheme" content="${dark ? 'dark' : 'light'}">${placesOfPictures}`;

/** Where a picture is missing there is a frame of its size, with its description. */
const placesOfPictures =
  '<style>img[data-blocked-src]{display:inline-block;box-sizing:border-box;min-width:24px;min-height:24px;border:1px dashed #8a94a6;font:13px/1.4 sans-serif}</style>';

function withHead(html: string, head: string): string {
  return /<head[^>]*>/i.test(html) ? html.replace(/<head[^>]*>/i, (tag) => tag + head) : head + html;
}

/** Plain text as an HTML page. */
export const textPage = (text: string) =>
  `<pre style="white-space:pre-wrap;font:14px/1.5 ui-monospace,Menlo,Consolas,monospace;margin:16px">${text.replace(/[&<>]/g, (sign) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;' })[sign]!)}</pre>`;
