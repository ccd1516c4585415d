// Creates a campaign: what it begins with, type, lists and subject. Everything can be changed later in the composer.
import { Group, Radio, Stack, Text, TextInput } from '@mantine/core';
import { IconUsers } from '@tabler/icons-react';
import { useNavigate } from '@tanstack/react-router';
import { useEffect } from 'react';
import { call } from '../../api/call.ts';
import type { ParamsOf } from '../../api/types.ts';
import { useMethod, useMutate } from '../../api/use-method.ts';
import { Empty } from '../../parts/empty.tsx';
import { MethodForm, Submit, useMethodForm } from '../../parts/form/form.tsx';
import { MultiSelect } from '../../parts/form/multi-select.tsx';
import { useFormats } from '../../parts/formats.ts';
import { offeredLists } from '../../parts/labels/offered.ts';
import { LinkButton } from '../../parts/link.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Page, PageHeader } from '../../parts/page.tsx';
import { useSession } from '../../session/session.ts';
import { useText } from '../../text/use-text.tsx';
import { starterHtml } from './content/starter-email.ts';
import { type Start, StartFrom } from './start-from.tsx';

const kinds = ['HTML', 'plain', 'auto'] as const;
type Kind = (typeof kinds)[number];

export function NewScreen() {
  const t = useText('composer');
  const lists = useMethod('lists');
  return (
    <Page narrow={lists.data?.length !== 0}>
      <PageHeader title={t('newTitle')} back={{ to: '/campaigns', label: t('allCampaigns') }} />
      <Loaded query={lists}>
        {(rows) => (rows.length === 0 ? <NoLists /> : <NewCampaignForm lists={offeredLists(rows)} />)}
      </Loaded>
    </Page>
  );
}

function NoLists() {
  const t = useText('composer');
  return (
    <Empty
      icon={IconUsers}
      title={t('noListsTitle')}
      text={t('noListsText')}
      action={
        <LinkButton to="/lists/new" search={{ after: 'campaign' }}>
          {t('noListsAction')}
        </LinkButton>
      }
    />
  );
}

type ListRow = {
  id: string;
  name: string;
  member_count: number;
  default_subject: string;
  default_from_name: string;
  default_from_email: string;
  sender: string;
};

function NewCampaignForm({ lists }: { lists: readonly ListRow[] }) {
  const t = useText('composer');
  const { number } = useFormats();
  const { account, user } = useSession();
  const navigate = useNavigate();
  const create = useMutate('campaignCreate');
  const { data: senders = [] } = useMethod('senders');
  const largest = lists.reduce((a, b) => (b.member_count > a.member_count ? b : a), lists[0]!);
  const form = useMethodForm({
    initialValues: {
      start: 'blank' as Start,
      kind: 'HTML' as Kind,
      list_id: [largest.id],
      subject: largest.default_subject,
    },
    fields: { 'options.list_id': 'list_id', 'options.subject': 'subject', list_id: 'list_id', subject: 'subject' },
    validate: {
      subject: (subject) => (subject.trim() === '' ? t('subjectMissing') : null),
      list_id: (lists) => (lists.length === 0 ? t('listMissing') : null),
    },
    send: async ({ start, kind, list_id, subject }) => {
      const list = lists.find(({ id }) => id === list_id[0])!;
      const sender = senders.find(({ id }) => id === list.sender)?.email ?? '';
      const [from, id = ''] = kind === 'plain' ? [] : start.split(' ');
      const html = from === 'campaign' ? (await call('campaignContent', { cid: id })).html : starterHtml(t);
      return create.mutateAsync({
        type: kind,
        options: {
          list_id,
          subject,
          from_name: list.default_from_name || account.company || account.name,
          ...(account.plan === 'pro' && sender !== '' && sender !== account.email ? { sender } : {}),
          from_email: list.default_from_email || account.email || user.email,
          generate_text: true,
          ...(from === 'template' ? { template_id: id } : {}),
        },
        content: kind === 'plain' ? { plain: t('letterPlain') } : from === 'template' ? {} : { html },
        ...(kind === 'auto' ? { type_opts: afterADay } : {}),
      });
    },
    done: (cid) => navigate({ to: '/campaigns/$id/edit', params: { id: cid }, replace: true }),
  });
  useEffect(() => document.querySelector<HTMLInputElement>('input[name="subject"]')?.focus(), []);
  return (
    <MethodForm form={form}>
      <TextInput
        label={t('subject')}
        name="subject"
        description={t('subjectHint')}
        {...form.getInputProps('subject')}
      />
      <MultiSelect
        label={t('lists')}
        data={lists.map(({ id, name, member_count }) => ({ value: id, label: `${name} (${number(member_count)})` }))}
        searchable
        hidePickedOptions
        {...form.getInputProps('list_id')}
      />
      <Radio.Group label={t('kind')} {...form.getInputProps('kind')}>
        <Stack gap="sm" mt="sm">
          {kinds.map((kind) => (
            <Radio key={kind} value={kind} label={t(`kind.${kind}`)} description={t(`kindText.${kind}`)} />
          ))}
        </Stack>
      </Radio.Group>
      {form.values.kind !== 'plain' && (
        <StartFrom value={form.values.start} onChange={(start) => form.setFieldValue('start', start)} />
      )}
      <Group mt="sm">
        <Submit form={form}>{t('newDo')}</Submit>
        <Text c="dimmed">{t('newHint')}</Text>
      </Group>
    </MethodForm>
  );
}

const afterADay: ParamsOf<'campaignCreate'>['type_opts'] = {
  'offset-units': 'day',
  'offset-time': 1,
  'offset-dir': 'after',
  event: 'signup',
};
