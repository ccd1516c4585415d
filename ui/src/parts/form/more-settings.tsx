// What few people set, folded below what everyone does. Open from the start where something of it is set.
import { Button, Stack } from '@mantine/core';
import { IconChevronDown, IconChevronUp } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { useText } from '../../text/use-text.tsx';

/** @param isWanted something of it is set, or wrong */
export function MoreSettings({ isWanted, children }: { isWanted: boolean; children: ReactNode }) {
  const t = useText('parts');
  const [chosen, setChosen] = useState<boolean>();
  // It stays open when the fault that opened it is corrected.
  const [wasWanted, setWasWanted] = useState(isWanted);
  if (isWanted && !wasWanted) setWasWanted(true);
  const isOpen = chosen ?? wasWanted;
  const Icon = isOpen ? IconChevronUp : IconChevronDown;
  return (
    <Stack gap="md">
      <div>
        <Button
          variant="subtle"
          size="xs"
          rightSection={<Icon size={16} aria-hidden />}
          aria-expanded={isOpen}
          onClick={() => setChosen(!isOpen)}
        >
          {t('moreSettings')}
        </Button>
      </div>
      {isOpen && children}
    </Stack>
  );
}
