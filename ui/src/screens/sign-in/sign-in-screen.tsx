// Signs in with address and password, then, if turned on, a two-factor code; or by an identity provider. Returns to the
// requested page; a new installation goes to its setup.
import { Alert, Button, Divider, Skeleton, Stack, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { request } from '../../api/call.ts';
import { useFaultText } from '../../parts/fault.tsx';
import { CodeField, PasswordField } from '../../parts/form/password-field.tsx';
import { LinkAnchor } from '../../parts/link.tsx';
import { useAction } from '../../parts/use-action.ts';
import { offerPasskeys, supportsPasskeys } from '../../session/passkeys.ts';
import { waysQuery } from '../../session/providers.ts';
import { type SignIn, signIn } from '../../session/session.ts';
import { useText } from '../../text/use-text.tsx';
import { DoorPage } from './door-page.tsx';
import { PasskeyButton } from './passkey-button.tsx';
import { ProviderButtons } from './provider-buttons.tsx';
import { useEnter } from './use-enter.ts';

const route = getRouteApi('/sign-in');

export function SignInScreen() {
  const t = useText('sign-in');
  const words = useFaultText();
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const [code, setCode] = useState('');
  const [step, setStep] = useState<'password' | 'code'>('password');
  const [problem, setProblem] = useState<string>();
  const { busy, run } = useAction((error) => setProblem(words(error)));
  const { to } = route.useSearch();
  const enter = useEnter(to);
  const ways = useQuery(waysQuery);
  const {
    password: hasPasswords,
    passkeys,
    providers,
  } = ways.data ?? { password: true, passkeys: false, providers: [] };
  const hasPasskeys = passkeys && supportsPasskeys();
  const failed = (error: unknown) => setProblem(words(error));
  useFirstRun();
  usePasskeyOffer(hasPasskeys && hasPasswords && step === 'password', { onDone: enter, onFault: failed });

  const messageFor = (outcome: Exclude<SignIn, 'done' | 'second-factor'>) =>
    ({ wrong: t('wrong'), 'wrong-second-factor': t('wrongCode'), 'too-many': t('tooMany') })[outcome];

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (busy) return;
    setProblem(undefined);
    await run(async () => {
      const outcome = await signIn(email.trim(), password, step === 'code' ? code.replace(/\s/g, '') : undefined);
      if (outcome === 'done') await enter();
      else if (outcome === 'second-factor') setStep('code');
      else setProblem(messageFor(outcome));
    });
  };

  const alert = problem && (
    <Alert color="red" variant="outline" role="alert">
      {problem}
    </Alert>
  );
  if (step === 'code')
    return (
      <CodeStep
        code={code}
        busy={busy}
        alert={alert}
        passkey={hasPasskeys && <PasskeyButton email={email.trim()} onDone={enter} onFault={failed} />}
        onChange={setCode}
        onSubmit={submit}
        onBack={() => {
          setStep('password');
          setCode('');
          setProblem(undefined);
        }}
      />
    );
  return (
    <DoorPage title={t('title')}>
      {alert}
      {ways.isPending && <Skeleton height={200} />}
      {!ways.isPending && hasPasswords && (
        <PasswordStep
          email={email}
          password={password}
          busy={busy}
          onEmail={setEmail}
          onPassword={setPassword}
          onSubmit={submit}
        />
      )}
      {hasPasswords && (hasPasskeys || providers.length > 0) && <Divider label={t('or')} />}
      {hasPasskeys && <PasskeyButton onDone={enter} onFault={failed} />}
      {providers.length > 0 && <ProviderButtons providers={providers} to={to ?? '/'} onFault={failed} />}
    </DoorPage>
  );
}

type PasswordStepProps = {
  email: string;
  password: string;
  busy: boolean;
  onEmail(email: string): void;
  onPassword(password: string): void;
  onSubmit(event: FormEvent): void;
};

function PasswordStep({ email, password, busy, onEmail, onPassword, onSubmit }: PasswordStepProps) {
  const t = useText('sign-in');
  return (
    <form onSubmit={onSubmit}>
      <Stack gap="md">
        <TextInput
          label={t('email')}
          type="email"
          value={email}
          onChange={(event) => onEmail(event.currentTarget.value)}
          autoComplete="username webauthn"
          required
          withAsterisk={false}
          ref={focusOnce}
        />
        <PasswordField
          label={t('password')}
          value={password}
          onChange={(event) => onPassword(event.currentTarget.value)}
          required
        />
        <Button type="submit" fullWidth loading={busy}>
          {t('signIn')}
        </Button>
        <LinkAnchor to="/forgotten" size="sm">
          {t('forgotten')}
        </LinkAnchor>
      </Stack>
    </form>
  );
}

type CodeStepProps = {
  code: string;
  busy: boolean;
  alert: ReactNode;
  /** The button that replaces the code. */
  passkey: ReactNode;
  onChange(code: string): void;
  onSubmit(event: FormEvent): void;
  onBack(): void;
};

/** The two-factor code, after the password. */
function CodeStep({ code, busy, alert, passkey, onChange, onSubmit, onBack }: CodeStepProps) {
  const t = useText('sign-in');
  return (
    <DoorPage title={t('codeTitle')} text={t('codeText')}>
      <form onSubmit={onSubmit}>
        <Stack gap="md">
          {alert}
          <CodeField
            label={t('code')}
            value={code}
            onChange={(event) => onChange(event.currentTarget.value)}
            data-autofocus
            ref={focusOnce}
          />
          <Button type="submit" fullWidth loading={busy}>
            {t('signIn')}
          </Button>
          {passkey}
          <Button variant="subtle" color="gray" onClick={onBack}>
            {t('back')}
          </Button>
        </Stack>
      </form>
    </DoorPage>
  );
}

const focusOnce = (field: HTMLInputElement | null) => field?.focus();

/** Passkeys among the suggestions of the address field, while it is shown. */
function usePasskeyOffer(isShown: boolean, handlers: { onDone(): void; onFault(error: unknown): void }) {
  const latest = useRef(handlers);
  latest.current = handlers;
  useEffect(() => {
    if (!isShown) return;
    const offer = new AbortController();
    offerPasskeys(offer.signal).then(
      (isIn) => isIn && latest.current.onDone(),
      (error: unknown) => !offer.signal.aborted && latest.current.onFault(error),
    );
    return () => offer.abort();
  }, [isShown]);
}

/** A new installation without users starts with the setup. */
function useFirstRun() {
  const navigate = useNavigate();
  const asked = useRef(false);
  useEffect(() => {
    if (asked.current) return;
    asked.current = true;
    request('GET', '/session/first-run').then(
      (answer) => {
        if ((answer as { needed?: boolean } | undefined)?.needed) navigate({ to: '/first-run', replace: true });
      },
      // If this check fails, signing in must still be possible.
      () => undefined,
    );
  }, [navigate]);
}
