// A screen that is the table of all objects of a kind: its title, the button that creates one, the rows, and what it says
// where there are none.
import { Text } from '@mantine/core';
import { IconPlus, type TablerIcon } from '@tabler/icons-react';
import { useNavigate } from '@tanstack/react-router';
import type { ComponentProps, ReactNode } from 'react';
import { Empty } from '../empty.tsx';
import { useShortcut } from '../keys.ts';
import { LinkAnchor, LinkButton, type Target } from '../link.tsx';
import { Page, PageHeader } from '../page.tsx';
import { Rows } from './rows.tsx';

type Props<R> = Omit<ComponentProps<typeof Rows<R>>, 'label' | 'keyOf' | 'empty'> & {
  title: string;
  about?: string;
  /** A CreateLink; nothing for those who may not create one. */
  create: ReactNode;
  empty: { icon: TablerIcon; title: string; text: string };
  /** Where an id is not enough: rows of several kinds. */
  keyOf?(row: R): string;
  /** The name of the table; default: the title. */
  label?: string;
  /** Puts the table into tabs. */
  within?(table: ReactNode): ReactNode;
  /** Below the table. */
  children?: ReactNode;
};

export function ListScreen<R extends { id: string }>(props: Props<R>) {
  const { title, label = title, about, create, empty, within, children, keyOf = ({ id }) => id, ...rows } = props;
  const table = <Rows {...rows} label={label} keyOf={keyOf} empty={<Empty {...empty} action={create} />} />;
  return (
    <Page>
      <PageHeader title={title} description={about} actions={create} />
      {within ? within(table) : table}
      {rows.rows !== undefined && children}
    </Page>
  );
}

/** Leads to the screen that creates one, also with the key c. */
export function CreateLink({ to, label }: { to: Target['to']; label: string }) {
  const navigate = useNavigate();
  useShortcut('c', label, () => navigate({ to }));
  return (
    <LinkButton to={to} leftSection={<IconPlus size={16} aria-hidden />}>
      {label}
    </LinkButton>
  );
}

/** The first cell of a row: the name, which leads to its screen, and below it a word about it. */
export function NameCell({ name, note, ...screen }: Target & { name: string; note: string }) {
  return (
    <>
      <LinkAnchor {...screen} fw={500} c="inherit">
        {name}
      </LinkAnchor>
      <Text data-note size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
        {note}
      </Text>
    </>
  );
}
