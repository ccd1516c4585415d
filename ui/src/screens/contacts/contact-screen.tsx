// A contact across all lists: what happened day by day, and beside it the figures, the subscriptions with values and proof
// of consent; pause, suppress, export and erase are in the menu.

import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import {
  IconDownload,
  IconEye,
  IconEyeOff,
  IconMailOff,
  IconPlayerPause,
  IconTags,
  IconUserOff,
  IconUserPlus,
} from '@tabler/icons-react';
import { useParams } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { maxTimelineEntries } from '../../../../src/audience/contacts/timeline-limit.ts';
import { ApiFault, call } from '../../api/call.ts';
import { faultCodes } from '../../api/fault-codes.ts';
import { useMethod, useMutate } from '../../api/use-method.ts';
import { confirm } from '../../parts/confirm/confirm.tsx';
import { Copy } from '../../parts/copy.tsx';
import { shownDomains } from '../../parts/domain-name.ts';
import { Facts } from '../../parts/facts/facts.tsx';
import { saveFile } from '../../parts/files/save-file.ts';
import { useFormats } from '../../parts/formats.ts';
import { LoadingPage } from '../../parts/loading-page.tsx';
import { Modal } from '../../parts/modal.tsx';
import { ObjectMenu, type Removal } from '../../parts/object-menu.tsx';
import { Page, PageHeader, Section } from '../../parts/page.tsx';
import { Stat, Stats } from '../../parts/stat/stat.tsx';
import { Time } from '../../parts/time.tsx';
import { toast } from '../../parts/toast/toast.tsx';
import { useSession } from '../../session/session.ts';
import { useText } from '../../text/use-text.tsx';
import { Automations } from './automations.tsx';
import { ContactStatus, nameOf } from './columns.tsx';
import { type Contact, suppressionText, type TimelineEntry } from './contact.ts';
import classes from './contacts.module.css';
import { Events } from './events.tsx';
import { PauseNote } from './pause.tsx';
import { Person } from './person.tsx';
import { Subscriptions } from './subscriptions.tsx';
import { Timeline } from './timeline.tsx';

/** With the contacts, which have its dialog: a file of its own would split those of other screens. */
const NoContact = lazy(async () => ({ default: (await import('./contacts-screen.tsx')).NoContact }));
const AddToList = lazy(async () => ({ default: (await import('./add-to-list.tsx')).AddToList }));
const PauseDialog = lazy(() => import('./pause-dialog.tsx'));
const TagsDialog = lazy(() => import('./tags-dialog.tsx'));

export function ContactScreen() {
  const t = useText('contacts');
  const { email } = useParams({ strict: false }) as { email: string };
  const query = useMethod('contactGet', { email });
  const timeline = useMethod('contactTimeline', { email, limit: maxTimelineEntries });
  const back = { to: '/contacts', label: t('title') } as const;
  if (query.error instanceof ApiFault && query.error.code === faultCodes.ADDRESS_UNKNOWN)
    return (
      <Suspense>
        <NoContact email={email} />
      </Suspense>
    );
  if (query.data === undefined) return <LoadingPage title={email} back={back} query={query} />;
  const contact = query.data;
  const entries = timeline.data ?? [];
  const name = contact.subscriptions.map(({ merges }) => nameOf(merges)).find((known) => known !== '') ?? '';
  return (
    <Page>
      <PageHeader
        title={name || shownDomains(contact.email)}
        status={
          <ContactStatus
            contact={{
              suppressed: contact.suppressed !== '',
              paused_until: contact.paused_until,
              lists: contact.subscriptions.map(({ list_id, status }) => ({ id: list_id, status })),
            }}
          />
        }
        description={
          <Group gap={4} wrap="nowrap">
            <span style={{ overflowWrap: 'anywhere' }}>{contact.email}</span>
            <Copy value={contact.email} label={t('copyAddress')} />
          </Group>
        }
        wide
        back={back}
        actions={<Actions contact={contact} entries={entries} />}
      />
      {contact.suppressed !== '' && (
        <Alert
          color="yellow"
          variant="outline"
          icon={<IconMailOff aria-hidden />}
          title={t('suppressed')}
          styles={{ title: { color: 'var(--mantine-color-text)' } }}
        >
          <Text>{suppressionText(t, contact.suppressed)}</Text>
        </Alert>
      )}
      <PauseNote contact={contact} />
      <div className={classes.columns}>
        <Timeline contact={contact} query={timeline} />
        <Stack gap="lg">
          <Figures contact={contact} entries={entries} />
          <Person contact={contact} />
          <Automations contact={contact} />
          <Events contact={contact} />
          <Subscriptions contact={contact} />
        </Stack>
      </div>
    </Page>
  );
}

type Known = { contact: Contact; entries: readonly TimelineEntry[] };

/** How many of the emails it got it opened and clicked in; what machines did does not count. */
function Figures({ contact, entries }: Known) {
  const t = useText('contacts');
  const { number } = useFormats();
  const got = entries.filter(({ what, detail }) => what === 'mail' && detail === 'accepted').length;
  const did = (what: string) => entries.filter((entry) => entry.what === what && entry.machine === '');
  const emailsOf = (what: string) => new Set(did(what).map(({ campaign_id }) => campaign_id)).size;
  const opens = did('open').length;
  return (
    <Section title={t('details')}>
      <div className={classes.figures}>
        <Stats>
          <Stat label={t('emails')} value={number(got)} />
          <Stat
            label={t('opened')}
            value={number(emailsOf('open'))}
            note={opens > 0 && t('openedTimes', { count: opens })}
          />
          <Stat label={t('clicked')} value={number(emailsOf('click'))} />
        </Stats>
      </div>
      <Facts
        label={t('details')}
        facts={[
          [t('added'), <Time key="added" at={contact.create_time} />],
          [t('language'), contact.language || '–'],
          [t('zone'), contact.timezone || '–'],
          [t('tags'), contact.tags.join(', ') || '–'],
          [t('tracking'), t(contact.tracked ? 'tracked' : 'untracked')],
        ]}
      />
    </Section>
  );
}

function Actions({ contact, entries }: Known) {
  const t = useText('contacts');
  const { may, mayAll } = useSession();
  const mayWrite = may('contacts:write');
  const { download, changeTracking, suppressAddress, releaseAddress, erasure } = useContactActions(contact, entries);
  // An erased address is suppressed by its hash; that entry can be removed as well.
  const byAddress = /^(address|hash):/.test(contact.suppressed);
  const [pausing, setPausing] = useState(false);
  const [adding, setAdding] = useState(false);
  const [tagging, setTagging] = useState(false);
  const add = useMutate('listSubscribe', ['member', 'contact', 'segment']);
  const addTo = async (id: string, double_optin: boolean) => {
    try {
      await add.mutateAsync({ id, email_address: contact.email, double_optin });
      toast.done(t(double_optin ? 'confirmationsSent' : 'addedToList', { count: 1 }));
    } catch (error) {
      toast.failed(error);
    }
    setAdding(false);
  };
  return (
    <>
      {mayWrite && (
        <Button leftSection={<IconUserPlus size={16} aria-hidden />} onClick={() => setAdding(true)}>
          {t('addToList')}
        </Button>
      )}
      <ObjectMenu
        items={[
          may('contacts:export') && { label: t('export'), icon: IconDownload, act: download },
          mayWrite &&
            contact.paused_until === '' && { label: t('pause'), icon: IconPlayerPause, act: () => setPausing(true) },
          mayWrite && { label: t('tagsEdit'), icon: IconTags, act: () => setTagging(true) },
          mayWrite && {
            label: t(contact.tracked ? 'untrack' : 'track'),
            icon: contact.tracked ? IconEyeOff : IconEye,
            act: changeTracking,
          },
          mayAll('contacts:write') && {
            label: t(byAddress ? 'release' : 'suppress'),
            icon: IconMailOff,
            act: byAddress ? releaseAddress : suppressAddress,
          },
        ]}
        removal={may('contacts:erase') && erasure}
      />
      <Modal
        opened={adding}
        onClose={() => setAdding(false)}
        title={t('addToListTitle', { count: 1 })}
        closeButtonProps={{ 'aria-label': t('close') }}
      >
        {adding && (
          <Suspense>
            <AddToList
              except={contact.subscriptions
                .filter(({ status }) => status === 'subscribed')
                .map(({ list_id }) => list_id)}
              onAdd={addTo}
            />
          </Suspense>
        )}
      </Modal>
      {tagging && (
        <Suspense fallback={null}>
          <TagsDialog contact={contact} onClose={() => setTagging(false)} />
        </Suspense>
      )}
      <Suspense>{pausing && <PauseDialog contact={contact} opened onClose={() => setPausing(false)} />}</Suspense>
    </>
  );
}

function useContactActions(contact: Contact, entries: readonly TimelineEntry[]) {
  const t = useText('contacts');
  const { number } = useFormats();
  const suppress = useMutate('suppressedListSubscribe', ['contact']);
  const release = useMutate('suppressedListUnsubscribe', ['contact']);
  const erase = useMutate('contactErase', ['list', 'member', 'segment', 'suppressed']);
  const tracking = useMutate('contactTrackingUpdate', ['contact']);
  const { email } = contact;

  const changeTracking = () => {
    const tracked = !contact.tracked;
    tracking.mutate(
      { email, tracked },
      { onSuccess: () => toast.done(t(tracked ? 'trackedNow' : 'untrackedNow', { email })), onError: toast.failed },
    );
  };
  const download = async () => {
    try {
      const all = await call('contactExport', { email });
      saveFile(`contact-${contact.id}.json`, JSON.stringify(all, null, 2), 'application/json');
    } catch (error) {
      toast.failed(error);
    }
  };
  const suppressAddress = async () => {
    const yes = await confirm({
      title: t('suppressTitle', { email }),
      figures: [
        {
          value: number(contact.subscriptions.length),
          label: t('suppressCount', { count: contact.subscriptions.length }),
        },
      ],
      text: t('suppressText'),
      action: t('suppress'),
      danger: true,
    });
    if (!yes) return;
    suppress.mutate(
      { email_address: email },
      { onSuccess: () => toast.done(t('suppressedNow', { email })), onError: toast.failed },
    );
  };
  const erasure: Removal = {
    title: t('eraseTitle', { email }),
    figures: [
      {
        value: number(contact.subscriptions.length),
        label: t('eraseSubscriptions', { count: contact.subscriptions.length }),
      },
      { value: number(entries.length), label: t('eraseEntries', { count: entries.length }) },
    ],
    text: t('eraseText'),
    action: t('erase'),
    icon: IconUserOff,
    remove: () => erase.mutateAsync({ email }),
    done: t('erased', { email }),
    backTo: '/contacts',
  };
  const releaseAddress = () =>
    release.mutate(
      { email_address: email },
      { onSuccess: () => toast.done(t('released', { email })), onError: toast.failed },
    );
  return { download, changeTracking, suppressAddress, releaseAddress, erasure };
}
