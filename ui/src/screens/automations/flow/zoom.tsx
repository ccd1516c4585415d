// How large the flow is drawn: smaller, larger, or so that all of it is seen. On a phone the steps are a list, which needs none of it.
import { ActionIcon, Button, Group, Text } from '@mantine/core';
import { IconMinus, IconPlus } from '@tabler/icons-react';
import { type RefObject, useState } from 'react';
import { useFormats } from '../../../parts/formats.ts';
import { useText } from '../../../text/use-text.tsx';
import classes from '../automations.module.css';

const levels = [0.4, 0.5, 0.67, 0.8, 1] as const;

/** @param canvas what scrolls, with the flow as its only child */
export function useZoom(canvas: RefObject<HTMLDivElement | null>) {
  const [zoom, setZoom] = useState(1);
  const fit = () => {
    const flow = canvas.current?.firstElementChild;
    if (!canvas.current || !flow) return;
    // The size that it would have undiminished.
    const height = flow.getBoundingClientRect().height / zoom;
    const width = flow.scrollWidth;
    const room = { width: canvas.current.clientWidth, height: window.innerHeight - 160 };
    const wanted = Math.min(1, room.height / height, room.width / width);
    setZoom(levels.findLast((level) => level <= wanted) ?? levels[0]);
  };
  return { zoom, setZoom, fit };
}

export function Zoom({ zoom, setZoom, fit }: ReturnType<typeof useZoom>) {
  const t = useText('automations');
  const { percent } = useFormats();
  const at = levels.indexOf(zoom as 1);
  const step = (by: 1 | -1) => setZoom(levels[at + by] ?? zoom);
  return (
    <Group gap={4} className={classes.zoom ?? ''} role="group" aria-label={t('zoom')}>
      <ActionIcon variant="default" size={28} aria-label={t('zoomOut')} disabled={at <= 0} onClick={() => step(-1)}>
        <IconMinus size={14} aria-hidden />
      </ActionIcon>
      <Text size="xs" className={classes.zoomLevel ?? ''} role="status">
        {percent(zoom)}
      </Text>
      <ActionIcon
        variant="default"
        size={28}
        aria-label={t('zoomIn')}
        disabled={at >= levels.length - 1}
        onClick={() => step(1)}
      >
        <IconPlus size={14} aria-hidden />
      </ActionIcon>
      <Button variant="default" size="compact-sm" onClick={zoom === 1 ? fit : () => setZoom(1)}>
        {t(zoom === 1 ? 'zoomFit' : 'zoomReset')}
      </Button>
    </Group>
  );
}
