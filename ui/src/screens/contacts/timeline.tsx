// The activity of a contact, newest first, by days; by kind, if wanted.

import { Button, Stack, Text, ThemeIcon } from '@mantine/core';
import {
  IconAlertTriangle,
  IconAt,
  IconBolt,
  IconCheck,
  IconClick,
  IconEye,
  IconEyeOff,
  IconFileImport,
  IconFlag,
  IconMail,
  IconMailOff,
  IconMailOpened,
  IconPencil,
  IconPlayerPause,
  IconPlayerPlay,
  IconRoute,
  IconTrash,
  IconUserMinus,
  IconUserPlus,
  type TablerIcon,
} from '@tabler/icons-react';
import type { UseQueryResult } from '@tanstack/react-query';
import { useState } from 'react';
import { useMethod } from '../../api/use-method.ts';
import { parseTime, useFormats } from '../../parts/formats.ts';
import { LinkAnchor } from '../../parts/link.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Section } from '../../parts/page.tsx';
import { FilterChips } from '../../parts/table/filter-bar.tsx';
import { Tagged } from '../../parts/tagged/tagged.tsx';
import { useSession } from '../../session/session.ts';
import { type Translate, useText } from '../../text/use-text.tsx';
import { agreementOf, type Contact, sourceText, suppressionText, type TimelineEntry } from './contact.ts';
import classes from './contacts.module.css';

const icons = {
  signup: IconUserPlus,
  subscribe: IconUserPlus,
  confirm: IconCheck,
  update: IconPencil,
  address: IconAt,
  pause: IconPlayerPause,
  resume: IconPlayerPlay,
  untrack: IconEyeOff,
  track: IconEye,
  unsubscribe: IconUserMinus,
  delete: IconTrash,
  mail: IconMail,
  open: IconMailOpened,
  click: IconClick,
  bounce: IconAlertTriangle,
  complaint: IconFlag,
  import: IconFileImport,
  automation: IconRoute,
  event: IconBolt,
  suppressed: IconMailOff,
} as const satisfies Record<string, TablerIcon>;
type Activity = keyof typeof icons;
const isActivity = (name: string): name is Activity => Object.hasOwn(icons, name);

const deliveryStates = ['queued', 'trying', 'accepted', 'later', 'failed', 'skipped', 'unclear'] as const;

/** Entries shown at first, and added by each "Show more". */
const pageSize = 50;

const kinds = {
  emails: ['mail', 'bounce', 'complaint'],
  engagement: ['open', 'click'],
  automations: ['automation'],
  events: ['event'],
  changes: [
    'signup',
    'subscribe',
    'confirm',
    'update',
    'address',
    'pause',
    'resume',
    'untrack',
    'track',
    'unsubscribe',
    'delete',
    'import',
    'suppressed',
  ],
} as const satisfies Record<string, readonly Activity[]>;
type Kind = keyof typeof kinds;
const kindNames = Object.keys(kinds) as Kind[];

export function Timeline({ contact, query }: { contact: Contact; query: UseQueryResult<TimelineEntry[]> }) {
  const t = useText('contacts');
  const [shown, setShown] = useState(pageSize);
  const [kind, setKind] = useState<Kind>();
  const isOf = (name: Kind, { what }: TimelineEntry) => (kinds[name] as readonly string[]).includes(what);
  return (
    <Section title={t('timeline')}>
      <Loaded query={query}>
        {(all) => {
          if (all.length === 0) return <Text c="dimmed">{t('noActivity')}</Text>;
          const entries = numbered(all).filter(({ entry }) => kind === undefined || isOf(kind, entry));
          const chips = kindNames.map((name) => ({
            name,
            label: t(`kind.${name}`),
            count: all.filter((entry) => isOf(name, entry)).length,
          }));
          return (
            <Stack gap="sm" align="stretch">
              <FilterChips
                label={t('timeline')}
                chips={chips.filter(({ count }) => count > 0)}
                chosen={kind}
                onChoose={(name) => {
                  setKind(name as Kind | undefined);
                  setShown(pageSize);
                }}
              />
              <Days contact={contact} entries={entries.toReversed().slice(0, shown)} />
              {entries.length > shown && (
                <Button variant="default" onClick={() => setShown(shown + pageSize)} style={{ alignSelf: 'start' }}>
                  {t('showMore')}
                </Button>
              )}
            </Stack>
          );
        }}
      </Loaded>
    </Section>
  );
}

type Numbered = { no: number; entry: TimelineEntry };

/** An entry keeps its number; new entries come after it. */
const numbered = (entries: readonly TimelineEntry[]): Numbered[] => entries.map((entry, no) => ({ no, entry }));

/** The entries under their days, in the zone of the account. */
function Days({ contact, entries }: { contact: Contact; entries: readonly Numbered[] }) {
  const t = useText('contacts');
  const { date } = useFormats();
  const dayOf = ({ entry }: Numbered) => {
    const at = parseTime(entry.time);
    return at ? date(at) : '–';
  };
  const today = date(new Date());
  const yesterday = date(new Date(Date.now() - 86_400_000));
  return [...Map.groupBy(entries, dayOf)].map(([day, ofDay]) => (
    <div key={day}>
      <h3 className={classes.day}>{day === today ? t('today') : day === yesterday ? t('yesterday') : day}</h3>
      <ol className={classes.entries}>
        {ofDay.map(({ no, entry }) => (
          <Entry key={no} contact={contact} entry={entry} />
        ))}
      </ol>
    </div>
  ));
}

function Entry({ contact, entry }: { contact: Contact; entry: TimelineEntry }) {
  const t = useText('contacts');
  const Icon: TablerIcon = isActivity(entry.what) ? icons[entry.what] : IconMail;
  const list = contact.subscriptions.find(({ list_id }) => list_id === entry.list_id);
  const { exact, time } = useFormats();
  const at = parseTime(entry.time);
  const detail = detailOf(t, entry, exact);
  const isEmail = entry.campaign_id !== '' || entry.message_id !== '';
  const notes = [
    entry.machine !== '' && t('bot', { why: entry.machine }),
    entry.source !== '' && sourceText(t, entry.source),
    entry.ip,
  ].filter(Boolean);
  return (
    <li className={entry.machine === '' ? undefined : classes.machine}>
      <ThemeIcon variant="default" radius="xl" size="md" aria-hidden>
        <Icon size={14} />
      </ThemeIcon>
      <Stack gap={2} miw={0} style={{ flex: 1 }}>
        <Text fw={500} component="div" style={{ overflowWrap: 'anywhere' }}>
          {headlineOf(t, entry)}
          {isEmail && (
            <>
              {' · '}
              <EmailName entry={entry} />
            </>
          )}
          {!isEmail && list && ` · ${list.list_name}`}
        </Text>
        {detail !== '' && (
          <Text c="dimmed" style={{ overflowWrap: 'anywhere' }}>
            {detail}
          </Text>
        )}
        <Agreement evidence={entry.evidence} shown={list?.evidence} />
        {notes.length > 0 && (
          <Text size="xs" c="dimmed">
            {notes.join(' · ')}
          </Text>
        )}
      </Stack>
      {at && (
        <time className={classes.time} dateTime={at.toISOString()} title={exact(at)}>
          {time(at)}
        </time>
      )}
    </li>
  );
}

/** What the contact agreed to, unless the subscription shows it; folded where it is long. */
function Agreement({
  evidence,
  shown = {},
}: {
  evidence: Record<string, string>;
  shown: Record<string, string> | undefined;
}) {
  const t = useText('contacts');
  const known = new Set(agreementOf(t, shown).map(([, text]) => text));
  const parts = agreementOf(t, evidence)
    .filter(([, text]) => !known.has(text))
    .map(([name, text]) => (name === '' ? text : `${name}: ${text}`));
  if (parts.length === 0) return null;
  const lines = parts.map((part) => (
    <Text key={part} c="dimmed" style={{ overflowWrap: 'anywhere', whiteSpace: 'pre-line' }}>
      {part}
    </Text>
  ));
  if (parts.join('').length <= shortAgreement) return lines;
  return (
    <details className={classes.fold}>
      <summary>{t('evidence')}</summary>
      {lines}
    </details>
  );
}

/** Characters that are shown without a fold. */
const shortAgreement = 80;

/** Changed values that are not fields of a list. */
const preferences = { EMAIL_TYPE: 'format', LANGUAGE: 'language', TIMEZONE: 'zone', TAGS: 'tags' } as const;
const isPreference = (tag: string): tag is keyof typeof preferences => Object.hasOwn(preferences, tag);

function detailOf(t: Translate<'contacts'>, { what, detail }: TimelineEntry, exact: (at: Date) => string): string {
  if (what === 'suppressed') return suppressionText(t, detail);
  if (what === 'update')
    return detail
      .split(', ')
      .map((tag) => (isPreference(tag) ? t(preferences[tag]) : tag))
      .join(', ');
  if (what === 'pause') {
    const end = parseTime(detail);
    return end ? t('until', { time: exact(end) }) : detail;
  }
  if (what === 'automation') {
    const [outcome = '', ...title] = detail.split(': ');
    return `${title.join(': ')}: ${t.of('automationOutcome', outcome)}`;
  }
  // The state is the headline; what follows it is the reason.
  return what === 'mail' ? stateAndReason(detail)[1] : detail;
}

/** Of "failed: no such mailbox". */
function stateAndReason(detail: string): [state: string, reason: string] {
  const [state = '', ...why] = detail.split(': ');
  return [state, why.join(': ')];
}

function headlineOf(t: Translate<'contacts'>, { what, detail }: TimelineEntry): string {
  if (what === 'mail') {
    const [state] = stateAndReason(detail);
    const known = deliveryStates.find((name) => name === state);
    if (known) return t(`mailed.${known}`);
  }
  return isActivity(what) ? t(`activity.${what}`) : what;
}

/** The subject of an email, which leads to its campaign or to the message. */
function EmailName({ entry: { campaign_id, message_id, subject } }: { entry: TimelineEntry }) {
  const { may } = useSession();
  const name = subject === '' ? undefined : <Tagged>{subject}</Tagged>;
  if (campaign_id === '')
    return may('messages:read') ? (
      <LinkAnchor to="/messages/$id" params={{ id: message_id }} inherit>
        {name ?? message_id}
      </LinkAnchor>
    ) : (
      (name ?? message_id)
    );
  if (name === undefined) return <CampaignName id={campaign_id} />;
  return (
    <LinkAnchor to="/campaigns/$id" params={{ id: campaign_id }} inherit>
      {name}
    </LinkAnchor>
  );
}

function CampaignName({ id }: { id: string }) {
  const t = useText('contacts');
  const { data } = useMethod('campaigns', { filters: { campaign_id: id } });
  return (
    <LinkAnchor to="/campaigns/$id" params={{ id }} inherit>
      <Tagged>{data?.[0]?.title || data?.[0]?.subject || t('campaign')}</Tagged>
    </LinkAnchor>
  );
}
