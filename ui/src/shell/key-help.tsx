// The overlay of keyboard shortcuts available on the current screen.
import { Group, Kbd, Modal, Table, Text } from '@mantine/core';
import { useFocusBack } from '../parts/form/focus-back.ts';
import { useText } from '../text/use-text.tsx';
import { closeKeyHelp } from './key-help-state.ts';
import { useShortcuts } from './keys.ts';

export default function KeyHelp() {
  const t = useText('shell');
  const shortcuts = useShortcuts();
  useFocusBack();
  return (
    <Modal opened onClose={closeKeyHelp} title={t('keys')}>
      <Table verticalSpacing={6}>
        <Table.Tbody>
          {shortcuts.map(({ keys, words }) => (
            <Table.Tr key={`${keys} ${words}`}>
              <Table.Td>
                <Text size="sm">{words}</Text>
              </Table.Td>
              <Table.Td>
                <Group gap={4} justify="flex-end" wrap="nowrap">
                  {keys.split(/[ +]/).map((key) => (
                    <Kbd key={key}>{key === 'mod' ? modName : key}</Kbd>
                  ))}
                </Group>
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Modal>
  );
}

const modName = /Mac|iPhone|iPad/.test(navigator.userAgent) ? '⌘' : 'Ctrl';
