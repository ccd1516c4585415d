// A step on the way of a rehearsal: what happens there and when; an email as the contact would read it, and of a step with two branches
// the choice of the other one.
import { Button, SegmentedControl, Text } from '@mantine/core';
import { useState } from 'react';
import { useMethod } from '../../../api/use-method.ts';
import { useTagless } from '../../../parts/tagged/tagged.tsx';
import { useLanguageNames } from '../../../text/language-names.ts';
import { useText } from '../../../text/use-text.tsx';
import { MailPicture } from '../email/mail-picture.tsx';
import { kindOf, stepInWords } from '../steps/steps.ts';
import { hasArms, type Info, type Step } from '../types.ts';
import classes from './rehearsal.module.css';
import type { Rehearsal } from './rehearsal-panel.tsx';

type Arm = 'yes' | 'no';

type Props = {
  info: Info;
  step: Step;
  passed: Rehearsal['path'][number];
  contact: string;
  time: string;
  arm: Arm | undefined;
  onPretend(arm: Arm | undefined): void;
};

export function RehearsedStep({ info, step, passed, contact, time, arm, onPretend }: Props) {
  const t = useText('automations');
  const languageName = useLanguageNames();
  const Icon = kindOf(step).icon;
  const { did, pretended, language, campaign } = passed;
  const words = stepInWords(t, step, info);
  return (
    <li className={classes.step}>
      <span className={classes.bullet} aria-hidden>
        <Icon size={16} />
      </span>
      <div className={classes.what}>
        {campaign === '' ? (
          <Text fw={600}>{words}</Text>
        ) : (
          <Mail info={info} campaign={campaign} language={language} contact={contact} />
        )}
        <Text size="xs" c="dimmed">
          {t(`rehearsed.${did}`)}
          {pretended && ` · ${t('rehearsalChosen')}`}
          {language !== '' && ` · ${languageName(language)}`} · {time}
        </Text>
        {hasArms(step) && (
          <SegmentedControl
            size="xs"
            mt={4}
            aria-label={t('rehearsalBranch', { step: words })}
            value={arm ?? ''}
            onChange={(chosen) => onPretend(chosen === 'yes' || chosen === 'no' ? chosen : undefined)}
            data={[
              {
                value: '',
                label: t(step.type === 'condition' || step.filter.length > 0 ? 'rehearsalAsked' : 'rehearsalNoEvent'),
              },
              { value: 'yes', label: t('arm.yes') },
              { value: 'no', label: t('arm.no') },
            ]}
          />
        )}
      </div>
    </li>
  );
}

type MailProps = { info: Info; campaign: string; language: string; contact: string };

/** With the values and in the language of the contact. */
function Mail({ info, campaign, language, contact }: MailProps) {
  const t = useText('automations');
  const tagless = useTagless();
  const [open, setOpen] = useState(false);
  const variant = (info.languages[campaign] ?? []).indexOf(language) + 1;
  const { data } = useMethod('campaignPreview', { cid: campaign, variant, ...(contact ? { email: contact } : {}) });
  const subject = data?.subject ?? tagless(info.names[campaign] ?? '');
  return (
    <>
      <div className={classes.mail}>
        <Text fw={600} className={classes.subject ?? ''}>
          {subject}
        </Text>
        {data && !open && <MailPicture html={data.html} width={72} height={54} />}
      </div>
      {data && (
        <Button
          variant="subtle"
          size="compact-xs"
          className={classes.look ?? ''}
          aria-expanded={open}
          aria-label={`${t(open ? 'hideEmail' : 'readEmail')}: ${subject}`}
          onClick={() => setOpen(!open)}
        >
          {t(open ? 'hideEmail' : 'readEmail')}
        </Button>
      )}
      {data && open && (
        <MailPicture
          html={data.html}
          width={Math.min(380, document.documentElement.clientWidth - 76)}
          height={360}
          scrolls={subject}
        />
      )}
    </>
  );
}
