// What is inserted into a source at its cursor, by buttons above the editor: merge tags and images.
import { Button, Group } from '@mantine/core';
import { IconTags } from '@tabler/icons-react';
import type { ReactNode, RefObject } from 'react';
import { useText } from '../../../text/use-text.tsx';
import type { HtmlEditorHandle } from './html-editor.tsx';
import { MergeTagMenu } from './merge-tags.tsx';

type Props = {
  editor: RefObject<HtmlEditorHandle | null>;
  disabled: boolean;
  /** The button for images (pictures/insert-picture.tsx). */
  picture: ReactNode;
};

export function SourceTools({ editor, disabled, picture }: Props) {
  const t = useText('composer');
  return (
    <Group gap="sm">
      <MergeTagMenu links onChoose={(tag) => editor.current?.insert(tag)} disabled={disabled}>
        <Button variant="default" size="xs" leftSection={<IconTags size={14} aria-hidden />} disabled={disabled}>
          {t('insertTag')}
        </Button>
      </MergeTagMenu>
      {picture}
    </Group>
  );
}
