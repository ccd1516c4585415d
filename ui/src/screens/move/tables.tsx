// The lists of a migration with their contacts by state there, and why something is not taken.
import { Text } from '@mantine/core';
import { useFormats } from '../../parts/formats.ts';
import { LinkAnchor } from '../../parts/link.tsx';
import { Section } from '../../parts/page.tsx';
import { type Column, Rows } from '../../parts/table/rows.tsx';
import { useText } from '../../text/use-text.tsx';
import { countsOf, type Migration, type MovedList } from './migration.ts';

const states = ['subscribed', 'pending', 'unsubscribed', 'bounced', 'complained'] as const;

export function Lists({ status, isApplied }: { status: Migration; isApplied: boolean }) {
  const t = useText('move');
  const { number } = useFormats();
  const addedOf = (list: MovedList) => countsOf(list, isApplied ? 'result' : 'predicted').added ?? 0;
  const columns: Column<MovedList>[] = [
    {
      name: 'list',
      title: t('list'),
      cell: ({ name, list }) =>
        list === '' ? (
          name
        ) : (
          <LinkAnchor to="/lists/$id" params={{ id: list }} fw={500} c="inherit">
            {name}
          </LinkAnchor>
        ),
    },
    ...states.map(
      (state): Column<MovedList> => ({
        name: state,
        title: t(`there.${state}`),
        figure: true,
        width: '120px',
        cell: (list) => number(list.states[state]),
      }),
    ),
    {
      name: 'added',
      title: t(isApplied ? 'wasAdded' : 'willAdd'),
      figure: true,
      width: '120px',
      cell: (list) => number(addedOf(list)),
    },
  ];
  return (
    <Section title={t('lists')}>
      <Rows
        label={t('lists')}
        columns={columns}
        rows={status.lists}
        keyOf={({ name }) => name}
        nameOf={({ name }) => name}
        empty={null}
      />
    </Section>
  );
}

type Problem = Migration['problems'][number];

export function Problems({ status }: { status: Migration }) {
  const t = useText('move');
  const { number } = useFormats();
  const columns: Column<Problem>[] = [
    { name: 'list', title: t('list'), width: '180px', cell: ({ list }) => list || t('noList') },
    { name: 'reason', title: t('reason'), cell: ({ reason }) => reason },
    { name: 'count', title: t('count'), figure: true, width: '110px', cell: ({ count }) => number(count) },
    {
      name: 'example',
      title: t('example'),
      cell: ({ value }) => (
        <Text size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
          {value}
        </Text>
      ),
    },
  ];
  return (
    <Section title={t('problems')} description={t('problemsAbout')}>
      <Rows
        label={t('problems')}
        columns={columns}
        rows={status.problems}
        keyOf={({ list, reason }) => `${list} ${reason}`}
        nameOf={({ reason }) => reason}
        empty={null}
      />
    </Section>
  );
}
