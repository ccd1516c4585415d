// The list that a block is repeated for. Only for blocks that are repeated.
import { TextInput } from '@mantine/core';
import type { Component } from 'grapesjs';
import { useState } from 'react';
import { useText } from '../../../../text/use-text.tsx';
import { decodeList, encodeList, loopAttribute, usableList } from '../block-loops.ts';

/** The list of a block; undefined if it is not repeated. */
export const loopOf = (block: Component): string | undefined => decodeList(block.getAttributes()[loopAttribute]);

type Props = { block: Component; onChange(): void };

export function LoopFields({ block, onChange }: Props) {
  const t = useText('visual');
  const list = loopOf(block);
  // What is being typed may not be a list yet.
  const [typed, setTyped] = useState(list ?? '');
  if (list === undefined) return null;
  const isList = usableList(typed) !== undefined;
  return (
    <TextInput
      label={t('repeatedFor')}
      description={t('repeatedForAbout')}
      error={!isList && t('repeatedForInvalid')}
      value={typed}
      onChange={(event) => {
        const text = event.currentTarget.value;
        setTyped(text);
        const next = usableList(text);
        if (next === undefined) return;
        block.addAttributes({ [loopAttribute]: encodeList(next) });
        onChange();
      }}
    />
  );
}
