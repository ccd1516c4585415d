// The layer of ButtonPopover, loaded at its first use.
import { Popover, type PopoverProps } from '@mantine/core';
import type { ReactNode } from 'react';

type Props = PopoverProps & { target: ReactNode; children: ReactNode };

export default function PopoverFrame({ target, children, ...props }: Props) {
  return (
    <Popover trapFocus returnFocus position="bottom-end" {...props}>
      <Popover.Target>{target}</Popover.Target>
      <Popover.Dropdown mah={420} style={{ overflowY: 'auto' }}>
        {children}
      </Popover.Dropdown>
    </Popover>
  );
}
