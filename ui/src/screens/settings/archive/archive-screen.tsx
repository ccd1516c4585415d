// The public archive: whether it is on, which lists it shows, its address and texts, and single campaigns that are left out.
import { Anchor, Button, Group, NativeSelect, Stack, Switch, Text, Textarea, TextInput } from '@mantine/core';
import { IconArchive, IconExternalLink, IconRss } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { call } from '../../../api/call.ts';
import type { ResultOf } from '../../../api/types.ts';
import { invalidate, useMethod, useMutate } from '../../../api/use-method.ts';
import { Copy } from '../../../parts/copy.tsx';
import { Empty } from '../../../parts/empty.tsx';
import { MethodForm, Submit, useMethodForm } from '../../../parts/form/form.tsx';
import { MultiSelect } from '../../../parts/form/multi-select.tsx';
import { Loaded } from '../../../parts/loaded.tsx';
import { Section } from '../../../parts/page.tsx';
import { Neighbours } from '../../../parts/table/neighbours.tsx';
import { type Column, Rows } from '../../../parts/table/rows.tsx';
import { useTableSearch } from '../../../parts/table/table-search.ts';
import { Time } from '../../../parts/time.tsx';
import { toast } from '../../../parts/toast/toast.tsx';
import { useSession } from '../../../session/session.ts';
import { languageChoices } from '../../../text/choices.ts';
import { useLanguage, useText } from '../../../text/use-text.tsx';
import { SettingsFrame } from '../frame.tsx';

type Archive = ResultOf<'archiveGet'>;
type Campaign = ResultOf<'archiveCampaigns'>[number];
const pageSize = 20;

export function ArchiveScreen() {
  const t = useText('settings');
  const answer = useMethod('archiveGet');
  const lists = useMethod('lists');
  const { account } = useSession();
  return (
    <SettingsFrame section="archive" description={t('archiveAbout')}>
      <Loaded query={answer}>
        {(archive) => (
          <Loaded query={lists}>
            {(all) => (
              <>
                <ArchiveForm key={account.id} archive={archive} lists={all} />
                <Campaigns />
              </>
            )}
          </Loaded>
        )}
      </Loaded>
    </SettingsFrame>
  );
}

function ArchiveForm({ archive, lists }: { archive: Archive; lists: ResultOf<'lists'> }) {
  const t = useText('settings');
  const mayChange = useSession().may('account:write');
  const client = useQueryClient();
  const { url, feed_url, ...settings } = archive;
  const form = useMethodForm({
    initialValues: settings,
    send: async (values) => {
      await call('archiveUpdate', values);
      await invalidate(client, ['archive']);
    },
    done: () => toast.done(t('archiveSaved')),
  });
  const isOn = form.values.on;
  return (
    <Section title={t('section.archive')}>
      <MethodForm form={form} guard>
        <fieldset disabled={!mayChange} style={{ border: 0, padding: 0, margin: 0, minInlineSize: 0 }}>
          <Stack>
            <Switch
              label={t('archiveOn')}
              description={t('archiveOnHint')}
              {...form.getInputProps('on', { type: 'checkbox' })}
            />
            {archive.on && <Addresses url={url} feed={feed_url} />}
            <MultiSelect
              label={t('archiveLists')}
              description={t('archiveListsHint')}
              data={lists.map(({ id, name }) => ({ value: id, label: name }))}
              nothingFoundMessage={t('archiveNoLists')}
              disabled={!mayChange}
              searchable
              {...form.getInputProps('list_ids')}
            />
            {isOn && <Texts form={form} />}
          </Stack>
        </fieldset>
        {mayChange && (
          <Group>
            <Submit form={form} disabled={!form.isDirty()}>
              {t('save')}
            </Submit>
          </Group>
        )}
      </MethodForm>
    </Section>
  );
}

function Addresses({ url, feed }: { url: string; feed: string }) {
  const t = useText('settings');
  return (
    <Group gap="xs">
      <Button
        component="a"
        href={url}
        target="_blank"
        rel="noopener"
        variant="default"
        leftSection={<IconExternalLink size={16} aria-hidden />}
      >
        {t('archiveOpen')}
      </Button>
      <Button
        component="a"
        href={feed}
        target="_blank"
        rel="noopener"
        variant="subtle"
        leftSection={<IconRss size={16} aria-hidden />}
      >
        {t('archiveFeed')}
      </Button>
      <Copy value={url} label={t('archiveSlug')} />
    </Group>
  );
}

/** What the page says about itself. */
function Texts({ form }: { form: { getInputProps(name: string, options?: { type: 'checkbox' }): object } }) {
  const t = useText('settings');
  const { language } = useLanguage();
  return (
    <>
      <TextInput label={t('archiveTitle')} description={t('archiveTitleHint')} {...form.getInputProps('title')} />
      <Textarea
        label={t('archiveDescription')}
        description={t('archiveDescriptionHint')}
        autosize
        minRows={2}
        maxLength={500}
        {...form.getInputProps('description')}
      />
      <TextInput
        label={t('archiveSlug')}
        description={t('archiveSlugHint')}
        spellCheck={false}
        {...form.getInputProps('slug')}
      />
      <TextInput
        label={t('archivePicture')}
        description={t('archivePictureHint')}
        type="url"
        {...form.getInputProps('picture')}
      />
      <NativeSelect
        label={t('archiveLanguage')}
        data={[{ value: '', label: t('archiveLanguageOwn') }, ...languageChoices(language)]}
        {...form.getInputProps('language')}
      />
      <Switch
        label={t('archiveIndexable')}
        description={t('archiveIndexableHint')}
        {...form.getInputProps('indexable', { type: 'checkbox' })}
      />
    </>
  );
}

function Campaigns() {
  const t = useText('settings');
  const search = useTableSearch();
  const answer = useMethod('archiveCampaigns', { start: search.page - 1, limit: pageSize }, { keep: true });
  const columns: Column<Campaign>[] = [
    {
      name: 'subject',
      title: t('archiveCampaign'),
      cell: ({ subject, url, lists_public }) => (
        <>
          <Anchor href={url} target="_blank" rel="noopener">
            {subject || '–'}
          </Anchor>
          {!lists_public && (
            <Text size="xs" c="dimmed">
              {t('archivePrivateList')}
            </Text>
          )}
        </>
      ),
    },
    { name: 'sent', title: t('archiveSent'), width: '130px', cell: ({ send_time }) => <Time at={send_time} /> },
    {
      name: 'shown',
      title: t('archiveShown'),
      width: '130px',
      cell: (campaign) => <Choice campaign={campaign} />,
    },
  ];
  return (
    <Section title={t('archiveCampaigns')}>
      <Text size="sm" c="dimmed">
        {t('archiveCampaignsAbout')}
      </Text>
      <Rows
        label={t('archiveCampaigns')}
        columns={columns}
        rows={answer.data}
        keyOf={({ id }) => id}
        nameOf={({ subject }) => subject}
        query={answer}
        empty={<Empty icon={IconArchive} title={t('archiveNothing')} text={t('archiveNothingText')} />}
      />
      <Neighbours search={search} more={answer.data?.length === pageSize} />
    </Section>
  );
}

function Choice({ campaign: { id, subject, in_archive } }: { campaign: Campaign }) {
  const t = useText('settings');
  const maySend = useSession().may('campaigns:send');
  const change = useMutate('campaignArchiveUpdate', ['archive']);
  return (
    <Switch
      aria-label={t('archiveShow', { subject })}
      checked={change.isPending ? change.variables.in_archive : in_archive}
      disabled={!maySend || change.isPending}
      onChange={(event) =>
        change.mutate({ cid: id, in_archive: event.currentTarget.checked }, { onError: toast.failed })
      }
    />
  );
}
