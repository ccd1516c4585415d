// A rehearsal: the way that one contact would go, each step with its time and each email as the contact would read it; then the emails to
// the person themselves. Nothing is sent before they ask for it. Loaded when it is opened.
import { Autocomplete, Button, Stack, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { lazy, useState } from 'react';
import type { ResultOf } from '../../../api/types.ts';
import { useMethod, useMutate } from '../../../api/use-method.ts';
import { FaultNote } from '../../../parts/fault.tsx';
import { parseTime, useFormats } from '../../../parts/formats.ts';
import { Loaded } from '../../../parts/loaded.tsx';
import { useSession } from '../../../session/session.ts';
import { asSentence } from '../../../text/as-sentence.ts';
import { useText } from '../../../text/use-text.tsx';
import { stepInWords } from '../steps/steps.ts';
import { everyStep, type Info } from '../types.ts';
import classes from './rehearsal.module.css';
import { RehearsedStep } from './rehearsed-step.tsx';

const SidePanel = lazy(() => import('../../../parts/panel/side-panel.tsx'));

export type Rehearsal = ResultOf<'automationPreview'>;

/** By the key of a step: the branch to take whatever the contact is. */
type Pretended = Partial<Record<string, 'yes' | 'no'>>;

export default function RehearsalPanel({ info, onClose }: { info: Info; onClose(): void }) {
  const t = useText('automations');
  const lacking = info.problems.filter(({ step }) => step !== '');
  return (
    <SidePanel title={t('rehearsal')} onClose={onClose}>
      <Stack gap="md">
        <Text c="dimmed">{t('rehearsalAbout')}</Text>
        {lacking.length > 0 ? <Lacking info={info} lacking={lacking} /> : <Way info={info} />}
      </Stack>
    </SidePanel>
  );
}

/** What has to be there before anyone can go through it. */
function Lacking({ info, lacking }: { info: Info; lacking: Info['problems'] }) {
  const t = useText('automations');
  const steps = new Map(everyStep(info.steps).map((step) => [step.key, step]));
  return (
    <div role="status">
      <Text fw={600} mb={4}>
        {t('rehearsalLacking')}
      </Text>
      <ul className={classes.lacking}>
        {lacking.map(({ step: key, problem }) => {
          const step = steps.get(key);
          return (
            <li key={`${key} ${problem}`}>
              {step && <b>{stepInWords(t, step, info)}: </b>}
              {asSentence(problem)}
            </li>
          );
        })}
      </ul>
    </div>
  );
}

function Way({ info }: { info: Info }) {
  const t = useText('automations');
  const [email, setEmail] = useState('');
  const [settled] = useDebouncedValue(email.trim(), 400);
  const [pretended, setPretended] = useState<Pretended>({});
  const pretend = Object.entries(pretended).flatMap(([step, arm]) => (arm ? [{ step, arm }] : []));
  const given = { id: info.id, email_address: settled, pretend };
  const way = useMethod('automationPreview', given, { keep: true });
  const rehearse = useMutate('automationRehearse');
  const sent = rehearse.data;
  return (
    <>
      <ContactField value={email} onChange={setEmail} />
      {way.error ? (
        <FaultNote error={way.error} />
      ) : (
        <Loaded query={way}>
          {(rehearsal) => (
            <Path
              info={info}
              rehearsal={rehearsal}
              pretended={pretended}
              onPretend={(key, arm) => setPretended((all) => ({ ...all, [key]: arm }))}
            />
          )}
        </Loaded>
      )}
      {rehearse.error && <FaultNote error={rehearse.error} />}
      <div className={classes.send}>
        <Button
          loading={rehearse.isPending}
          disabled={!way.data || way.error !== null || emailsOf(way.data) === 0}
          onClick={() => rehearse.mutate(given)}
        >
          {t('rehearsalSend', { count: way.data ? emailsOf(way.data) : 0 })}
        </Button>
        {sent && <Text role="status">{t('rehearsalSent', { count: emailsOf(sent), to: sent.to })}</Text>}
      </div>
    </>
  );
}

const emailsOf = ({ path }: Rehearsal): number =>
  path.filter(({ did }) => did === 'sent' || did === 'would_send').length;

/** A member of the list; those are offered that the words are in. */
function ContactField({ value, onChange }: { value: string; onChange(value: string): void }) {
  const t = useText('automations');
  const mayRead = useSession().may('contacts:read');
  const [query] = useDebouncedValue(value.trim(), 200);
  const found = useMethod('contactSearch', { query, limit: 10 }, { enabled: mayRead && query.length > 1, keep: true });
  return (
    <Autocomplete
      label={t('rehearsalContact')}
      description={t('rehearsalContactAbout')}
      placeholder={t('rehearsalAnyone')}
      data={(found.data ?? []).map(({ email }) => email)}
      // The server has chosen what fits.
      filter={({ options }) => options}
      value={value}
      onChange={onChange}
      data-autofocus
    />
  );
}

type PathProps = {
  info: Info;
  rehearsal: Rehearsal;
  pretended: Pretended;
  onPretend(key: string, arm: 'yes' | 'no' | undefined): void;
};

function Path({ info, rehearsal, pretended, onPretend }: PathProps) {
  const t = useText('automations');
  const formats = useFormats();
  const { contact, event, outcome, path } = rehearsal;
  const timeOf = (at: string) => {
    const time = parseTime(at);
    return time ? formats.dateTime(time) : '';
  };
  const steps = new Map(everyStep(info.steps).map((step) => [step.key, step]));
  return (
    <section aria-label={t('rehearsalPath')}>
      <Text mb="sm" role="status">
        {contact === '' ? t('rehearsalNoContact') : t('rehearsalAs', { contact })}
        {event !== '' && ` · ${t('rehearsalEvent', { time: timeOf(event) })}`}
      </Text>
      <ol className={classes.path}>
        {path.map((passed) => {
          const step = steps.get(passed.step);
          return (
            step && (
              <RehearsedStep
                key={passed.step}
                info={info}
                step={step}
                passed={passed}
                contact={contact}
                time={timeOf(passed.at)}
                arm={pretended[passed.step]}
                onPretend={(arm) => onPretend(passed.step, arm)}
              />
            )
          );
        })}
      </ol>
      <Text fw={600}>{t(outcome === 'goal' ? 'rehearsalGoal' : 'rehearsalEnd')}</Text>
    </section>
  );
}
