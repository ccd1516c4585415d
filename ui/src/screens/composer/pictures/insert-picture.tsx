// Inserts an image into the HTML source: by button, drop or paste.
import { Button } from '@mantine/core';
import { IconPhoto } from '@tabler/icons-react';
import type { ClipboardEvent, DragEvent, ReactNode, RefObject } from 'react';
import { useText } from '../../../text/use-text.tsx';
import type { HtmlEditorHandle } from '../content/html-editor.tsx';
import { type ChosenPicture, usePictureDialog } from './picture-dialog.tsx';
import { droppedPicture, holdsFiles, pastedPicture } from './picture-file.ts';

/** The screen renders `button` and `dialog`, and spreads `target` on the element around the editor. */
export function useInsertPicture(editor: RefObject<HtmlEditorHandle | null>, disabled: boolean) {
  const t = useText('composer');
  const { ask, dialog } = usePictureDialog();
  const choose = (file?: File) => ask({ file, onChoose: (picture) => editor.current?.insert(sourceOf(picture)) });
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

function sourceOf({ url, alt, width }: ChosenPicture): string {
  const escaped = alt.replace(/[&"<>]/g, (sign) => ({ '&': '&amp;', '"': '&quot;', '<': '&lt;', '>': '&gt;' })[sign]!);
  return `<img src="${url}" alt="${escaped}" width="${Math.min(width, maxWidth)}" style="display:block;max-width:100%;height:auto;border:0">`;
}
