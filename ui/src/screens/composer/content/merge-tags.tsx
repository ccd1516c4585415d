// The merge tags of a campaign or template: the fields of its lists, and tags that are the same for every recipient.
// Offers them in a menu, and in a text field with a button that inserts one at the cursor.
import {
  ActionIcon,
  Button,
  Group,
  Menu,
  Popover,
  Stack,
  Text,
  Textarea,
  type TextareaProps,
  TextInput,
  type TextInputProps,
  Tooltip,
} from '@mantine/core';
import { IconTags } from '@tabler/icons-react';
import { useQueries } from '@tanstack/react-query';
import { createContext, type ReactNode, type RefObject, useContext, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { call } from '../../../api/call.ts';
import { queryKey, useMethod } from '../../../api/use-method.ts';
import { useText } from '../../../text/use-text.tsx';
import classes from '../composer.module.css';
import { keepsWriting } from '../visual/writing/cursor.ts';

/** `shown` replaces the tag in the menu where it is long. */
export type MergeTag = {
  tag: string;
  label: string;
  kind: 'field' | 'event' | 'condition' | 'list' | 'link';
  shown?: string;
};

/** The ids of the lists whose fields are offered. */
export const TagLists = createContext<readonly string[]>([]);

/** The id of the campaign whose tags are offered; '' for a template. */
export const TagEmail = createContext('');

/** Whether an event lets contacts into the automation that sends this email. Few accounts have many such automations. */
function useHasEvent(cid: string, enabled: boolean): boolean {
  const all = useMethod('automations', { limit: 1_000 }, { enabled: enabled && cid !== '' });
  const ofEvents = (all.data?.data ?? []).filter(({ trigger }) => trigger === 'event').slice(0, 50);
  const answers = useQueries({
    queries: ofEvents.map(({ id }) => ({
      queryKey: queryKey('automationGet', { id }),
      queryFn: () => call('automationGet', { id }),
      staleTime: 60_000,
    })),
  });
  return answers.some(({ data }) => data !== undefined && Object.hasOwn(data.names, cid));
}

/** The fields of those lists, each tag once. */
export function useFields(): { tag: string; name: string; field_type: string }[] {
  const lists = useContext(TagLists);
  const answers = useQueries({
    queries: lists.map((id) => ({
      queryKey: queryKey('listMergeVars', { id }),
      queryFn: () => call('listMergeVars', { id }),
      staleTime: 60_000,
    })),
  });
  const fields = new Map<string, { tag: string; name: string; field_type: string }>();
  for (const { data } of answers)
    for (const field of data ?? []) if (!fields.has(field.tag)) fields.set(field.tag, field);
  return [...fields.values()];
}

/** @param links whether to include tags for URLs @param hasEvent whether to include tags of an event */
export function useMergeTags(links: boolean, hasEvent = false): MergeTag[] {
  const t = useText('composer');
  const fields = useFields();
  const tested = fields.find(({ tag }) => tag !== 'EMAIL');
  return [
    ...fields.map(({ tag, name }): MergeTag => ({ tag: `*|${tag}|*`, label: name || tag, kind: 'field' })),
    ...(hasEvent
      ? ([
          { tag: '*|EVENT:name|*', label: t('tagEvent'), kind: 'event' },
          {
            tag: '*|EACH:EVENT:items|**|ITEM:name|* *|END:EACH|*',
            label: t('tagEach'),
            kind: 'event',
            shown: '*|EACH:EVENT:items|*',
          },
        ] satisfies MergeTag[])
      : []),
    ...(tested
      ? [
          {
            tag: `*|IF:${tested.tag}|*${t('tagIfSet')}*|ELSE:|*${t('tagIfNotSet')}*|END:IF|*`,
            label: t('tagIf'),
            kind: 'condition' as const,
            shown: `*|IF:${tested.tag}|*`,
          },
        ]
      : []),
    { tag: '*|DATE:d.m.Y|*', label: t('tagDate'), kind: 'list' },
    { tag: '*|LIST:NAME|*', label: t('tagList'), kind: 'list' },
    { tag: '*|LIST:COMPANY|*', label: t('tagCompany'), kind: 'list' },
    { tag: '*|LIST:ADDRESS|*', label: t('tagAddress'), kind: 'list' },
    ...(links
      ? ([
          { tag: '*|UNSUB|*', label: t('tagUnsub'), kind: 'link' },
          { tag: '*|UPDATE_PROFILE|*', label: t('tagProfile'), kind: 'link' },
          { tag: '*|ARCHIVE|*', label: t('tagArchive'), kind: 'link' },
        ] satisfies MergeTag[])
      : []),
  ];
}

type MenuProps = {
  links?: boolean;
  /** Called before the menu takes the focus. */
  onOpen?(): void;
  onChoose(tag: string): void;
  children: ReactNode;
  disabled?: boolean;
};

/** A field asks for a default before its tag is inserted: what readers without a value are shown. */
export function MergeTagMenu({ links = false, onOpen, onChoose, children, disabled = false }: MenuProps) {
  const [isOpened, setIsOpened] = useState(false);
  const [field, setField] = useState<MergeTag>();
  // The cursor is then where the tag was inserted.
  const [isChosen, setIsChosen] = useState(false);
  const change = (opened: boolean) => {
    setIsOpened(opened);
    if (!opened) return;
    onOpen?.();
    setIsChosen(false);
    setField(undefined);
  };
  const choose = (tag: string) => {
    setIsChosen(true);
    setIsOpened(false);
    onChoose(tag);
  };
  return (
    <Menu
      position="bottom-end"
      width={280}
      disabled={disabled}
      opened={isOpened}
      onChange={change}
      returnFocus={!isChosen}
      closeOnItemClick={false}
    >
      <Menu.Target>{children}</Menu.Target>
      {field ? (
        // No menu: it has a field and a button.
        <Popover.Dropdown role="dialog" aria-label={field.label}>
          <DefaultField field={field} onInsert={choose} />
        </Popover.Dropdown>
      ) : (
        <Menu.Dropdown mah={320} style={{ overflowY: 'auto' }}>
          <TagItems
            links={links}
            isOpened={isOpened}
            onTag={(tag) => (mayBeEmpty(tag) ? setField(tag) : choose(tag.tag))}
          />
        </Menu.Dropdown>
      )}
    </Menu>
  );
}

const mayBeEmpty = ({ kind, tag }: MergeTag) => kind === 'field' && tag !== '*|EMAIL|*';

type ItemsProps = { links: boolean; isOpened: boolean; onTag(tag: MergeTag): void };

function TagItems({ links, isOpened, onTag }: ItemsProps) {
  const t = useText('composer');
  const tags = useMergeTags(links, useHasEvent(useContext(TagEmail), isOpened));
  return (['field', 'event', 'condition', 'list', 'link'] as const).map((kind) => {
    const ofKind = tags.filter((tag) => tag.kind === kind);
    if (ofKind.length === 0) return null;
    return (
      <div key={kind}>
        <Menu.Label>{t(`tags.${kind}`)}</Menu.Label>
        {ofKind.map((tag) => (
          <Menu.Item
            key={tag.tag}
            onClick={() => onTag(tag)}
            rightSection={
              <Text size="xs" c="dimmed" ff="monospace">
                {tag.shown ?? tag.tag}
              </Text>
            }
          >
            {tag.label}
          </Menu.Item>
        ))}
      </div>
    );
  });
}

/** What is shown to contacts without a value in this field; nothing, if it is left empty. */
function DefaultField({ field, onInsert }: { field: MergeTag; onInsert(tag: string): void }) {
  const t = useText('composer');
  const [words, setWords] = useState('');
  const insert = () => onInsert(withDefault(field.tag, words));
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the menu would take arrow keys and letters from the field
    <div
      className={classes.tagDefault}
      {...keepsWriting}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' && event.key !== 'Tab') event.stopPropagation();
        if (event.key !== 'Enter') return;
        event.preventDefault();
        insert();
      }}
    >
      <Text fw={600}>{field.label}</Text>
      <TextInput
        label={t('tagDefault')}
        description={t('tagDefaultHint')}
        maxLength={100}
        value={words}
        onChange={(event) => setWords(event.currentTarget.value)}
        data-autofocus
        autoFocus
      />
      <Button size="xs" onClick={insert}>
        {t('insert')}
      </Button>
    </div>
  );
}

/** The tag with what stands for an empty value; signs that would end the tag are left out. */
export const withDefault = (tag: string, words: string): string => {
  const plain = words.replaceAll('|', '').trim();
  return plain === '' ? tag : `${tag.slice(0, -2)}:${plain}|*`;
};

type Inserted = { value: string; onText(text: string): void };

/** Inserts a merge tag into a field where its cursor was when the menu was opened: what is saved meanwhile may move it. */
function useInsertTag(field: RefObject<HTMLInputElement | HTMLTextAreaElement | null>, { value, onText }: Inserted) {
  const cursor = useRef<[from: number, to: number]>(undefined);
  const onOpen = () => {
    const { selectionStart, selectionEnd } = field.current!;
    cursor.current = [selectionStart ?? value.length, selectionEnd ?? value.length];
  };
  const onChoose = (tag: string) => {
    const [from, to] = cursor.current ?? [value.length, value.length];
    // The cursor can go after the tag only once the field has it.
    flushSync(() => onText(value.slice(0, from) + tag + value.slice(to)));
    const input = field.current!;
    input.focus();
    input.setSelectionRange(from + tag.length, from + tag.length);
  };
  return { onOpen, onChoose };
}

type FieldProps = Omit<TextInputProps, 'value' | 'onChange'> & Inserted & { links?: boolean };

/** A text field with a menu of merge tags. */
export function TagField({ value, onText, disabled, links = false, ...props }: FieldProps) {
  const t = useText('composer');
  const input = useRef<HTMLInputElement>(null);
  const insert = useInsertTag(input, { value, onText });
  return (
    <TextInput
      ref={input}
      value={value}
      disabled={disabled}
      onChange={(event) => onText(event.currentTarget.value)}
      rightSection={
        <MergeTagMenu links={links} {...insert} disabled={disabled ?? false}>
          <Tooltip label={t('insertTag')}>
            <ActionIcon
              variant="subtle"
              color="gray"
              aria-label={t('insertTagInto', { field: String(props.label) })}
              disabled={disabled}
            >
              <IconTags size={16} aria-hidden />
            </ActionIcon>
          </Tooltip>
        </MergeTagMenu>
      }
      {...props}
    />
  );
}

type AreaProps = Omit<TextareaProps, 'value' | 'onChange'> & Inserted & { tagLabel: string };

/** A text of several lines, with a menu of merge tags above it. */
export function TagArea({ value, onText, tagLabel, ...props }: AreaProps) {
  const t = useText('composer');
  const area = useRef<HTMLTextAreaElement>(null);
  const insert = useInsertTag(area, { value, onText });
  const disabled = props.readOnly || props.disabled || false;
  return (
    <Stack gap="sm">
      <Group>
        <MergeTagMenu links {...insert} disabled={disabled}>
          <Button
            variant="default"
            size="xs"
            leftSection={<IconTags size={14} aria-hidden />}
            aria-label={t('insertTagInto', { field: tagLabel })}
            disabled={disabled}
          >
            {t('insertTag')}
          </Button>
        </MergeTagMenu>
      </Group>
      <Textarea ref={area} value={value} onChange={(event) => onText(event.currentTarget.value)} {...props} />
    </Stack>
  );
}
