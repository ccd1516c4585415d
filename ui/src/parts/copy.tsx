// A button that copies a text and shows that it did.
import { ActionIcon, Button, CopyButton } from '@mantine/core';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import { useText } from '../text/use-text.tsx';

/** @param label names what is copied, in the button's accessible name; visible when `wide` */
export function Copy({ value, label, wide = false }: { value: string; label?: string; wide?: boolean }) {
  const t = useText('parts');
  return (
    <CopyButton value={value} timeout={2_000}>
      {({ copied, copy }) => {
        const icon = copied ? <IconCheck size={16} aria-hidden /> : <IconCopy size={16} aria-hidden />;
        const name = copied ? t('copied') : label ? t('copyOf', { what: label }) : t('copy');
        return wide ? (
          <Button variant="default" leftSection={icon} onClick={copy}>
            {copied ? t('copied') : (label ?? t('copy'))}
          </Button>
        ) : (
          <ActionIcon variant="subtle" color="gray" aria-label={name} title={name} onClick={copy}>
            {icon}
          </ActionIcon>
        );
      }}
    </CopyButton>
  );
}
