// The overlay of keyboard shortcuts available on the current screen.
import { Group, Kbd, Modal } from '@mantine/core';
import { Facts } from '../parts/facts/facts.tsx';
import { useFocusBack } from '../parts/form/focus-back.ts';
import { useShortcuts } from '../parts/keys.ts';
import { useText } from '../text/use-text.tsx';
import { closeKeyHelp } from './key-help-state.ts';

export default function KeyHelp() {
  const t = useText('shell');
  const shortcuts = useShortcuts();
  useFocusBack();
  return (
    <Modal opened onClose={closeKeyHelp} title={t('keys')}>
      <Facts
        label={t('keys')}
        facts={shortcuts.map(({ keys, words }) => [
          words,
          <Group key={keys} gap={4} justify="flex-end" wrap="nowrap">
            {keys.split(/[ +]/).map((key) => (
              <Kbd key={key}>{key === 'mod' ? modName : key}</Kbd>
            ))}
          </Group>,
        ])}
      />
    </Modal>
  );
}

const modName = /Mac|iPhone|iPad/.test(navigator.userAgent) ? '⌘' : 'Ctrl';
