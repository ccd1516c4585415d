// A contact across all lists: subscriptions with values and proof of consent, activity, and data protection: export
// everything, suppress, erase.

import { Alert, Button, Group, Menu, Stack, Text } from '@mantine/core';
import { IconDots, IconDownload, IconMailOff, IconPlayerPause, IconUserOff } from '@tabler/icons-react';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { ApiFault, call } from '../../api/call.ts';
import { useMethod, useMutate } from '../../api/use-method.ts';
import { confirm } from '../../parts/confirm/confirm.tsx';
import { FaultNote } from '../../parts/fault.tsx';
import { saveFile } from '../../parts/files/save-file.ts';
import { useFormats } from '../../parts/formats.ts';
import { Lines } from '../../parts/loaded.tsx';
import { Page, PageHeader } from '../../parts/page.tsx';
import { Stat } from '../../parts/stat/stat.tsx';
import { Time } from '../../parts/time.tsx';
import { toast } from '../../parts/toast/toast.tsx';
import { useRemoval } from '../../parts/use-removal.ts';
import { useSession } from '../../session/session.ts';
import { NotFound } from '../../shell/not-found.tsx';
import { useText } from '../../text/use-text.tsx';
import { type Contact, suppressionText, type TimelineEntry } from './contact.ts';
import { PauseDialog, PauseNote } from './pause.tsx';
import { Subscriptions } from './subscriptions.tsx';
import { Timeline } from './timeline.tsx';

/** The most entries the method returns at once. */
const maxEntries = 15_000;

export function ContactScreen() {
  const t = useText('contacts');
  const { email } = useParams({ strict: false }) as { email: string };
  const query = useMethod('contactInfo', { email });
  const timeline = useMethod('contactTimeline', { email, limit: maxEntries });
  const back = { to: '/lists', label: t('lists') };
  if (query.error instanceof ApiFault && query.error.code === unknownAddress) return <NotFound />;
  if (query.data === undefined)
    return (
      <Page>
        <PageHeader title={email} back={back} />
        {query.error ? <FaultNote error={query.error} onRetry={() => query.refetch()} /> : <Lines />}
      </Page>
    );
  const contact = query.data;
  const [first] = contact.subscriptions;
  const entries = timeline.data ?? [];
  const count = (what: string) => entries.filter((entry) => entry.what === what && entry.machine === '').length;
  return (
    <Page>
      <PageHeader
        title={contact.email}
        back={first ? { to: `/lists/${first.list_id}`, label: first.list_name } : back}
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
      <Figures contact={contact} emails={count('mail')} opens={count('open')} clicks={count('click')} />
      <Subscriptions contact={contact} />
      <Timeline contact={contact} query={timeline} />
    </Page>
  );
}

/** The fault ADDRESS_UNKNOWN. */
const unknownAddress = 232;

type Counts = { contact: Contact; emails: number; opens: number; clicks: number };

function Figures({ contact, emails, opens, clicks }: Counts) {
  const t = useText('contacts');
  const { number } = useFormats();
  return (
    <Group gap="xl">
      <Stat label={t('emails')} value={number(emails)} />
      <Stat label={t('opens')} value={number(opens)} />
      <Stat label={t('clicks')} value={number(clicks)} />
      <Stack gap={0}>
        <Text c="dimmed">{t('added')}</Text>
        <Text fw={500}>
          <Time at={contact.create_time} />
        </Text>
      </Stack>
    </Group>
  );
}

function Actions({ contact, entries }: { contact: Contact; entries: readonly TimelineEntry[] }) {
  const t = useText('contacts');
  const mayWrite = useSession().may('write');
  const { download, suppressAddress, releaseAddress, eraseContact } = useContactActions(contact, entries);
  // An erased address is suppressed by its hash; that entry can be removed as well.
  const byAddress = /^(address|hash):/.test(contact.suppressed);
  const [pausing, setPausing] = useState(false);
  return (
    <>
      <Button variant="default" leftSection={<IconDownload size={16} aria-hidden />} onClick={download}>
        {t('export')}
      </Button>
      {mayWrite && (
        <Menu position="bottom-end">
          <Menu.Target>
            <Button variant="default" px="sm" aria-label={t('more')}>
              <IconDots size={16} aria-hidden />
            </Button>
          </Menu.Target>
          <Menu.Dropdown>
            {contact.paused_until === '' && (
              <Menu.Item leftSection={<IconPlayerPause size={16} aria-hidden />} onClick={() => setPausing(true)}>
                {t('pause')}
              </Menu.Item>
            )}
            {byAddress ? (
              <Menu.Item leftSection={<IconMailOff size={16} aria-hidden />} onClick={releaseAddress}>
                {t('release')}
              </Menu.Item>
            ) : (
              <Menu.Item leftSection={<IconMailOff size={16} aria-hidden />} onClick={suppressAddress}>
                {t('suppress')}
              </Menu.Item>
            )}
            <Menu.Item leftSection={<IconUserOff size={16} aria-hidden />} onClick={eraseContact}>
              {t('erase')}
            </Menu.Item>
          </Menu.Dropdown>
        </Menu>
      )}
      <PauseDialog contact={contact} opened={pausing} onClose={() => setPausing(false)} />
    </>
  );
}

function useContactActions(contact: Contact, entries: readonly TimelineEntry[]) {
  const t = useText('contacts');
  const { number } = useFormats();
  const removal = useRemoval();
  const suppress = useMutate('suppressedListSubscribe', ['contact']);
  const release = useMutate('suppressedListUnsubscribe', ['contact']);
  const erase = useMutate('contactErase', ['list', 'member', 'segment', 'suppressed']);
  const { email } = contact;

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
  const eraseContact = () =>
    removal({
      question: {
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
      },
      backTo: '/lists',
      remove: () => erase.mutateAsync({ email }),
      done: t('erased', { email }),
    });
  const releaseAddress = () =>
    release.mutate(
      { email_address: email },
      { onSuccess: () => toast.done(t('released', { email })), onError: toast.failed },
    );
  return { download, suppressAddress, releaseAddress, eraseContact };
}
