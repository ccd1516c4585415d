// Imports: start one from a file or pasted rows, and list earlier ones.
import { Anchor, Button, Group, Progress, Stack, Text, Textarea } from '@mantine/core';
import { IconUpload } from '@tabler/icons-react';
import { Link, useNavigate } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { call } from '../../../api/call.ts';
import type { ResultOf } from '../../../api/types.ts';
import { useMethod } from '../../../api/use-method.ts';
import { FaultNote } from '../../../parts/fault.tsx';
import { DropZone } from '../../../parts/form/drop-zone.tsx';
import { useFormats } from '../../../parts/formats.ts';
import { Section } from '../../../parts/page.tsx';
import { Status } from '../../../parts/status/status.tsx';
import { type Column, Rows } from '../../../parts/table/rows.tsx';
import { Time } from '../../../parts/time.tsx';
import { useText } from '../../../text/use-text.tsx';
import { type ImportState, importTones } from './import-states.ts';
import { upload } from './upload.ts';

type Import = ResultOf<'imports'>[number];

export function Imports({ list }: { list: string }) {
  const t = useText('lists');
  const { number } = useFormats();
  const imports = useMethod('imports', { id: list }, { refetchInterval: 4_000 });
  const columns: Column<Import>[] = [
    {
      name: 'name',
      title: t('file'),
      cell: (row) => (
        <Anchor component={Link} to={`/lists/${list}/import/${row.id}`} fw={500} c="inherit">
          {row.name || t('pasted')}
        </Anchor>
      ),
    },
    { name: 'state', title: t('state'), width: '150px', cell: ({ state }) => <ImportStatus state={state} /> },
    {
      name: 'added',
      title: t('count.added'),
      figure: true,
      width: '110px',
      cell: ({ result }) => number(Number(result.added ?? 0)),
    },
    {
      name: 'updated',
      title: t('count.updated'),
      figure: true,
      width: '110px',
      cell: ({ result }) => number(Number(result.updated ?? 0)),
    },
    { name: 'made', title: t('created'), width: '150px', cell: ({ date_created }) => <Time at={date_created} /> },
  ];
  return (
    <Stack gap="xl">
      <NewImport list={list} />
      {(imports.data === undefined || imports.data.length > 0) && (
        <Section title={t('earlierImports')}>
          <Rows
            label={t('earlierImports')}
            columns={columns}
            rows={imports.data}
            keyOf={({ id }) => id}
            nameOf={({ name }) => name}
            error={imports.error}
            onRetry={() => imports.refetch()}
            empty={null}
          />
        </Section>
      )}
    </Stack>
  );
}

export function ImportStatus({ state }: { state: string }) {
  const t = useText('lists');
  return <Status tone={importTones[state as ImportState]}>{t(`import.${state as ImportState}`)}</Status>;
}

function NewImport({ list }: { list: string }) {
  const t = useText('lists');
  const navigate = useNavigate();
  const picker = useRef<HTMLInputElement>(null);
  const [share, setShare] = useState<number>();
  const [pasted, setPasted] = useState('');
  const [wrong, setWrong] = useState<unknown>();
  const busy = share !== undefined;

  const begin = async (source: File | string) => {
    setWrong(undefined);
    setShare(0);
    try {
      const given =
        typeof source === 'string'
          ? { content: source, name: '' }
          : { upload: await upload(source, setShare), name: source.name.slice(0, 200) };
      const id = await call('importCreate', { id: list, ...given });
      await navigate({ to: `/lists/${list}/import/${id}` as string });
    } catch (error) {
      setWrong(error);
      setShare(undefined);
    }
  };
  return (
    <Section title={t('importFile')} description={t('importAbout')}>
      <DropZone
        onDrop={(dropped) => {
          const file = dropped.files[0];
          if (file && !busy) begin(file);
        }}
      >
        <Button
          leftSection={<IconUpload size={16} aria-hidden />}
          onClick={() => picker.current?.click()}
          loading={busy}
        >
          {t('chooseFile')}
        </Button>
        <input
          ref={picker}
          type="file"
          hidden
          accept=".csv,.tsv,.txt,.gz,.zip,text/csv,text/plain"
          aria-label={t('file')}
          onChange={({ currentTarget }) => {
            const file = currentTarget.files?.[0];
            currentTarget.value = '';
            if (file) begin(file);
          }}
        />
        <Text c="dimmed" size="xs">
          {t('fileHint')}
        </Text>
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
        <Button variant="default" disabled={pasted.trim() === '' || busy} onClick={() => begin(pasted)}>
          {t('continue')}
        </Button>
      </Group>
    </Section>
  );
}
