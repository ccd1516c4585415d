// Moves in from another program: which one, and the files of its export. The check and the move are on the screen of the migration.
import { ActionIcon, Button, Group, Progress, Radio, Stack, Text } from '@mantine/core';
import { IconUpload, IconX } from '@tabler/icons-react';
import { useNavigate } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { call } from '../../api/call.ts';
import { upload } from '../../api/upload.ts';
import { useMethod } from '../../api/use-method.ts';
import { FaultNote } from '../../parts/fault.tsx';
import { DropZone } from '../../parts/form/drop-zone.tsx';
import { LinkAnchor } from '../../parts/link.tsx';
import { Page, PageHeader, Section } from '../../parts/page.tsx';
import { Status } from '../../parts/status/status.tsx';
import { Steps } from '../../parts/steps/steps.tsx';
import { type Column, Rows } from '../../parts/table/rows.tsx';
import { Time } from '../../parts/time.tsx';
import { useSession } from '../../session/session.ts';
import { useText } from '../../text/use-text.tsx';
import { type Migration, type Source, sourceNames, sources, steps, tones } from './migration.ts';

export function MoveScreen() {
  const t = useText('move');
  const mayWrite = useSession().may('contacts:write');
  return (
    <Page>
      <PageHeader title={t('title')} description={t('about')} back={{ to: '/contacts/import', label: t('toImport') }} />
      <Steps label={t('steps')} steps={steps.map((name) => ({ name, title: t(`step.${name}`) }))} now="files" />
      {mayWrite && <Begin />}
      <Earlier />
    </Page>
  );
}

function Begin() {
  const t = useText('move');
  const navigate = useNavigate();
  const [source, setSource] = useState<Source>('mailchimp');
  const [files, setFiles] = useState<readonly File[]>([]);
  const [missing, setMissing] = useState(false);
  const [share, setShare] = useState<number>();
  const [wrong, setWrong] = useState<unknown>();
  const begin = async () => {
    if (files.length === 0) return setMissing(true);
    setWrong(undefined);
    setShare(0);
    try {
      const uploads: string[] = [];
      for (const file of files)
        uploads.push(await upload(file, (part) => setShare((uploads.length + part) / files.length)));
      const id = await call('migrationCreate', { source, uploads });
      await navigate({ to: '/contacts/move/$migration', params: { migration: id } });
    } catch (error) {
      setWrong(error);
      setShare(undefined);
    }
  };
  return (
    <Stack gap="lg" maw={720}>
      <Radio.Group label={t('source')} value={source} onChange={(value) => setSource(value as Source)}>
        <Stack gap="sm" mt="xs">
          {sources.map((name) => (
            <Radio key={name} value={name} label={sourceNames[name]} description={t(`about.${name}`)} />
          ))}
        </Stack>
      </Radio.Group>
      <Files files={files} busy={share !== undefined} onChange={setFiles} />
      {missing && files.length === 0 && (
        <Text c="red" role="alert">
          {t('noFiles')}
        </Text>
      )}
      {share !== undefined && <Progress value={share * 100} aria-label={t('uploading')} />}
      {wrong !== undefined && <FaultNote error={wrong} />}
      <Group>
        <Button loading={share !== undefined} onClick={begin}>
          {t('check')}
        </Button>
      </Group>
      <Text c="dimmed" size="xs">
        {t('apiHint')}
      </Text>
    </Stack>
  );
}

type FilesProps = { files: readonly File[]; busy: boolean; onChange(files: readonly File[]): void };

function Files({ files, busy, onChange }: FilesProps) {
  const t = useText('move');
  const picker = useRef<HTMLInputElement>(null);
  const add = (given: FileList | null) => onChange([...files, ...(given ?? [])]);
  return (
    <DropZone onDrop={(dropped) => add(dropped.files)}>
      <Button
        variant="default"
        leftSection={<IconUpload size={16} aria-hidden />}
        disabled={busy}
        onClick={() => picker.current?.click()}
      >
        {t('choose')}
      </Button>
      <input
        ref={picker}
        type="file"
        multiple
        hidden
        accept=".zip,.csv,.txt,.sql,.gz,.jsonl"
        aria-label={t('files')}
        onChange={({ currentTarget }) => {
          add(currentTarget.files);
          currentTarget.value = '';
        }}
      />
      <Text c="dimmed" size="xs">
        {t('dropHint')}
      </Text>
      {files.length > 0 && (
        <Stack gap={4} role="group" aria-label={t('chosen', { count: files.length })}>
          {files.map((file, i) => (
            <Group key={`${file.name} ${file.size}`} gap="xs" wrap="nowrap">
              <Text style={{ overflowWrap: 'anywhere' }}>{file.name}</Text>
              <ActionIcon
                variant="subtle"
                color="gray"
                disabled={busy}
                aria-label={t('remove', { name: file.name })}
                onClick={() => onChange(files.filter((_, at) => at !== i))}
              >
                <IconX size={14} aria-hidden />
              </ActionIcon>
            </Group>
          ))}
        </Stack>
      )}
    </DropZone>
  );
}

function Earlier() {
  const t = useText('move');
  const earlier = useMethod('migrations', { limit: 20 }).data ?? [];
  if (earlier.length === 0) return null;
  const columns: Column<Migration>[] = [
    {
      name: 'source',
      title: t('title'),
      cell: ({ id, source }) => (
        <LinkAnchor to="/contacts/move/$migration" params={{ migration: id }} fw={500} c="inherit">
          {t('from', { source: sourceNames[source] })}
        </LinkAnchor>
      ),
    },
    {
      name: 'state',
      title: t('state'),
      width: '150px',
      cell: ({ state }) => <Status tone={tones[state]}>{t(`state.${state}`)}</Status>,
    },
    { name: 'made', title: t('started'), width: '150px', cell: ({ date_created }) => <Time at={date_created} /> },
  ];
  return (
    <Section title={t('earlier')}>
      <Rows
        label={t('earlier')}
        columns={columns}
        rows={earlier}
        keyOf={({ id }) => id}
        nameOf={({ source }) => sourceNames[source]}
        empty={null}
      />
    </Section>
  );
}
