// A step as a card: what it does in words, and what it lacks. It opens in the panel at the side. An email shows its subject and what
// follows it in an inbox.

import { ActionIcon, Group, Text, UnstyledButton } from '@mantine/core';
import { IconTrash } from '@tabler/icons-react';
import { useEffect, useRef } from 'react';
import { confirm } from '../../../parts/confirm/confirm.tsx';
import { useFormats } from '../../../parts/formats.ts';
import { Status } from '../../../parts/status/status.tsx';
import { Tagged } from '../../../parts/tagged/tagged.tsx';
import { toast } from '../../../parts/toast/toast.tsx';
import { asSentence } from '../../../text/as-sentence.ts';
import { useLanguageNames } from '../../../text/language-names.ts';
import { useText } from '../../../text/use-text.tsx';
import classes from '../automations.module.css';
import { keysOf } from '../edit/edit-steps.ts';
import { MailWords } from '../email/mail-words.tsx';
import { kindOf, stepInWords } from '../steps/steps.ts';
import { hasArms, type Info, type Step, type StepOf } from '../types.ts';
import type { Editing } from './flow.tsx';

type Props = Editing & { step: Step; onSave(next: Step | undefined): Promise<unknown> };

export function StepCard(props: Props) {
  const { info, step, mayWrite, open, show, onSave, onEmail } = props;
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
  const card = useRef<HTMLElement>(null);
  // The way back from the editor leads to the step it was opened from.
  useEffect(() => {
    if (shownStep() === step.key) card.current?.scrollIntoView({ block: 'center' });
  }, [step.key]);
  const email = step.type === 'send' ? info.emails[step.campaign] : undefined;
  const isEmail = step.type === 'send';
  return (
    <article
      ref={card}
      className={classes.card}
      aria-label={`${t(`step.${step.type}`)}: ${words}`}
      data-problem={problem !== undefined}
      data-open={isOpen || undefined}
      data-step={step.key}
    >
      <Group wrap="nowrap" align="flex-start" gap="sm">
        <Icon size={18} aria-hidden className={classes.icon} />
        <div className={classes.cardText}>
          <Text size="xs" c="dimmed">
            {t(`step.${step.type}`)}
          </Text>
          {isEmail || mayWrite ? (
            <UnstyledButton
              className={classes.title ?? ''}
              aria-label={`${t(isEmail ? 'email' : 'edit')}: ${words}`}
              aria-expanded={isOpen}
              onClick={() => (isEmail ? onEmail(step.key) : void show(step.key))}
            >
              {email && email.subject !== '' ? <Tagged>{email.subject}</Tagged> : words}
            </UnstyledButton>
          ) : (
            <Text fw={600}>{words}</Text>
          )}
          {isEmail && email && email.state !== 'empty' && (
            <Text size="sm" c="dimmed" truncate component="div">
              {email.preview_text === '' ? (
                <MailWords campaign={step.campaign} />
              ) : (
                <Tagged>{email.preview_text}</Tagged>
              )}
            </Text>
          )}
          {isEmail && <EmailFacts info={info} step={step} problem={problem} />}
          {!isEmail && problem !== undefined && !isOpen && (
            <Text size="sm" className={classes.problem ?? ''}>
              {asSentence(problem)}
            </Text>
          )}
        </div>
        {mayWrite && (
          <ActionIcon
            variant="subtle"
            color="gray"
            className={classes.remove ?? ''}
            aria-label={`${t('remove')}: ${words}`}
            onClick={remove}
          >
            <IconTrash size={16} aria-hidden />
          </ActionIcon>
        )}
      </Group>
    </article>
  );
}

/** The step that the address names. */
const shownStep = () => new URLSearchParams(window.location.search).get('step');

/** Whether the email is written, its languages, and how often it was sent. */
function EmailFacts({ info, step, problem }: { info: Info; step: StepOf<'send'>; problem: string | undefined }) {
  const t = useText('automations');
  const { number } = useFormats();
  const languageName = useLanguageNames();
  const email = info.emails[step.campaign];
  const languages = info.languages[step.campaign] ?? [];
  const figures = info.step_figures.find((item) => item.step === step.key);
  const facts = [
    ...(languages.length > 0 ? [t('alsoIn', { languages: languages.map(languageName).join(', ') })] : []),
    ...(figures ? [`${t('sent')} ${number(figures.sent)}`] : []),
    ...(figures && figures.not_sent > 0 ? [`${t('notSent')} ${number(figures.not_sent)}`] : []),
  ];
  return (
    <>
      {facts.length > 0 && (
        <Text size="xs" c="dimmed" component="div">
          {facts.map((fact, i) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: their order does not change
            <span key={i}>
              {i > 0 && ' · '}
              {fact}
            </span>
          ))}
        </Text>
      )}
      {problem !== undefined && (
        <div className={classes.lacks}>
          {email === undefined ? (
            <Status tone="waiting">{t('says.noEmail')}</Status>
          ) : email.state === 'written' ? (
            <Text size="sm" className={classes.problem ?? ''}>
              {asSentence(problem)}
            </Text>
          ) : (
            <Status tone="waiting">{t(email.state === 'empty' ? 'notWritten' : 'stillSample')}</Status>
          )}
        </div>
      )}
    </>
  );
}
