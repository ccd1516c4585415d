// Sets a password through a link, after a reset.
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { passwordLength } from '../../../../src/base/password-length.ts';
import { request } from '../../api/call.ts';
import { MethodForm, Submit, useMethodForm } from '../../parts/form/form.tsx';
import { PasswordField } from '../../parts/form/password-field.tsx';
import { LinkAnchor } from '../../parts/link.tsx';
import { toast } from '../../parts/toast/toast.tsx';
import { linkToken } from '../../session/session.ts';
import { useText } from '../../text/use-text.tsx';
import { DoorPage } from './door-page.tsx';

export function PasswordScreen() {
  const t = useText('sign-in');
  const navigate = useNavigate();
  const [token] = useState(linkToken);
  const form = useMethodForm({
    initialValues: { password: '' },
    validate: {
      password: (value) =>
        value.length >= passwordLength.min ? null : t('passwordTooShort', { count: passwordLength.min }),
    },
    send: ({ password }) => request('POST', '/session/reset', { token, password }),
    done: () => {
      toast.done(t('saved'));
      navigate({ to: '/sign-in', replace: true });
    },
  });
  return (
    <DoorPage title={t('choosePassword')} text={t('choosePasswordText')}>
      <MethodForm form={form}>
        <PasswordField
          label={t('newPassword')}
          description={t('newPasswordText', { count: passwordLength.min })}
          isNew
          {...form.getInputProps('password')}
        />
        <Submit form={form} fullWidth>
          {t('save')}
        </Submit>
      </MethodForm>
      <LinkAnchor to="/sign-in" size="sm">
        {t('haveAccount')}
      </LinkAnchor>
    </DoorPage>
  );
}
