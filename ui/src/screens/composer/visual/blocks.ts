// The blocks of the visual editor, as tables with inline styles, which every email client renders. A block is a row that
// is inserted after the selected one.
import type { ComponentDefinition } from 'grapesjs';
import { encodeList, loopAttribute } from './block-loops.ts';
import { blockSide, columnParts, columnSide } from './columns.ts';
import { type Look, plainLook } from './use-look.ts';

export const blockNames = [
  'heading',
  'text',
  'picture',
  'pictureText',
  'button',
  'columns',
  'threeColumns',
  'items',
  'social',
  'line',
  'space',
  'html',
  'footer',
] as const;
export type BlockName = (typeof blockNames)[number];

/** Sample texts in the user's language. */
export type BlockWords = Record<'heading' | 'text' | 'button' | 'alt' | 'unsubscribe' | 'html', string>;

/** Blocks that need an image: it is chosen before they are added. */
export const withPicture = (name: BlockName) => name === 'picture' || name === 'pictureText';

const font = { 'font-family': plainLook.font };
const sidesInColumn = { 'padding-left': `${columnSide}px`, 'padding-right': `${columnSide}px` };
const sides = { 'padding-left': '32px', 'padding-right': '32px' };

/** Blocks that have columns themselves, or need the width of the email, go into no column. */
export const fitsColumn = (name: BlockName) =>
  !['pictureText', 'columns', 'threeColumns', 'items', 'footer'].includes(name);

/** The row of a block, in the look of the account. */
export function blockRow(name: BlockName, words: BlockWords, look: Look, inColumn = false): ComponentDefinition {
  const cell = cellOf(name, words);
  const block = row(
    inColumn && name !== 'space'
      ? { ...cell, style: { ...(cell['style'] as Record<string, string>), ...sidesInColumn } }
      : cell,
  );
  return inLook(
    name === 'items' ? { ...block, attributes: { [loopAttribute]: encodeList(exampleList) } } : block,
    look,
  );
}

/** What a new block of items is repeated for. */
const exampleList = 'EVENT:items';

/** The blocks are drawn in the plain look; its font, and the colours of buttons, are replaced. */
function inLook(block: ComponentDefinition, look: Look): ComponentDefinition {
  const { style, components } = block as { style?: Record<string, string>; components?: unknown };
  return {
    ...block,
    ...(style && {
      style: Object.fromEntries(Object.entries(style).map(([name, value]) => [name, valueIn(look, value)])),
    }),
    ...(Array.isArray(components) && {
      components: components.map((part) => inLook(part as ComponentDefinition, look)),
    }),
  };
}

function valueIn(look: Look, value: string): string {
  if (value === plainLook.font) return look.font;
  if (value === plainLook.colour) return look.colour;
  return value === plainLook.textOnColour ? look.textOnColour : value;
}

/** A row wrapped in a table, for a page that has none. */
export function inTable(row: ComponentDefinition): ComponentDefinition {
  return {
    tagName: 'table',
    attributes: {
      role: 'presentation',
      width: '100%',
      cellpadding: '0',
      cellspacing: '0',
      border: '0',
      align: 'center',
    },
    style: { 'max-width': '600px' },
    components: [{ tagName: 'tbody', components: [row] }],
  };
}

function cellOf(name: BlockName, words: BlockWords): ComponentDefinition {
  switch (name) {
    case 'heading':
      return cell(
        {
          ...sides,
          'padding-top': '16px',
          'padding-bottom': '8px',
          ...font,
          'font-size': '24px',
          'line-height': '1.3',
          'font-weight': 'bold',
          color: '#1c2430',
        },
        words.heading,
        'text',
      );
    case 'text':
      return cell(
        {
          ...sides,
          'padding-top': '8px',
          'padding-bottom': '16px',
          ...font,
          'font-size': '16px',
          'line-height': '1.6',
          color: '#1c2430',
        },
        words.text,
        'text',
      );
    case 'picture':
      return cell({ 'padding-top': '8px', 'padding-bottom': '8px' }, [picture(words.alt, 600)]);
    case 'pictureText':
      return columns([cell({ padding: '8px' }, [picture(words.alt, 260)]), textColumn(words.text)]);
    case 'button':
      return cell({ ...sides, 'padding-top': '16px', 'padding-bottom': '24px' }, [button(words.button)]);
    case 'columns':
      return columns([textColumn(words.text), textColumn(words.text)]);
    case 'threeColumns':
      return columns([textColumn(words.text), textColumn(words.text), textColumn(words.text)]);
    case 'items':
      return cell({ ...sides, 'padding-top': '8px', 'padding-bottom': '8px' }, [fullTable(itemCells)]);
    case 'social':
      return cell({ ...sides, ...small, 'text-align': 'center' }, socialLinks, 'text');
    case 'footer':
      return cell(
        { ...sides, ...small, 'text-align': 'center' },
        `*|LIST:COMPANY|* · *|LIST:ADDRESS|*<br><a href="*|UNSUB|*" style="color:#59626d;">${words.unsubscribe}</a>`,
        'text',
      );
    case 'html':
      return cell({ ...sides, 'padding-top': '8px', 'padding-bottom': '8px', ...font }, `<p>${words.html}</p>`);
    case 'line':
      return cell({ ...sides, 'padding-top': '16px', 'padding-bottom': '16px' }, [
        fullTable([cell({ 'border-top': '1px solid #d5d9df', 'font-size': '1px', 'line-height': '1px' }, '&nbsp;')]),
      ]);
    case 'space':
      return cell({ height: '32px', 'font-size': '1px', 'line-height': '32px' }, '&nbsp;');
  }
}

const small = {
  'padding-top': '16px',
  'padding-bottom': '16px',
  ...font,
  'font-size': '13px',
  'line-height': '1.5',
  color: '#59626d',
};

/** Words, not icons: they show while images are blocked, and are read aloud. */
const socialLinks = [
  ['Facebook', 'https://www.facebook.com/'],
  ['Instagram', 'https://www.instagram.com/'],
  ['LinkedIn', 'https://www.linkedin.com/'],
  ['YouTube', 'https://www.youtube.com/'],
]
  .map(([name, address]) => `<a href="${address}" style="color:#59626d;">${name}</a>`)
  .join(' &nbsp;·&nbsp; ');

const picture = (alt: string, width: number): ComponentDefinition => ({
  type: 'image',
  attributes: { src: '', alt, width: String(width) },
  style: { display: 'block', width: '100%', 'max-width': `${width}px`, height: 'auto', border: '0' },
});

/** An item of a list, with the names that shops give its members. */
const itemCells: ComponentDefinition[] = [
  cell({ width: '72px', 'vertical-align': 'top' }, [
    {
      type: 'link',
      attributes: { href: '*|ITEM:url|*' },
      components: [
        {
          type: 'image',
          attributes: { src: '*|ITEM:picture|*', alt: '*|ITEM:name|*', width: '72' },
          style: { display: 'block', width: '72px', height: 'auto', border: '0' },
        },
      ],
    },
  ]),
  cell(
    {
      'padding-left': '16px',
      'vertical-align': 'top',
      ...font,
      'font-size': '16px',
      'line-height': '1.5',
      color: '#1c2430',
    },
    '<a href="*|ITEM:url|*" style="color:#1c2430;font-weight:bold;">*|ITEM:name|*</a>&nbsp;',
    'text',
  ),
  cell(
    {
      'padding-left': '16px',
      'vertical-align': 'top',
      'text-align': 'right',
      'white-space': 'nowrap',
      ...font,
      'font-size': '16px',
      'line-height': '1.5',
      color: '#1c2430',
    },
    '*|ITEM:price|*',
    'text',
  ),
];

/** A link in a cell with the background. Outlook ignores the padding of links, and takes `mso-padding-alt` of the cell. */
const button = (words: string): ComponentDefinition => ({
  tagName: 'table',
  attributes: { role: 'presentation', cellpadding: '0', cellspacing: '0', border: '0' },
  components: [
    {
      tagName: 'tbody',
      components: [
        row({
          tagName: 'td',
          attributes: { align: 'center' },
          style: {
            'background-color': plainLook.colour,
            'border-radius': '6px',
            'mso-padding-alt': '12px 24px 12px 24px',
          },
          components: [
            {
              type: 'link',
              attributes: { href: 'https://' },
              style: {
                display: 'inline-block',
                padding: '12px 24px',
                ...font,
                'font-size': '16px',
                // With the padding 44 px: what a finger hits.
                'line-height': '20px',
                'font-weight': 'bold',
                color: plainLook.textOnColour,
                'text-decoration': 'none',
              },
              components: words,
            },
          ],
        }),
      ],
    },
  ],
});

/** A table of one row over the full width. */
const fullTable = (cells: ComponentDefinition[]): ComponentDefinition => ({
  tagName: 'table',
  attributes: { role: 'presentation', width: '100%', cellpadding: '0', cellspacing: '0', border: '0' },
  components: [{ tagName: 'tbody', components: [{ tagName: 'tr', components: cells }] }],
});

const row = (cell: ComponentDefinition): ComponentDefinition => ({ tagName: 'tr', components: [cell] });

const columns = (cells: ComponentDefinition[]): ComponentDefinition =>
  cell(
    { 'padding-left': `${blockSide}px`, 'padding-right': `${blockSide}px`, 'font-size': '0' },
    columnParts(cells.map((content) => fullTable([content]))),
  );

/** What a further column begins with. */
export const columnContent = (words: BlockWords, look: Look): ComponentDefinition =>
  inLook(fullTable([textColumn(words.text)]), look);

const textColumn = (words: string) =>
  cell({ padding: '8px', ...font, 'font-size': '16px', 'line-height': '1.6', color: '#1c2430' }, words, 'text');

function cell(
  style: Record<string, string>,
  components: string | ComponentDefinition[],
  type?: 'text',
): ComponentDefinition {
  return { tagName: 'td', ...(type ? { type } : {}), style, components };
}
