// What starts the automation, as a card that opens the form to choose and change it.
import { Button, Group, Text, UnstyledButton } from '@mantine/core';
import { IconBolt } from '@tabler/icons-react';
import { useText } from '../../../text/use-text.tsx';
import classes from '../automations.module.css';
import { triggerInWords } from '../triggers/triggers.ts';
import type { Editing } from './flow.tsx';
import { Incoming } from './incoming.tsx';

export function TriggerCard({ info, mayWrite, open, show }: Editing) {
  const t = useText('automations');
  const { trigger } = info;
  const isOpen = open === 'trigger';
  const words = trigger ? triggerInWords(t, trigger, info) : t('noTrigger');
  return (
    <article
      className={classes.card}
      aria-label={`${t('trigger')}: ${words}`}
      data-problem={trigger === null}
      data-open={isOpen || undefined}
      data-step="trigger"
    >
      <Group wrap="nowrap" align="flex-start" gap="sm">
        <IconBolt size={18} aria-hidden className={classes.icon} />
        <div className={classes.cardText}>
          <Text size="xs" c="dimmed">
            {t('trigger')}
          </Text>
          {trigger && mayWrite ? (
            <UnstyledButton
              className={classes.title ?? ''}
              aria-label={`${t('edit')}: ${words}`}
              aria-expanded={isOpen}
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
      {trigger?.type === 'webhook' && (
        <div className={classes.above}>
          <Incoming info={info} mayWrite={mayWrite} />
        </div>
      )}
    </article>
  );
}
