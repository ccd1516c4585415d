// Settings of the visual editor for images, buttons and the space of a block. `onChange` redraws them, as GrapesJS changes the
// element in place.
import { Button, Group, Input, NumberInput, SegmentedControl, Slider, Switch, Text, TextInput } from '@mantine/core';
import { IconAlignCenter, IconAlignLeft, IconAlignRight, IconCrop, IconPhoto } from '@tabler/icons-react';
import type { Component } from 'grapesjs';
import { type ReactNode, useId } from 'react';
import { useText } from '../../../../text/use-text.tsx';
import classes from '../../composer.module.css';
import { TagField } from '../../content/merge-tags.tsx';
import { canBeCropped } from '../../pictures/crop/cropped-picture.ts';
import {
  type Align,
  around,
  paddingOf,
  place,
  placeOf,
  type Side,
  setButtonPadding,
  setPadding,
  setText,
  styleOf,
  textOf,
} from '../element.ts';
import { fitPictures, linkOf, roomFor, setLinkOf, setWidth } from '../picture.ts';
import { ColourField } from './colour-field.tsx';

export type FieldsProps = { selected: Component; onChange(): void };

export const attributesOf = (element: Component) => element.getAttributes() as Record<string, string>;

export function PictureFields({
  selected,
  onChange,
  onPicture,
  onCrop,
}: FieldsProps & { onPicture(): void; onCrop(): void }) {
  const t = useText('visual');
  const attributes = attributesOf(selected);
  const setAttribute = (name: string, value: string) => {
    selected.addAttributes({ [name]: value });
    onChange();
  };
  return (
    <>
      <Group gap="xs">
        <Button size="xs" variant="default" leftSection={<IconPhoto size={14} aria-hidden />} onClick={onPicture}>
          {t('pictureChoose')}
        </Button>
        {canBeCropped(attributes['src'] ?? '') && (
          <Button size="xs" variant="default" leftSection={<IconCrop size={14} aria-hidden />} onClick={onCrop}>
            {t('pictureCrop')}
          </Button>
        )}
      </Group>
      <TextInput
        label={t('pictureAddress')}
        placeholder="https://"
        value={attributes['src'] ?? ''}
        onChange={(event) => {
          selected.set('src', event.currentTarget.value);
          setAttribute('src', event.currentTarget.value);
        }}
      />
      <TextInput
        label={t('pictureAlt')}
        value={attributes['alt'] ?? ''}
        onChange={(event) => setAttribute('alt', event.currentTarget.value)}
        description={!attributes['alt'] && <span className={classes.warn}>{t('pictureAltWanted')}</span>}
      />
      <TagField
        links
        label={t('linkAddress')}
        placeholder="https://"
        value={attributesOf(linkOf(selected) ?? selected)['href'] ?? ''}
        onText={(href) => {
          setLinkOf(selected, href);
          onChange();
        }}
      />
    </>
  );
}

export function PictureStyle({ selected, onChange }: FieldsProps) {
  const t = useText('visual');
  const attributes = attributesOf(selected);
  const room = roomFor(selected);
  const width = Number.parseInt(attributes['width'] || styleOf(selected)['max-width'] || '', 10);
  const change = (next: number) => {
    setWidth(selected, Math.min(next, room));
    onChange();
  };
  return (
    <>
      <Pixels label={t('pictureWidth')} min={16} max={room} value={width} onValue={change} />
      <Slider
        thumbLabel={t('pictureWidth')}
        min={16}
        max={room}
        value={Number.isNaN(width) ? room : width}
        onChange={change}
        label={(value) => `${value} px`}
      />
      <AlignField
        value={placeOf(selected)}
        onAlign={(align) => {
          place(selected, align);
          onChange();
        }}
      />
    </>
  );
}

export function LinkFields({ selected, onChange }: FieldsProps) {
  const t = useText('visual');
  return (
    <>
      <TagField
        links
        label={t('linkAddress')}
        value={attributesOf(selected)['href'] ?? ''}
        onText={(href) => {
          selected.addAttributes({ href });
          onChange();
        }}
      />
      <TagField
        label={t('linkWords')}
        value={textOf(selected)}
        onText={(words) => {
          setText(selected, words);
          onChange();
        }}
      />
    </>
  );
}

/** The look of a button: its colour is that of the cell around it, because Outlook ignores the background and the padding of links. */
export function ButtonFields({ selected, onChange }: FieldsProps) {
  const t = useText('visual');
  const cell = around(selected, 'td')!;
  const table = around(selected, 'table');
  const padding = paddingOf(selected);
  const ground = [cell, selected].find((element) => styleOf(element)['background-color']) ?? cell;
  const radius = Number.parseInt(styleOf(ground)['border-radius'] ?? '0', 10);
  const isFull = table !== undefined && attributesOf(table)['width'] === '100%';
  const changed = (act: () => void) => {
    act();
    onChange();
  };
  const setFull = (full: boolean) => {
    if (full) table?.addAttributes({ width: '100%' });
    else table?.removeAttributes('width');
    selected.addStyle({ display: full ? 'block' : 'inline-block', 'text-align': 'center' });
    // Outlook places the words by it.
    cell.addAttributes({ align: 'center' });
  };
  return (
    <>
      <ColourField
        label={t('buttonColour')}
        value={styleOf(ground)['background-color'] ?? ''}
        onColour={(colour) => changed(() => ground.addStyle({ 'background-color': colour }))}
      />
      <ColourField
        label={t('textColour')}
        value={styleOf(selected)['color'] ?? ''}
        onColour={(color) => changed(() => selected.addStyle({ color }))}
      />
      <Pair>
        <Pixels
          label={t('buttonHeight')}
          value={padding.top}
          onValue={(size) => changed(() => setButtonPadding(selected, { top: size, bottom: size }))}
        />
        <Pixels
          label={t('buttonSides')}
          value={padding.left}
          onValue={(size) => changed(() => setButtonPadding(selected, { left: size, right: size }))}
        />
      </Pair>
      <Pair>
        <Pixels
          label={t('textSize')}
          min={8}
          max={72}
          value={Number.parseInt(styleOf(selected)['font-size'] ?? '', 10)}
          onValue={(size) => changed(() => selected.addStyle({ 'font-size': `${size}px` }))}
        />
        <Pixels
          label={t('radius')}
          value={radius}
          onValue={(size) => changed(() => ground.addStyle({ 'border-radius': `${size}px` }))}
        />
      </Pair>
      {radius > 0 && (
        <Text size="xs" c="dimmed">
          {t('radiusInOutlook')}
        </Text>
      )}
      <Switch
        label={t('fullWidth')}
        checked={isFull}
        onChange={(event) => {
          const { checked } = event.currentTarget;
          changed(() => setFull(checked));
        }}
      />
      {table && !isFull && (
        <AlignField value={placeOf(table)} onAlign={(align) => changed(() => place(table, align))} />
      )}
    </>
  );
}

/** Two short fields beside each other, in line also where one label takes two lines. */
const Pair = ({ children }: { children: ReactNode }) => (
  <Group gap="xs" grow wrap="nowrap" align="end">
    {children}
  </Group>
);

/** The space around the content of a block, and what is behind it: the padding and the background of its cells. */
export function SpaceFields({ block, onChange }: { block: Component; onChange(): void }) {
  const t = useText('visual');
  const cells: Component[] = block.components().filter((child: Component) => child.tagName?.toLowerCase() === 'td');
  if (!cells[0]) return null;
  const padding = paddingOf(cells[0]);
  const field = (label: string, changed: readonly Side[]) => (
    <Pixels
      label={label}
      value={padding[changed[0]!]}
      onValue={(size) => {
        for (const cell of cells) setPadding(cell, Object.fromEntries(changed.map((side) => [side, size])));
        fitPictures(block);
        onChange();
      }}
    />
  );
  return (
    <>
      <Pair>
        {field(t('spaceAbove'), ['top'])}
        {field(t('spaceBelow'), ['bottom'])}
      </Pair>
      {field(t('spaceSides'), ['left', 'right'])}
      <ColourField
        label={t('ground')}
        value={styleOf(cells[0])['background-color'] ?? ''}
        onColour={(colour) => {
          for (const cell of cells)
            if (colour === '') cell.removeStyle('background-color');
            else cell.addStyle({ 'background-color': colour });
          onChange();
        }}
      />
    </>
  );
}

type PixelsProps = { label: string; value: number; min?: number; max?: number; onValue(value: number): void };

function Pixels({ label, value, min = 0, max = 200, onValue }: PixelsProps) {
  return (
    <NumberInput
      label={label}
      suffix=" px"
      min={min}
      max={max}
      clampBehavior="strict"
      allowDecimal={false}
      value={Number.isNaN(value) ? '' : value}
      onChange={(next) => typeof next === 'number' && next !== value && onValue(next)}
    />
  );
}

export function AlignField({ value, onAlign }: { value: string; onAlign(align: Align): void }) {
  const t = useText('visual');
  const id = useId();
  return (
    <div>
      <Input.Label labelElement="div" display="block" mb={4} id={id}>
        {t('align')}
      </Input.Label>
      <SegmentedControl
        aria-labelledby={id}
        value={value}
        onChange={(align) => onAlign(align as Align)}
        data={[
          { value: 'left', label: <IconAlignLeft size={16} aria-label={t('left')} role="img" /> },
          { value: 'center', label: <IconAlignCenter size={16} aria-label={t('center')} role="img" /> },
          { value: 'right', label: <IconAlignRight size={16} aria-label={t('right')} role="img" /> },
        ]}
      />
    </div>
  );
}
