// Profile and security of the signed-in user: name, password, two-factor authentication, identity providers, sessions.
import { Button, Group, SimpleGrid, Text, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { passwordLength } from '../../../../../src/base/password-length.ts';
import { call } from '../../../api/call.ts';
import type { ResultOf } from '../../../api/types.ts';
import { invalidate, useMethod, useMutate } from '../../../api/use-method.ts';
import { confirm } from '../../../parts/confirm/confirm.tsx';
import { MethodForm, Submit, useMethodForm } from '../../../parts/form/form.tsx';
import { PasswordField } from '../../../parts/form/password-field.tsx';
import { Select } from '../../../parts/form/select.tsx';
import { Loaded } from '../../../parts/loaded.tsx';
import { Section } from '../../../parts/page.tsx';
import { Status } from '../../../parts/status/status.tsx';
import { type Column, Rows } from '../../../parts/table/rows.tsx';
import { Time } from '../../../parts/time.tsx';
import { toast } from '../../../parts/toast/toast.tsx';
import { useSession } from '../../../session/session.ts';
import { languageChoices } from '../../../text/choices.ts';
import { useLanguage, useText } from '../../../text/use-text.tsx';
import { SettingsFrame } from '../frame.tsx';
import { browserName } from './browser-name.ts';
import { Identities } from './identities.tsx';
import { Passkeys } from './passkeys.tsx';
import { SecondFactor } from './second-factor.tsx';

type SignedIn = ResultOf<'sessions'>[number];

export function SecurityScreen() {
  const t = useText('settings');
  const { user } = useSession();
  const identities = useMethod('identities');
  return (
    <SettingsFrame section="security" description={t('securityAbout', { email: user.email })}>
      <Profile />
      <Loaded query={identities}>
        {({ has_password, password_sign_in, providers }) => (
          <>
            {has_password ? <Password /> : <NoPassword isOff={!password_sign_in} />}
            {(has_password || user.totp) && <SecondFactor />}
            <Passkeys />
            {providers.length > 0 && <Identities rows={providers} />}
          </>
        )}
      </Loaded>
      <Sessions />
    </SettingsFrame>
  );
}

function Profile() {
  const t = useText('settings');
  const { user } = useSession();
  const { language } = useLanguage();
  const client = useQueryClient();
  const before = { name: user.name, language: user.language };
  const form = useMethodForm({
    initialValues: before,
    send: async (values) => {
      for (const name of ['name', 'language'] as const)
        if (values[name] !== before[name]) await call('personUpdate', { name, value: values[name] });
      await invalidate(client, ['session', 'user']);
    },
    done: () => toast.done(t('saved')),
  });
  return (
    <Section title={t('profile')}>
      <MethodForm form={form}>
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <TextInput
            label={t('yourName')}
            description={t('yourNameHint')}
            maxLength={200}
            autoComplete="name"
            {...form.getInputProps('name')}
          />
          <Select
            label={t('yourLanguage')}
            description={t('yourLanguageHint')}
            data={languageChoices(language)}
            allowDeselect={false}
            searchable
            {...form.getInputProps('language')}
          />
        </SimpleGrid>
        <Group>
          <Submit form={form} disabled={!form.isDirty()}>
            {t('save')}
          </Submit>
        </Group>
      </MethodForm>
    </Section>
  );
}

function NoPassword({ isOff }: { isOff: boolean }) {
  const t = useText('settings');
  return (
    <Section title={t('password')}>
      <Text>{t('passwordNone')}</Text>
      {isOff && <Text c="dimmed">{t('passwordsOff')}</Text>}
    </Section>
  );
}

function Password() {
  const t = useText('settings');
  const { user } = useSession();
  const client = useQueryClient();
  const form = useMethodForm({
    initialValues: { old: '', new: '' },
    validate: {
      old: (value) => (value === '' ? t('passwordMissing') : null),
      new: (value) => (value.length < passwordLength.min ? t('passwordShort', { count: passwordLength.min }) : null),
    },
    send: (values) => call('passwordUpdate', values),
    done: () => {
      form.reset();
      invalidate(client, ['session']);
      toast.done(t('passwordChanged'));
    },
  });
  return (
    <Section title={t('password')} description={t('passwordAbout')}>
      <MethodForm form={form}>
        {/* Shows password managers whose password this is. */}
        <input type="text" name="username" autoComplete="username" value={user.email} readOnly hidden />
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <PasswordField label={t('passwordOld')} {...form.getInputProps('old')} />
          <PasswordField
            label={t('passwordNew')}
            description={t('passwordNewHint', { count: passwordLength.min })}
            isNew
            {...form.getInputProps('new')}
          />
        </SimpleGrid>
        <Group>
          <Submit form={form}>{t('passwordUpdate')}</Submit>
        </Group>
      </MethodForm>
    </Section>
  );
}

function Sessions() {
  const t = useText('settings');
  const answer = useMethod('sessions');
  const end = useMutate('sessionEnd');
  const endOne = (session: SignedIn) =>
    end.mutate({ id: session.id }, { onSuccess: () => toast.done(t('sessionEnded')), onError: toast.failed });
  const endOthers = async () => {
    const others = (answer.data?.length ?? 1) - 1;
    const yes = await confirm({
      title: t('sessionsEndTitle'),
      figures: [{ value: String(others), label: t('sessionsEndCount', { count: others }) }],
      text: t('sessionsEndText'),
      action: t('sessionsEnd'),
    });
    if (yes) end.mutate({ others: true }, { onSuccess: () => toast.done(t('sessionsEnded')), onError: toast.failed });
  };
  const columns: Column<SignedIn>[] = [
    {
      name: 'browser',
      title: t('browser'),
      cell: (session) => (
        <>
          <Text fw={500} title={session.user_agent}>
            {browserName(session.user_agent) || t('unknownBrowser')}
          </Text>
          <Text size="xs" c="dimmed">
            {session.ip} · {session.account}
          </Text>
        </>
      ),
    },
    {
      name: 'seen',
      title: t('lastSeen'),
      width: '170px',
      cell: (session) =>
        session.current ? <Status tone="good">{t('thisSession')}</Status> : <Time at={session.last_seen_at} />,
    },
    { name: 'since', title: t('signedInAt'), width: '150px', cell: ({ created_at }) => <Time at={created_at} /> },
    {
      name: 'end',
      title: t('action'),
      width: '120px',
      cell: (session) =>
        session.current ? null : (
          <Button
            variant="default"
            size="xs"
            aria-label={t('sessionEndOf', { browser: browserName(session.user_agent) || t('unknownBrowser') })}
            onClick={() => endOne(session)}
          >
            {t('sessionEnd')}
          </Button>
        ),
    },
  ];
  return (
    <Section
      title={t('sessions')}
      description={t('sessionsAbout')}
      actions={
        (answer.data?.length ?? 0) > 1 && (
          <Button variant="default" onClick={endOthers}>
            {t('sessionsEnd')}
          </Button>
        )
      }
    >
      <Loaded query={answer}>
        {(rows) => (
          <Rows
            label={t('sessions')}
            // This browser signs out elsewhere: alone, it has nothing to press here.
            columns={rows.length > 1 ? columns : columns.filter(({ name }) => name !== 'end')}
            rows={rows}
            keyOf={({ id }) => id}
            nameOf={({ id }) => id}
            empty={null}
          />
        )}
      </Loaded>
    </Section>
  );
}
