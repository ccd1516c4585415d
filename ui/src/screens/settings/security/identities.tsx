// The identity providers of the installation, and which of them the signed-in user has connected.
import { Button, Text } from '@mantine/core';
import type { ResultOf } from '../../../api/types.ts';
import { useMutate } from '../../../api/use-method.ts';
import { confirm } from '../../../parts/confirm/confirm.tsx';
import { Section } from '../../../parts/page.tsx';
import { Status } from '../../../parts/status/status.tsx';
import { type Column, Rows } from '../../../parts/table/rows.tsx';
import { Time } from '../../../parts/time.tsx';
import { toast } from '../../../parts/toast/toast.tsx';
import { useAction } from '../../../parts/use-action.ts';
import { currentPage, goToProvider } from '../../../session/providers.ts';
import { useText } from '../../../text/use-text.tsx';

type Identity = ResultOf<'identities'>['providers'][number];

export function Identities({ rows }: { rows: Identity[] }) {
  const t = useText('settings');
  const columns: Column<Identity>[] = [
    {
      name: 'provider',
      title: t('provider'),
      cell: ({ label, email, provider }) => (
        <>
          <Text fw={500}>{label}</Text>
          <Text size="xs" c="dimmed">
            {provider === '' ? t('identityGone') : email && t('identityAs', { email })}
          </Text>
        </>
      ),
    },
    {
      name: 'state',
      title: t('identityState'),
      width: '150px',
      cell: ({ connected }) => (
        <Status tone={connected ? 'good' : 'still'}>{t(connected ? 'identityOn' : 'identityOff')}</Status>
      ),
    },
    {
      name: 'used',
      title: t('identityUsed'),
      width: '150px',
      cell: ({ connected, last_used_at }) => connected && <Time at={last_used_at} never={t('never')} />,
    },
    {
      name: 'change',
      title: t('action'),
      width: '130px',
      cell: (row) => (row.connected ? <Disconnect row={row} /> : <Connect row={row} />),
    },
  ];
  return (
    <Section title={t('identities')} description={t('identitiesAbout')}>
      <Rows
        label={t('identities')}
        columns={columns}
        rows={rows}
        keyOf={({ issuer }) => issuer}
        nameOf={({ label }) => label}
        empty={null}
      />
    </Section>
  );
}

function Connect({ row: { provider, label } }: { row: Identity }) {
  const t = useText('settings');
  const { busy, run } = useAction();
  const connect = async () => {
    await run(async () => {
      await goToProvider(provider, 'connect', currentPage());
    });
  };
  return (
    <Button
      variant="default"
      size="xs"
      loading={busy}
      aria-label={t('identityConnectTo', { provider: label })}
      onClick={connect}
    >
      {t('identityConnect')}
    </Button>
  );
}

function Disconnect({ row: { issuer, label } }: { row: Identity }) {
  const t = useText('settings');
  const remove = useMutate('identityDelete');
  const disconnect = async () => {
    const yes = await confirm({
      title: t('identityDisconnectTitle', { provider: label }),
      text: t('identityDisconnectText'),
      action: t('identityDisconnect'),
      danger: true,
    });
    if (!yes) return;
    const onSuccess = () => toast.done(t('identityDisconnected', { provider: label }));
    remove.mutate({ issuer }, { onSuccess, onError: toast.failed });
  };
  return (
    <Button
      variant="default"
      size="xs"
      aria-label={t('identityDisconnectFrom', { provider: label })}
      onClick={disconnect}
    >
      {t('identityDisconnect')}
    </Button>
  );
}
