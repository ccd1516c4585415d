// Two-factor authentication of the signed-in user: set up with a QR code and a first code, recovery codes shown once,
// turned off with password and code.
import { Alert, Button, Code, Group, Stack, Text, TextInput } from '@mantine/core';
import { IconDownload, IconShieldCheck } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../../api/call.ts';
import type { ResultOf } from '../../../api/types.ts';
import { invalidate } from '../../../api/use-method.ts';
import { Copy } from '../../../parts/copy.tsx';
import { saveFile } from '../../../parts/files/save-file.ts';
import { Foot } from '../../../parts/form/foot.tsx';
import { MethodForm, Submit, useMethodForm } from '../../../parts/form/form.tsx';
import { PasswordField } from '../../../parts/form/password-field.tsx';
import { Modal } from '../../../parts/modal.tsx';
import { Section } from '../../../parts/page.tsx';
import { Status } from '../../../parts/status/status.tsx';
import { toast } from '../../../parts/toast/toast.tsx';
import { useSession } from '../../../session/session.ts';
import { useText } from '../../../text/use-text.tsx';
import classes from '../settings.module.css';

type Begun = ResultOf<'totpBegin'>;

export function SecondFactor() {
  const t = useText('settings');
  const { user } = useSession();
  const [open, setOpen] = useState<'set up' | 'remove'>();
  const [codes, setCodes] = useState<string[]>();
  const close = () => setOpen(undefined);
  return (
    <Section
      title={t('secondFactor')}
      status={<Status tone={user.totp ? 'good' : 'still'}>{t(user.totp ? 'totpOn' : 'totpOff')}</Status>}
      description={t('secondFactorAbout')}
      actions={
        user.totp ? (
          <Button variant="default" onClick={() => setOpen('remove')}>
            {t('totpDelete')}
          </Button>
        ) : (
          <Button variant="default" onClick={() => setOpen('set up')}>
            {t('totpSetUp')}
          </Button>
        )
      }
    >
      {codes && <RecoveryCodes codes={codes} onDone={() => setCodes(undefined)} />}
      <Modal opened={open === 'set up'} onClose={close} title={t('totpSetUp')}>
        <SetUp
          onCancel={close}
          onDone={(given) => {
            setCodes(given);
            close();
          }}
        />
      </Modal>
      <Modal opened={open === 'remove'} onClose={close} title={t('totpDelete')}>
        <Remove
          onCancel={close}
          onDone={() => {
            setCodes(undefined);
            close();
          }}
        />
      </Modal>
    </Section>
  );
}

function SetUp({ onDone, onCancel }: { onDone(codes: string[]): void; onCancel(): void }) {
  const t = useText('settings');
  const [begun, setBegun] = useState<Begun>();
  const form = useMethodForm({
    initialValues: { password: '' },
    send: ({ password }) => call('totpBegin', { password }),
    done: setBegun,
  });
  if (begun) return <FirstCode begun={begun} onDone={onDone} onCancel={onCancel} />;
  return (
    <MethodForm form={form}>
      <Text>{t('totpPasswordFirst')}</Text>
      <PasswordField label={t('passwordOld')} data-autofocus {...form.getInputProps('password')} />
      <Foot onCancel={onCancel}>
        <Submit form={form}>{t('next')}</Submit>
      </Foot>
    </MethodForm>
  );
}

type FirstCodeProps = { begun: Begun; onDone(codes: string[]): void; onCancel(): void };

function FirstCode({ begun, onDone, onCancel }: FirstCodeProps) {
  const t = useText('settings');
  const client = useQueryClient();
  const form = useMethodForm({
    initialValues: { code: '' },
    send: ({ code }) => call('totpConfirm', { code: code.replace(/\s/g, '') }),
    done: (codes) => {
      onDone(codes);
      invalidate(client, ['session']);
    },
  });
  return (
    <MethodForm form={form}>
      <Text>{t('totpScan')}</Text>
      <Group justify="center">
        <img src={begun.qr} alt={t('totpPicture')} className={classes.qr} />
      </Group>
      <div>
        <Text size="xs" c="dimmed" mb={4}>
          {t('totpManually')}
        </Text>
        <Group gap="xs" wrap="nowrap">
          <Code style={{ overflowWrap: 'anywhere' }}>{begun.secret.match(/.{1,4}/g)?.join(' ')}</Code>
          <Copy value={begun.secret} label={t('totpSecret')} />
        </Group>
      </div>
      <TextInput
        label={t('totpCode')}
        description={t('totpCodeHint')}
        inputMode="numeric"
        autoComplete="one-time-code"
        maxLength={10}
        // The second step of a dialog that is open.
        autoFocus
        {...form.getInputProps('code')}
      />
      <Foot onCancel={onCancel}>
        <Submit form={form}>{t('totpTurnOn')}</Submit>
      </Foot>
    </MethodForm>
  );
}

function RecoveryCodes({ codes, onDone }: { codes: string[]; onDone(): void }) {
  const t = useText('settings');
  return (
    <Alert variant="outline" icon={<IconShieldCheck aria-hidden />} title={t('recoveryTitle')} role="status">
      <Stack>
        <Text size="sm">{t('recoveryText')}</Text>
        <ul className={classes.codes} aria-label={t('recoveryCodes')}>
          {codes.map((code) => (
            <li key={code}>{code}</li>
          ))}
        </ul>
        <Group>
          <Copy value={codes.join('\n')} label={t('recoveryCopy')} wide />
          <Button
            variant="default"
            leftSection={<IconDownload size={16} aria-hidden />}
            onClick={() => saveFile('postrider-recovery-codes.txt', `${codes.join('\n')}\n`, 'text/plain')}
          >
            {t('recoveryDownload')}
          </Button>
          <Button onClick={onDone}>{t('recoveryDone')}</Button>
        </Group>
      </Stack>
    </Alert>
  );
}

function Remove({ onDone, onCancel }: { onDone(): void; onCancel(): void }) {
  const t = useText('settings');
  const client = useQueryClient();
  const form = useMethodForm({
    initialValues: { password: '', code: '' },
    send: (values) => call('totpDelete', values),
    done: () => {
      onDone();
      invalidate(client, ['session']);
      toast.done(t('totpRemoved'));
    },
  });
  return (
    <MethodForm form={form}>
      <Text>{t('totpRemoveText')}</Text>
      <PasswordField label={t('passwordOld')} data-autofocus {...form.getInputProps('password')} />
      <TextInput
        label={t('totpCodeOrRecovery')}
        autoComplete="one-time-code"
        maxLength={40}
        {...form.getInputProps('code')}
      />
      <Foot onCancel={onCancel}>
        <Submit form={form} color="red.8">
          {t('totpDelete')}
        </Submit>
      </Foot>
    </MethodForm>
  );
}
