// Setup: the relay, from a preset, with its connection test; or the built-in inbox for now.
import { Button, Group, Stack } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useState } from 'react';
import { invalidate, useMethod, useMutate } from '../../api/use-method.ts';
import { Lines, Loaded } from '../../parts/loaded.tsx';
import { Section } from '../../parts/page.tsx';
import { toast } from '../../parts/toast/toast.tsx';
import { useText } from '../../text/use-text.tsx';
import type { Relay } from '../settings/relays/relay-card.tsx';
import { RelayForm } from '../settings/relays/relay-form.tsx';
import { useRelayTest } from '../settings/relays/use-relay-test.ts';
import { StepFoot, useNeighbours } from './step-foot.tsx';
import type { SetupInfo } from './steps.ts';

/** Most begin without a relay. */
const RelayList = lazy(() => import('../settings/relays/relay-list.tsx').then((file) => ({ default: file.RelayList })));

export function RelayStep({ info }: { info: SetupInfo }) {
  const client = useQueryClient();
  const answer = useMethod('relays', {}, { refetchInterval: 5_000 });
  const count = answer.data?.filter(({ built_in }) => !built_in).length;
  // The step is done, or open again, when a relay was added or deleted.
  useEffect(() => {
    if (count !== undefined) void invalidate(client, ['setup', 'home']);
  }, [count, client]);
  return (
    <Loaded query={answer}>
      {(relays) => (
        <>
          <Relays relays={relays.filter(({ built_in }) => !built_in)} />
          <StepFoot step="relay" info={info} skip={<UseInbox waits={relays.length === 0} />} />
        </>
      )}
    </Loaded>
  );
}

function Relays({ relays }: { relays: readonly Relay[] }) {
  const t = useText('setup');
  const [edited, setEdited] = useState<Relay | 'new'>();
  const test = useRelayTest();
  const shown = edited ?? (relays.length === 0 ? 'new' : undefined);
  const saved = (id: string) => {
    setEdited(undefined);
    void test.run(id);
  };
  return (
    <Stack>
      {relays.length > 0 && (
        <Suspense fallback={<Lines />}>
          <RelayList relays={relays} test={test} onEdit={setEdited} />
        </Suspense>
      )}
      {shown === undefined ? (
        <Group>
          <Button variant="subtle" leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setEdited('new')}>
            {t('relayAnother')}
          </Button>
        </Group>
      ) : (
        <Section
          title={t(shown === 'new' ? 'relayNew' : 'relayChange')}
          actions={
            edited && (
              <Button variant="subtle" color="gray" onClick={() => setEdited(undefined)}>
                {t('cancel')}
              </Button>
            )
          }
        >
          <RelayForm
            key={shown === 'new' ? 'new' : shown.id}
            relay={shown === 'new' ? undefined : shown}
            onSaved={saved}
          />
        </Section>
      )}
    </Stack>
  );
}

/** @param waits after the last relay was deleted, messages wait until the inbox is chosen */
function UseInbox({ waits }: { waits: boolean }) {
  const t = useText('setup');
  const navigate = useNavigate();
  const { after } = useNeighbours('relay');
  const inbox = useMutate('relayUseInbox', ['setup']);
  const goOn = async () => {
    try {
      if (waits) await inbox.mutateAsync({});
      await navigate(after);
    } catch (error) {
      toast.failed(error);
    }
  };
  return (
    <Button variant="default" loading={inbox.isPending} onClick={goOn}>
      {t('useInbox')}
    </Button>
  );
}
