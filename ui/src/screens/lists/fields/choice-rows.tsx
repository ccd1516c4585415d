// The choices of a field that exists: each can be renamed, which members keep, or removed, and new ones added. What was there is known
// by its place.
import { ActionIcon, Button, Checkbox, Group, Input, Stack, TextInput } from '@mantine/core';
import { IconPlus, IconX } from '@tabler/icons-react';
import { useText } from '../../../text/use-text.tsx';

/** `from`: the present name of a choice; '' for a new one. */
export type ChoiceRow = { key: number; from: string; name: string };

let made = 0;
export const rowsOf = (choices: readonly string[]): ChoiceRow[] =>
  choices.map((name) => ({ key: ++made, from: name, name }));

/** The choices that are left, and those that have another name now. */
export function changesIn(rows: readonly ChoiceRow[]) {
  const named = rows.map((row) => ({ ...row, name: row.name.trim() })).filter(({ name }) => name !== '');
  return {
    choices: named.map(({ name }) => name),
    rename_choices: named
      .filter(({ from, name }) => from !== '' && from !== name)
      .map(({ from, name }) => ({ from, to: name })),
  };
}

type Props = {
  before: readonly string[];
  rows: readonly ChoiceRow[];
  onChange(rows: ChoiceRow[]): void;
  error: React.ReactNode;
  /** Asked where choices are removed from a multiple choice: whether members lose them. */
  drops: { checked: boolean; onChange(drops: boolean): void } | undefined;
};

export function ChoiceRows({ before, rows, onChange, error, drops }: Props) {
  const t = useText('lists');
  const left = new Set(rows.filter(({ name }) => name.trim() !== '').map(({ from }) => from));
  const removed = before.filter((choice) => !left.has(choice));
  const shown = rows.length === 0 ? [{ key: 0, from: '', name: '' }] : rows;
  const replace = (at: number, row: ChoiceRow | undefined) =>
    onChange(shown.flatMap((own, i) => (i === at ? (row ?? []) : own)));
  return (
    <Input.Wrapper component="fieldset" label={t('choices')} labelElement="div" error={error} bd={0} p={0} m={0}>
      <Stack gap="xs" mt={4}>
        {shown.map((row, i) => (
          <Group key={row.key} gap="xs" wrap="nowrap">
            <TextInput
              aria-label={row.from === '' ? t('newChoice') : t('nameOfChoice', { name: row.from })}
              maxLength={200}
              flex={1}
              value={row.name}
              onChange={(event) => replace(i, { ...row, name: event.currentTarget.value })}
            />
            <ActionIcon
              variant="subtle"
              color="gray"
              size="lg"
              aria-label={t('removeChoice', { name: row.name })}
              onClick={() => replace(i, undefined)}
            >
              <IconX size={16} aria-hidden />
            </ActionIcon>
          </Group>
        ))}
        <Button
          variant="subtle"
          size="compact-sm"
          leftSection={<IconPlus size={14} aria-hidden />}
          style={{ alignSelf: 'flex-start' }}
          onClick={() => onChange([...shown, { key: ++made, from: '', name: '' }])}
        >
          {t('addChoice')}
        </Button>
        {drops && removed.length > 0 && (
          <Checkbox
            label={t('dropValues', { names: removed.join(', ') })}
            checked={drops.checked}
            onChange={(event) => drops.onChange(event.currentTarget.checked)}
          />
        )}
      </Stack>
    </Input.Wrapper>
  );
}
