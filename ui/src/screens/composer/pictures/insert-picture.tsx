// Inserts an image into HTML, Markdown or MJML: by button, drop or paste.
import { Button } from '@mantine/core';
import { IconPhoto } from '@tabler/icons-react';
import type { ClipboardEvent, DragEvent, ReactNode, RefObject } from 'react';
import { useText } from '../../../text/use-text.tsx';
import type { HtmlEditorHandle } from '../content/html-editor.tsx';
import type { Written } from '../content/written.ts';
import { type ChosenPicture, usePictureDialog } from './picture-dialog.tsx';
import { droppedPicture, holdsFiles, pastedPicture } from './picture-file.ts';

/** The screen renders `button` and `dialog`, and spreads `target` on the element around the editor. */
export function useInsertPicture(
  editor: RefObject<HtmlEditorHandle | null>,
  disabled: boolean,
  format: Written['format'] = 'html',
) {
  const t = useText('composer');
  const { ask, dialog } = usePictureDialog();
  const choose = (file?: File) =>
    ask({ file, onChoose: (picture) => editor.current?.insert(sourceOf[format](picture)) });
  const button: ReactNode = (
    <Button
      variant="default"
      size="xs"
      leftSection={<IconPhoto size={14} aria-hidden />}
      onClick={() => choose()}
      disabled={disabled}
    >
      {t('pictureInsert')}
    </Button>
  );
  // Captured before the editor sees the event; it would insert the file as text.
  const target = disabled
    ? {}
    : {
        onPasteCapture: (event: ClipboardEvent) => {
          const file = pastedPicture(event.clipboardData);
          if (!file) return;
          event.preventDefault();
          event.stopPropagation();
          choose(file);
        },
        onDragOverCapture: (event: DragEvent) => {
          if (holdsFiles(event.dataTransfer)) event.preventDefault();
        },
        onDropCapture: (event: DragEvent) => {
          if (!holdsFiles(event.dataTransfer)) return;
          event.preventDefault();
          event.stopPropagation();
          const file = droppedPicture(event.dataTransfer);
          if (!file) return;
          editor.current?.moveTo(event.clientX, event.clientY);
          choose(file);
        },
      };
  return { button, dialog, target };
}

/** The width of the message, in pixels. */
const maxWidth = 600;

const asAttribute = (text: string) =>
  text.replace(/[&"<>]/g, (sign) => ({ '&': '&amp;', '"': '&quot;', '<': '&lt;', '>': '&gt;' })[sign]!);

const sourceOf: Record<Written['format'], (picture: ChosenPicture) => string> = {
  html: ({ url, alt, width }) =>
    `<img src="${url}" alt="${asAttribute(alt)}" width="${Math.min(width, maxWidth)}" style="display:block;max-width:100%;height:auto;border:0">`,
  mjml: ({ url, alt, width }) =>
    `<mj-image src="${url}" alt="${asAttribute(alt)}" width="${Math.min(width, maxWidth)}px" />`,
  markdown: ({ url, alt }) => `![${alt.replace(/[\\[\]]/g, '\\$&')}](${url})`,
};
