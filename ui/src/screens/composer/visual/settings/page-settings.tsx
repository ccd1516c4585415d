// The settings of the whole page, shown while no element is selected: its background, the width of the email, the font.
import { ColorInput, NativeSelect, NumberInput, Stack, Title } from '@mantine/core';
import type { Component } from 'grapesjs';
import { useState } from 'react';
import { useText } from '../../../../text/use-text.tsx';
import classes from '../../composer.module.css';
import type { Visual } from '../grapes-editor.ts';
import { bodyStyle, withBodyStyle } from '../page-parts.ts';
import { useSwatches } from '../use-look.ts';

type Props = {
  visual: Visual;
  html: string /** Changes what is around the content. */;
  onPage(change: (html: string) => string): void;
};

/** Fonts that email clients have. */
const fonts = [
  'Arial,Helvetica,sans-serif',
  'Verdana,Geneva,sans-serif',
  'Tahoma,Geneva,sans-serif',
  "'Trebuchet MS',Helvetica,sans-serif",
  'Georgia,serif',
  "'Times New Roman',Times,serif",
];

const same = (a: string, b: string) =>
  a.replace(/[\s'"]/g, '').toLowerCase() === b.replace(/[\s'"]/g, '').toLowerCase();

export function PageSettings({ visual: { editor }, html, onPage }: Props) {
  const t = useText('visual');
  const swatches = useSwatches();
  const [, redraw] = useState(0);
  const changed = () => redraw((count) => count + 1);
  const wrapper = editor.getWrapper()!;
  const all: Component[] = wrapper.find('*');
  const styleOf = (element: Component, name: string) => (element.getStyle() as Record<string, string>)[name] ?? '';
  const tables = all.filter((element) => /px$/.test(styleOf(element, 'max-width')) && element.tagName === 'table');
  const written = all.filter((element) => styleOf(element, 'font-family') !== '');
  const font = written[0] && styleOf(written[0], 'font-family');
  /** The table over the whole page, which has the background in Outlook. */
  const outer = wrapper.components().find((element: Component) => element.tagName === 'table');

  const setBackground = (colour: string) => {
    const old = bodyStyle(html, 'background-color');
    onPage((page) => withBodyStyle(page, 'background-color', colour));
    if (outer && (styleOf(outer, 'background-color') !== '' || old === ''))
      outer.addStyle({ 'background-color': colour });
    const body = editor.Canvas.getBody();
    body.style.setProperty('background-color', colour, 'important');
  };
  const setWidth = (width: number) => {
    for (const table of tables) {
      table.addStyle({ 'max-width': `${width}px` });
      if (/^\d+$/.test(String(table.getAttributes()['width'] ?? ''))) table.addAttributes({ width: String(width) });
    }
    changed();
  };
  const setFont = (family: string) => {
    for (const element of written) element.addStyle({ 'font-family': family });
    changed();
  };
  return (
    <Stack gap="sm">
      <Title order={3} className={classes.settingsName}>
        {t('pageSettings')}
      </Title>
      <ColorInput
        label={t('ground')}
        value={bodyStyle(html, 'background-color')}
        onChangeEnd={setBackground}
        swatches={swatches}
        eyeDropperButtonProps={{ 'aria-label': t('eyeDropper') }}
      />
      {tables[0] && (
        <NumberInput
          label={t('pageWidth')}
          suffix=" px"
          min={320}
          max={900}
          value={Number.parseInt(styleOf(tables[0], 'max-width'), 10)}
          onBlur={(event) => {
            const width = Number.parseInt(event.currentTarget.value, 10);
            if (width >= 320 && width <= 900) setWidth(width);
          }}
        />
      )}
      {font && (
        <NativeSelect
          label={t('font')}
          value={fonts.find((family) => same(family, font)) ?? font}
          onChange={(event) => setFont(event.currentTarget.value)}
          data={[...new Set([fonts.find((family) => same(family, font)) ?? font, ...fonts])].map((family) => ({
            value: family,
            label: family.split(',')[0]!.replaceAll(/['"]/g, ''),
          }))}
        />
      )}
    </Stack>
  );
}
