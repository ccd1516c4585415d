// The files attached to the campaign: listed, added by button or drop, removed. They are stored as they are added.
import { ActionIcon, Button, FileButton, Group, Loader, Stack, Text } from '@mantine/core';
import { IconPaperclip, IconTrash } from '@tabler/icons-react';
import { useState } from 'react';
import { attachmentLimits } from '../../../../../src/campaigns/content/limits.ts';
import { useMutate } from '../../../api/use-method.ts';
import { useFaultText } from '../../../parts/fault.tsx';
import { DropZone } from '../../../parts/form/drop-zone.tsx';
import { useText } from '../../../text/use-text.tsx';
import { base64Of } from '../content/archive-file.ts';
import { useDraft } from '../draft.tsx';
import { type AttachedFile, sizeText, useAttachedSize } from './attached.ts';
import classes from './attachments.module.css';

export function AttachmentsSection() {
  const t = useText('composer');
  const { cid, fixed } = useDraft();
  const faultText = useFaultText();
  const { files, size } = useAttachedSize(cid);
  const create = useMutate('campaignAttachmentCreate');
  const [adding, setAdding] = useState<string[]>([]);
  const [faults, setFaults] = useState<string[]>([]);
  /** Why it was not added. */
  const addOne = async (file: File): Promise<string | undefined> => {
    if (file.size > attachmentLimits.bytes) return t('attachmentTooLarge', { max: sizeText(attachmentLimits.bytes) });
    try {
      const name = file.name.slice(0, 200);
      await create.mutateAsync({ cid, name, content: await base64Of(file), content_type: file.type });
      return undefined;
    } catch (error) {
      return faultText(error);
    }
  };
  const add = async (chosen: readonly File[]) => {
    setFaults([]);
    setAdding(chosen.map(({ name }) => name));
    // One after another: they are counted together.
    for (const file of chosen) {
      const reason = await addOne(file);
      if (reason) setFaults((earlier) => [...earlier, `${file.name}: ${reason}`]);
      setAdding((left) => left.slice(1));
    }
  };
  return (
    <Stack gap="sm">
      <Text size="sm" c="dimmed">
        {t('attachmentsHint', { size: sizeText(size), max: sizeText(attachmentLimits.bytes) })}
      </Text>
      {files.length > 0 && <Files files={files} onFault={(fault) => setFaults([fault])} />}
      {adding[0] !== undefined && (
        <Group gap="xs" role="status">
          <Loader size="xs" />
          <Text size="sm">{t('attachmentAdding', { name: adding[0] })}</Text>
        </Group>
      )}
      {faults.length > 0 && (
        <Stack gap={4} role="alert">
          {faults.map((fault) => (
            <Text key={fault} size="sm" c="var(--mantine-color-error)">
              {fault}
            </Text>
          ))}
        </Stack>
      )}
      {!fixed && (
        <DropZone onDrop={(dropped) => void add([...dropped.files])}>
          <FileButton
            multiple
            onChange={(chosen) => void add(chosen)}
            inputProps={{ 'aria-label': t('attachmentAdd') }}
          >
            {(props) => (
              <Button
                variant="default"
                leftSection={<IconPaperclip size={16} aria-hidden />}
                disabled={adding.length > 0}
                {...props}
              >
                {t('attachmentAdd')}
              </Button>
            )}
          </FileButton>
          <Text c="dimmed" size="xs">
            {t('attachmentDropHint')}
          </Text>
        </DropZone>
      )}
    </Stack>
  );
}

type FilesProps = { files: readonly AttachedFile[]; onFault(fault: string): void };

function Files({ files, onFault }: FilesProps) {
  const t = useText('composer');
  const { cid, fixed } = useDraft();
  const faultText = useFaultText();
  const remove = useMutate('campaignAttachmentDelete');
  return (
    <ul className={classes.files} aria-label={t('attachments')}>
      {files.map(({ no, name, size }) => (
        <li key={no} className={classes.file}>
          <IconPaperclip size={16} aria-hidden />
          <Text span size="sm" className={classes.name}>
            {name}
          </Text>
          <Text span size="sm" c="dimmed">
            {sizeText(size)}
          </Text>
          {!fixed && (
            <ActionIcon
              variant="subtle"
              color="gray"
              aria-label={t('attachmentRemove', { name })}
              loading={remove.isPending && remove.variables.no === no}
              onClick={() =>
                remove.mutate({ cid, no }, { onError: (error) => onFault(`${name}: ${faultText(error)}`) })
              }
            >
              <IconTrash size={16} aria-hidden />
            </ActionIcon>
          )}
        </li>
      ))}
    </ul>
  );
}
