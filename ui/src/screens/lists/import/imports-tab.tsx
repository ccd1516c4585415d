// Imports: start one from a file or pasted rows, and list earlier ones.
import { Stack } from '@mantine/core';
import type { ResultOf } from '../../../api/types.ts';
import { useMethod } from '../../../api/use-method.ts';
import { useFormats } from '../../../parts/formats.ts';
import { LinkAnchor } from '../../../parts/link.tsx';
import { Section } from '../../../parts/page.tsx';
import { Status } from '../../../parts/status/status.tsx';
import { type Column, Rows } from '../../../parts/table/rows.tsx';
import { Time } from '../../../parts/time.tsx';
import { useText } from '../../../text/use-text.tsx';
import { type ImportState, importTones } from './import-states.ts';
import { NewImport } from './new-import.tsx';

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
        <LinkAnchor to="/lists/$id/import/$import" params={{ id: list, import: row.id }} fw={500} c="inherit">
          {row.name || t('pasted')}
        </LinkAnchor>
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
      <Section title={t('importFile')} description={t('importAbout')}>
        <NewImport needList={async () => list} />
      </Section>
      {(imports.data === undefined || imports.data.length > 0) && (
        <Section title={t('earlierImports')}>
          <Rows
            label={t('earlierImports')}
            compact
            columns={columns}
            rows={imports.data}
            keyOf={({ id }) => id}
            nameOf={({ name }) => name}
            query={imports}
            empty={null}
          />
        </Section>
      )}
    </Stack>
  );
}

export function ImportStatus({ state }: { state: ImportState }) {
  const t = useText('lists');
  return <Status tone={importTones[state]}>{t(`import.${state}`)}</Status>;
}
