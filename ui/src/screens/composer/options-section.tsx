// Further options: tracking, web analytics, footer and its language, DKIM, time zones, the HTML part.
import { Select, Stack, Switch, Title } from '@mantine/core';
import { languageCodes } from '../../../../src/locales/languages.ts';
import { LinkAnchor } from '../../parts/link.tsx';
import { useSession } from '../../session/session.ts';
import { useLanguageNames } from '../../text/language-names.ts';
import { useText } from '../../text/use-text.tsx';
import { AnalyticsFields } from './analytics-fields.tsx';
import { useDraft } from './draft.tsx';
import { BestHourSwitch, TimeMatchSwitch } from './send/timing.tsx';

export function OptionsSection() {
  const { type } = useDraft();
  return (
    <Stack gap="lg">
      <Tracking />
      <AnalyticsFields />
      <Footer />
      <Delivery />
      {type !== 'plain text' && <HtmlPart />}
    </Stack>
  );
}

function Tracking() {
  const t = useText('composer');
  const { values, change, fault, fixed } = useDraft();
  const track = (part: Partial<typeof values.tracking>) => change({ tracking: { ...values.tracking, ...part } });
  return (
    <Stack gap="sm">
      <Title order={3}>{t('tracking')}</Title>
      <Switch
        label={t('trackOpens')}
        checked={values.tracking.opens}
        onChange={(event) => track({ opens: event.currentTarget.checked })}
        disabled={fixed}
        error={fault('tracking')}
      />
      <Switch
        label={t('trackHtml')}
        checked={values.tracking.html_clicks}
        onChange={(event) => track({ html_clicks: event.currentTarget.checked })}
        disabled={fixed}
      />
      <Switch
        label={t('trackText')}
        checked={values.tracking.text_clicks}
        onChange={(event) => track({ text_clicks: event.currentTarget.checked })}
        disabled={fixed}
      />
    </Stack>
  );
}

function Footer() {
  const t = useText('composer');
  const { account } = useSession();
  const { values, change, fault, fixed } = useDraft();
  const nameOf = useLanguageNames();
  return (
    <Stack gap="sm">
      <Title order={3}>{t('footer')}</Title>
      <Switch
        label={t('autoFooter')}
        description={t('autoFooterHint')}
        checked={values.auto_footer}
        onChange={(event) => change({ auto_footer: event.currentTarget.checked })}
        error={fault('auto_footer')}
        disabled={fixed}
      />
      <Select
        label={t('language')}
        placeholder={t('languageOfAccount', { language: nameOf(account.language || 'en') })}
        data={Object.entries(languageCodes)
          .map(([value, tag]) => ({ value, label: nameOf(tag) }))
          .sort((a, b) => a.label.localeCompare(b.label))}
        value={values.ln || null}
        onChange={(ln) => ln && change({ ln })}
        error={fault('ln')}
        disabled={fixed}
        allowDeselect={false}
        searchable
      />
    </Stack>
  );
}

function Delivery() {
  const t = useText('composer');
  const { values, change, fault, fixed, type } = useDraft();
  return (
    <Stack gap="sm">
      <Title order={3}>{t('delivery')}</Title>
      <Switch
        label={t('authenticate')}
        description={
          <>
            {t('authenticateHint')} <DomainsLink label={t('domains')} />
          </>
        }
        checked={values.authenticate}
        onChange={(event) => change({ authenticate: event.currentTarget.checked })}
        error={fault('authenticate')}
        disabled={fixed}
      />
      {type !== 'auto' && (
        <>
          <TimeMatchSwitch disabled={fixed} />
          <BestHourSwitch disabled={fixed} />
        </>
      )}
    </Stack>
  );
}

function HtmlPart() {
  const t = useText('composer');
  const { account } = useSession();
  const { values, change, fault, fixed } = useDraft();
  const mayInline = account.addons.includes('inline_img');
  return (
    <Stack gap="sm">
      <Title order={3}>{t('htmlPart')}</Title>
      <Switch
        label={t('inlineImages')}
        description={mayInline ? t('inlineHint') : t('inlineAddon')}
        checked={values.inline_img}
        onChange={(event) => change({ inline_img: event.currentTarget.checked })}
        error={fault('inline_img')}
        disabled={fixed || (!mayInline && !values.inline_img)}
      />
      <Switch
        label={t('inlineCss')}
        description={t('inlineCssHint')}
        checked={values.inline_css}
        onChange={(event) => change({ inline_css: event.currentTarget.checked })}
        error={fault('inline_css')}
        disabled={fixed}
      />
    </Stack>
  );
}

function DomainsLink({ label }: { label: string }) {
  return (
    <LinkAnchor to="/settings/domains" inherit underline="always">
      {label}
    </LinkAnchor>
  );
}
