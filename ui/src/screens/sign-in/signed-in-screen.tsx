// The way back from an identity provider: posts the query that it added, and goes to the requested page. A refusal is shown
// here. A user whose address is known and who has a password enters it once, which connects the provider.
import { Alert, Button, Loader, Stack, Text } from '@mantine/core';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { ApiFault, request } from '../../api/call.ts';
import { useFaultText } from '../../parts/fault.tsx';
import { CodeField, PasswordField } from '../../parts/form/password-field.tsx';
import { useText } from '../../text/use-text.tsx';
import { DoorPage } from './door-page.tsx';
import { useEnter } from './use-enter.ts';

const route = getRouteApi('/signed-in/$provider');

type Ended = { to: string } | { password: true; email: string };

export function SignedInScreen() {
  const t = useText('sign-in');
  const words = useFaultText();
  const navigate = useNavigate();
  const { provider } = route.useParams();
  const [email, setEmail] = useState<string>();
  const [problem, setProblem] = useState<unknown>();
  const [to, setTo] = useState<string>();
  const enter = useEnter(to);
  const sent = useRef(false);
  useEffect(() => {
    // The query works once.
    if (sent.current) return;
    sent.current = true;
    request('POST', '/session/provider/end', { provider, search: window.location.search }).then((answer) => {
      const ended = answer as Ended;
      if ('to' in ended) setTo(ended.to);
      else setEmail(ended.email);
    }, setProblem);
  }, [provider]);
  useEffect(() => {
    if (to !== undefined) enter();
  });

  if (email !== undefined) return <Connect email={email} onDone={setTo} />;
  if (problem === undefined)
    return (
      <DoorPage title={t('signingIn')}>
        <Loader aria-label={t('signingIn')} />
      </DoorPage>
    );
  return (
    <DoorPage title={t('notSignedIn')}>
      <Alert color="red" variant="outline" role="alert">
        {words(problem)}
      </Alert>
      <Button fullWidth onClick={() => navigate({ to: '/sign-in' })}>
        {t('backToSignIn')}
      </Button>
    </DoorPage>
  );
}

/** The password, and the code if there is a second factor. */
function Connect({ email, onDone }: { email: string; onDone(to: string): void }) {
  const t = useText('sign-in');
  const words = useFaultText();
  const [password, setPassword] = useState('');
  const [code, setCode] = useState<string>();
  const [problem, setProblem] = useState<unknown>();
  const [busy, setBusy] = useState(false);
  const send = async (event: FormEvent) => {
    event.preventDefault();
    if (busy) return;
    setBusy(true);
    setProblem(undefined);
    try {
      const totp = code?.replace(/\s/g, '');
      const body = { password, ...(totp !== undefined && totp !== '' && { totp }) };
      onDone(((await request('POST', '/session/provider/password', body)) as { to: string }).to);
    } catch (error) {
      const wantsCode = error instanceof ApiFault && error.rest.totp === true;
      if (wantsCode && code === undefined) setCode('');
      else setProblem(error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <DoorPage title={t('connectTitle')} text={t('connectText')}>
      <form onSubmit={send}>
        <Stack gap="md">
          {problem !== undefined && (
            <Alert color="red" variant="outline" role="alert">
              {words(problem)}
            </Alert>
          )}
          <Text fw={500}>{email}</Text>
          <input type="text" name="username" autoComplete="username" value={email} readOnly hidden />
          <PasswordField
            label={t('password')}
            value={password}
            onChange={(event) => setPassword(event.currentTarget.value)}
            required
          />
          {code !== undefined && (
            <CodeField
              label={t('code')}
              description={t('codeText')}
              value={code}
              onChange={(event) => setCode(event.currentTarget.value)}
            />
          )}
          <Button type="submit" fullWidth loading={busy}>
            {t('connectAndSignIn')}
          </Button>
        </Stack>
      </form>
    </DoorPage>
  );
}
