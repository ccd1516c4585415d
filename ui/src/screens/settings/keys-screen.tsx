// API keys: create one with a label, a scope and limits, shown once; edit; revoke; last use.
import { Button, Checkbox, Code, Group, Stack, Text } from '@mantine/core';
import { IconKey, IconPlus } from '@tabler/icons-react';
import { lazy, Suspense, useState } from 'react';
import type { ResultOf } from '../../api/types.ts';
import { useMethod, useMutate } from '../../api/use-method.ts';
import { confirm } from '../../parts/confirm/confirm.tsx';
import { Empty } from '../../parts/empty.tsx';
import { parseTime, useFormats } from '../../parts/formats.ts';
import { Tag } from '../../parts/status/tag.tsx';
import { type Column, Rows } from '../../parts/table/rows.tsx';
import { Time } from '../../parts/time.tsx';
import { toast } from '../../parts/toast/toast.tsx';
import { useText } from '../../text/use-text.tsx';
import { SettingsFrame } from './frame.tsx';
import type { KeyScope } from './key-fields.tsx';

const load = () => import('./key-dialog.tsx');
const KeyDialog = lazy(load);

export type Key = ResultOf<'apikeys'>[number];

/** Revoked or expired. */
const isOver = ({ expired_at }: Key) => expired_at !== '';

export function KeysScreen() {
  const t = useText('settings');
  const [expired, setExpired] = useState(false);
  const answer = useMethod('apikeys', { expired: true });
  const [dialog, setDialog] = useState<Key | 'new'>();
  const create = (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setDialog('new')} onPointerEnter={load}>
      {t('keyCreate')}
    </Button>
  );
  const columns: Column<Key>[] = [
    {
      name: 'label',
      title: t('keyLabel'),
      cell: (key) => (
        <Group gap="xs">
          <Text fw={500}>{key.label || t('keyNoLabel')}</Text>
          <Code>…{key.hint}</Code>
          {key.test && <Tag>{t('keyTest')}</Tag>}
          {key.expired_at !== '' && <Tag>{t(key.expired_at === key.expires_at ? 'keyExpired' : 'keyRevoked')}</Tag>}
          <Limits apiKey={key} />
        </Group>
      ),
    },
    { name: 'scope', title: t('scope'), width: '150px', cell: ({ scope }) => t(`scope.${scope as KeyScope}`) },
    {
      name: 'used',
      title: t('lastUsed'),
      width: '140px',
      cell: ({ last_used_at }) => <Time at={last_used_at} never={t('never')} />,
    },
    { name: 'created', title: t('created'), width: '140px', cell: ({ created_at }) => <Time at={created_at} /> },
    {
      name: 'expire',
      title: t('action'),
      width: '210px',
      cell: (key) =>
        key.expired_at === '' ? (
          <Group gap="xs" wrap="nowrap">
            <Button
              variant="default"
              size="xs"
              aria-label={t('keyEditOf', { name: key.label || `…${key.hint}` })}
              onClick={() => setDialog(key)}
            >
              {t('keyEdit')}
            </Button>
            <Revoke apiKey={key} />
          </Group>
        ) : (
          <Time at={key.expired_at} />
        ),
    },
  ];
  return (
    <SettingsFrame section="keys" description={t('keysAbout')} actions={create}>
      <Stack gap="sm">
        {answer.data?.some(isOver) && (
          <Checkbox
            label={t('keysShowRevoked')}
            checked={expired}
            onChange={({ currentTarget }) => setExpired(currentTarget.checked)}
          />
        )}
        <Rows
          label={t('section.keys')}
          columns={columns}
          rows={answer.data?.filter((key) => expired || !isOver(key))}
          keyOf={({ id }) => id}
          nameOf={({ label, hint }) => label || hint}
          query={answer}
          empty={<Empty icon={IconKey} title={t('keysEmptyTitle')} text={t('keysEmptyText')} action={create} />}
        />
      </Stack>
      <Suspense>
        {dialog && <KeyDialog edited={dialog === 'new' ? undefined : dialog} onClose={() => setDialog(undefined)} />}
      </Suspense>
    </SettingsFrame>
  );
}

/** When the key ends, what a limited one may do, and from where it may be used. */
function Limits({ apiKey }: { apiKey: Key }) {
  const t = useText('settings');
  const { date } = useFormats();
  const limits = [
    ...(apiKey.expires_at === '' || apiKey.expired_at !== ''
      ? []
      : [t('keyExpiresAt', { date: date(parseTime(apiKey.expires_at)!) })]),
    ...(apiKey.all_lists ? [] : [t('someLists', { count: apiKey.lists.length })]),
    ...(apiKey.permissions.length === 0 ? [] : [apiKey.permissions.join(', ')]),
    ...(apiKey.calls_per_minute === 0 ? [] : [t('keyRateOf', { count: apiKey.calls_per_minute })]),
    ...(apiKey.calls_at_once === 0 ? [] : [t('keyParallelOf', { count: apiKey.calls_at_once })]),
    ...(apiKey.networks.length === 0 ? [] : [t('keyOnlyFrom', { networks: apiKey.networks.join(', ') })]),
  ];
  return limits.length === 0 ? null : (
    <Text size="xs" c="dimmed">
      {limits.join(' · ')}
    </Text>
  );
}

function Revoke({ apiKey }: { apiKey: Key }) {
  const t = useText('settings');
  const expire = useMutate('apikeyExpire');
  const name = apiKey.label || `…${apiKey.hint}`;
  const ask = async () => {
    const yes = await confirm({
      title: t('revokeTitle', { name }),
      text: (
        <>
          {t('revokeText')} {t('lastUsed')}: <Time at={apiKey.last_used_at} never={t('never')} />
        </>
      ),
      action: t('revoke'),
      danger: true,
    });
    if (!yes) return;
    try {
      await expire.mutateAsync({ key: apiKey.id });
      toast.done(t('revoked', { name }));
    } catch (error) {
      toast.failed(error);
    }
  };
  return (
    <Button variant="default" size="xs" aria-label={t('revokeOf', { name })} onClick={ask}>
      {t('revoke')}
    </Button>
  );
}
