// A text of a list's form, pages or emails where it is used, in the language that is chosen above. What is changed waits in the form
// until all is saved.
import { Anchor, Group, Text, Textarea, TextInput } from '@mantine/core';
import { createContext, useContext } from 'react';
import { useText } from '../../text/use-text.tsx';
import { keyOf, type ListText, languageOf, type PreviewPage, type SettingsForm, type TextName } from './list-form.ts';

type Texts = {
  form: SettingsForm;
  /** In the chosen language. */
  texts: ReadonlyMap<TextName, ListText>;
  /** The language of the list. */
  own: string;
  /** Shows a page or email in the preview. */
  show(page: PreviewPage): void;
};

const TextsContext = createContext<Texts | undefined>(undefined);
export const TextsOf = TextsContext.Provider;
const useTexts = () => useContext(TextsContext)!;

/** The text of this name: its value as it is being changed, and how it is changed. Undefined until it is loaded. */
export function useListText(name: TextName) {
  const { form, texts, own, show } = useTexts();
  const text = texts.get(name);
  if (!text) return undefined;
  const language = languageOf(text, own);
  const key = keyOf(name, language);
  const edit = form.values.edits[key];
  const change = (value: string) => {
    form.clearFieldError(`edits.${key}`);
    form.setFieldValue('edits', ({ [key]: _, ...others }) =>
      value === text.value ? others : { ...others, [key]: { name, language, value, default: text.default } },
    );
  };
  return {
    ...text,
    value: edit?.value ?? text.value,
    isChanged: edit !== undefined,
    change,
    show,
    error: form.errors[`edits.${key}`],
  };
}

type Props = {
  name: TextName;
  label: string;
  description?: string;
  /** Where it is seen. */
  page: PreviewPage;
  rows?: number;
};

export function TextField({ name, label, description, page, rows = 2 }: Props) {
  const t = useText('forms');
  const text = useListText(name);
  if (!text) return null;
  const { kind, value, change, show, error } = text;
  const props = {
    label,
    description,
    value,
    error,
    lang: text.language,
    onFocus: () => show(page),
    onChange: ({ currentTarget }: { currentTarget: { value: string } }) => change(currentTarget.value),
  };
  return (
    <div>
      {kind === 'line' ? <TextInput {...props} /> : <Textarea autosize minRows={rows} maxRows={20} {...props} />}
      {value !== text.default && text.default !== '' && (
        <Anchor component="button" type="button" size="xs" mt={4} onClick={() => change(text.default)}>
          {t('reset')}
        </Anchor>
      )}
    </div>
  );
}

/** The merge tags that a text may have. */
export function TagsOf({ name }: { name: TextName }) {
  const t = useText('forms');
  const text = useListText(name);
  return (
    <Group gap={4}>
      <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
        {text && t('tags', { tags: text.tags.map((tag) => `*|${tag}|*`).join(' ') })}
      </Text>
    </Group>
  );
}
