// The contacts of all lists: a table with conditions as filters, chosen columns, a closer look, and actions for several.
import { Group, Radio, Stack, Text } from '@mantine/core';
import { IconUpload, IconUsers } from '@tabler/icons-react';
import { useNavigate } from '@tanstack/react-router';
import { type ComponentProps, lazy, type ReactNode, Suspense } from 'react';
import { useMethod } from '../../api/use-method.ts';
import { Empty } from '../../parts/empty.tsx';
import { FaultNote } from '../../parts/fault.tsx';
import { DropAnywhere, holdFile } from '../../parts/form/drop-anywhere.tsx';
import { useFormats } from '../../parts/formats.ts';
import { useShortcut } from '../../parts/keys.ts';
import { LinkButton } from '../../parts/link.tsx';
import { Lines } from '../../parts/loaded.tsx';
import { Page, PageHeader } from '../../parts/page.tsx';
import { ColumnChoice, useChosenColumns } from '../../parts/table/chosen-columns.tsx';
import { CursorPages } from '../../parts/table/cursor-pages.tsx';
import { Rows } from '../../parts/table/rows.tsx';
import { useTableSearch } from '../../parts/table/table-search.ts';
import { useSession } from '../../session/session.ts';
import { useText } from '../../text/use-text.tsx';
import { AddContact } from '../lists/add-member.tsx';
import { useConditionChips } from '../lists/segments/condition-chips.tsx';
import { useConditions } from '../lists/segments/use-conditions.ts';
import { isMemberState, memberStates } from '../lists/states.ts';
import type { Matching } from './bulk-tags.tsx';
import { ContactBrief, type ContactRow, standardColumns, useContactColumns } from './columns.tsx';

const SaveSegment = lazy(async () => ({ default: (await import('../lists/segments/save-segment.tsx')).SaveSegment }));
const ContactActions = lazy(() => import('./bulk-actions.tsx'));
const ContactPeek = lazy(() => import('./contact-peek.tsx'));

const pageSize = 50;
const noFilters = { q: undefined, state: undefined, filter: undefined, match: undefined };

export function ContactsScreen() {
  const t = useText('contacts');
  const inLists = useText('lists');
  const { number } = useFormats();
  const search = useTableSearch();
  const navigate = useNavigate();
  const mayWrite = useSession().may('contacts:write');
  const { data: fields = noFields, isPending: waitsForFields } = useMethod('contactFields');
  const conditions = useConditions(fields);
  const filter = useConditionChips({
    list: '',
    fields,
    conditions,
    children: mayWrite && conditions.nodes.length > 0 && (
      <Suspense>
        <SaveSegment list="" conditions={conditions} />
      </Suspense>
    ),
  });
  const status = isMemberState(search.state) ? search.state : undefined;
  const narrowing = { query: search.q, ...(status ? { status } : {}), ...conditions.given };
  const sort = search.sort === 'email' ? 'email' : 'newest';
  const answer = useMethod(
    'contacts',
    { ...narrowing, sort, limit: pageSize, ...(search.cursor ? { cursor: search.cursor } : {}) },
    { keep: true },
  );
  const total = useMethod('contactCount', narrowing, { keep: true });
  const { chosen, toggle } = useChosenColumns('contacts', standardColumns);
  const all = useContactColumns(fields);
  // Their names decide how wide the columns are, and how high the rows.
  const waits = useMethod('lists', { limit: 1000 }).isPending || waitsForFields;
  const columns = all.filter(({ name }) => name === 'email' || chosen.includes(name));
  const onFile = (file: File) => {
    holdFile(file);
    navigate({ to: '/contacts/import' });
  };
  const importing = mayWrite && <ImportButton />;
  return (
    <Page>
      <Head importing={importing} />
      {mayWrite && <DropAnywhere text={t('dropToImport')} onDrop={onFile} />}
      {answer.error && answer.data !== undefined && <FaultNote error={answer.error} />}
      <div>
        <Rows
          label={t('title')}
          columns={columns}
          brief={(contact) => <ContactBrief contact={contact} />}
          rows={waits ? undefined : answer.data?.data}
          keyOf={({ id }) => id}
          nameOf={(contact) => contact.email}
          query={answer}
          search={search}
          searchLabel={t('search')}
          chips={memberStates.map((name) => ({ name, label: inLists(`state.${name}`) }))}
          filters={filter.chips}
          narrowed={conditions.nodes.length > 0}
          onClear={() => search.change(noFilters)}
          tools={
            <Group gap="sm" wrap="nowrap">
              {filter.button}
              <View columns={all.slice(1)} chosen={chosen} onToggle={toggle} sort={sort} />
            </Group>
          }
          empty={<Empty icon={IconUsers} title={t('emptyTitle')} text={t('emptyText')} action={importing} />}
          peek={(contact) => (
            <Suspense fallback={<Lines />}>
              <ContactPeek contact={contact} fields={fields} />
            </Suspense>
          )}
          bulk={mayWrite ? actionsOn({ narrowing, count: total.data }) : undefined}
        />
        {!waits && answer.data && answer.data.data.length > 0 && (
          <CursorPages
            search={search}
            previous={answer.data.previous}
            next={answer.data.next}
            total={total.data === undefined ? '' : t('total', { count: total.data, number: number(total.data) })}
          />
        )}
      </div>
    </Page>
  );
}

/** @param importing the button that imports contacts, for those who may */
function Head({ importing }: { importing: ReactNode }) {
  const t = useText('contacts');
  return (
    <PageHeader
      title={t('title')}
      description={t('about')}
      actions={
        importing && (
          <>
            <AddContact />
            {importing}
          </>
        )
      }
    />
  );
}

type ViewProps = Pick<ComponentProps<typeof ColumnChoice>, 'columns' | 'chosen' | 'onToggle'> & { sort: string };

/** The columns that are shown, and the order of the rows. */
function View({ sort, ...columns }: ViewProps) {
  const t = useText('contacts');
  const { change } = useTableSearch();
  return (
    <ColumnChoice {...columns}>
      <Radio.Group
        label={t('sort')}
        size="xs"
        value={sort}
        onChange={(value) => change({ sort: value === 'email' ? 'email' : undefined })}
      >
        <Stack gap="sm" mt={4}>
          <Radio value="newest" label={t('sortNewest')} />
          <Radio value="email" label={t('sortEmail')} />
        </Stack>
      </Radio.Group>
    </ColumnChoice>
  );
}

const actionsOn = (matching: Matching) => (rows: readonly ContactRow[], clear: () => void) => (
  <Suspense fallback={null}>
    <ContactActions chosen={rows} matching={matching} clear={clear} />
  </Suspense>
);

const noFields: never[] = [];

function ImportButton() {
  const t = useText('contacts');
  const navigate = useNavigate();
  useShortcut('c', t('import'), () => navigate({ to: '/contacts/import' }));
  return (
    <LinkButton to="/contacts/import" leftSection={<IconUpload size={16} aria-hidden />}>
      {t('import')}
    </LinkButton>
  );
}

/** The page of an address that no contact has, or has any longer: from a link or a bookmark. */
export function NoContact({ email }: { email: string }) {
  const t = useText('contacts');
  return (
    <Page>
      <PageHeader title={email} back={{ to: '/contacts', label: t('title') }} />
      <Stack align="flex-start">
        <Text c="dimmed">{t('noContact')}</Text>
        <AddContact email={email} />
      </Stack>
    </Page>
  );
}
