// The tabs of a form, with all that can be changed as one form, beside its preview. What was changed on one tab stays while another is open,
// and all of it is saved together.
import { Button, Group, Stack, Tabs, Text } from '@mantine/core';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useMemo, useRef, useState } from 'react';
import { languages } from '../../../../src/locales/languages.ts';
import { call } from '../../api/call.ts';
import { useMethod, useMutate } from '../../api/use-method.ts';
import { MethodForm, Submit, useMethodForm } from '../../parts/form/form.tsx';
import { Select } from '../../parts/form/select.tsx';
import { Lines } from '../../parts/loaded.tsx';
import { Section } from '../../parts/page.tsx';
import { toast } from '../../parts/toast/toast.tsx';
import { UrlTabs } from '../../parts/url-tabs.tsx';
import { useText } from '../../text/use-text.tsx';
import { usePictureDialog } from '../composer/pictures/picture-dialog.tsx';
import { type Tab, tabs } from '../tabs.ts';
import { FormPreview } from './form-preview.tsx';
import { FormTab } from './form-tab.tsx';
import classes from './forms.module.css';
import { changesOf, type FormValues, type ListForm, type PreviewPage, valuesOf } from './list-form.ts';
import { TextsOf } from './text-field.tsx';

const AfterTab = lazy(async () => ({ default: (await import('./after-tab.tsx')).AfterTab }));
const EmailsTab = lazy(async () => ({ default: (await import('./emails-tab.tsx')).EmailsTab }));
const ShareTab = lazy(() => import('./share-tab.tsx'));
const RefusedSignUps = lazy(async () => ({ default: (await import('./refused-sign-ups.tsx')).RefusedSignUps }));

/** What the preview beside a tab can show. */
const pagesOf: Record<Tab<'form'>, readonly PreviewPage[]> = {
  form: ['form'],
  after: ['thanks', 'confirm', 'confirmed', 'unsubscribed'],
  emails: ['confirm_email', 'welcome_email', 'goodbye_email'],
  share: [],
  blocked: [],
};

type Props = {
  id: string;
  saved: ListForm;
  mayWrite: boolean;
  /** The language of the texts; '' for that of the list. */
  language: string;
  onLanguage(language: string): void;
  /** Whether the code to embed is unfolded. */
  showsCode: boolean;
  onShowCode(shows: boolean): void;
  onSaved(): void;
};

export function FormEditor(props: Props) {
  const { id, saved, mayWrite, language, onLanguage, onSaved } = props;
  const t = useText('forms');
  const { tab = 'form' } = useSearch({ strict: false }) as { tab?: Tab<'form'> };
  const [page, setPage] = useState<PreviewPage>('form');
  const { ask, dialog } = usePictureDialog();
  const form = useFormOf({ id, saved, onSaved });
  useLeadToFault(form.errors, onLanguage);
  const own = useMethod('listTexts', { id, language: '' }).data;
  const texts = useMethod('listTexts', { id, language }, { keep: true }).data;
  const byName = useMemo(() => new Map((texts ?? []).map((text) => [text.name, text])), [texts]);
  const pages = pagesOf[tab];
  const shown = pages.includes(page) ? page : pages[0];
  const options = changesOf(form.values, saved.settings);
  const isDirty = Object.keys(options).length > 0;
  const ownLanguage = own?.[0]?.language ?? '';
  const preview = (page: PreviewPage) => call('listFormPreview', { id, language, options, page });
  return (
    <div className={classes.columns} data-wide={shown === undefined || undefined}>
      <UrlTabs tabs={tabs.form} open={tab} labelOf={(name) => t(`tab.${name}`)}>
        {tab !== 'blocked' && (
          <MethodForm form={form} guard="page">
            <TextsOf value={{ form, texts: byName, own: ownLanguage, show: setPage }}>
              <fieldset className={`${classes.fields} in-order`} disabled={!mayWrite}>
                {shown !== undefined && <Language own={ownLanguage} language={language} onLanguage={onLanguage} />}
                {texts === undefined && shown !== undefined && <Lines count={8} height={36} />}
                {tab === 'form' && <FormTab id={id} form={form} ask={ask} />}
                <Suspense fallback={<Lines />}>
                  {tab === 'after' && <AfterTab form={form} />}
                  {tab === 'emails' && (
                    <EmailsTab id={id} form={form} sourceOf={async (page) => (await preview(page)).source} />
                  )}
                  {tab === 'share' && <ShareTab {...props} form={form} />}
                </Suspense>
              </fieldset>
            </TextsOf>
            {mayWrite && isDirty && (
              <Group className={classes.saveBar} justify="flex-end" gap="sm">
                <Text size="sm" c="dimmed" mr="auto">
                  {t('unsaved')}
                </Text>
                <Button variant="default" onClick={() => form.reset()}>
                  {t('discard')}
                </Button>
                <Submit form={form}>{t('save')}</Submit>
              </Group>
            )}
          </MethodForm>
        )}
        <Tabs.Panel value="blocked">
          <SignUps id={id} saved={saved} />
        </Tabs.Panel>
      </UrlTabs>
      {shown !== undefined && (
        <FormPreview id={id} language={language} options={options} pages={pages} page={shown} onPage={setPage} />
      )}
      {dialog}
    </div>
  );
}

function useFormOf({ id, saved, onSaved }: Pick<Props, 'id' | 'saved' | 'onSaved'>) {
  const t = useText('forms');
  const update = useMutate('listFormUpdate');
  // The fields of the texts of the last call.
  const places = useRef<Record<string, string>>(
    Object.fromEntries(Object.keys(saved.settings).map((name) => [`options.${name}`, name])),
  ).current;
  return useMethodForm<FormValues, boolean>({
    initialValues: valuesOf(saved.settings),
    send: (values) => {
      for (const [i, key] of Object.keys(values.edits).entries()) places[`options.texts.${i}.value`] = `edits.${key}`;
      return update.mutateAsync({ id, options: changesOf(values, saved.settings) });
    },
    done: () => {
      toast.done(t('saved'));
      onSaved();
    },
    fields: places,
  });
}

/** Opens the tab and the language of the first value that was refused. */
function useLeadToFault(errors: Record<string, unknown>, onLanguage: (language: string) => void) {
  const navigate = useNavigate();
  const first = Object.keys(errors)[0];
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each fault
  useEffect(() => {
    if (first === undefined) return;
    const [, name, language] = /^edits\.(\w+)@(.*)$/.exec(first) ?? [];
    if (language) onLanguage(language);
    navigate({ to: '.', search: { tab: tabOfField(name ?? first) }, replace: true, resetScroll: false });
  }, [first]);
}

function tabOfField(name: string): Tab<'form'> {
  if (/_(subject|text|html)$|^send_|^remind/.test(name)) return 'emails';
  if (/^(confirm|unsubscribe)_|^form_thanks$|^redirect/.test(name)) return 'after';
  return /^(origins|hidden_fields|enabled)/.test(name) ? 'share' : 'form';
}

function Language({ own, language, onLanguage }: { own: string; language: string; onLanguage(next: string): void }) {
  const t = useText('forms');
  return (
    <Select
      label={t('language')}
      description={t('languageAbout')}
      maw={360}
      allowDeselect={false}
      searchable
      value={language || own}
      onChange={(next) => onLanguage(next === own ? '' : (next ?? ''))}
      data={languages.map((value) => ({
        value,
        label: new Intl.DisplayNames(value, { type: 'language' }).of(value) ?? value,
      }))}
    />
  );
}

function SignUps({ id, saved }: { id: string; saved: ListForm }) {
  const t = useText('forms');
  return (
    <Stack gap="xl">
      <Section title={t('refused')}>
        <Suspense fallback={<Lines />}>
          <RefusedSignUps id={id} />
        </Suspense>
      </Section>
      <Section title={t('confirmations')}>
        <Stack gap={4}>
          {(['automatic', 'button', 'one_click'] as const).map((how) => (
            <Text key={how}>
              {t(`confirmed.${how}`)}: {saved.confirmations[how]}
            </Text>
          ))}
        </Stack>
      </Section>
    </Stack>
  );
}
