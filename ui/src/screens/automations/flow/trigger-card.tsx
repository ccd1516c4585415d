// What starts the automation, as a card; opened, the form to choose and change it.
import { Button, Group, Text, UnstyledButton } from '@mantine/core';
import { IconBolt } from '@tabler/icons-react';
import { useText } from '../../../text/use-text.tsx';
import classes from '../automations.module.css';
import { TriggerForm } from '../edit/trigger-form.tsx';
import { triggerInWords } from '../triggers/triggers.ts';
import type { Editing } from './flow.tsx';
import { Incoming } from './incoming.tsx';

export function TriggerCard({ info, save, mayWrite, open, show, close }: Editing) {
  const t = useText('automations');
  const { trigger } = info;
  const isOpen = open === 'trigger';
  const words = trigger ? triggerInWords(t, trigger, info) : t('noTrigger');
  return (
    <article className={classes.card} aria-label={`${t('trigger')}: ${words}`} data-problem={trigger === null}>
      <Group wrap="nowrap" align="flex-start" gap="sm">
        <IconBolt size={18} aria-hidden className={classes.icon} />
        <div className={classes.cardText}>
          <Text size="xs" c="dimmed">
            {t('trigger')}
          </Text>
          {trigger && mayWrite && !isOpen ? (
            <UnstyledButton
              className={classes.title ?? ''}
              aria-label={`${t('edit')}: ${words}`}
              onClick={() => void show('trigger')}
            >
              {words}
            </UnstyledButton>
          ) : (
            <Text fw={600}>{words}</Text>
          )}
        </div>
        {trigger === null && mayWrite && !isOpen && (
          <Button size="xs" variant="default" onClick={() => void show('trigger')}>
            {t('chooseTrigger')}
          </Button>
        )}
      </Group>
      {trigger?.type === 'webhook' && !isOpen && (
        <div className={classes.above}>
          <Incoming info={info} mayWrite={mayWrite} />
        </div>
      )}
      {isOpen && (
        <TriggerForm
          info={info}
          onCancel={close}
          onSave={async (next) => {
            await save({ trigger: next });
            close();
          }}
        />
      )}
    </article>
  );
}
