// Shares figures with people who have no account: makes a link to this report, or to those of its list or of the account, and lists and
// withdraws the links that are valid. The database has only the hash of a link, so it is shown once. Loaded when it opens.
import { Button, Group, NativeSelect, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { ParamsOf, ResultOf } from '../../api/types.ts';
import { useMethod, useMutate } from '../../api/use-method.ts';
import { Copy } from '../../parts/copy.tsx';
import { MethodForm, Submit, useMethodForm } from '../../parts/form/form.tsx';
import { parseTime, useFormats } from '../../parts/formats.ts';
import { Modal } from '../../parts/modal.tsx';
import { toast } from '../../parts/toast/toast.tsx';
import { useText } from '../../text/use-text.tsx';
import type { Campaign } from './campaign.ts';

type Link = ResultOf<'reportLinks'>[number];
const validDays = ['7', '30', '90', '365'] as const;

export default function ShareDialog({ campaign, onClose }: { campaign: Campaign; onClose(): void }) {
  const t = useText('report');
  return (
    <Modal opened onClose={onClose} title={t('shareTitle')} size="lg">
      <Shared campaign={campaign} />
    </Modal>
  );
}

function Shared({ campaign }: { campaign: Campaign }) {
  const t = useText('report');
  const [url, setUrl] = useState<string>();
  return (
    <Stack>
      <Text size="sm">{t('shareAbout')}</Text>
      {url === undefined ? (
        <Create campaign={campaign} onMade={setUrl} />
      ) : (
        <Stack gap="sm" role="status">
          <Text fw={500} size="sm">
            {t('shareMade')}
          </Text>
          <TextInput
            label={t('shareLink')}
            value={url}
            readOnly
            onFocus={({ currentTarget }) => currentTarget.select()}
          />
          <Group>
            <Copy value={url} label={t('shareCopy')} wide />
            <Button variant="subtle" onClick={() => setUrl(undefined)}>
              {t('shareAnother')}
            </Button>
          </Group>
        </Stack>
      )}
      <Valid campaign={campaign} />
    </Stack>
  );
}

type What = 'campaign' | 'list' | 'all';

function Create({ campaign, onMade }: { campaign: Campaign; onMade(url: string): void }) {
  const t = useText('report');
  const create = useMutate('reportLinkCreate');
  const lists = useMethod('lists').data ?? [];
  const [list, ...others] = campaign.list_ids;
  const listName = others.length === 0 ? lists.find(({ id }) => id === list)?.name : undefined;
  const form = useMethodForm({
    initialValues: { what: 'campaign' as What, name: '', days: '30' },
    send: ({ what, name, days }) => {
      const of: Pick<ParamsOf<'reportLinkCreate'>, 'cid' | 'list'> = what === 'campaign'
        ? { cid: campaign.id }
        : what === 'list' && list !== undefined
          ? { list }
          : {};
      return create.mutateAsync({ ...of, name, days: Number(days) });
    },
    done: ({ url }) => onMade(url),
  });
  // The reports of a list are those of finished campaigns.
  const isOwn = campaign.type !== 'auto';
  return (
    <MethodForm form={form}>
      <NativeSelect
        label={t('shareWhat')}
        data={[
          { value: 'campaign', label: t('shareCampaign') },
          ...(isOwn && listName !== undefined ? [{ value: 'list', label: t('shareList', { name: listName }) }] : []),
          { value: 'all', label: t('shareAll') },
        ]}
        {...form.getInputProps('what')}
      />
      <Group grow align="flex-start">
        <TextInput
          label={t('shareName')}
          description={t('shareNameHint')}
          maxLength={100}
          {...form.getInputProps('name')}
        />
        <NativeSelect
          label={t('shareDays')}
          description=" "
          data={validDays.map((value) => ({ value, label: t(`shareDays.${value}`) }))}
          {...form.getInputProps('days')}
        />
      </Group>
      <Group justify="flex-end">
        <Submit form={form}>{t('shareCreate')}</Submit>
      </Group>
    </MethodForm>
  );
}

/** The links that show this report, whatever else they show. */
function Valid({ campaign }: { campaign: Campaign }) {
  const t = useText('report');
  const all = useMethod('reportLinks', {}).data ?? [];
  const links = all.filter(({ cid, list }) =>
    cid !== '' ? cid === campaign.id : list === '' || (campaign.list_ids.length === 1 && campaign.list_ids[0] === list),
  );
  if (links.length === 0) return null;
  return (
    <Stack gap="xs" component="section" aria-label={t('shareLinks')}>
      <Text fw={500} size="sm">
        {t('shareLinks')}
      </Text>
      {links.map((link) => (
        <OneLink key={link.id} link={link} />
      ))}
    </Stack>
  );
}

function OneLink({ link }: { link: Link }) {
  const t = useText('report');
  const { date } = useFormats();
  const withdraw = useMutate('reportLinkDelete');
  const lists = useMethod('lists').data ?? [];
  const name = link.name || t('shareUnnamed');
  const until = parseTime(link.expires_at);
  const what =
    link.cid !== ''
      ? t('shareCampaign')
      : link.list === ''
        ? t('shareAll')
        : t('shareList', { name: lists.find(({ id }) => id === link.list)?.name ?? link.list });
  return (
    <Group justify="space-between" wrap="nowrap" gap="sm">
      <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
        {name}
        <Text span size="sm" c="dimmed">
          {' '}
          · {what} · {t('shareUntil')} {until && date(until)}
          {link.created_by && ` · ${t('shareBy', { name: link.created_by })}`}
        </Text>
      </Text>
      <Button
        variant="default"
        size="xs"
        flex="none"
        loading={withdraw.isPending}
        aria-label={t('shareWithdrawOf', { name })}
        onClick={() =>
          withdraw.mutate({ id: link.id }, { onSuccess: () => toast.done(t('shareWithdrawn')), onError: toast.failed })
        }
      >
        {t('shareWithdraw')}
      </Button>
    </Group>
  );
}
