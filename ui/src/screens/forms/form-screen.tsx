// The sign-up form of a list: its URL and embeddable HTML, its settings, and the texts of the list's emails.
import { Anchor, Button, Code, Group, Stack, Text } from '@mantine/core';
import { IconExternalLink } from '@tabler/icons-react';
import { useParams } from '@tanstack/react-router';
import { ApiFault } from '../../api/call.ts';
import { useMethod, useMutate } from '../../api/use-method.ts';
import { Copy } from '../../parts/copy.tsx';
import { FaultNote } from '../../parts/fault.tsx';
import { Lines } from '../../parts/loaded.tsx';
import { Page, PageHeader, Section } from '../../parts/page.tsx';
import { Status } from '../../parts/status/status.tsx';
import { toast } from '../../parts/toast/toast.tsx';
import { useSession } from '../../session/session.ts';
import { NotFound } from '../../shell/not-found.tsx';
import { useText } from '../../text/use-text.tsx';
import { FormPreview } from './form-preview.tsx';
import { FormSettings } from './form-settings.tsx';
import classes from './forms.module.css';
import { ListTexts } from './list-texts.tsx';
import { RefusedSignUps } from './refused-sign-ups.tsx';

export function FormScreen() {
  const { id } = useParams({ strict: false }) as { id: string };
  const t = useText('forms');
  const mayWrite = useSession().may('write');
  const form = useMethod('listForm', { id });
  const publish = useMutate('listFormUpdate');
  const lists = useMethod('lists', { limit: 1_000 });
  if (form.error instanceof ApiFault && form.error.code === unknownList) return <NotFound />;
  const name = lists.data?.find((list) => list.id === id)?.name;
  const back = { to: '/forms', label: t('all') };
  if (form.data === undefined)
    return (
      <Page>
        <PageHeader title={t('title')} back={back} />
        {form.error ? <FaultNote error={form.error} onRetry={() => form.refetch()} /> : <Lines />}
      </Page>
    );
  const { url, html, inline_html: inline, settings } = form.data;
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
        <Stack gap="xl">
          <Section title={t('publish')}>
            <Stack gap="md">
              <Group gap="xs" wrap="nowrap">
                <Anchor href={url} target="_blank" rel="noopener" style={{ overflowWrap: 'anywhere' }}>
                  {url} <IconExternalLink size={14} aria-hidden />
                </Anchor>
                <Copy value={url} label={t('address')} />
              </Group>
              <Text c="dimmed">{t('embedAbout')}</Text>
              {/* Scrollable content must be reachable by keyboard. */}
              <Code block mah={220} tabIndex={0} role="region" aria-label={t('html')}>
                {html}
              </Code>
              <Group>
                <Copy value={html} label={t('copyHtml')} wide />
              </Group>
            </Stack>
          </Section>
          <InlineForm url={url} html={inline} />
          {mayWrite && (
            <Section title={t('settings')}>
              <FormSettings key={JSON.stringify(settings)} id={id} before={settings} />
            </Section>
          )}
          <Section title={t('texts')}>
            <ListTexts id={id} mayWrite={mayWrite} />
          </Section>
          <Section title={t('confirmations')}>
            <Stack gap={4}>
              {(['automatic', 'button', 'one_click'] as const).map((how) => (
                <Text key={how}>
                  {t(`confirmed.${how}`)}: {form.data.confirmations[how]}
                </Text>
              ))}
            </Stack>
          </Section>
          <Section title={t('refused')}>
            <RefusedSignUps id={id} />
          </Section>
        </Stack>
        <FormPreview form={form.data} />
      </div>
    </Page>
  );
}

/** The HTML with the script, for pages of the sites in the settings. */
function InlineForm({ url, html }: { url: string; html: string }) {
  const t = useText('forms');
  return (
    <Section title={t('inline')}>
      <Stack gap="md">
        <Text c="dimmed">{t('inlineAbout', { origin: new URL(url).origin })}</Text>
        <Code block mah={120} tabIndex={0} role="region" aria-label={t('inlineHtml')}>
          {html}
        </Code>
        <Group>
          <Copy value={html} label={t('copyInline')} wide />
        </Group>
      </Stack>
    </Section>
  );
}

/** The fault LIST_UNKNOWN. */
const unknownList = 200;
