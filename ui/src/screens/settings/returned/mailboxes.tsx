// Bounce mailboxes, on the screen of returned mail: when each was read, when a notice was last found, adding and changing one.
import { Button, Checkbox, Group, NativeSelect, Stack, Text, TextInput, Title } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { lazy, Suspense, useState } from 'react';
import type { ResultOf } from '../../../api/types.ts';
import { useMethod, useMutate } from '../../../api/use-method.ts';
import { confirm } from '../../../parts/confirm/confirm.tsx';
import { MethodForm, type MethodFormState, Submit, useMethodForm } from '../../../parts/form/form.tsx';
import { NumberField } from '../../../parts/form/number-field.tsx';
import { PasswordField } from '../../../parts/form/password-field.tsx';
import { useFormats } from '../../../parts/formats.ts';
import { Lines, Loaded } from '../../../parts/loaded.tsx';
import { Modal } from '../../../parts/modal.tsx';
import { Section } from '../../../parts/page.tsx';
import { Status } from '../../../parts/status/status.tsx';
import { Time } from '../../../parts/time.tsx';
import { toast } from '../../../parts/toast/toast.tsx';
import { useText } from '../../../text/use-text.tsx';
import { type OauthValues, oauthOptions, oauthValues } from '../oauth/oauth-values.ts';
import { OauthSignIn } from '../oauth/sign-in-button.tsx';
import classes from '../settings.module.css';

const OauthFields = lazy(() => import('../oauth/oauth-fields.tsx'));

type Mailbox = ResultOf<'bounceMailboxes'>[number];

export function Mailboxes() {
  const t = useText('settings');
  const answer = useMethod('bounceMailboxes', {}, { refetchInterval: 10_000 });
  const [adding, setAdding] = useState(false);
  const add = (
    <Button variant="default" leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setAdding(true)}>
      {t('mailboxAdd')}
    </Button>
  );
  return (
    <Section title={t('mailboxes')} description={t('mailboxesAbout')} actions={add}>
      <Loaded query={answer}>
        {(mailboxes) => mailboxes.map((mailbox) => <OneMailbox key={mailbox.id} mailbox={mailbox} />)}
      </Loaded>
      <Modal opened={adding} onClose={() => setAdding(false)} title={t('mailboxAdd')}>
        <Add onDone={() => setAdding(false)} />
      </Modal>
    </Section>
  );
}

function OneMailbox({ mailbox }: { mailbox: Mailbox }) {
  const t = useText('settings');
  const { number } = useFormats();
  const read = useMutate('bounceMailboxRead');
  const remove = useMutate('bounceMailboxDelete');
  const [changing, setChanging] = useState(false);
  const name = mailbox.title || mailbox.user_name;
  const state = mailbox.problem !== '' ? 'failed' : mailbox.read_at === '' ? 'new' : 'working';
  const facts = [
    `${mailbox.protocol.toUpperCase()} ${mailbox.host}:${mailbox.port}`,
    ...(mailbox.messages > 0
      ? [
          t('mailboxMessages', { count: mailbox.messages, messages: number(mailbox.messages) }),
          t('sourceMatched', { count: mailbox.matched, matched: number(mailbox.matched) }),
        ]
      : []),
    ...(mailbox.unknown > 0 ? [t('sourceUnknown', { count: mailbox.unknown, unknown: number(mailbox.unknown) })] : []),
  ];
  const onRead = async () => {
    try {
      await read.mutateAsync({ id: mailbox.id });
      toast.done(t('mailboxReading'));
    } catch (error) {
      toast.failed(error);
    }
  };
  const onRemove = async () => {
    const question = {
      title: t('mailboxRemoveTitle', { name }),
      text: t('mailboxRemoveText'),
      action: t('sourceRemove'),
    };
    if (!(await confirm({ ...question, danger: true }))) return;
    try {
      await remove.mutateAsync({ id: mailbox.id });
      toast.done(t('sourceRemoved', { name }));
    } catch (error) {
      toast.failed(error);
    }
  };
  return (
    <Stack gap="sm" className={classes.box} component="section" aria-label={name}>
      <Group justify="space-between" align="flex-start">
        <div>
          <Group gap="sm">
            <Title order={3} style={{ overflowWrap: 'anywhere' }}>
              {name}
            </Title>
            <Status tone={state === 'failed' ? 'bad' : state === 'new' ? 'waiting' : 'good'}>
              {t.of('mailboxState', state)}
            </Status>
          </Group>
          <Text c="dimmed" size="xs" mt={4}>
            {facts.join(' · ')}
          </Text>
          <Text c="dimmed" size="xs">
            {t('mailboxRead')} <Time at={mailbox.read_at} never={t('never')} /> · {t('mailboxHeard')}{' '}
            <Time at={mailbox.heard_at} never={t('never')} />
          </Text>
        </div>
        <Group gap="xs">
          {mailbox.oauth.flow === 'authorization_code' && (
            <OauthSignIn of={{ mailbox: mailbox.id }} name={name} isAgain={mailbox.oauth.signed_in} />
          )}
          <Button variant="default" size="xs" aria-label={t('mailboxReadNowOf', { name })} onClick={onRead}>
            {t('mailboxReadNow')}
          </Button>
          <Button
            variant="default"
            size="xs"
            aria-label={t('mailboxChangeOf', { name })}
            onClick={() => setChanging(true)}
          >
            {t('mailboxChangeShort')}
          </Button>
          <Button variant="default" size="xs" aria-label={t('sourceRemoveOf', { name })} onClick={onRemove}>
            {t('sourceRemove')}
          </Button>
        </Group>
      </Group>
      <Modal opened={changing} onClose={() => setChanging(false)} title={t('mailboxChange')}>
        <Change mailbox={mailbox} onDone={() => setChanging(false)} />
      </Modal>
      {mailbox.problem !== '' && (
        <Text style={{ overflowWrap: 'anywhere' }}>
          {t('mailboxProblem')} {mailbox.problem}
        </Text>
      )}
    </Stack>
  );
}

const protocols = ['imap', 'pop3'] as const;
const securities = ['tls', 'starttls', 'none'] as const;

type Values = {
  protocol: (typeof protocols)[number];
  host: string;
  port: number | '';
  security: (typeof securities)[number];
  user_name: string;
  password: string;
  auth: string;
  oauth: OauthValues;
  folder: string;
  remove: boolean;
};

function Add({ onDone }: { onDone(): void }) {
  const t = useText('settings');
  const create = useMutate('bounceMailboxCreate');
  const initialValues: Values = {
    protocol: 'imap',
    host: '',
    port: '',
    security: 'tls',
    user_name: '',
    password: '',
    auth: 'password',
    oauth: oauthValues(undefined),
    folder: 'INBOX',
    remove: true,
  };
  const form = useMethodForm({
    initialValues,
    send: ({ port, auth, oauth, ...values }) =>
      create.mutateAsync({ ...values, ...accessOf(auth, oauth), ...(port === '' ? {} : { port }) }),
    done: () => {
      toast.done(t('mailboxAdded'));
      onDone();
    },
  });
  return <Fields form={form} action={t('mailboxAddConfirm')} />;
}

function Change({ mailbox, onDone }: { mailbox: Mailbox; onDone(): void }) {
  const t = useText('settings');
  const update = useMutate('bounceMailboxUpdate');
  const { protocol, security, host, port, user_name, folder, remove } = mailbox;
  const initialValues: Values = {
    protocol: protocols.find((name) => name === protocol) ?? 'imap',
    security: securities.find((name) => name === security) ?? 'tls',
    ...{ host, port, user_name, folder, remove, password: '' },
    auth: mailbox.auth,
    oauth: oauthValues(mailbox.oauth),
  };
  const form = useMethodForm({
    initialValues,
    send: ({ port, auth, oauth, ...values }) => {
      // A port that was not typed gives way to the usual one of another protocol.
      const isOther = values.protocol !== mailbox.protocol || values.security !== mailbox.security;
      const keepsDefault = port === '' || (isOther && port === mailbox.port);
      const access = accessOf(auth, oauth, mailbox.oauth);
      return update.mutateAsync({ id: mailbox.id, ...values, ...access, ...(keepsDefault ? {} : { port }) });
    },
    done: () => {
      toast.done(t('mailboxChanged'));
      onDone();
    },
  });
  return <Fields form={form} action={t('mailboxSave')} passwordHint={t('mailboxPasswordKept')} />;
}

const accessOf = (auth: string, oauth: OauthValues, stored?: Mailbox['oauth']) =>
  auth === 'oauth'
    ? { auth: 'oauth' as const, password: '', oauth: oauthOptions(oauth, stored) }
    : { auth: 'password' as const };

const mailHosts: Record<string, Record<string, string>> = {
  microsoft: { imap: 'outlook.office365.com', pop3: 'outlook.office365.com' },
  google: { imap: 'imap.gmail.com', pop3: 'pop.gmail.com' },
};
const knownHosts = Object.values(mailHosts).flatMap((hosts) => Object.values(hosts));

function Fields({
  form,
  action,
  passwordHint,
}: {
  form: MethodFormState<Values>;
  action: string;
  passwordHint?: string;
}) {
  const t = useText('settings');
  const { auth, oauth, host, protocol } = form.getValues();
  // The server of the provider, unless another one was entered.
  const fillIn = (provider: string) => {
    if (host === '' || knownHosts.includes(host)) form.setFieldValue('host', mailHosts[provider]?.[protocol] ?? '');
  };
  return (
    <MethodForm form={form}>
      <Group grow>
        <NativeSelect
          label={t('mailboxProtocol')}
          data={protocols.map((value) => ({ value, label: value.toUpperCase() }))}
          {...form.getInputProps('protocol')}
        />
        <NativeSelect
          label={t('mailboxSecurity')}
          data={securities.map((value) => ({ value, label: t(`mailboxSecurity.${value}`) }))}
          {...form.getInputProps('security')}
        />
      </Group>
      <TextInput
        label={t('mailboxHost')}
        placeholder="mail.example.com"
        autoCapitalize="none"
        spellCheck={false}
        data-autofocus
        {...form.getInputProps('host')}
      />
      <NumberField
        label={t('mailboxPort')}
        description={t('mailboxPortHint')}
        min={1}
        max={65_535}
        {...form.getInputProps('port')}
      />
      <TextInput label={t('mailboxUser')} autoComplete="off" spellCheck={false} {...form.getInputProps('user_name')} />
      <NativeSelect
        label={t('oauthAccess')}
        data={(['password', 'oauth'] as const).map((value) => ({ value, label: t(`oauthAccess.${value}`) }))}
        value={auth}
        onChange={(event) => {
          form.setFieldValue('auth', event.currentTarget.value);
          if (event.currentTarget.value === 'oauth') fillIn(oauth.provider);
        }}
      />
      {auth === 'oauth' ? (
        <Suspense fallback={<Lines />}>
          <OauthFields
            values={oauth}
            isKept={passwordHint !== undefined}
            inputProps={(path) => form.getInputProps(path)}
            onProvider={fillIn}
          />
        </Suspense>
      ) : (
        <PasswordField
          label={t('mailboxPassword')}
          description={passwordHint}
          isNew
          {...form.getInputProps('password')}
        />
      )}
      {form.getValues().protocol === 'imap' && (
        <TextInput label={t('mailboxFolder')} spellCheck={false} {...form.getInputProps('folder')} />
      )}
      <Checkbox
        label={t('mailboxDelete')}
        description={t('mailboxDeleteAbout')}
        {...form.getInputProps('remove', { type: 'checkbox' })}
      />
      <Group justify="flex-end">
        <Submit form={form}>{action}</Submit>
      </Group>
    </MethodForm>
  );
}
