// A text of a list's form, pages or emails where it is used, in the language that is chosen above. What is changed waits in the form
// until all is saved.
import { Anchor, Button, Group, Text, Textarea, TextInput } from '@mantine/core';
import { createContext, type RefObject, useContext, useRef } from 'react';
import { flushSync } from 'react-dom';
import { Tagged } from '../../parts/tagged/tagged.tsx';
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
  /** Offers the merge tags that it may have. */
  tags?: boolean;
  /** Offers a link: it may have some. */
  links?: boolean;
};

export function TextField({ name, label, description, page, rows = 2, tags = false, links = false }: Props) {
  const t = useText('forms');
  const text = useListText(name);
  const field = useRef<HTMLInputElement & HTMLTextAreaElement>(null);
  if (!text) return null;
  const { kind, value, change, show, error } = text;
  const insert = insertInto(field, change);
  const props = {
    label,
    description,
    value,
    error,
    ref: field,
    lang: text.language,
    onFocus: () => show(page),
    onChange: ({ currentTarget }: { currentTarget: { value: string } }) => change(currentTarget.value),
  };
  return (
    <div>
      {kind === 'line' ? <TextInput {...props} /> : <Textarea autosize minRows={rows} maxRows={20} {...props} />}
      {value.includes('*|') && kind === 'line' && (
        <Text size="xs" c="dimmed" component="div" mt={4}>
          <Tagged>{value}</Tagged>
        </Text>
      )}
      <Group gap={4} mt={4}>
        {tags && text.tags.length > 0 && (
          <Text size="xs" c="dimmed">
            {t('tags')}
          </Text>
        )}
        {tags &&
          text.tags.map((tag) => (
            <Insert key={tag} words={`*|${tag}|*`} onInsert={() => insert(() => [`*|${tag}|*`])} />
          ))}
        {links && (
          <Insert
            words={t('addLink')}
            onInsert={() => insert((chosen) => [`[${chosen || t('linkWords')}](`, 'https://', ')'])}
          />
        )}
        {value !== text.default && text.default !== '' && (
          <Anchor component="button" type="button" size="xs" onClick={() => change(text.default)}>
            {t('reset')}
          </Anchor>
        )}
      </Group>
    </div>
  );
}

/** The cursor stays in the field. */
const Insert = ({ words, onInsert }: { words: string; onInsert(): void }) => (
  <Button
    variant="default"
    size="compact-xs"
    fw={400}
    onMouseDown={(event) => event.preventDefault()}
    onClick={onInsert}
  >
    {words}
  </Button>
);

/** What goes in place of the chosen words: some, what is chosen then, and more. */
type Words = (chosen: string) => [before: string, then?: string, after?: string];

const insertInto =
  (field: RefObject<HTMLInputElement | HTMLTextAreaElement | null>, change: (value: string) => void) =>
  (words: Words) => {
    const input = field.current!;
    const { value, selectionStart, selectionEnd } = input;
    const [from, to] = [selectionStart ?? value.length, selectionEnd ?? value.length];
    const [before, then = '', after = ''] = words(value.slice(from, to));
    // The selection can go there only once the field has the words.
    flushSync(() => change(value.slice(0, from) + before + then + after + value.slice(to)));
    input.focus();
    input.setSelectionRange(from + before.length, from + before.length + then.length);
  };
