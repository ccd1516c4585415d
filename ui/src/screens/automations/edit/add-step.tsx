// The Add button between two steps, with the kinds of steps.
import { Button, Menu } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { toast } from '../../../parts/toast/toast.tsx';
import { useText } from '../../../text/use-text.tsx';
import classes from '../automations.module.css';
import { kindOf, stepGroups } from '../steps/steps.ts';
import type { StepType } from '../types.ts';

export function AddStep({ onAdd }: { onAdd(type: StepType): Promise<void> }) {
  const t = useText('automations');
  return (
    <div className={classes.line}>
      <Menu position="bottom" withinPortal>
        <Menu.Target>
          <Button variant="default" size="compact-xs" leftSection={<IconPlus size={12} aria-hidden />}>
            {t('addStep')}
          </Button>
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
    </div>
  );
}
