// Signs in by the link that `postrider user link` prints. It works once, so a person starts it: a program that only opens
// links would use it up.
import { Alert, Button } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { request } from '../../api/call.ts';
import { useFaultText } from '../../parts/fault.tsx';
import { useAction } from '../../parts/use-action.ts';
import { linkToken } from '../../session/session.ts';
import { useText } from '../../text/use-text.tsx';
import { DoorPage } from './door-page.tsx';
import { useEnter } from './use-enter.ts';

export function EnterScreen() {
  const t = useText('sign-in');
  const words = useFaultText();
  const navigate = useNavigate();
  const enter = useEnter();
  const [token] = useState(linkToken);
  const [problem, setProblem] = useState<unknown>();
  const { busy, run } = useAction(setProblem);
  const send = async () => {
    await run(async () => {
      await request('POST', '/session/link', { token });
      enter();
    });
  };
  return (
    <DoorPage title={t('title')} text={t('enterText')}>
      {problem !== undefined && (
        <Alert color="red" variant="outline" role="alert">
          {words(problem)}
        </Alert>
      )}
      <Button fullWidth loading={busy} onClick={send}>
        {t('signIn')}
      </Button>
      <Button variant="subtle" color="gray" onClick={() => navigate({ to: '/sign-in' })}>
        {t('backToSignIn')}
      </Button>
    </DoorPage>
  );
}
