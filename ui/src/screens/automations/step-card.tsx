// A step as a card: what it does in words, its figures, what it lacks; opened, the form to change it.

import { ActionIcon, Anchor, Group, Text, UnstyledButton } from '@mantine/core';
import { IconTrash } from '@tabler/icons-react';
import { useMethod } from '../../api/use-method.ts';
import { confirm } from '../../parts/confirm/confirm.tsx';
import { useFormats } from '../../parts/formats.ts';
import { LinkAnchor } from '../../parts/link.tsx';
import { toast } from '../../parts/toast/toast.tsx';
import { asSentence } from '../../text/as-sentence.ts';
import { useLanguageNames } from '../../text/language-names.ts';
import { useText } from '../../text/use-text.tsx';
import classes from './automations.module.css';
import { keysOf } from './edit/edit-steps.ts';
import { StepForm } from './edit/step-form.tsx';
import type { Editing } from './flow.tsx';
import { kindOf, stepInWords } from './steps/steps.ts';
import { hasArms, type Info, type Step } from './types.ts';

type Props = Editing & { step: Step; onSave(next: Step | undefined): Promise<unknown> };

export function StepCard(props: Props) {
  const { info, step, mayWrite, open, setOpen, onSave } = props;
  const t = useText('automations');
  const Icon = kindOf(step).icon;
  const isOpen = open === step.key;
  const problem = info.problems.find((item) => item.step === step.key)?.problem;
  const words = stepInWords(t, step, info);
  const remove = async () => {
    const inside = hasArms(step) ? keysOf([...step.yes, ...step.no]).length : 0;
    const agreed =
      inside === 0 ||
      (await confirm({
        title: t('confirmRemove'),
        text: t('confirmRemoveText', { count: inside }),
        action: t('remove'),
        danger: true,
      }));
    if (agreed) await onSave(undefined).catch(toast.failed);
  };
  return (
    <article
      className={classes.card}
      aria-label={`${t(`step.${step.type}`)}: ${words}`}
      data-problem={problem !== undefined}
    >
      <Group wrap="nowrap" align="flex-start" gap="sm">
        <Icon size={18} aria-hidden className={classes.icon} />
        <div className={classes.cardText}>
          <Text size="xs" c="dimmed">
            {t(`step.${step.type}`)}
          </Text>
          {mayWrite && !isOpen ? (
            <UnstyledButton
              className={classes.title ?? ''}
              aria-label={`${t('edit')}: ${words}`}
              onClick={() => setOpen(step.key)}
            >
              {words}
            </UnstyledButton>
          ) : (
            <Text fw={600}>{words}</Text>
          )}
          {problem !== undefined && !isOpen && (
            <Text size="sm" className={classes.problem ?? ''}>
              {asSentence(problem)}
            </Text>
          )}
          {step.type === 'send' && step.campaign !== '' && info.names[step.campaign] !== undefined && (
            <EmailLink campaign={step.campaign} languages={info.languages[step.campaign] ?? []} />
          )}
        </div>
        {mayWrite && (
          <ActionIcon variant="subtle" color="gray" aria-label={`${t('remove')}: ${words}`} onClick={remove}>
            <IconTrash size={16} aria-hidden />
          </ActionIcon>
        )}
      </Group>
      {info.version > 0 && <Figures {...props} />}
      {isOpen && (
        <StepForm
          info={info}
          step={step}
          onCancel={() => setOpen(undefined)}
          onSave={async (next) => {
            await onSave(next);
            setOpen(undefined);
          }}
        />
      )}
    </article>
  );
}

/** A draft is edited; what is sent can only be looked at, and has a report. */
function EmailLink({ campaign, languages }: { campaign: string; languages: readonly string[] }) {
  const t = useText('automations');
  const languageName = useLanguageNames();
  const [email] = useMethod('campaigns', { filters: { campaign_id: campaign } }).data ?? [];
  if (!email) return null;
  return (
    <>
      {languages.length > 0 && (
        <Text size="sm" c="dimmed">
          {t('alsoIn', { languages: languages.map(languageName).join(', ') })}
        </Text>
      )}
      <LinkAnchor to="/campaigns/$id" params={{ id: campaign }} size="sm" display="block" mt={2}>
        {t(email.delivery_status === 'draft' ? 'openEmail' : 'viewEmail')}
      </LinkAnchor>
    </>
  );
}

function Figures({ info, step, onShow }: { info: Info; step: Step; onShow(step: string): void }) {
  const t = useText('automations');
  const { number } = useFormats();
  const figures = info.step_figures.find((item) => item.step === step.key);
  if (!figures) return null;
  const facts: [name: string, value: number][] = [
    [t('entered'), figures.entered],
    ...(step.type === 'send'
      ? ([
          [t('sent'), figures.sent],
          [t('notSent'), figures.not_sent],
        ] as [string, number][])
      : []),
    ...(figures.unsubscribed + figures.deleted > 0
      ? ([[t('unsubscribed'), figures.unsubscribed + figures.deleted]] as [string, number][])
      : []),
    ...(figures.goal > 0 ? ([[t('reachedGoal'), figures.goal]] as [string, number][]) : []),
    ...(figures.removed > 0 ? ([[t('removed'), figures.removed]] as [string, number][]) : []),
  ];
  return (
    <Group gap="md" className={classes.figures ?? ''}>
      {facts.map(([name, value]) => (
        <Text key={name} size="xs" c="dimmed">
          {name} <b>{number(value)}</b>
        </Text>
      ))}
      {figures.waiting > 0 ? (
        <Anchor component="button" type="button" size="xs" onClick={() => onShow(step.key)}>
          {t('here')} {number(figures.waiting)}
        </Anchor>
      ) : (
        <Text size="xs" c="dimmed">
          {t('here')} <b>0</b>
        </Text>
      )}
    </Group>
  );
}
