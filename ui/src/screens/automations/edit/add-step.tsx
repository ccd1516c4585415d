// The button between two steps that adds one, with the kinds of steps. Only at the end it has words.
import { Button } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { LateItems } from '../../../parts/button-menu.tsx';
import { toast } from '../../../parts/toast/toast.tsx';
import { useText } from '../../../text/use-text.tsx';
import classes from '../automations.module.css';
import { kindOf, stepGroups } from '../steps/steps.ts';
import type { StepType } from '../types.ts';

type Props = {
  onAdd(type: StepType): Promise<void>;
  /** No step follows. */
  isLast: boolean;
};

export function AddStep({ onAdd, isLast }: Props) {
  const t = useText('automations');
  const items = stepGroups.flatMap((types, group) =>
    types.map((type, i) => ({
      label: t(`step.${type}`),
      icon: kindOf({ type }).icon,
      startsGroup: group > 0 && i === 0,
      act: () => onAdd(type).catch(toast.failed),
    })),
  );
  return (
    <LateItems
      position="bottom"
      items={items}
      target={(events) =>
        isLast ? (
          <Button variant="default" size="compact-sm" leftSection={<IconPlus size={14} aria-hidden />} {...events}>
            {t('addStep')}
          </Button>
        ) : (
          <button type="button" className={classes.add} aria-label={t('addStep')} title={t('addStep')} {...events}>
            <IconPlus size={14} aria-hidden />
          </button>
        )
      }
    />
  );
}
