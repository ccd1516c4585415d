// Makes the first user of a new installation with the printed one-time code, signs the user in and leads to the setup steps.
import { Button, SimpleGrid, TextInput } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { useState } from 'react';
import { passwordLength } from '../../../../src/base/password-length.ts';
import { applicationPath } from '../../api/base-path.ts';
import { request } from '../../api/call.ts';
import { MethodForm, Submit, useMethodForm } from '../../parts/form/form.tsx';
import { PasswordField } from '../../parts/form/password-field.tsx';
import { Lines } from '../../parts/loaded.tsx';
import { linkToken } from '../../session/session.ts';
import { useLanguage, useText } from '../../text/use-text.tsx';
import { DoorPage } from './door-page.tsx';

export function FirstRunScreen() {
  const setup = useText('setup');
  const [token] = useState(linkToken);
  const link = useQuery({
    queryKey: ['first run', token],
    queryFn: async () => (await request('POST', '/session/first-run/link', { token })) as { valid: boolean },
    enabled: token !== '',
    retry: false,
  });
  if (token !== '' && link.isPending)
    return (
      <DoorPage title={setup('welcome')} width={560}>
        <Lines />
      </DoorPage>
    );
  // Where the question fails, the form is shown: its own answer says what is wrong.
  return link.data?.valid === false ? <Spent /> : <FirstOwner token={token} />;
}

/** The link was used, or a newer one was printed. */
function Spent() {
  const t = useText('sign-in');
  const setup = useText('setup');
  const router = useRouter();
  return (
    <DoorPage title={setup('spent')} text={setup('spentText')} width={560}>
      <Button onClick={() => router.navigate({ to: '/sign-in' })}>{t('haveAccount')}</Button>
    </DoorPage>
  );
}

function FirstOwner({ token }: { token: string }) {
  const t = useText('sign-in');
  const setup = useText('setup');
  const { language } = useLanguage();
  const client = useQueryClient();
  const router = useRouter();
  const form = useMethodForm({
    initialValues: {
      token,
      name: '',
      email: '',
      password: '',
      time_zone: Intl.DateTimeFormat().resolvedOptions().timeZone || 'UTC',
    },
    validate: {
      token: (value) => (value.trim() ? null : setup('required')),
      name: (value) => (value.trim() ? null : setup('required')),
      email: (value) => (/^\S+@\S+$/.test(value.trim()) ? null : t('emailRequired')),
      password: (value) =>
        value.length >= passwordLength.min ? null : t('passwordTooShort', { count: passwordLength.min }),
    },
    send: (values) => request('POST', '/session/first-run', { ...values, language }),
    done: () => {
      client.clear();
      router.history.push(`${applicationPath}/setup`);
    },
  });
  return (
    <DoorPage title={setup('welcome')} text={setup('welcomeText')} width={560}>
      <MethodForm form={form}>
        {token === '' && (
          <TextInput
            label={setup('token')}
            description={setup('tokenText')}
            autoComplete="off"
            {...form.getInputProps('token')}
          />
        )}
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <TextInput label={setup('yourName')} autoComplete="name" {...form.getInputProps('name')} />
          <TextInput label={t('email')} type="email" autoComplete="username" {...form.getInputProps('email')} />
        </SimpleGrid>
        <PasswordField
          label={t('newPassword')}
          // The error says the same.
          description={form.errors.password ? undefined : t('newPasswordText', { count: passwordLength.min })}
          isNew
          {...form.getInputProps('password')}
        />
        {form.errors.token && token !== '' && (
          <TextInput label={setup('token')} autoComplete="off" {...form.getInputProps('token')} />
        )}
        <Submit form={form} fullWidth>
          {setup('createAccount')}
        </Submit>
        <Button variant="subtle" color="gray" onClick={() => router.navigate({ to: '/sign-in' })}>
          {t('haveAccount')}
        </Button>
      </MethodForm>
    </DoorPage>
  );
}
