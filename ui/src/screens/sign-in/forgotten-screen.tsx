// Requests an email with a password reset link. The answer is the same whether or not the address is known.
import { Alert, TextInput } from '@mantine/core';
import { useState } from 'react';
import { request } from '../../api/call.ts';
import { MethodForm, Submit, useMethodForm } from '../../parts/form/form.tsx';
import { LinkAnchor } from '../../parts/link.tsx';
import { useText } from '../../text/use-text.tsx';
import { DoorPage } from './door-page.tsx';

export function ForgottenScreen() {
  const t = useText('sign-in');
  const [sent, setSent] = useState(false);
  const form = useMethodForm({
    initialValues: { email: '' },
    validate: { email: (value) => (/^\S+@\S+$/.test(value.trim()) ? null : t('emailRequired')) },
    send: ({ email }) => request('POST', '/session/forgotten', { email: email.trim() }),
    done: () => setSent(true),
  });
  return (
    <DoorPage title={t('forgottenTitle')} text={t('forgottenText')}>
      {sent ? (
        <Alert variant="outline" role="status">
          {t('linkSent')}
        </Alert>
      ) : (
        <MethodForm form={form}>
          <TextInput label={t('email')} type="email" autoComplete="username" {...form.getInputProps('email')} />
          <Submit form={form} fullWidth>
            {t('sendLink')}
          </Submit>
        </MethodForm>
      )}
      <LinkAnchor to="/sign-in" size="sm">
        {t('haveAccount')}
      </LinkAnchor>
    </DoorPage>
  );
}
