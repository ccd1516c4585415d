// The email of a step in the panel at the side: the mail, its subject, what the check found, and the way into the editor and back.
// A step without an email is given one here: a new one, or a draft of the list. Loaded when it is opened.
import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { useMethod, useMutate } from '../../../api/use-method.ts';
import { Select } from '../../../parts/form/select.tsx';
import { useFormats } from '../../../parts/formats.ts';
import { LinkButton } from '../../../parts/link.tsx';
import { Loaded } from '../../../parts/loaded.tsx';
import { Stat, Stats } from '../../../parts/stat/stat.tsx';
import { Status } from '../../../parts/status/status.tsx';
import { Tagged, useNameOf, useTagless } from '../../../parts/tagged/tagged.tsx';
import { toast } from '../../../parts/toast/toast.tsx';
import { useAction } from '../../../parts/use-action.ts';
import { useSession } from '../../../session/session.ts';
import { useLanguageNames } from '../../../text/language-names.ts';
import { useText } from '../../../text/use-text.tsx';
import flow from '../automations.module.css';
import { StepPanel } from '../flow/step-panel.tsx';
import { kindOf } from '../steps/steps.ts';
import type { Info, Step, StepOf } from '../types.ts';
import classes from './email.module.css';
import { EmailCheck } from './email-check.tsx';
import { MailPicture, NoMail } from './mail-picture.tsx';

type Props = {
  info: Info;
  step: StepOf<'send'>;
  mayWrite: boolean;
  onSave(next: Step): Promise<unknown>;
  onClose(): void;
};

export default function EmailPanel(props: Props) {
  const t = useText('automations');
  const { info, step, onClose } = props;
  const has = info.emails[step.campaign] !== undefined;
  return (
    <StepPanel title={t('step.send')} icon={kindOf(step).icon} onClose={onClose}>
      <div className={flow.panelBody}>{has ? <Email {...props} /> : <NewEmail {...props} />}</div>
      <div className={flow.panelFoot}>
        <Button variant="default" onClick={onClose}>
          {t('done')}
        </Button>
      </div>
    </StepPanel>
  );
}

/** Where the editor leads back to. */
const backTo = (info: Info, step: string) => ({ automation: info.id, step });

function Email(props: Props) {
  const { info, step, mayWrite } = props;
  const t = useText('automations');
  const [choosing, setChoosing] = useState(false);
  const id = step.campaign;
  const { subject, preview_text, status, state } = info.emails[id]!;
  const languages = info.languages[id] ?? [];
  const languageName = useLanguageNames();
  const isDraft = status === 'draft';
  const search = backTo(info, step.key);
  return (
    <Stack gap="md">
      <Mail campaign={id} state={state} />
      <dl className={classes.terms}>
        <dt>{t('subject')}</dt>
        <dd>{subject === '' ? t('says.noSubject') : <Tagged>{subject}</Tagged>}</dd>
        {preview_text !== '' && (
          <>
            <dt>{t('previewText')}</dt>
            <dd>
              <Tagged>{preview_text}</Tagged>
            </dd>
          </>
        )}
        {languages.length > 0 && (
          <>
            <dt>{t('languages')}</dt>
            <dd>{t('alsoIn', { languages: languages.map(languageName).join(', ') })}</dd>
          </>
        )}
      </dl>
      {isDraft ? (
        <section aria-label={t('check')}>
          <Text fw={600} mb={4}>
            {t('check')}
          </Text>
          {state === 'written' ? <EmailCheck campaign={id} languages={languages} /> : <Unwritten state={state} />}
        </section>
      ) : (
        <Sent campaign={id} />
      )}
      <Group gap="sm">
        {isDraft && mayWrite && (
          <LinkButton to="/campaigns/$id/edit" params={{ id }} search={search}>
            {t(state === 'written' ? 'openEmail' : 'writeEmail')}
          </LinkButton>
        )}
        {!isDraft && (
          <LinkButton to="/campaigns/$id" params={{ id }} search={search}>
            {t('viewEmail')}
          </LinkButton>
        )}
        {!isDraft && mayWrite && status !== 'sent' && (
          <LinkButton to="/campaigns/$id/edit" params={{ id }} search={search} variant="default">
            {t('correctEmail')}
          </LinkButton>
        )}
        {mayWrite && !choosing && (
          <Button variant="default" onClick={() => setChoosing(true)}>
            {t('otherEmail')}
          </Button>
        )}
      </Group>
      {choosing && <Choice {...props} onChosen={() => setChoosing(false)} />}
    </Stack>
  );
}

/** Not more than a phone has room for. */
const panelWidth = () => Math.min(406, document.documentElement.clientWidth - 34);

function Mail({ campaign, state }: { campaign: string; state: Info['emails'][string]['state'] }) {
  const t = useText('automations');
  const content = useMethod('campaignContent', { cid: campaign });
  const width = panelWidth();
  if (state === 'empty') return <NoMail width={width} height={120} />;
  return (
    <Loaded query={content}>
      {({ html }) => <MailPicture html={html} width={width} height={280} scrolls={t('email')} />}
    </Loaded>
  );
}

export function Unwritten({ state }: { state: 'empty' | 'sample' }) {
  const t = useText('automations');
  return (
    <Stack gap={4} align="flex-start">
      <Status tone="waiting">{t(state === 'empty' ? 'notWritten' : 'stillSample')}</Status>
      <Text size="xs" c="dimmed">
        {t(state === 'empty' ? 'notWrittenAbout' : 'stillSampleAbout')}
      </Text>
    </Stack>
  );
}

/** How an email does that contacts have got. */
function Sent({ campaign }: { campaign: string }) {
  const t = useText('automations');
  const { number, shareOf } = useFormats();
  const mayRead = useSession().may('reports:read');
  const { data } = useMethod('campaignStats', { cid: campaign }, { enabled: mayRead });
  if (!data) return null;
  return (
    <Stats label={t('figures')}>
      <Stat label={t('sent')} value={number(data.emails_sent)} />
      <Stat label={t('opened')} value={data.emails_sent > 0 ? shareOf(data.unique_opens, data.emails_sent) : '–'} />
      <Stat
        label={t('clicked')}
        value={data.emails_sent > 0 ? shareOf(data.users_who_clicked, data.emails_sent) : '–'}
      />
    </Stats>
  );
}

function NewEmail(props: Props) {
  const t = useText('automations');
  return (
    <Stack gap="md">
      <NoMail width={panelWidth()} height={120} />
      <Text c="dimmed">{t('emailAbout')}</Text>
      {props.mayWrite && <Choice {...props} onChosen={() => {}} />}
    </Stack>
  );
}

/** A new email, which is written at once, or a draft of the list. */
function Choice({ info, step, onSave, onChosen }: Props & { onChosen(): void }) {
  const t = useText('automations');
  const nameOf = useNameOf();
  const tagless = useTagless();
  const navigate = useNavigate();
  const [subject, setSubject] = useState('');
  const { busy, run } = useAction((error) => toast.failed(error));
  const create = useMutate('automationEmailCreate', ['campaign']);
  const drafts = useMethod('campaigns', {
    filters: { status: 'draft', list_id: info.list, hidden: false },
    limit: 200,
  });
  const known = (drafts.data ?? [])
    .filter(({ type }) => type !== 'plain text')
    .map((campaign) => ({ value: campaign.id, label: nameOf(campaign) }));
  const name = info.names[step.campaign];
  const options =
    name === undefined || known.some(({ value }) => value === step.campaign)
      ? known
      : [{ value: step.campaign, label: tagless(name) }, ...known];
  const write = (event: FormEvent) => {
    event.preventDefault();
    void run(async () => {
      const campaign = await create.mutateAsync({ list: info.list, subject: subject.trim() });
      await onSave({ ...step, campaign });
      await navigate({ to: '/campaigns/$id/edit', params: { id: campaign }, search: backTo(info, step.key) });
    });
  };
  const choose = (campaign: string | null) =>
    void run(async () => {
      if (campaign === null || campaign === step.campaign) return;
      await onSave({ ...step, campaign });
      onChosen();
    });
  return (
    <Stack gap="md">
      <form onSubmit={write}>
        <Group align="flex-end" gap="sm">
          <TextInput
            label={t('newEmail')}
            placeholder={t('subject')}
            maxLength={1_000}
            flex={1}
            value={subject}
            onChange={(event) => setSubject(event.currentTarget.value)}
            data-autofocus
          />
          <Button type="submit" disabled={subject.trim() === ''} loading={busy}>
            {t('createEmail')}
          </Button>
        </Group>
      </form>
      <Select
        label={t('chooseDraft')}
        data={options}
        searchable
        allowDeselect={false}
        placeholder={options.length === 0 ? t('noDraft') : ''}
        disabled={options.length === 0}
        value={step.campaign === '' ? null : step.campaign}
        onChange={choose}
      />
    </Stack>
  );
}
