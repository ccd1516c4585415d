// The settings of the element that is selected in the visual editor: position, text, link, image and style.
import {
  ActionIcon,
  type ActionIconProps,
  Button,
  ColorInput,
  Group,
  NumberInput,
  Stack,
  Textarea,
  Title,
  Tooltip,
} from '@mantine/core';
import {
  IconArrowDown,
  IconArrowUp,
  IconCode,
  IconCopy,
  IconPencil,
  IconTrash,
  type TablerIcon,
} from '@tabler/icons-react';
import type { Component } from 'grapesjs';
import { type ComponentPropsWithRef, use, useState } from 'react';
import { useText } from '../../../../text/use-text.tsx';
import { isButton, kindOf, styleOf } from '../element.ts';
import { blockOf, isPicture, isText, removeBlock, type Visual } from '../grapes-editor.ts';
import { useSwatches } from '../use-look.ts';
import { endWriting, keepsWriting, writeIn } from '../writing/cursor.ts';
import { BesideBlock } from './beside-block.ts';
import {
  AlignField,
  attributesOf,
  ButtonFields,
  type FieldsProps,
  LinkFields,
  PictureFields,
  SpaceFields,
} from './block-fields.tsx';
import { ConditionFields } from './condition-fields.tsx';
import { LoopFields } from './loop-fields.tsx';
import { SaveBlock } from './saved-blocks.tsx';

type ToolProps = ActionIconProps &
  ComponentPropsWithRef<'button'> & {
    icon: TablerIcon;
    label: string;
    /** Of a tool that is on or off. */
    pressed?: boolean;
  };

export function Tool({ icon: Icon, label, pressed, ...props }: ToolProps) {
  return (
    <Tooltip label={label}>
      <ActionIcon
        variant={pressed ? 'light' : 'default'}
        size="md"
        aria-label={label}
        aria-pressed={pressed}
        {...props}
      >
        <Icon size={16} aria-hidden />
      </ActionIcon>
    </Tooltip>
  );
}

type Props = { visual: Visual; selected: Component; onPicture(): void };

/** The settings of the selected element: position, text, link, image and style. */
export function ElementSettings({ visual, selected, onPicture }: Props) {
  const t = useText('composer');
  const { editor } = visual;
  const besideBlock = use(BesideBlock);
  const [, redraw] = useState(0);
  const onChange = () => redraw((count) => count + 1);
  const tag = selected.tagName?.toLowerCase() ?? '';
  const row = blockOf(editor, selected) ?? selected;
  const move = async (by: number) => {
    await endWriting(editor);
    const parent = row.parent();
    if (!parent) return;
    const at = row.index() + by;
    if (at < 0 || at >= parent.components().length) return;
    row.move(parent, { at: by > 0 ? at + 1 : at });
    editor.select(selected);
  };
  const duplicate = async () => {
    await endWriting(editor);
    row.parent()?.append(row.clone(), { at: row.index() + 1 });
  };
  const parent = selected.parent();
  return (
    <Stack gap="sm">
      <Title order={3}>{t(kindOf(selected))}</Title>
      <Group gap="xs">
        <Tool icon={IconArrowUp} label={t('moveUp')} onClick={() => void move(-1)} />
        <Tool icon={IconArrowDown} label={t('moveDown')} onClick={() => void move(1)} />
        <Tool icon={IconCopy} label={t('duplicate')} onClick={() => void duplicate()} />
        <Tool icon={IconTrash} label={t('remove')} onClick={() => void removeBlock(editor)} />
      </Group>
      {isText(selected) && <TextTools visual={visual} selected={selected} />}
      {tag === 'a' && <LinkFields selected={selected} onChange={onChange} />}
      {isPicture(selected) && <PictureFields selected={selected} onChange={onChange} onPicture={onPicture} />}
      {isButton(selected) && <ButtonFields selected={selected} onChange={onChange} />}
      {tag !== 'img' && !isButton(selected) && <StyleFields selected={selected} onChange={onChange} />}
      <SpaceFields block={row} onChange={onChange} />
      {tag !== 'img' && <HtmlField selected={selected} />}
      <LoopFields key={`each ${row.getId()}`} block={row} onChange={onChange} />
      <ConditionFields key={row.getId()} block={row} onChange={onChange} />
      <SaveBlock block={row} />
      {besideBlock(row.getEl()?.textContent ?? '')}
      {parent && parent !== editor.getWrapper() && (
        <Button size="xs" variant="subtle" onClick={() => editor.select(parent)}>
          {t('chooseAround')}
        </Button>
      )}
    </Stack>
  );
}

function TextTools({ visual, selected }: { visual: Visual; selected: Component }) {
  const t = useText('composer');
  return (
    <Group gap="xs" {...keepsWriting}>
      <Button
        size="xs"
        variant="default"
        leftSection={<IconPencil size={14} aria-hidden />}
        onClick={() => void writeIn(visual.editor, selected)}
      >
        {t('writeText')}
      </Button>
    </Group>
  );
}

/** The HTML inside the element, for what has no field of its own. */
function HtmlField({ selected }: { selected: Component }) {
  const t = useText('composer');
  const [html, setHtml] = useState<string>();
  if (html === undefined)
    return (
      <Button
        size="xs"
        variant="default"
        leftSection={<IconCode size={14} aria-hidden />}
        onClick={() => setHtml(selected.getInnerHTML({ keepInlineStyle: true }))}
      >
        {t('editHtml')}
      </Button>
    );
  const apply = () => {
    selected.components(html);
    setHtml(undefined);
  };
  return (
    <Stack gap="xs">
      <Textarea
        label={t('elementHtml')}
        value={html}
        onChange={(event) => setHtml(event.currentTarget.value)}
        autosize
        minRows={4}
        maxRows={16}
        styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: 13 } }}
      />
      <Group gap="xs">
        <Button size="xs" onClick={apply}>
          {t('apply')}
        </Button>
        <Button size="xs" variant="default" onClick={() => setHtml(undefined)}>
          {t('cancel')}
        </Button>
      </Group>
    </Stack>
  );
}

function StyleFields({ selected, onChange }: FieldsProps) {
  const t = useText('composer');
  const swatches = useSwatches();
  const attributes = attributesOf(selected);
  const style = styleOf(selected);
  const setStyle = (name: string, value: string) => {
    if (value === '') selected.removeStyle(name);
    else selected.addStyle({ [name]: value });
    onChange();
  };
  return (
    <>
      <NumberInput
        label={t('textSize')}
        suffix=" px"
        min={8}
        max={72}
        value={Number.parseInt(style['font-size'] ?? '', 10) || ''}
        onChange={(value) => setStyle('font-size', value === '' ? '' : `${value}px`)}
      />
      <ColorInput
        label={t('textColour')}
        value={style['color'] ?? ''}
        onChange={(value) => setStyle('color', value)}
        swatches={swatches}
        eyeDropperButtonProps={{ 'aria-label': t('eyeDropper') }}
      />
      <ColorInput
        label={t('ground')}
        value={style['background-color'] ?? ''}
        onChange={(value) => setStyle('background-color', value)}
        swatches={swatches}
        eyeDropperButtonProps={{ 'aria-label': t('eyeDropper') }}
      />
      <AlignField
        value={style['text-align'] ?? attributes['align'] ?? 'left'}
        onAlign={(value) => setStyle('text-align', value)}
      />
    </>
  );
}
