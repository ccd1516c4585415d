// A button for what the signed-in person may not do: it stays where it is, does nothing, and says why.
import { Button, type ButtonProps, Tooltip } from '@mantine/core';
import { useText } from '../text/use-text.tsx';

export function BarredButton({ permission, ...props }: ButtonProps & { permission: 'contacts:export' }) {
  const t = useText('parts');
  const why = t(`barred.${permission}`);
  return (
    <Tooltip label={why} multiline maw={280} events={{ hover: true, focus: true, touch: true }}>
      <Button {...props} variant="default" data-disabled aria-disabled aria-description={why} />
    </Tooltip>
  );
}
