// Sends an email: a draft of the list, or a new one.
import { Button, Group, Select, Stack, TextInput } from '@mantine/core';
import { IconMail } from '@tabler/icons-react';
import { useState } from 'react';
import { useMethod, useMutate } from '../../../api/use-method.ts';
import { useNameOf, useTagless } from '../../../parts/tagged/tagged.tsx';
import { toast } from '../../../parts/toast/toast.tsx';
import { useText } from '../../../text/use-text.tsx';
import type { StepOf } from '../types.ts';
import type { FieldsProps, StepKind } from './kind.ts';

export const send: StepKind<'send'> = {
  icon: IconMail,
  blank: { campaign: '' },
  words: (t, { campaign }, { names }) => names[campaign] ?? t('says.noEmail'),
  Fields,
};

function Fields({ info, draft, onChange }: FieldsProps<StepOf<'send'>>) {
  const t = useText('automations');
  const nameOf = useNameOf();
  const tagless = useTagless();
  const drafts = useMethod('campaigns', {
    filters: { status: 'draft', list_id: info.list, hidden: false },
    limit: 200,
  });
  const create = useMutate('automationEmailCreate', ['campaign']);
  const [subject, setSubject] = useState('');
  const known = (drafts.data ?? [])
    .filter(({ type }) => type !== 'plain text')
    .map((campaign) => ({ value: campaign.id, label: nameOf(campaign) }));
  const name = info.names[draft.campaign];
  const options =
    name === undefined || known.some(({ value }) => value === draft.campaign)
      ? known
      : [{ value: draft.campaign, label: tagless(name) }, ...known];
  const write = () =>
    create.mutate(
      { list: info.list, subject: subject.trim() },
      {
        onSuccess: (campaign) => {
          setSubject('');
          onChange({ ...draft, campaign });
        },
        onError: toast.failed,
      },
    );
  return (
    <Stack gap="sm">
      <Select
        label={t('email')}
        description={t('emailAbout')}
        data={options}
        searchable
        allowDeselect={false}
        placeholder={options.length === 0 ? t('noDraft') : ''}
        value={draft.campaign === '' ? null : draft.campaign}
        onChange={(campaign) => onChange({ ...draft, campaign: campaign ?? '' })}
      />
      <Group align="flex-end" gap="sm">
        <TextInput
          label={t('newEmail')}
          placeholder={t('subject')}
          maxLength={1_000}
          flex={1}
          value={subject}
          onChange={(event) => setSubject(event.currentTarget.value)}
        />
        <Button variant="default" disabled={subject.trim() === ''} loading={create.isPending} onClick={write}>
          {t('createEmail')}
        </Button>
      </Group>
    </Stack>
  );
}
