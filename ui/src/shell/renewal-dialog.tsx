// The dialog in which a user whose session has ended signs in again, over the page as it is. It also notices when the user has
// signed in in another tab, which is the way for those who have no password. Loaded at its first use.
import { Anchor, Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useCallback, useEffect, useRef, useState } from 'react';
import { applicationPath } from '../api/base-path.ts';
import { ApiFault, call } from '../api/call.ts';
import { useFaultText } from '../parts/fault.tsx';
import { CodeField, PasswordField } from '../parts/form/password-field.tsx';
import { useAction } from '../parts/use-action.ts';
import { waysQuery } from '../session/providers.ts';
import { type Session, sessionQuery, signIn } from '../session/session.ts';
import { useText } from '../text/use-text.tsx';

type Props = { session: Session; answer(isRenewed: boolean): void };

/** How often the dialog looks whether another tab has signed in. */
const lookEveryMs = 3_000;

export default function RenewalDialog({ session, answer }: Props) {
  const t = useText('sign-in');
  const words = useFaultText();
  const { user } = session;
  const ways = useQuery(waysQuery);
  const [password, setPassword] = useState('');
  const [code, setCode] = useState('');
  const [asksCode, setAsksCode] = useState(false);
  const [problem, setProblem] = useState<string>();
  const { busy, run } = useAction((fault) => setProblem(words(fault)));
  const resume = useResume(session, () => answer(true));
  const otherUser = (email: string) => setProblem(t('otherUser', { other: email, email: user.email }));
  useOtherTab(resume, otherUser);

  const send = async (event: FormEvent) => {
    event.preventDefault();
    setProblem(undefined);
    await run(async () => {
      const outcome = await signIn(user.email, password, asksCode ? code.replace(/\s/g, '') : undefined);
      if (outcome === 'done') await resume();
      else if (outcome === 'second-factor') setAsksCode(true);
      else setProblem({ wrong: t('wrong'), 'wrong-second-factor': t('wrongCode'), 'too-many': t('tooMany') }[outcome]);
    });
  };
  return (
    <Modal
      opened
      onClose={() => {}}
      title={t('endedTitle')}
      withCloseButton={false}
      closeOnEscape={false}
      closeOnClickOutside={false}
      zIndex={1_000}
    >
      <form onSubmit={send}>
        <Stack gap="md">
          <Text>{t('endedText')}</Text>
          {ways.data?.password !== false && (
            <>
              <TextInput label={t('email')} value={user.email} readOnly autoComplete="username" />
              <PasswordField
                label={t('password')}
                value={password}
                onChange={(event) => setPassword(event.currentTarget.value)}
                data-autofocus
                required
              />
            </>
          )}
          {asksCode && (
            <CodeField
              label={t('code')}
              description={t('codeText')}
              value={code}
              onChange={(event) => setCode(event.currentTarget.value)}
              ref={focusOnce}
            />
          )}
          {problem && (
            <Text role="alert" c="var(--mantine-color-error)" size="sm">
              {problem}
            </Text>
          )}
          <Text size="sm" c="dimmed">
            {t('endedElsewhere')}{' '}
            <Anchor href={`${applicationPath}/sign-in`} target="_blank" size="sm" underline="always">
              {t('endedNewTab')}
            </Anchor>
          </Text>
          <Group justify="flex-end" gap="sm">
            <Button variant="default" onClick={() => answer(false)}>
              {t('endedLeave')}
            </Button>
            {ways.data?.password !== false && (
              <Button type="submit" loading={busy}>
                {t('signIn')}
              </Button>
            )}
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}

const focusOnce = (field: HTMLInputElement | null) => field?.focus();

/**
 * Goes on with the session that the browser has now, if it is of the same user: in the account of this page. The function
 * returns the address of the other user, if it is one.
 */
function useResume(before: Session, done: () => void): () => Promise<string | undefined> {
  const client = useQueryClient();
  const latest = useRef(done);
  latest.current = done;
  return useCallback(async () => {
    const now = (await call('sessionGet')) as Session;
    if (now.user.id !== before.user.id) return now.user.email;
    if (now.account.id !== before.account.id) await call('sessionSwitch', { account_id: before.account.id });
    latest.current();
    await client.invalidateQueries({ queryKey: sessionQuery.queryKey });
    return undefined;
  }, [before, client]);
}

/** Looks from time to time, and when the user comes back to this tab, whether someone has signed in in another. */
function useOtherTab(resume: () => Promise<string | undefined>, onOther: (email: string) => void) {
  const latest = useRef(onOther);
  latest.current = onOther;
  useEffect(() => {
    const look = async () => {
      try {
        const other = await resume();
        if (other !== undefined) latest.current(other);
      } catch (error) {
        // No one has, or the server cannot be reached: the next look may find someone.
        if (!(error instanceof ApiFault)) throw error;
      }
    };
    const timer = setInterval(look, lookEveryMs);
    window.addEventListener('focus', look);
    return () => {
      clearInterval(timer);
      window.removeEventListener('focus', look);
    };
  }, [resume]);
}
