// The tooltip of explained.tsx.
import { Tooltip } from '@mantine/core';
import type { ReactElement } from 'react';

export default function LateTooltip({ label, children }: { label: string; children: ReactElement }) {
  return (
    <Tooltip label={label} multiline maw={280} events={{ hover: true, focus: true, touch: true }}>
      {children}
    </Tooltip>
  );
}
