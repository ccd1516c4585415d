// A button for what the signed-in person may not do: it stays where it is, does nothing, and says why.
import { Button, type ButtonProps } from '@mantine/core';
import { useText } from '../text/use-text.tsx';
import { Explained } from './explained.tsx';

export function BarredButton({ permission, ...props }: ButtonProps & { permission: 'contacts:export' }) {
  const t = useText('parts');
  const why = t(`barred.${permission}`);
  return (
    <Explained why={why}>
      <Button {...props} variant="default" data-disabled aria-disabled aria-description={why} />
    </Explained>
  );
}
