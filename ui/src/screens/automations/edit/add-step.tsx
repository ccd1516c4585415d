// The button between two steps that adds one, with the kinds of steps. Only at the end it has words.
import { Button, Menu } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
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
  return (
    <Menu position="bottom" withinPortal>
      <Menu.Target>
        {isLast ? (
          <Button variant="default" size="compact-sm" leftSection={<IconPlus size={14} aria-hidden />}>
            {t('addStep')}
          </Button>
        ) : (
          <button type="button" className={classes.add} aria-label={t('addStep')} title={t('addStep')}>
            <IconPlus size={14} aria-hidden />
          </button>
        )}
      </Menu.Target>
      <Menu.Dropdown>
        {stepGroups.map((types, i) => (
          <div key={types[0]}>
            {i > 0 && <Menu.Divider />}
            {types.map((type) => {
              const Icon = kindOf({ type }).icon;
              return (
                <Menu.Item
                  key={type}
                  leftSection={<Icon size={16} aria-hidden />}
                  onClick={() => onAdd(type).catch(toast.failed)}
                >
                  {t(`step.${type}`)}
                </Menu.Item>
              );
            })}
          </div>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
