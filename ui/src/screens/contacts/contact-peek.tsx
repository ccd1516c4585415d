// A closer look at a contact, in the panel at the side: its state, figures, lists and values.
import { Group, Stack, Text } from '@mantine/core';
import { useMethod } from '../../api/use-method.ts';
import { Facts } from '../../parts/facts/facts.tsx';
import { useFormats } from '../../parts/formats.ts';
import { LinkButton } from '../../parts/link.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Stat, Stats } from '../../parts/stat/stat.tsx';
import { Time } from '../../parts/time.tsx';
import { useText } from '../../text/use-text.tsx';
import { useShownValue } from '../lists/fields/use-shown-value.ts';
import { MemberStatus } from '../lists/member-status.tsx';
import type { ConditionField } from '../lists/segments/use-conditions.ts';
import { type ContactRow, ContactStatus, nameOf } from './columns.tsx';

type Props = { contact: ContactRow; fields: readonly ConditionField[] };

/** The same for a member of a list, whose contact is looked up. */
export function MemberPeek({ email, fields }: { email: string; fields: readonly ConditionField[] }) {
  const contact = useMethod('contacts', { filter: [{ field: 'EMAIL', condition: 'is', value: email }], limit: 1 });
  return (
    <Loaded query={contact}>{({ data: [first] }) => first && <ContactPeek contact={first} fields={fields} />}</Loaded>
  );
}

export default function ContactPeek({ contact, fields }: Props) {
  const t = useText('contacts');
  const shownValue = useShownValue();
  const { number, shareOf } = useFormats();
  const lists = useMethod('lists', { limit: 1000 }).data ?? [];
  // The name is above.
  const values = fields.filter(({ tag }) => !['EMAIL', 'FNAME', 'LNAME'].includes(tag) && contact.merges[tag]);
  const rows: [name: string, value: React.ReactNode][] = [
    ...contact.lists.map(({ id, status }): [string, React.ReactNode] => [
      lists.find((list) => list.id === id)?.name ?? '…',
      <MemberStatus key={id} state={status} />,
    ]),
    ...values.map((field): [string, React.ReactNode] => [field.name, shownValue(field, contact.merges[field.tag])]),
    [t('added'), <Time key="added" at={contact.create_time} />],
    ...(contact.last_active
      ? [[t('lastActive'), <Time key="active" at={contact.last_active} />] as [string, React.ReactNode]]
      : []),
  ];
  return (
    <Stack gap="md">
      <Group gap="sm">
        {nameOf(contact.merges) !== '' && <Text fw={500}>{nameOf(contact.merges)}</Text>}
        <ContactStatus contact={contact} />
      </Group>
      <Stats label={t('lastYear')}>
        <Stat label={t('emails')} value={number(contact.emails)} />
        <Stat label={t('opened')} value={contact.emails > 0 ? shareOf(contact.opened, contact.emails) : '–'} />
        <Stat label={t('clicked')} value={contact.emails > 0 ? shareOf(contact.clicked, contact.emails) : '–'} />
      </Stats>
      <Facts label={t('details')} facts={rows} />
      <LinkButton to="/contacts/$email" params={{ email: contact.email }} variant="default">
        {t('open')}
      </LinkButton>
    </Stack>
  );
}
