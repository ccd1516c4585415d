// The sign-up form of a list: what it shows, what follows, the texts of the list's emails, and its URL and HTML to share.
import { Anchor, Box, Button, Code, Group, Stack, Tabs, Text } from '@mantine/core';
import { IconExternalLink } from '@tabler/icons-react';
import { useParams, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { ApiFault } from '../../api/call.ts';
import { faultCodes } from '../../api/fault-codes.ts';
import { useMethod, useMutate } from '../../api/use-method.ts';
import { Copy } from '../../parts/copy.tsx';
import { LoadingPage } from '../../parts/loading-page.tsx';
import { Page, PageHeader, Section } from '../../parts/page.tsx';
import { Status } from '../../parts/status/status.tsx';
import { toast } from '../../parts/toast/toast.tsx';
import { UrlTabs } from '../../parts/url-tabs.tsx';
import { useSession } from '../../session/session.ts';
import { NotFound } from '../../shell/not-found.tsx';
import { useText } from '../../text/use-text.tsx';
import { type Tab, tabs } from '../tabs.ts';
import { FormPreview } from './form-preview.tsx';
import { FormSettings } from './form-settings.tsx';
import classes from './forms.module.css';
import type { ListForm } from './list-form.ts';
import { ListTexts } from './list-texts.tsx';
import { RefusedSignUps } from './refused-sign-ups.tsx';

export function FormScreen() {
  const { id } = useParams({ strict: false }) as { id: string };
  const t = useText('forms');
  const mayWrite = useSession().may('contacts:write');
  const form = useMethod('listForm', { id });
  const publish = useMutate('listFormUpdate');
  const lists = useMethod('lists', { limit: 1_000 });
  if (form.error instanceof ApiFault && form.error.code === faultCodes.LIST_UNKNOWN) return <NotFound />;
  const name = lists.data?.find((list) => list.id === id)?.name;
  const back = { to: '/forms', label: t('all') } as const;
  if (form.data === undefined) return <LoadingPage title={t('title')} back={back} query={form} />;
  const { url, settings } = form.data;
  return (
    <Page>
      <PageHeader
        title={t('title')}
        status={<Status tone={settings.enabled ? 'good' : 'still'}>{t(settings.enabled ? 'on' : 'off')}</Status>}
        description={name ?? t('about')}
        back={back}
        actions={
          settings.enabled ? (
            <Button
              component="a"
              href={url}
              target="_blank"
              rel="noopener"
              leftSection={<IconExternalLink size={16} aria-hidden />}
            >
              {t('openForm')}
            </Button>
          ) : (
            mayWrite && (
              <Button
                loading={publish.isPending}
                onClick={() =>
                  publish.mutate(
                    { id, options: { enabled: true } },
                    { onSuccess: () => toast.done(t('nowLive')), onError: toast.failed },
                  )
                }
              >
                {t('create')}
              </Button>
            )
          )
        }
      />
      <div className={classes.columns}>
        <FormTabs form={form.data} id={id} mayWrite={mayWrite} />
        <FormPreview form={form.data} />
      </div>
    </Page>
  );
}

function FormTabs({ form, id, mayWrite }: { form: ListForm; id: string; mayWrite: boolean }) {
  const t = useText('forms');
  const { tab = 'form' } = useSearch({ strict: false }) as { tab?: Tab<'form'> };
  const { settings } = form;
  return (
    <UrlTabs tabs={tabs.form} open={tab} labelOf={(name) => t(`tab.${name}`)}>
      {/* One form for its tabs: what was changed on one stays while another is open. */}
      {mayWrite && (
        <Box mb={tab === 'share' ? 'xl' : 0}>
          <FormSettings key={JSON.stringify(settings)} id={id} before={settings} part={tab} />
        </Box>
      )}
      <Tabs.Panel value="form">
        <Box mt="xl">
          <Section title={t('otherLanguages')} description={t('otherLanguagesAbout')}>
            <ListTexts id={id} mayWrite={mayWrite} groups={['form']} />
          </Section>
        </Box>
      </Tabs.Panel>
      <Tabs.Panel value="after">{null}</Tabs.Panel>
      <Tabs.Panel value="emails">
        <Box mt="xl">
          <Section title={t('texts')} description={t('textsAbout')}>
            <ListTexts id={id} mayWrite={mayWrite} groups={['confirm', 'welcome', 'goodbye', 'unsubscribe']} />
          </Section>
        </Box>
      </Tabs.Panel>
      <Tabs.Panel value="share">
        <Share form={form} />
      </Tabs.Panel>
      <Tabs.Panel value="blocked">
        <Stack gap="xl">
          <Section title={t('refused')}>
            <RefusedSignUps id={id} />
          </Section>
          <Section title={t('confirmations')}>
            <Stack gap={4}>
              {(['automatic', 'button', 'one_click'] as const).map((how) => (
                <Text key={how}>
                  {t(`confirmed.${how}`)}: {form.confirmations[how]}
                </Text>
              ))}
            </Stack>
          </Section>
        </Stack>
      </Tabs.Panel>
    </UrlTabs>
  );
}

/** The address of the form, and its HTML for other pages, with and without script. */
function Share({ form: { url, html, inline_html: inline } }: { form: ListForm }) {
  const t = useText('forms');
  return (
    <Stack gap="xl">
      <Section title={t('address')}>
        <Group gap="xs" wrap="nowrap">
          <Anchor href={url} target="_blank" rel="noopener" style={{ overflowWrap: 'anywhere' }}>
            {url} <IconExternalLink size={14} aria-hidden />
          </Anchor>
          <Copy value={url} label={t('address')} />
        </Group>
      </Section>
      <CodeToCopy title={t('inline')} about={t('inlineAbout', { origin: new URL(url).origin })} label={t('inlineHtml')}>
        {inline}
      </CodeToCopy>
      <CodeToCopy title={t('embed')} about={t('embedAbout')} label={t('html')}>
        {html}
      </CodeToCopy>
    </Stack>
  );
}

type Html = { title: string; about: string; label: string; children: string };

function CodeToCopy({ title, about, label, children }: Html) {
  const t = useText('forms');
  const [isShown, setShown] = useState(false);
  return (
    <Section title={title} description={about}>
      <Group gap="sm">
        <Copy value={children} label={t('copyWhat', { what: label })} wide />
        <Button variant="subtle" color="gray" aria-expanded={isShown} onClick={() => setShown(!isShown)}>
          {t(isShown ? 'hideCode' : 'showCode')}
        </Button>
      </Group>
      {isShown && (
        // Scrollable content must be reachable by keyboard.
        <Code block mah={320} tabIndex={0} role="region" aria-label={label}>
          {children}
        </Code>
      )}
    </Section>
  );
}
