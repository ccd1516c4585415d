// The form of the step, or of the trigger, that is open, in the panel. Loaded when the first one is opened.
import { IconBolt } from '@tabler/icons-react';
import { useText } from '../../../text/use-text.tsx';
import { replaced } from '../edit/edit-steps.ts';
import { StepForm } from '../edit/step-form.tsx';
import { TriggerForm } from '../edit/trigger-form.tsx';
import { kindOf } from '../steps/steps.ts';
import { everyStep } from '../types.ts';
import type { Editing } from './flow.tsx';
import { StepPanel } from './step-panel.tsx';

export default function EditPanel({ info, open, save, leave, close, latest }: Editing) {
  const t = useText('automations');
  const leaveAndClose = async () => {
    if (await leave()) close();
  };
  if (open === 'trigger')
    return (
      <StepPanel title={t('trigger')} icon={IconBolt} onClose={leaveAndClose}>
        <TriggerForm
          info={info}
          onCancel={close}
          onSave={async (trigger) => {
            await save({ trigger });
          }}
          onDone={close}
        />
      </StepPanel>
    );
  const step = everyStep(info.steps).find(({ key }) => key === open);
  if (!step) return null;
  return (
    <StepPanel title={t(`step.${step.type}`)} icon={kindOf(step).icon} onClose={leaveAndClose}>
      <StepForm
        info={info}
        step={step}
        onCancel={close}
        onSave={(next) => save({ steps: replaced(latest(), step.key, next) })}
        onDone={close}
      />
    </StepPanel>
  );
}
