// Putting a picture into HTML source: by a button, or by dropping or pasting it where it belongs.
import { Button } from '@mantine/core';
import { IconPhoto } from '@tabler/icons-react';
import type { ClipboardEvent, DragEvent, ReactNode, RefObject } from 'react';
import { useText } from '../../../text/use-text.tsx';
import type { HtmlEditorHandle } from '../html-editor.tsx';
import { type ChosenPicture, usePictureDialog } from './picture-dialog.tsx';
import { droppedPicture, holdsFiles, pastedPicture } from './picture-file.ts';

/** `button` and `dialog` stand somewhere in the screen, `target` on what surrounds the editor. */
export function usePictureSource(editor: RefObject<HtmlEditorHandle | null>, disabled: boolean) {
  const t = useText('composer');
  const { ask, dialog } = usePictureDialog();
  const from = (file?: File) => ask({ file, onChoose: (picture) => editor.current?.insert(sourceOf(picture)) });
  const button: ReactNode = (
    <Button
      variant="default"
      size="xs"
      leftSection={<IconPhoto size={14} aria-hidden />}
      onClick={() => from()}
      disabled={disabled}
    >
      {t('pictureInsert')}
    </Button>
  );
  // Before the editor hears of it, which would take a file for text.
  const target = disabled
    ? {}
    : {
        onPasteCapture: (event: ClipboardEvent) => {
          const file = pastedPicture(event.clipboardData);
          if (!file) return;
          event.preventDefault();
          event.stopPropagation();
          from(file);
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
          from(file);
        },
      };
  return { button, dialog, target };
}

/** The width of a mail, in pixels. */
const maxWidth = 600;

function sourceOf({ url, alt, width }: ChosenPicture): string {
  const escaped = alt.replace(/[&"<>]/g, (sign) => ({ '&': '&amp;', '"': '&quot;', '<': '&lt;', '>': '&gt;' })[sign]!);
  return `<img src="${url}" alt="${escaped}" width="${Math.min(width, maxWidth)}" style="display:block;max-width:100%;height:auto;border:0">`;
}
