// The icon of each kind of step.
import {
  IconArrowsSplit2,
  IconBell,
  IconCalendarTime,
  IconClock,
  IconForms,
  IconMail,
  IconPlaylistAdd,
  IconPlaylistX,
  IconWebhook,
  type TablerIcon,
} from '@tabler/icons-react';
import type { StepType } from './types.ts';

export const stepIcons: Record<StepType, TablerIcon> = {
  send: IconMail,
  wait: IconClock,
  wait_until: IconCalendarTime,
  condition: IconArrowsSplit2,
  set_field: IconForms,
  add_to_list: IconPlaylistAdd,
  remove_from_list: IconPlaylistX,
  webhook: IconWebhook,
  notify: IconBell,
};
