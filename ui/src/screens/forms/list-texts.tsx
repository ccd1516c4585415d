// The texts of a list's emails and pages, in one language at a time; each is edited separately.
import { Accordion, Button, Group, Select, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import { languages } from '../../../../src/locales/languages.ts';
import type { ResultOf } from '../../api/types.ts';
import { useMethod, useMutate } from '../../api/use-method.ts';
import { MethodForm, Submit, useMethodForm } from '../../parts/form/form.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { toast } from '../../parts/toast/toast.tsx';
import { useText } from '../../text/use-text.tsx';

type ListText = ResultOf<'listTexts'>[number];

type Texts = { id: string; mayWrite: boolean; groups: readonly string[] };

/** @param groups which texts; those of the form itself only in other languages than the list's, whose texts are its settings */
export function ListTexts({ id, mayWrite, groups }: Texts) {
  const t = useText('forms');
  const [language, setLanguage] = useState('');
  const texts = useMethod('listTexts', { id, language }, { keep: true });
  const own = useMethod('listTexts', { id, language: '' }).data?.[0]?.language;
  const isOfForm = groups.includes('form');
  return (
    <Stack gap="md">
      <Loaded query={texts}>
        {(all) => (
          <>
            <Select
              label={t('language')}
              maw={320}
              allowDeselect={false}
              value={language || (isOfForm ? null : all[0]!.language)}
              placeholder={t('chooseLanguage')}
              onChange={(next) => setLanguage(next ?? '')}
              data={languages
                .filter((value) => !isOfForm || value !== own)
                .map((value) => ({
                  value,
                  label: new Intl.DisplayNames(value, { type: 'language' }).of(value) ?? value,
                }))}
            />
            {(language === '' && isOfForm ? [] : [...Map.groupBy(all, ({ name }) => name.split('.')[0]!)])
              .filter(([group]) => groups.includes(group))
              .map(([group, texts]) => (
                <Stack key={group} gap="sm">
                  {groups.length > 1 && (
                    <Text fw={500} component="h3" m={0}>
                      {t.of('group', group)}
                    </Text>
                  )}
                  <Accordion variant="separated" keepMounted={false}>
                    {texts.map((text) => (
                      <Accordion.Item key={text.name} value={text.name}>
                        <Accordion.Control>
                          <Group gap="sm">
                            {t(`text.${text.name}`)}
                            {text.edited && (
                              <Text size="sm" c="dimmed" component="span">
                                {t('edited')}
                              </Text>
                            )}
                          </Group>
                        </Accordion.Control>
                        <Accordion.Panel>
                          <OneText key={`${text.language}${text.value}`} id={id} text={text} mayWrite={mayWrite} />
                        </Accordion.Panel>
                      </Accordion.Item>
                    ))}
                  </Accordion>
                </Stack>
              ))}
          </>
        )}
      </Loaded>
    </Stack>
  );
}

function OneText({ id, text, mayWrite }: { id: string; text: ListText; mayWrite: boolean }) {
  const t = useText('forms');
  const update = useMutate('listTextUpdate');
  const set = (value: string) => update.mutateAsync({ id, name: text.name, value, language: text.language });
  const form = useMethodForm<{ value: string }, boolean>({
    initialValues: { value: text.value },
    send: ({ value }) => set(value),
    done: () => toast.done(t('saved')),
  });
  const label = t(`text.${text.name}`);
  const reset = () => set('').then(() => toast.done(t('saved')), toast.failed);
  return (
    <MethodForm form={form}>
      {text.kind === 'line' ? (
        <TextInput aria-label={label} readOnly={!mayWrite} {...form.getInputProps('value')} />
      ) : (
        <Textarea
          aria-label={label}
          readOnly={!mayWrite}
          autosize
          minRows={4}
          maxRows={20}
          styles={text.kind === 'html' ? { input: { fontFamily: 'monospace' } } : {}}
          {...form.getInputProps('value')}
        />
      )}
      <Text size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
        {t('tags', { tags: text.tags.map((tag) => `*|${tag}|*`).join(' ') })}
      </Text>
      {mayWrite && (
        <Group>
          <Submit form={form} disabled={!form.isDirty()}>
            {t('save')}
          </Submit>
          {text.edited && (
            <Button variant="default" onClick={reset} loading={update.isPending}>
              {t('reset')}
            </Button>
          )}
        </Group>
      )}
    </MethodForm>
  );
}
