// Actions for several contacts: add them to a list, tag them, unsubscribe them from a list, suppress them.
import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { IconMailOff, IconTag, IconUserMinus, IconUserPlus } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import { ApiFault, call } from '../../api/call.ts';
import { invalidate, useMethod } from '../../api/use-method.ts';
import { confirm } from '../../parts/confirm/confirm.tsx';
import { Select } from '../../parts/form/select.tsx';
import { useFormats } from '../../parts/formats.ts';
import { toast } from '../../parts/toast/toast.tsx';
import { useSession } from '../../session/session.ts';
import { useText } from '../../text/use-text.tsx';
import { AddToList } from './add-to-list.tsx';
import type { Matching } from './bulk-tags.tsx';
import type { ContactRow } from './columns.tsx';

const BulkTags = lazy(() => import('./bulk-tags.tsx'));

type Props = { chosen: readonly ContactRow[]; matching: Matching; clear(): void };
type Batch = { success_count: number; errors: { code: number; message: string }[] };

export default function ContactActions({ chosen, matching, clear }: Props) {
  const t = useText('contacts');
  const { number } = useFormats();
  const client = useQueryClient();
  const [asking, setAsking] = useState<'add' | 'tag' | 'leave'>();
  /** What failed is shown; the others are done. */
  const run = async (work: () => Promise<Batch>, done: (count: number) => string) => {
    try {
      const { success_count, errors } = await work();
      const [wrong] = errors;
      if (success_count > 0) toast.done(done(success_count));
      if (wrong) toast.failed(new ApiFault(wrong.code, wrong.message, 400));
      if (success_count > 0) clear();
    } catch (error) {
      toast.failed(error);
    }
    setAsking(undefined);
    await invalidate(client, ['list', 'member', 'contact', 'segment', 'suppressed']);
  };
  const suppress = async () => {
    const yes = await confirm({
      title: t('suppressSeveral', { count: chosen.length }),
      figures: [{ value: number(chosen.length), label: t('suppressSeveralCount', { count: chosen.length }) }],
      text: t('suppressText'),
      action: t('suppress'),
      danger: true,
    });
    if (!yes) return;
    await run(
      () => call('suppressedListBatchSubscribe', { emails: chosen.map(({ email }) => email) }),
      (count) => t('suppressedSeveral', { count }),
    );
  };
  return (
    <>
      <Buttons
        onAsk={setAsking}
        noneSubscribed={chosen.every(({ lists }) => lists.every(({ status }) => status !== 'subscribed'))}
        onSuppress={suppress}
      />
      <Modal
        opened={asking === 'add'}
        onClose={() => setAsking(undefined)}
        title={t('addToListTitle', { count: chosen.length })}
        closeButtonProps={{ 'aria-label': t('close') }}
      >
        {asking === 'add' && (
          <AddToList
            onAdd={(list, double_optin) =>
              run(
                () =>
                  call('listBatchSubscribe', {
                    id: list,
                    batch: chosen.map(({ email }) => ({ EMAIL: email })),
                    double_optin,
                  }),
                (count) => t(double_optin ? 'confirmationsSent' : 'addedToList', { count }),
              )
            }
          />
        )}
      </Modal>
      {asking === 'tag' && (
        <Suspense fallback={null}>
          <BulkTags
            emails={chosen.map(({ email }) => email)}
            matching={matching}
            onDone={() => {
              setAsking(undefined);
              clear();
            }}
            onClose={() => setAsking(undefined)}
          />
        </Suspense>
      )}
      <Modal
        opened={asking === 'leave'}
        onClose={() => setAsking(undefined)}
        title={t('unsubscribeSeveral', { count: chosen.length })}
        closeButtonProps={{ 'aria-label': t('close') }}
      >
        {asking === 'leave' && (
          <LeaveList
            chosen={chosen}
            onLeave={(list, emails) =>
              run(
                () => call('listBatchUnsubscribe', { id: list, emails, delete_member: false, send_goodbye: false }),
                (count) => t('unsubscribedSeveral', { count }),
              )
            }
          />
        )}
      </Modal>
    </>
  );
}

type ButtonsProps = {
  onAsk(what: 'add' | 'tag' | 'leave'): void;
  noneSubscribed: boolean;
  onSuppress(): Promise<void>;
};

function Buttons({ onAsk, noneSubscribed, onSuppress }: ButtonsProps) {
  const t = useText('contacts');
  const { mayAll } = useSession();
  const look = { variant: 'default', size: 'xs' } as const;
  return (
    <>
      <Button {...look} leftSection={<IconUserPlus size={14} aria-hidden />} onClick={() => onAsk('add')}>
        {t('addToList')}
      </Button>
      <Button {...look} leftSection={<IconTag size={14} aria-hidden />} onClick={() => onAsk('tag')}>
        {t('tags')}
      </Button>
      <Button
        {...look}
        leftSection={<IconUserMinus size={14} aria-hidden />}
        disabled={noneSubscribed}
        onClick={() => onAsk('leave')}
      >
        {t('unsubscribe')}
      </Button>
      {mayAll('contacts:write') && (
        <Button {...look} leftSection={<IconMailOff size={14} aria-hidden />} onClick={onSuppress}>
          {t('suppress')}
        </Button>
      )}
    </>
  );
}

type LeaveProps = { chosen: readonly ContactRow[]; onLeave(list: string, emails: string[]): Promise<void> };

function LeaveList({ chosen, onLeave }: LeaveProps) {
  const t = useText('contacts');
  const names = useMethod('lists', { limit: 1000 }).data ?? [];
  const subscribedTo = (id: string) =>
    chosen.filter(({ lists }) => lists.some((list) => list.id === id && list.status === 'subscribed'));
  const offered = names.filter(({ id }) => subscribedTo(id).length > 0);
  const [list, setList] = useState('');
  const [busy, setBusy] = useState(false);
  const wanted = list || (offered.length === 1 ? offered[0]!.id : '');
  const leaving = subscribedTo(wanted).map(({ email }) => email);
  return (
    <Stack gap="md">
      <Select
        label={t('list')}
        data={offered.map(({ id, name }) => ({ value: id, label: name }))}
        allowDeselect={false}
        value={wanted || null}
        onChange={(id) => setList(id ?? '')}
      />
      {wanted !== '' && <Text c="dimmed">{t('unsubscribeSeveralText', { count: leaving.length })}</Text>}
      <Group>
        <Button
          color="red"
          disabled={wanted === ''}
          loading={busy}
          onClick={async () => {
            setBusy(true);
            await onLeave(wanted, leaving);
          }}
        >
          {t('unsubscribe')}
        </Button>
      </Group>
    </Stack>
  );
}
