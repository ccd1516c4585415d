// Which columns of a table are shown: chosen by the user, kept in the browser.
import { Checkbox, Stack, Text } from '@mantine/core';
import { IconColumns3 } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { useText } from '../../text/use-text.tsx';
import { ButtonPopover } from '../button-popover.tsx';

/**
 * The names of the shown columns, and a function that shows or hides one.
 * @param table the name under which they are kept
 * @param standard those shown until the user chooses; may become more while the fields of a list are loading
 */
export function useChosenColumns(table: string, standard: readonly string[]) {
  const key = `postrider-columns-${table}`;
  const [own, setOwn] = useState<readonly string[] | undefined>(() => stored(key));
  const chosen = own ?? standard;
  const toggle = (name: string) => {
    const next = chosen.includes(name) ? chosen.filter((other) => other !== name) : [...chosen, name];
    setOwn(next);
    try {
      localStorage.setItem(key, JSON.stringify(next));
    } catch {
      // Without storage the choice lasts as long as the page.
    }
  };
  return { chosen, toggle };
}

function stored(key: string): string[] | undefined {
  try {
    const value: unknown = JSON.parse(localStorage.getItem(key) ?? 'null');
    return Array.isArray(value) && value.every((name) => typeof name === 'string') ? value : undefined;
  } catch {
    return undefined;
  }
}

type Props = {
  columns: readonly { name: string; title: string }[];
  chosen: readonly string[];
  onToggle(name: string): void;
  /** Further choices, above the columns. */
  children?: ReactNode;
};

export function ColumnChoice({ columns, chosen, onToggle, children }: Props) {
  const t = useText('parts');
  return (
    <ButtonPopover
      variant="default"
      leftSection={<IconColumns3 size={16} aria-hidden />}
      layer={{ withinPortal: false, width: 260 }}
      content={() => (
        <Stack gap="md">
          {children}
          <Stack gap="sm" role="group" aria-label={t('columns')}>
            <Text size="xs" c="dimmed" fw={500}>
              {t('columns')}
            </Text>
            {columns.map(({ name, title }) => (
              <Checkbox
                key={name}
                size="sm"
                label={title}
                checked={chosen.includes(name)}
                onChange={() => onToggle(name)}
              />
            ))}
          </Stack>
        </Stack>
      )}
    >
      {t('view')}
    </ButtonPopover>
  );
}
