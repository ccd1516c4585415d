// The suppression list: addresses and domains that never receive email. Search, add, remove.

import { Button, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { IconMailOff, IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import type { ResultOf } from '../../api/types.ts';
import { useMethod, useMutate } from '../../api/use-method.ts';
import { confirm } from '../../parts/confirm/confirm.tsx';
import { shownDomains } from '../../parts/domain-name.ts';
import { Empty } from '../../parts/empty.tsx';
import { Foot } from '../../parts/form/foot.tsx';
import { MethodForm, Submit, useMethodForm } from '../../parts/form/form.tsx';
import { useFormats } from '../../parts/formats.ts';
import { LinkAnchor } from '../../parts/link.tsx';
import { Modal } from '../../parts/modal.tsx';
import { Neighbours } from '../../parts/table/neighbours.tsx';
import { type Column, Rows } from '../../parts/table/rows.tsx';
import { useTableSearch } from '../../parts/table/table-search.ts';
import { Tagged } from '../../parts/tagged/tagged.tsx';
import { Time } from '../../parts/time.tsx';
import { toast } from '../../parts/toast/toast.tsx';
import { useSession } from '../../session/session.ts';
import { useText } from '../../text/use-text.tsx';
import { SettingsFrame } from './frame.tsx';
import { ReputationSection } from './reputation.tsx';

type Suppressed = ResultOf<'suppressedListMembers'>[number];
const reasons = ['bounce', 'complaint', 'unsubscribe', 'manual', 'api', 'erased'] as const;
type Reason = (typeof reasons)[number];
const pageSize = 50;

export function SuppressionScreen() {
  const t = useText('settings');
  const search = useTableSearch();
  const { may } = useSession();
  const reason = reasons.find((name) => name === search.state);
  const answer = useMethod(
    'suppressedListMembers',
    {
      reason: reason ?? 'all',
      contains: search.q,
      sort: isSort(search.sort) ? search.sort : '-time',
      start: search.page - 1,
      limit: pageSize,
    },
    { keep: true },
  );
  const [adding, setAdding] = useState(false);
  const add = may('contacts:write') && (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setAdding(true)}>
      {t('suppress')}
    </Button>
  );
  const columns: Column<Suppressed>[] = [
    {
      name: 'email',
      title: t('addressOrDomain'),
      serverSort: true,
      cell: ({ email, kind }) => (
        <>
          <Text fw={500} truncate maw={{ base: '100%', sm: 320 }} title={kind === 'hash' ? undefined : email}>
            {kind === 'hash' ? t('erasedAddress') : kind === 'domain' ? `@${shownDomains(email)}` : shownDomains(email)}
          </Text>
          {kind !== 'address' && (
            <Text size="xs" c="dimmed">
              {kind === 'hash' ? `${email.slice(0, 16)}…` : t('wholeDomain')}
            </Text>
          )}
        </>
      ),
    },
    { name: 'reason', title: t('reason'), width: '150px', cell: (row) => t(`reason.${row.reason as Reason}`) },
    { name: 'source', title: t('suppressionSource'), width: '220px', cell: (row) => <Source entry={row} /> },
    {
      name: 'time',
      title: t('suppressedAt'),
      width: '115px',
      serverSort: true,
      cell: ({ timestamp }) => <Time at={timestamp} />,
    },
  ];
  return (
    <SettingsFrame section="suppression" description={t('suppressionAbout')} actions={add}>
      {may('reports:read') && <ReputationSection />}
      <Stack>
        <Rows
          label={t('section.suppression')}
          brief={(row) => <Brief entry={row} />}
          columns={columns}
          rows={answer.data}
          keyOf={({ kind, email }) => `${kind} ${email}`}
          nameOf={({ email }) => email}
          query={answer}
          search={search}
          searchLabel={t('suppressionSearch')}
          chips={reasons.map((name) => ({ name, label: t(`reason.${name}`) }))}
          empty={
            <Empty
              icon={IconMailOff}
              title={t('suppressionEmptyTitle')}
              text={t('suppressionEmptyText')}
              action={add}
            />
          }
          bulk={may('contacts:write') ? (chosen, clear) => <Release chosen={chosen} clear={clear} /> : undefined}
        />
        <Neighbours search={search} more={answer.data?.length === pageSize} />
      </Stack>
      <Modal opened={adding} onClose={() => setAdding(false)} title={t('suppress')}>
        <Add onDone={() => setAdding(false)} onCancel={() => setAdding(false)} />
      </Modal>
    </SettingsFrame>
  );
}

const sorts = ['time', '-time', 'email', '-email'] as const;
const isSort = (sort: string | undefined): sort is (typeof sorts)[number] => sorts.some((known) => known === sort);

/** On a phone: the reason and the time, and below them where it comes from. */
function Brief({ entry }: { entry: Suppressed }) {
  const t = useText('settings');
  return (
    <div style={{ width: '100%', whiteSpace: 'normal' }}>
      {t(`reason.${entry.reason as Reason}`)} · <Time at={entry.timestamp} />
      {(entry.campaign_title !== '' || entry.detail !== '') && <Source entry={entry} />}
    </div>
  );
}

/** The campaign that it followed from, and the words of the mail server or of the person who added it. */
function Source({ entry: { campaign_id, campaign_title, detail } }: { entry: Suppressed }) {
  if (campaign_title === '' && detail === '') return <Text c="dimmed">–</Text>;
  return (
    <>
      {campaign_title !== '' && (
        <LinkAnchor to="/campaigns/$id" params={{ id: campaign_id }} c="inherit" lineClamp={1}>
          <Tagged>{campaign_title}</Tagged>
        </LinkAnchor>
      )}
      {detail !== '' && (
        <Text size="xs" c="dimmed" lineClamp={2} title={detail} style={{ overflowWrap: 'anywhere' }}>
          {detail}
        </Text>
      )}
    </>
  );
}

function Add({ onDone, onCancel }: { onDone(): void; onCancel(): void }) {
  const t = useText('settings');
  const add = useMutate('suppressedListBatchSubscribe');
  const form = useMethodForm({
    initialValues: { emails: '', comment: '' },
    validate: { emails: (value) => (linesOf(value).length === 0 ? t('suppressMissing') : null) },
    send: ({ emails, comment }) => add.mutateAsync({ emails: linesOf(emails), comment }),
    done: ({ success_count, errors }) => {
      if (success_count > 0) toast.done(t('suppressedCount', { count: success_count }));
      if (errors.length === 0) return onDone();
      // Rejected entries stay in the field, with the reason.
      form.setFieldValue('emails', errors.map((error) => error.email).join('\n'));
      form.setFieldError('emails', errors.map((error) => withoutMember(error.message)).join(' · '));
    },
  });
  return (
    <MethodForm form={form}>
      <Textarea
        label={t('suppressEmails')}
        description={t('suppressEmailsHint')}
        placeholder={'never@example.com\n@example.net'}
        autosize
        minRows={4}
        maxRows={12}
        data-autofocus
        {...form.getInputProps('emails')}
      />
      <TextInput
        label={t('suppressComment')}
        description={t('optional')}
        maxLength={500}
        {...form.getInputProps('comment')}
      />
      <Foot onCancel={onCancel}>
        <Submit form={form}>{t('suppress')}</Submit>
      </Foot>
    </MethodForm>
  );
}

function Release({ chosen, clear }: { chosen: readonly Suppressed[]; clear(): void }) {
  const t = useText('settings');
  const { number } = useFormats();
  const release = useMutate('suppressedListBatchUnsubscribe');
  const able = chosen.filter(({ kind }) => kind !== 'hash');
  const risky = able.filter(({ reason }) => reason === 'bounce' || reason === 'complaint').length;
  const ask = async () => {
    const yes = await confirm({
      title: t('releaseTitle'),
      figures: [
        { value: number(able.length), label: t('releaseCount', { count: able.length }) },
        ...(risky > 0 ? [{ value: number(risky), label: t('releaseRisky', { count: risky }) }] : []),
      ],
      text: risky > 0 ? t('releaseRiskyText') : t('releaseText'),
      action: t('release'),
      danger: true,
    });
    if (!yes) return;
    try {
      const emails = able.map(({ kind, email }) => (kind === 'domain' ? `@${email}` : email));
      const { success_count } = await release.mutateAsync({ emails });
      toast.done(t('releasedCount', { count: success_count }));
      clear();
    } catch (error) {
      toast.failed(error);
    }
  };
  if (able.length === 0) return <Text size="sm">{t('erasedStay')}</Text>;
  return (
    <Button size="xs" variant="default" loading={release.isPending} onClick={ask}>
      {t('release')}
    </Button>
  );
}

const linesOf = (text: string) =>
  text
    .split(/[\s,;]+/)
    .map((line) => line.trim())
    .filter(Boolean);

const withoutMember = (message: string) => message.replace(/^email_address:?\s*/, '');
