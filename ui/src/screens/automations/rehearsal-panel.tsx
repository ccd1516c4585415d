// A rehearsal: the emails of the automation to the person, and the way that one contact would go. Loaded when it is opened.
import { Button, List, Select, Stack, Text, TextInput } from '@mantine/core';
import { type FormEvent, lazy, useState } from 'react';
import type { ResultOf } from '../../api/types.ts';
import { useMutate } from '../../api/use-method.ts';
import { FaultNote } from '../../parts/fault.tsx';
import { parseTime, useFormats } from '../../parts/formats.ts';
import { useLanguageNames } from '../../text/language-names.ts';
import { useText } from '../../text/use-text.tsx';
import { stepInWords } from './steps/steps.ts';
import { type Armed, hasArms, type Info, type Step } from './types.ts';

const SidePanel = lazy(() => import('../../parts/panel/side-panel.tsx'));

type Rehearsal = ResultOf<'automationRehearse'>;

/** By the key of a step: the branch to take whatever the contact is. */
type Pretended = Partial<Record<string, 'yes' | 'no'>>;

export default function RehearsalPanel({ info, onClose }: { info: Info; onClose(): void }) {
  const t = useText('automations');
  const [email, setEmail] = useState('');
  const [pretended, setPretended] = useState<Pretended>({});
  const rehearse = useMutate('automationRehearse');
  const armed = everyStep(info.steps).filter(hasArms);
  const send = (event: FormEvent) => {
    event.preventDefault();
    const pretend = armed.flatMap(({ key }) => (pretended[key] ? [{ step: key, arm: pretended[key] }] : []));
    rehearse.mutate({ id: info.id, email_address: email.trim(), pretend });
  };
  return (
    <SidePanel title={t('rehearsal')} onClose={onClose}>
      <Stack gap="md">
        <Text size="sm" c="dimmed">
          {t('rehearsalAbout')}
        </Text>
        <form onSubmit={send}>
          <Stack gap="sm" align="flex-start">
            <TextInput
              w="100%"
              type="email"
              label={t('rehearsalContact')}
              description={t('rehearsalContactAbout')}
              value={email}
              onChange={(event) => setEmail(event.currentTarget.value)}
            />
            {armed.length > 0 && (
              <Branches
                info={info}
                armed={armed}
                pretended={pretended}
                onChange={(key, arm) => setPretended((all) => ({ ...all, [key]: arm }))}
              />
            )}
            <Button type="submit" loading={rehearse.isPending}>
              {t('rehearse')}
            </Button>
          </Stack>
        </form>
        {rehearse.error && <FaultNote error={rehearse.error} />}
        {rehearse.data && <Path info={info} rehearsal={rehearse.data} />}
      </Stack>
    </SidePanel>
  );
}

type BranchesProps = {
  info: Info;
  armed: readonly Armed[];
  pretended: Pretended;
  onChange(key: string, arm: 'yes' | 'no' | undefined): void;
};

/** Which branch the rehearsal takes at each step that has two. */
function Branches({ info, armed, pretended, onChange }: BranchesProps) {
  const t = useText('automations');
  return (
    <>
      <Text size="sm" c="dimmed">
        {t('rehearsalBranchesAbout')}
      </Text>
      {armed.map((step) => {
        const isAsked = step.type === 'condition' || step.filter.length > 0;
        return (
          <Select
            key={step.key}
            w="100%"
            label={stepInWords(t, step, info)}
            allowDeselect={false}
            data={[
              { value: '', label: t(isAsked ? 'rehearsalAsked' : 'rehearsalNoEvent') },
              { value: 'yes', label: t('rehearsed.yes') },
              { value: 'no', label: t('rehearsed.no') },
            ]}
            value={pretended[step.key] ?? ''}
            onChange={(arm) => onChange(step.key, arm === 'yes' || arm === 'no' ? arm : undefined)}
          />
        );
      })}
    </>
  );
}

function Path({ info, rehearsal: { to, contact, event, outcome, path } }: { info: Info; rehearsal: Rehearsal }) {
  const t = useText('automations');
  const formats = useFormats();
  const languageName = useLanguageNames();
  const steps = new Map(everyStep(info.steps).map((step) => [step.key, step]));
  const emails = path.filter(({ did }) => did === 'sent').length;
  const timeOf = (at: string) => {
    const time = parseTime(at);
    return time ? formats.dateTime(time) : '';
  };
  return (
    <section aria-label={t('rehearsalPath')}>
      <Text fw={600} role="status" mb="xs">
        {t('rehearsalSent', { count: emails, to })}
      </Text>
      <Text size="sm" mb="xs">
        {contact === '' ? t('rehearsalNoContact') : t('rehearsalAs', { contact })}
        {event !== '' && ` · ${t('rehearsalEvent', { time: timeOf(event) })}`}
      </Text>
      <List type="ordered" spacing="sm">
        {path.map(({ step: key, type, did, at, language, pretended }) => {
          const step = steps.get(key);
          return (
            <List.Item key={key}>
              <Text fw={600}>{step ? stepInWords(t, step, info) : t(`step.${type}`)}</Text>
              <Text size="sm" c="dimmed">
                {t(`rehearsed.${did}`)}
                {pretended && ` · ${t('rehearsalChosen')}`}
                {language !== '' && ` · ${languageName(language)}`} · {timeOf(at)}
              </Text>
            </List.Item>
          );
        })}
      </List>
      <Text size="sm" mt="sm">
        {t(outcome === 'goal' ? 'rehearsalGoal' : 'rehearsalEnd')}
      </Text>
    </section>
  );
}

const everyStep = (steps: readonly Step[]): Step[] =>
  steps.flatMap((step) => [step, ...(hasArms(step) ? everyStep([...step.yes, ...step.no]) : [])]);
