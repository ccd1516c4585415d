// The relays that send email: their state, a connection test, and, for the account of the operator, setting them up.
// Those of SMTP_URL and the built-in inbox are shown and cannot be changed.
import { Alert, Button, Stack, Text } from '@mantine/core';
import { IconInbox, IconMailForward, IconPlus, IconServerOff } from '@tabler/icons-react';
import { lazy, Suspense, useState } from 'react';
import { useMethod, useMutate } from '../../api/use-method.ts';
import { LinkButton } from '../../parts/link.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { toast } from '../../parts/toast/toast.tsx';
import { useSession } from '../../session/session.ts';
import { useText } from '../../text/use-text.tsx';
import { SettingsFrame } from './frame.tsx';
import type { Relay } from './relays/relay-card.tsx';
import { RelayList } from './relays/relay-list.tsx';
import { useRelayTest } from './relays/use-relay-test.ts';

const load = () => import('./relays/relay-dialog.tsx');
const RelayDialog = lazy(load);

export function RelaysScreen() {
  const t = useText('settings');
  const { operator } = useSession();
  const answer = useMethod('relays', {}, { refetchInterval: 5_000 });
  const [edited, setEdited] = useState<Relay | 'new'>();
  const test = useRelayTest();
  const add = operator && (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setEdited('new')} onPointerEnter={load}>
      {t('relayAdd')}
    </Button>
  );
  return (
    <SettingsFrame section="relays" description={t('relaysAbout')} actions={add}>
      <Loaded query={answer}>
        {(relays) => (
          <Stack>
            <NoRelay relays={relays} />
            <RelayList relays={relays} test={test} onEdit={setEdited} />
            {operator && relays.some(({ built_in }) => !built_in) && <NoBounces />}
            {!operator && <Text c="dimmed">{t('relaysOperator')}</Text>}
          </Stack>
        )}
      </Loaded>
      <Suspense>
        {edited && (
          <RelayDialog
            relay={edited === 'new' ? undefined : edited}
            onClose={() => setEdited(undefined)}
            onSaved={(id) => {
              setEdited(undefined);
              void test.run(id);
            }}
          />
        )}
      </Suspense>
    </SettingsFrame>
  );
}

/** Most bounces come back later, by another way than the answer of the relay. */
function NoBounces() {
  const t = useText('settings');
  const sources = useMethod('noticeSources');
  const mailboxes = useMethod('bounceMailboxes');
  if (!sources.data || !mailboxes.data || sources.data.length + mailboxes.data.length > 0) return null;
  return (
    <Alert variant="outline" icon={<IconMailForward aria-hidden />} title={t('relayBouncesTitle')}>
      <Stack gap="sm" align="flex-start">
        <Text size="sm">{t('relayBouncesText')}</Text>
        <LinkButton to="/settings/returned" variant="default" size="xs">
          {t('relayBouncesAction')}
        </LinkButton>
      </Stack>
    </Alert>
  );
}

/** Where email goes without a relay: nowhere, or to the built-in inbox. */
function NoRelay({ relays }: { relays: readonly Relay[] }) {
  const t = useText('settings');
  const { operator } = useSession();
  const inbox = useMutate('relayUseInbox');
  if (relays[0]?.built_in)
    return (
      <Alert variant="outline" icon={<IconInbox aria-hidden />} title={t('relaysNoneTitle')}>
        <Text size="sm">{t('relaysNoneText')}</Text>
      </Alert>
    );
  if (relays.length > 0) return null;
  return (
    <Alert variant="outline" icon={<IconServerOff aria-hidden />} title={t('relaysNoneTitle')}>
      <Stack gap="sm" align="flex-start">
        <Text size="sm">{t('relaysWaitText')}</Text>
        {operator && (
          <Button
            variant="default"
            size="xs"
            loading={inbox.isPending}
            onClick={() => inbox.mutate({}, { onError: toast.failed })}
          >
            {t('relaysUseInbox')}
          </Button>
        )}
      </Stack>
    </Alert>
  );
}
