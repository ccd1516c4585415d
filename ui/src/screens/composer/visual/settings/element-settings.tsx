// The settings of the element that is selected in the visual editor, in groups: content, style, spacing, more.
import { Button, Group, NumberInput, Stack, Textarea, Title } from '@mantine/core';
import { IconCode, IconPencil } from '@tabler/icons-react';
import type { Component, ComponentDefinition, Editor } from 'grapesjs';
import { type ReactNode, use, useState } from 'react';
import { useText } from '../../../../text/use-text.tsx';
import classes from '../../composer.module.css';
import { blockOf } from '../block.ts';
import { cellOfColumns, columnOf } from '../columns.ts';
import { alignOf, isButton, isPicture, isText, styleOf, textOf } from '../element.ts';
import type { Visual } from '../grapes-editor.ts';
import { keepsWriting, writeIn } from '../writing/cursor.ts';
import { BesideBlock } from './beside-block.ts';
import {
  AlignField,
  ButtonFields,
  type FieldsProps,
  LinkFields,
  PictureFields,
  PictureStyle,
  SpaceFields,
} from './block-fields.tsx';
import { ColourField } from './colour-field.tsx';
import { ChooseColumns, ColumnsFields } from './columns-fields.tsx';
import { ConditionFields } from './condition-fields.tsx';
import { LoopFields } from './loop-fields.tsx';
import { SaveBlock } from './saved-blocks.tsx';

type Props = {
  visual: Visual;
  selected: Component;
  onPicture(): void;
  onCrop(): void;
  newColumn(): ComponentDefinition;
};

/** The settings of the selected element, in groups; those of its block are among them. */
export function ElementSettings({ visual: { editor }, selected, onPicture, onCrop, newColumn }: Props) {
  const t = useText('visual');
  const besideBlock = use(BesideBlock);
  const [, redraw] = useState(0);
  const onChange = () => redraw((count) => count + 1);
  const tag = selected.tagName?.toLowerCase() ?? '';
  const row = blockOf(editor, selected) ?? selected;
  const cell = cellOfColumns(row);
  const around = columnOf(selected)?.parent() ?? (cell === selected ? undefined : cell);
  const parent = selected.parent();
  const isStyled = tag !== 'img' && !isButton(selected) && !cell;
  return (
    <Stack gap="sm">
      {(isText(selected) || tag === 'a' || isPicture(selected) || cell || around) && (
        <Part title={t('partContent')}>
          {isText(selected) && !isButton(selected) && <TextTools editor={editor} selected={selected} />}
          {tag === 'a' && <LinkFields selected={selected} onChange={onChange} />}
          {isPicture(selected) && (
            <PictureFields selected={selected} onChange={onChange} onPicture={onPicture} onCrop={onCrop} />
          )}
          {cell && <ColumnsFields cell={cell} onChange={onChange} newColumn={newColumn} />}
          {around && <ChooseColumns onChoose={() => editor.select(around)} />}
        </Part>
      )}
      {(isStyled || isPicture(selected) || isButton(selected)) && (
        <Part title={t('partStyle')}>
          {isPicture(selected) && <PictureStyle selected={selected} onChange={onChange} />}
          {isButton(selected) && <ButtonFields selected={selected} onChange={onChange} />}
          {isStyled && <StyleFields selected={selected} onChange={onChange} hasGround={parent !== row} />}
        </Part>
      )}
      <Part title={t('partSpacing')}>
        <SpaceFields block={row} onChange={onChange} />
      </Part>
      <Part title={t('partMore')}>
        {tag !== 'img' && <HtmlField selected={selected} />}
        <LoopFields key={`each ${row.getId()}`} block={row} onChange={onChange} />
        <ConditionFields key={row.getId()} block={row} onChange={onChange} />
        <SaveBlock block={row} />
        {besideBlock(textOf(row))}
        {parent && parent !== editor.getWrapper() && (
          <Button size="xs" variant="subtle" onClick={() => editor.select(parent)}>
            {t('chooseAround')}
          </Button>
        )}
      </Part>
    </Stack>
  );
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section aria-label={title} className={classes.settingsPart}>
      <Title order={4} className={classes.settingsTitle}>
        {title}
      </Title>
      <Stack gap="sm">{children}</Stack>
    </section>
  );
}

function TextTools({ editor, selected }: { editor: Editor; selected: Component }) {
  const t = useText('visual');
  return (
    <Group gap="xs" {...keepsWriting}>
      <Button
        size="xs"
        variant="default"
        leftSection={<IconPencil size={14} aria-hidden />}
        onClick={() => void writeIn(editor, selected)}
      >
        {t('writeText')}
      </Button>
    </Group>
  );
}

/** The HTML inside the element, for what has no field of its own. */
function HtmlField({ selected }: { selected: Component }) {
  const t = useText('visual');
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

/** @param hasGround whether its background is apart from that of the block */
function StyleFields({ selected, onChange, hasGround }: FieldsProps & { hasGround: boolean }) {
  const t = useText('visual');
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
      <ColourField
        label={t('textColour')}
        value={style['color'] ?? ''}
        onColour={(value) => setStyle('color', value)}
      />
      {hasGround && (
        <ColourField
          label={t('groundOfWords')}
          value={style['background-color'] ?? ''}
          onColour={(value) => setStyle('background-color', value)}
        />
      )}
      <AlignField value={alignOf(selected)} onAlign={(value) => setStyle('text-align', value)} />
    </>
  );
}
