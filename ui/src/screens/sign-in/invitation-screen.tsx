// Accepts an invitation: who invites whom to which account, then a name and a password, and the person is signed in. An invited
// user who has a password signs in instead, and accepts under Home.
import { Button, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { passwordLength } from '../../../../src/base/password-length.ts';
import { request } from '../../api/call.ts';
import { FaultNote, useFaultText } from '../../parts/fault.tsx';
import { MethodForm, Submit, useMethodForm } from '../../parts/form/form.tsx';
import { PasswordField } from '../../parts/form/password-field.tsx';
import { LinkAnchor } from '../../parts/link.tsx';
import { Lines } from '../../parts/loaded.tsx';
import { waysQuery } from '../../session/providers.ts';
import { linkToken } from '../../session/session.ts';
import { useText } from '../../text/use-text.tsx';
import { DoorPage } from './door-page.tsx';
import { ProviderButtons } from './provider-buttons.tsx';
import { useEnter } from './use-enter.ts';

type Invitation = { account: string; email: string; role: string; name: string; invited_by: string };
type Answer = { valid: false } | ({ valid: true } & Invitation);

export function InvitationScreen() {
  const t = useText('sign-in');
  const setup = useText('setup');
  const navigate = useNavigate();
  const [token] = useState(linkToken);
  const answer = useQuery({
    queryKey: ['invitation', token],
    queryFn: async () => (await request('POST', '/session/invitation', { token })) as Answer,
    enabled: token !== '',
    // What is typed stays, also when the link is used meanwhile.
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
  if (answer.error)
    return (
      <DoorPage title={setup('acceptInvitation')}>
        <FaultNote error={answer.error} />
      </DoorPage>
    );
  if (token === '' || answer.data?.valid === false)
    return (
      <DoorPage title={setup('invitationOver')} text={setup('invitationOverText')}>
        <Button onClick={() => navigate({ to: '/sign-in' })}>{t('haveAccount')}</Button>
      </DoorPage>
    );
  if (!answer.data)
    return (
      <DoorPage title={setup('acceptInvitation')}>
        <Lines />
      </DoorPage>
    );
  return <Join token={token} invitation={answer.data} />;
}

function Join({ token, invitation }: { token: string; invitation: Invitation }) {
  const setup = useText('setup');
  const ways = useQuery(waysQuery);
  const { account, role, invited_by } = invitation;
  const text = setup(invited_by === '' ? 'invitedTo' : 'invitedBy', {
    inviter: invited_by,
    account,
    as: setup.of('invitedAs', role),
  });
  return (
    <DoorPage title={setup('acceptInvitation')} text={text}>
      {ways.data?.password === false ? (
        <Providers providers={ways.data.providers} />
      ) : (
        <>
          <Fields token={token} invitation={invitation} />
          <LinkAnchor to="/sign-in" size="sm">
            {setup('hasPassword')}
          </LinkAnchor>
        </>
      )}
    </DoorPage>
  );
}

/** Where no one signs in with a password, the provider vouches for the address, and signing in accepts. */
function Providers({ providers }: { providers: { id: string; label: string }[] }) {
  const words = useFaultText();
  const [problem, setProblem] = useState<unknown>();
  return (
    <>
      {problem !== undefined && (
        <Text c="red" role="alert">
          {words(problem)}
        </Text>
      )}
      <ProviderButtons providers={providers} to="/" onFault={setProblem} />
    </>
  );
}

function Fields({ token, invitation: { name, email } }: { token: string; invitation: Invitation }) {
  const t = useText('sign-in');
  const setup = useText('setup');
  const navigate = useNavigate();
  const enter = useEnter();
  const form = useMethodForm({
    initialValues: { name, password: '' },
    validate: {
      name: (value) => (value.trim() ? null : setup('required')),
      password: (value) =>
        value.length >= passwordLength.min ? null : t('passwordTooShort', { count: passwordLength.min }),
    },
    send: async (values) =>
      (await request('POST', '/session/invitation/join', { token, ...values })) as { signed_in: boolean },
    done: ({ signed_in }) => {
      if (signed_in) enter();
      else navigate({ to: '/sign-in', replace: true });
    },
  });
  return (
    <MethodForm form={form}>
      {/* For whom it is, and for the browser's store of passwords. */}
      <TextInput label={t('email')} name="username" autoComplete="username" value={email} readOnly />
      <TextInput label={setup('yourName')} autoComplete="name" maxLength={200} {...form.getInputProps('name')} />
      <PasswordField
        label={t('newPassword')}
        description={t('newPasswordText', { count: passwordLength.min })}
        isNew
        {...form.getInputProps('password')}
      />
      <Submit form={form} fullWidth>
        {setup('join')}
      </Submit>
    </MethodForm>
  );
}
