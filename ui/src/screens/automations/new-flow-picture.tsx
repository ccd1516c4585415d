// A small picture of the flow that a template makes: its trigger and its steps in a row.
import {
  IconArrowsSplit2,
  IconBell,
  IconBolt,
  IconCalendarClock,
  IconClock,
  IconMail,
  type TablerIcon,
} from '@tabler/icons-react';
import classes from './automations.module.css';

export type FlowPart = 'trigger' | 'mail' | 'wait' | 'until' | 'branch' | 'notify';

const icons: Record<FlowPart, TablerIcon> = {
  trigger: IconBolt,
  mail: IconMail,
  wait: IconClock,
  until: IconCalendarClock,
  branch: IconArrowsSplit2,
  notify: IconBell,
};

export function FlowPicture({ parts }: { parts: readonly FlowPart[] }) {
  return (
    <span className={classes.flowPicture} aria-hidden>
      {parts.map((part, i) => {
        const Icon = icons[part];
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a template are always the same
          <span key={i} className={classes.flowPart} data-part={part}>
            <Icon size={14} />
          </span>
        );
      })}
    </span>
  );
}
