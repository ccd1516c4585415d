// A field for a password, with a button that shows what is typed; and one for the code of the second factor.
import { PasswordInput, type PasswordInputProps, TextInput, type TextInputProps } from '@mantine/core';
import { useText } from '../../text/use-text.tsx';

/** `isNew`: chosen here, or of another service, so that the browser does not fill in the user's own. */
export function PasswordField({ isNew = false, ...props }: PasswordInputProps & { isNew?: boolean }) {
  const t = useText('parts');
  return (
    <PasswordInput
      autoComplete={isNew ? 'new-password' : 'current-password'}
      visibilityToggleButtonProps={{ 'aria-label': t('showPassword'), tabIndex: 0 }}
      withAsterisk={false}
      {...props}
    />
  );
}

export const CodeField = (props: TextInputProps) => (
  <TextInput autoComplete="one-time-code" required withAsterisk={false} {...props} />
);
