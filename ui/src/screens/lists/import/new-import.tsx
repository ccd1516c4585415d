// Begins an import: a file that is chosen or dropped anywhere on the screen, or pasted rows.
import { Button, Group, Progress, Stack, Text, Textarea } from '@mantine/core';
import { IconUpload } from '@tabler/icons-react';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { call } from '../../../api/call.ts';
import { upload } from '../../../api/upload.ts';
import { FaultNote } from '../../../parts/fault.tsx';
import { DropAnywhere, takeFile } from '../../../parts/form/drop-anywhere.tsx';
import { DropZone } from '../../../parts/form/drop-zone.tsx';
import { useText } from '../../../text/use-text.tsx';

type Props = {
  /** The list to import into; undefined when something is missing, which is then shown. @param file its name, '' for pasted rows */
  needList(file: string): Promise<string | undefined>;
};

export function NewImport({ needList }: Props) {
  const t = useText('lists');
  const navigate = useNavigate();
  const [share, setShare] = useState<number>();
  const [pasted, setPasted] = useState('');
  /** Waits for what is missing. */
  const [chosen, setChosen] = useState<File>();
  const [wrong, setWrong] = useState<unknown>();
  const busy = share !== undefined;

  const begin = async (source: File | string) => {
    if (busy) return;
    setWrong(undefined);
    setShare(0);
    try {
      const list = await needList(typeof source === 'string' ? '' : source.name);
      if (list === undefined) {
        if (typeof source !== 'string') setChosen(source);
        setShare(undefined);
        return;
      }
      const given =
        typeof source === 'string'
          ? { content: source, name: '' }
          : { upload: await upload(source, setShare), name: source.name.slice(0, 200) };
      const id = await call('importCreate', { id: list, ...given });
      await navigate({ to: '/lists/$id/import/$import', params: { id: list, import: id } });
    } catch (error) {
      setWrong(error);
      setShare(undefined);
    }
  };
  const first = useRef(begin);
  first.current = begin;
  // One that was dropped on the screen before.
  useEffect(() => {
    const file = takeFile();
    if (file) first.current(file);
  }, []);
  return (
    <Stack gap="md">
      <DropAnywhere text={t('dropAnywhere')} onDrop={begin} />
      <DropZone
        onDrop={(dropped) => {
          const file = dropped.files[0];
          if (file) begin(file);
        }}
      >
        <FileButton busy={busy} onFile={begin} />
        <Text c="dimmed" size="xs">
          {t('fileHint')}
        </Text>
        <Text c="dimmed" size="xs">
          {t('providersHint')}
        </Text>
        {chosen && !busy && (
          <Text size="sm" role="status" style={{ overflowWrap: 'anywhere' }}>
            {t('fileReady', { file: chosen.name })}
          </Text>
        )}
        {busy && <Progress value={share * 100} w="100%" maw={320} aria-label={t('uploading')} />}
      </DropZone>
      <Textarea
        label={t('paste')}
        description={t('pasteHint')}
        autosize
        minRows={3}
        maxRows={12}
        styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
        value={pasted}
        onChange={({ currentTarget }) => setPasted(currentTarget.value)}
      />
      {wrong !== undefined && <FaultNote error={wrong} />}
      <Group>
        <Button
          variant={chosen ? 'filled' : 'default'}
          disabled={(pasted.trim() === '' && !chosen) || busy}
          onClick={() => begin(chosen ?? pasted)}
        >
          {t('continue')}
        </Button>
      </Group>
    </Stack>
  );
}

function FileButton({ busy, onFile }: { busy: boolean; onFile(file: File): void }) {
  const t = useText('lists');
  const picker = useRef<HTMLInputElement>(null);
  return (
    <>
      <Button leftSection={<IconUpload size={16} aria-hidden />} onClick={() => picker.current?.click()} loading={busy}>
        {t('chooseFile')}
      </Button>
      <input
        ref={picker}
        type="file"
        hidden
        accept=".csv,.tsv,.txt,.xlsx,.vcf,.gz,.zip,text/csv,text/plain"
        aria-label={t('file')}
        onChange={({ currentTarget }) => {
          const file = currentTarget.files?.[0];
          currentTarget.value = '';
          if (file) onFile(file);
        }}
      />
    </>
  );
}
