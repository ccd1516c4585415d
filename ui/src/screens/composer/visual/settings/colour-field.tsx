// A colour of the visual editor. What is typed counts once it is a whole colour: the email does not flicker through the colours of its
// first letters, and they do not come back changed into the field.
import { ColorInput } from '@mantine/core';
import { useState } from 'react';
import { useText } from '../../../../text/use-text.tsx';
import { useSwatches } from '../use-look.ts';

type Props = { label: string; value: string; onColour(colour: string): void };

export function ColourField({ label, value, onColour }: Props) {
  const t = useText('visual');
  const swatches = useSwatches();
  const [typed, setTyped] = useState<string>();
  return (
    <ColorInput
      label={label}
      value={typed ?? value}
      onChange={(colour) => {
        setTyped(colour);
        if (colour === '' || /^#[0-9a-f]{6}$/i.test(colour)) onColour(colour);
      }}
      onBlur={() => {
        // Three digits may be the beginning of six.
        if (typed !== undefined && /^#[0-9a-f]{3}$/i.test(typed)) onColour(typed);
        setTyped(undefined);
      }}
      fixOnBlur={false}
      swatches={swatches}
      eyeDropperButtonProps={{ 'aria-label': t('eyeDropper') }}
    />
  );
}
