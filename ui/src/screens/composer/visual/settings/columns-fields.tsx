// The settings of a block of columns: how many, how wide, and whether they are below each other on a phone.
import { Button, SegmentedControl, Select, Switch, Text } from '@mantine/core';
import type { Component, ComponentDefinition } from 'grapesjs';
import { useId } from 'react';
import { useText } from '../../../../text/use-text.tsx';
import { type Arrangement, arrange, arrangementOf, ratios } from '../columns.ts';
import { fitPictures } from '../picture.ts';

type Props = { cell: Component; onChange(): void; newColumn(): ComponentDefinition };

export function ColumnsFields({ cell, onChange, newColumn }: Props) {
  const t = useText('visual');
  const id = useId();
  const now = arrangementOf(cell);
  const set = (change: Partial<Arrangement>) => {
    arrange(cell, { ...now, ...change }, newColumn);
    fitPictures(cell);
    onChange();
  };
  const count = now.shares.length;
  const offered = ratios.filter(({ length }) => length === count);
  const current = offered.find((shares) => shares.every((share, at) => Math.abs(share - now.shares[at]!) < 1));
  return (
    <>
      <div>
        <Text component="div" fw={500} id={id}>
          {t('columnCount')}
        </Text>
        <SegmentedControl
          aria-labelledby={id}
          value={String(count)}
          data={['1', '2', '3']}
          onChange={(next) => set({ shares: ratios.find(({ length }) => length === Number(next))! })}
        />
      </div>
      {offered.length > 1 && (
        <Select
          label={t('columnRatio')}
          data={offered.map(nameOf)}
          value={current ? nameOf(current) : null}
          onChange={(name) => set({ shares: offered.find((shares) => nameOf(shares) === name) ?? now.shares })}
          allowDeselect={false}
        />
      )}
      <Switch
        label={t('columnsStack')}
        checked={now.stacks}
        onChange={(event) => set({ stacks: event.currentTarget.checked })}
      />
    </>
  );
}

const nameOf = (shares: readonly number[]) => shares.map((share) => `${Math.round(share)}`).join(' : ');

/** Selects the block of columns that an element is in. */
export function ChooseColumns({ onChoose }: { onChoose(): void }) {
  const t = useText('visual');
  return (
    <Button size="xs" variant="default" onClick={onChoose}>
      {t('chooseColumns')}
    </Button>
  );
}
