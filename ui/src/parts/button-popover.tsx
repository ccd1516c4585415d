// A button with a small layer below it, such as the choice of columns. The layer is loaded when the pointer or the focus comes
// to the button.
import { Button, type ButtonProps, type PopoverProps } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useLate } from './use-late.ts';

type Props = ButtonProps & {
  children: ReactNode;
  /** What the layer shows; `close` closes it. */
  content(close: () => void): ReactNode;
  layer?: Omit<PopoverProps, 'opened' | 'onChange' | 'children'>;
};

const load = () => import('./popover-frame.tsx');

export function ButtonPopover({ content, layer, ...button }: Props) {
  const [wanted, setWanted] = useState(false);
  const [opened, setOpened] = useState(false);
  const target = (
    <Button
      {...button}
      aria-haspopup="dialog"
      onPointerEnter={load}
      onFocus={load}
      onClick={() => {
        setWanted(true);
        setOpened(!opened);
      }}
    />
  );
  const Frame = useLate(load, wanted);
  if (!Frame) return target;
  return (
    <Frame target={target} opened={opened} onChange={setOpened} {...layer}>
      {content(() => setOpened(false))}
    </Frame>
  );
}
