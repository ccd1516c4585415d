// For whom the block of the selected element is shown: everyone, or only contacts whose field fulfils a condition.
import { Select, Stack, TextInput } from '@mantine/core';
import type { Component } from 'grapesjs';
import { useState } from 'react';
import { useText } from '../../../../text/use-text.tsx';
import { useFields } from '../../content/merge-tags.tsx';
import {
  type BlockCondition,
  conditionAttribute,
  decodeCondition,
  encodeCondition,
  type Operator,
  usableValue,
} from '../block-conditions.ts';

const operators: readonly Operator[] = ['set', 'empty', '=', '!=', '>', '<'];

/** The condition of a block; undefined if it is shown to everyone. */
export const conditionOf = (block: Component): BlockCondition | undefined =>
  decodeCondition(block.getAttributes()[conditionAttribute]);

type Props = { block: Component; onChange(): void };

export function ConditionFields({ block, onChange }: Props) {
  const t = useText('visual');
  const fields = useFields();
  const condition = conditionOf(block);
  const set = (next: BlockCondition | undefined) => {
    if (next) block.addAttributes({ [conditionAttribute]: encodeCondition(next) });
    else block.removeAttributes(conditionAttribute);
    onChange();
  };
  if (block.tagName?.toLowerCase() !== 'tr' || (fields.length === 0 && !condition)) return null;
  const known = fields.map(({ tag, name }) => ({ value: tag, label: name || tag }));
  const choices =
    condition && !known.some(({ value }) => value === condition.field)
      ? [...known, { value: condition.field, label: condition.field }]
      : known;
  return (
    <Stack gap="xs">
      <Select
        label={t('showTo')}
        data={[
          { value: '', label: t('showToAll') },
          ...choices.map(({ value, label }) => ({ value, label: t('showToField', { field: label }) })),
        ]}
        value={condition?.field ?? ''}
        onChange={(field) => set(field ? { operator: 'set', value: '', ...condition, field } : undefined)}
        allowDeselect={false}
      />
      {condition && (
        <Select
          aria-label={t('showIf')}
          data={operators.map((operator) => ({ value: operator, label: t(`showIfIs.${operator}`) }))}
          value={condition.operator}
          onChange={(operator) => operator && set({ ...condition, operator: operator as Operator })}
          allowDeselect={false}
        />
      )}
      {condition && condition.operator !== 'set' && condition.operator !== 'empty' && (
        <ValueField value={condition.value} onValue={(value) => set({ ...condition, value })} />
      )}
    </Stack>
  );
}

/** Keeps what is typed, because a space at its end is no part of the value yet. */
function ValueField({ value, onValue }: { value: string; onValue(value: string): void }) {
  const t = useText('visual');
  const [typed, setTyped] = useState(value);
  return (
    <TextInput
      aria-label={t('showIfValue')}
      placeholder={t('showIfValue')}
      value={typed}
      maxLength={200}
      onChange={(event) => {
        const text = usableValue(event.currentTarget.value);
        setTyped(text);
        onValue(text);
      }}
    />
  );
}
