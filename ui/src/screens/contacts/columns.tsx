// The columns of the table of contacts: those that every account has, and one for each field of a list.

import { Text } from '@mantine/core';
import type { ResultOf } from '../../api/types.ts';
import { useMethod } from '../../api/use-method.ts';
import { shownDomains } from '../../parts/domain-name.ts';
import { parseTime } from '../../parts/formats.ts';
import { LinkAnchor } from '../../parts/link.tsx';
import { Status } from '../../parts/status/status.tsx';
import type { Column } from '../../parts/table/rows.tsx';
import { Time } from '../../parts/time.tsx';
import { useText } from '../../text/use-text.tsx';
import { useShownValue } from '../lists/fields/use-shown-value.ts';
import type { ConditionField } from '../lists/segments/use-conditions.ts';
import { memberStates, memberTones } from '../lists/states.ts';
import classes from './contacts.module.css';

export type ContactRow = ResultOf<'contacts'>['data'][number];

/** The columns that are shown until the user chooses others. */
export const standardColumns = ['name', 'state', 'lists', 'engagement', 'active', 'added'];

export const nameOf = ({ FNAME = '', LNAME = '' }: Record<string, string>) => `${FNAME} ${LNAME}`.trim();

export function useContactColumns(fields: readonly ConditionField[]): Column<ContactRow>[] {
  const t = useText('contacts');
  const shownValue = useShownValue();
  const lists = useMethod('lists', { limit: 1000 }).data ?? [];
  const names = new Map(lists.map(({ id, name }) => [id, name]));
  return [
    {
      name: 'email',
      title: t('email'),
      cell: ({ email }) => (
        <LinkAnchor to="/contacts/$email" params={{ email }} fw={500} c="inherit">
          {shownDomains(email)}
        </LinkAnchor>
      ),
    },
    { name: 'name', title: t('name'), cell: ({ merges }) => orNone(nameOf(merges)) },
    { name: 'state', title: t('state'), width: '132px', cell: (contact) => <ContactStatus contact={contact} /> },
    {
      name: 'lists',
      title: t('lists'),
      cell: ({ lists: own }) => (
        <Text size="sm" c="dimmed" lineClamp={1} title={own.map(({ id }) => names.get(id)).join(', ')}>
          {own.length === 0 ? '–' : own.map(({ id }) => names.get(id) ?? '…').join(', ')}
        </Text>
      ),
    },
    { name: 'engagement', title: t('engagement'), width: '112px', cell: (contact) => <Engagement contact={contact} /> },
    {
      name: 'active',
      title: t('lastActive'),
      width: '112px',
      wideOnly: true,
      cell: ({ last_active }) => (last_active ? <Time at={last_active} /> : <Text c="dimmed">–</Text>),
    },
    { name: 'added', title: t('added'), width: '136px', cell: ({ create_time }) => <Time at={create_time} /> },
    ...fields
      .filter(({ tag }) => tag !== 'EMAIL' && tag !== 'FNAME' && tag !== 'LNAME')
      .map((field) => ({
        name: `field-${field.tag}`,
        title: field.name,
        cell: ({ merges }: ContactRow) => orNone(shownValue(field, merges[field.tag])),
      })),
    { name: 'language', title: t('language'), cell: ({ language }) => orNone(language) },
    { name: 'zone', title: t('zone'), cell: ({ timezone }) => orNone(timezone) },
  ];
}

/** A contact in one line: its state, name and engagement. */
export function ContactBrief({ contact }: { contact: ContactRow }) {
  return (
    <>
      <ContactStatus contact={contact} />
      <span>{nameOf(contact.merges)}</span>
      {contact.emails > 0 && <Engagement contact={contact} />}
    </>
  );
}

const orNone = (value: string) => value || <Text c="dimmed">–</Text>;

/** Over all lists: why the contact gets nothing, or the best status that it has on a list. */
export function ContactStatus({ contact }: { contact: Pick<ContactRow, 'suppressed' | 'paused_until' | 'lists'> }) {
  const t = useText('contacts');
  const inLists = useText('lists');
  if (contact.suppressed) return <Status tone="bad">{t('suppressed')}</Status>;
  if (contact.paused_until) return <Status tone="waiting">{t('paused')}</Status>;
  const best = memberStates.find((state) => contact.lists.some(({ status }) => status === state));
  return best ? <Status tone={memberTones[best]}>{inLists(`state.${best}`)}</Status> : '–';
}

const dayMs = 86_400_000;
/** By the number of dots. */
const levels = ['new', 'cold', 'fading', 'active'] as const;
type Level = (typeof levels)[number];

/** active: opened or clicked within 30 days; fading: within 90; cold: longer ago or never; new: too few emails for a rating. */
function levelOf({ emails, last_active, create_time }: ContactRow): Level {
  const days = (time: string) => (Date.now() - (parseTime(time)?.getTime() ?? 0)) / dayMs;
  if (last_active === '') return emails < 3 && days(create_time) < 30 ? 'new' : 'cold';
  return days(last_active) <= 30 ? 'active' : days(last_active) <= 90 ? 'fading' : 'cold';
}

/** Three dots and the emails opened among those received in a year. */
export function Engagement({ contact }: { contact: ContactRow }) {
  const t = useText('contacts');
  if (contact.emails === 0) return <Text c="dimmed">{t('noEmails')}</Text>;
  const level = levelOf(contact);
  const dots = levels.indexOf(level);
  return (
    <span className={classes.engagement} title={t('openedOf', { opened: contact.opened, emails: contact.emails })}>
      <span className={classes.dots} aria-hidden>
        {[1, 2, 3].map((dot) => (
          <span key={dot} data-filled={dot <= dots || undefined} />
        ))}
      </span>
      {t(`level.${level}`)}
    </span>
  );
}
