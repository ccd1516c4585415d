// A button of the visual editor that is an icon with a label.
import { ActionIcon, type ActionIconProps, Tooltip } from '@mantine/core';
import type { TablerIcon } from '@tabler/icons-react';
import type { ComponentPropsWithRef } from 'react';

type Props = ActionIconProps &
  ComponentPropsWithRef<'button'> & {
    icon: TablerIcon;
    label: string;
    /** Of a tool that is on or off. */
    pressed?: boolean;
  };

export function Tool({ icon: Icon, label, pressed, ...props }: Props) {
  return (
    <Tooltip label={label}>
      <ActionIcon
        variant={pressed ? 'light' : 'default'}
        size="md"
        aria-label={label}
        aria-pressed={pressed}
        {...props}
      >
        <Icon size={16} aria-hidden />
      </ActionIcon>
    </Tooltip>
  );
}
