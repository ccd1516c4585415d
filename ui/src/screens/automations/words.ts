// Triggers and steps in words, as the cards show them.
import { capital } from '../../text/capital.ts';
import type { Translate } from '../../text/use-text.tsx';
import type { Info, Step, Trigger } from './types.ts';

type Words = Translate<'automations'>;
type Named = Pick<Info, 'names' | 'readings'>;

export function triggerInWords(t: Words, trigger: Trigger, { names }: Named): string {
  switch (trigger.type) {
    case 'subscribed':
      return t(trigger.imports ? 'says.subscribedImports' : 'says.subscribed');
    case 'confirmed':
      return t('says.confirmed');
    case 'field':
      return trigger.value === ''
        ? t('says.field', { field: trigger.field || '…' })
        : t('says.fieldValue', { field: trigger.field || '…', value: trigger.value });
    case 'segment':
      return t(trigger.change === 'joined' ? 'says.joined' : 'says.left', { segment: names[trigger.segment] ?? '…' });
    case 'clicked':
      return t('says.clicked', { campaign: names[trigger.campaign] ?? '…' });
    case 'date': {
      const { amount, unit, direction, field, hour } = trigger;
      const when =
        amount === 0 ? t('says.onDay') : t(`says.${direction}`, { span: t(`span.${unit}`, { count: amount }) });
      return t(trigger.repeat === 'yearly' ? 'says.yearly' : 'says.date', {
        when,
        field: field || '…',
        time: clock(hour),
      });
    }
    case 'event':
      return t('says.event', { name: trigger.name || '…' });
    case 'webhook':
      return t('says.incoming');
  }
}

export function stepInWords(t: Words, step: Step, { names, readings }: Named): string {
  switch (step.type) {
    case 'wait':
      return t('says.wait', { span: t(`span.${step.unit}`, { count: step.amount }) });
    case 'wait_until': {
      const days =
        step.weekdays.length === 0 ? t('anyDay') : step.weekdays.map((day) => t.of('day', String(day))).join(', ');
      return t('says.waitUntil', { days, time: clock(step.hour, step.minute) });
    }
    case 'condition':
      return capital(readings[step.key] || t('says.noCondition'));
    case 'send':
      return names[step.campaign] ?? t('says.noEmail');
    case 'set_field':
      return t('says.setField', { field: step.field || '…', value: step.value });
    case 'add_to_list':
    case 'remove_from_list':
      return names[step.list] ?? t('says.noList');
    case 'webhook':
      return t('says.webhook', { name: step.name || '…' });
    case 'notify':
      return step.subject || t('says.noSubject');
  }
}

export const clock = (hour: number, minute = 0) =>
  `${String(hour).padStart(2, '0')}:${String(minute).padStart(2, '0')}`;
