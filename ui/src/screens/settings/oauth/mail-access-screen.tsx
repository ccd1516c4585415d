// The way back from a provider of mail: passes on what it added to the address, which works once, and goes to the relay or the mailbox.
import { Alert, Button, Group, Loader, Text } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import type { ResultOf } from '../../../api/types.ts';
import { useMutate } from '../../../api/use-method.ts';
import { useFaultText } from '../../../parts/fault.tsx';
import { Page, PageHeader } from '../../../parts/page.tsx';
import { toast } from '../../../parts/toast/toast.tsx';
import { useText } from '../../../text/use-text.tsx';

/** The provider gave access, and the relay does not work with it. */
function RefusedAccess({ problem, paused }: ResultOf<'oauthEnd'>) {
  const t = useText('settings');
  const navigate = useNavigate();
  return (
    <>
      <Alert color="red" variant="outline" role="alert" title={t('oauthRelayFails')}>
        <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
          {problem}
        </Text>
        {paused && <Text size="sm">{t('oauthRelayOff')}</Text>}
      </Alert>
      <Group>
        <Button variant="default" onClick={() => navigate({ to: '/settings/relays', replace: true })}>
          {t.of('section', 'relays')}
        </Button>
      </Group>
    </>
  );
}

export function MailAccessScreen() {
  const t = useText('settings');
  const words = useFaultText();
  const navigate = useNavigate();
  const end = useMutate('oauthEnd');
  const [problem, setProblem] = useState<unknown>();
  const [refused, setRefused] = useState<ResultOf<'oauthEnd'>>();
  const sent = useRef(false);
  useEffect(() => {
    if (sent.current) return;
    sent.current = true;
    const query = new URLSearchParams(window.location.search);
    const given = { state: query.get('state') ?? '', code: query.get('code') ?? '', error: query.get('error') ?? '' };
    end.mutateAsync(given).then((ended) => {
      const { relay } = ended;
      if (ended.problem !== '') return setRefused(ended);
      toast.done(t('oauthDone'));
      void navigate({ to: relay !== '' ? '/settings/relays' : '/settings/returned', replace: true });
    }, setProblem);
  }, [end, navigate, t]);
  return (
    <Page narrow>
      <PageHeader title={t('oauthEnding')} />
      {refused ? (
        <RefusedAccess {...refused} />
      ) : problem === undefined ? (
        <Loader aria-label={t('oauthEnding')} />
      ) : (
        <>
          <Alert color="red" variant="outline" role="alert">
            {words(problem)}
          </Alert>
          <Group>
            <Button variant="default" onClick={() => navigate({ to: '/settings/relays' })}>
              {t.of('section', 'relays')}
            </Button>
            <Button variant="default" onClick={() => navigate({ to: '/settings/returned' })}>
              {t.of('section', 'returned')}
            </Button>
          </Group>
        </>
      )}
    </Page>
  );
}
