// Ten emails of the kinds that well-known newsletters have, with texts and pictures of our own, written by the hand of a person in the
// visual editor. Each begins with the starter email: a heading, a text, a footer.
import type { Hand, Scene } from './hand.ts';

export type Letter = {
  name: string;
  subject: string;
  /** How many blocks have columns that are below each other on a phone. */
  stacked: number;
  buttons: number;
  write(
    hand: Hand,
    scenes: (name: string, alt: string, width?: number, height?: number) => Promise<Scene>,
  ): Promise<void>;
};

const heading = 'A heading that says';
const text = 'Write your news here';
const sample = 'A paragraph';

async function begin(hand: Hand, title: string, words: string): Promise<void> {
  await hand.rewrite(heading, title);
  await hand.rewrite(text, words);
}

const digest: Letter = {
  name: 'morning digest',
  subject: 'Three things before breakfast',
  stacked: 0,
  buttons: 0,
  async write(hand) {
    await begin(
      hand,
      'The Harbour Morning',
      'Good morning. Ferries are on time, the library opens late, and rain comes at four.',
    );
    for (const [title, words, href] of [
      [
        'The new ferry sails on Monday',
        'Two crossings an hour, and bicycles travel free until June. Read on',
        'https://example.com/ferry',
      ],
      [
        'What the council decided',
        'The market stays on the square, and the car park becomes a garden. Read on',
        'https://example.com/council',
      ],
      [
        'A heron moves in',
        'It has built its nest on the pilot station, and shipping waits. Read on',
        'https://example.com/heron',
      ],
    ] as const) {
      await hand.button('Divider');
      await hand.write('Heading', title);
      await hand.setting('Text size', '18');
      await hand.write('Text', words);
      await hand.link('Read on', href);
    }
  },
};

const launch: Letter = {
  name: 'product launch',
  subject: 'The lamp that follows the sun',
  stacked: 1,
  buttons: 1,
  async write(hand, scenes) {
    await begin(
      hand,
      'Meet Solis',
      'A lamp that changes with the day: cool in the morning, warm at night, and never too bright to sleep.',
    );
    await hand.click(hand.email.getByText('Meet Solis'));
    await hand.picture(await scenes('lamp', 'A lamp at dawn'));
    await hand.button('Move up');
    await hand.click(hand.email.getByText('A lamp that changes'));
    await hand.cta('Order yours', 'https://example.com/solis');
    await hand.align('Centre');
    await hand.setting('Button colour', '#b45309');
    await hand.setting('Rounded corners', '24');
    await hand.button('Two columns');
    await hand.rewrite(sample, 'Twelve hours on one charge. The battery can be replaced with a coin.');
    await hand.rewrite(sample, 'Made of ash and glass in a workshop by the lake. Repaired there, too.');
  },
};

const offer: Letter = {
  name: 'shop offer',
  subject: 'A fifth off everything woollen',
  stacked: 1,
  buttons: 3,
  async write(hand, scenes) {
    await begin(
      hand,
      'Twenty per cent off wool',
      'Until Sunday at midnight, in the shop and by post. The code is SHEEP.',
    );
    await hand.setting('Background', '#14532d');
    await hand.setting('Text colour', '#ffffff');
    await hand.button('Three columns');
    for (const [at, [name, price]] of (
      [
        ['Harbour jumper', '€ 79 instead of € 99'],
        ['Pilot hat', '€ 23 instead of € 29'],
        ['Night watch socks', '€ 15 instead of € 19'],
      ] as const
    ).entries()) {
      await hand.rewrite(sample, `${name} ${price}`);
      await hand.picture(await scenes(`wool-${at}`, name, 600, 600));
      await hand.button('Move up');
      await hand.click(hand.email.getByText(name));
      await hand.cta('Buy', `https://example.com/${at}`);
      await hand.click(hand.page.getByRole('switch', { name: 'Full width' }));
    }
  },
};

const invitation: Letter = {
  name: 'event invitation',
  subject: 'You are invited: an evening on the pier',
  stacked: 1,
  buttons: 1,
  async write(hand, scenes) {
    await begin(
      hand,
      'An evening on the pier',
      'Music, soup and the lights of the other shore. Come with whom you like.',
    );
    await hand.picture(await scenes('pier', 'The pier at night', 1_200, 500));
    await hand.button('Two columns');
    await hand.rewrite(sample, 'When: Saturday 14 June, from seven until the last ferry.');
    await hand.rewrite(sample, 'Where: Pier 3, behind the old customs house.');
    await hand.button('Select the columns');
    await hand.setting('Background', '#eef2ff');
    await hand.cta('I am coming', 'https://example.com/yes');
    await hand.align('Centre');
  },
};

const changelog: Letter = {
  name: 'changelog',
  subject: 'What is new in May',
  stacked: 0,
  buttons: 1,
  async write(hand) {
    await begin(hand, 'What is new in May', 'Version 4.2 is out. It starts twice as fast and forgets nothing.');
    for (const [title, lines] of [
      ['New', ['Boards can be shared with a link', 'Search finds words in pictures']],
      ['Better', ['Lists of 10,000 rows scroll smoothly', 'Keyboard shortcuts for everything']],
      ['Fixed', ['Times were an hour late in spring', 'Copies had lost their colours']],
    ] as const) {
      await hand.write('Heading', title);
      await hand.setting('Text size', '18');
      await hand.button('Text');
      await hand.click(hand.page.getByRole('toolbar', { name: 'Text' }).getByRole('button', { name: 'Bulleted list' }));
      await hand.press('Control+a');
      await hand.type(lines[0]);
      await hand.press('Enter');
      await hand.type(lines[1]);
    }
    await hand.cta('Read all notes', 'https://example.com/notes');
  },
};

const personal: Letter = {
  name: 'personal letter',
  subject: 'A year of letters',
  stacked: 0,
  buttons: 0,
  async write(hand) {
    await hand.click(hand.email.getByText(heading));
    await hand.button('Remove');
    await hand.rewrite(text, 'Dear {');
    await hand.type('first');
    await hand.press('Enter');
    await hand.type(',');
    await hand.write(
      'Text',
      'a year ago I wrote the first of these letters, to eleven people. Today there are two thousand of you.',
    );
    await hand.write(
      'Text',
      'I would like to know what you read first, and what you skip. Just reply; I read everything.',
    );
    await hand.write('Text', 'Yours, Mia');
    await hand.press('Control+Shift+ArrowLeft');
    await hand.click(hand.page.getByRole('toolbar', { name: 'Text' }).getByRole('button', { name: 'Italic' }));
  },
};

const magazine: Letter = {
  name: 'magazine',
  subject: 'The long reads of the month',
  stacked: 3,
  buttons: 0,
  async write(hand, scenes) {
    await begin(hand, 'The long reads', 'Four weeks, three stories, one cup of tea each.');
    for (const [name, words, href] of [
      [
        'harbour',
        'The last lamplighter. For forty years Ines Okoro climbed the tower each evening. Read the story',
        'https://example.com/lamps',
      ],
      [
        'hills',
        'Walking home. Nine hundred kilometres on foot, because the trains were on strike. Read the story',
        'https://example.com/home',
      ],
      [
        'marsh',
        'Listening to reeds. A composer records what grows, and plays it back to the fields. Read the story',
        'https://example.com/reeds',
      ],
    ] as const) {
      await hand.picture(await scenes(name, `A picture of the ${name}`, 800, 600), 'Image and text');
      await hand.rewrite(sample, words);
      await hand.link('Read the story', href);
    }
  },
};

const receipt: Letter = {
  name: 'receipt',
  subject: 'Your order 1047',
  stacked: 0,
  buttons: 1,
  async write(hand) {
    await begin(hand, 'Thank you for your order', 'Order 1047 of 3 May leaves our store tomorrow.');
    for (const [at, [item, price]] of (
      [
        ['Harbour jumper, blue, size M', '€ 79.00'],
        ['Pilot hat', '€ 23.00'],
        ['Postage', '€ 4.90'],
        ['Total', '€ 106.90'],
      ] as const
    ).entries()) {
      await hand.button('Two columns');
      await hand.rewrite(sample, item);
      await hand.rewrite(sample, price);
      await hand.click(hand.page.getByRole('toolbar', { name: 'Text' }).getByRole('button', { name: 'Alignment' }));
      await hand.click(hand.page.getByRole('menuitem', { name: 'Right' }));
      await hand.button('Select the columns');
      await hand.option('Ratio', '75 : 25');
      await hand.click(hand.page.getByRole('switch', { name: 'Below each other on phones' }));
      if (at === 3) await hand.setting('Background', '#f4f5f7');
    }
    await hand.cta('Follow the parcel', 'https://example.com/parcel');
  },
};

const survey: Letter = {
  name: 'survey',
  subject: 'How was your week with us?',
  stacked: 0,
  buttons: 5,
  async write(hand) {
    await begin(
      hand,
      'How was your week with us?',
      'One click is enough. It takes two seconds, and we read every answer.',
    );
    for (const [at, answer] of ['Wonderful', 'Good', 'So-so', 'Not good', 'I want my money back'].entries()) {
      await hand.cta(answer, `https://example.com/answer/${5 - at}`);
      await hand.click(hand.page.getByRole('switch', { name: 'Full width' }));
      await hand.setting('Space below', '0');
    }
  },
};

const welcome: Letter = {
  name: 'welcome',
  subject: 'Welcome aboard',
  stacked: 1,
  buttons: 1,
  async write(hand, scenes) {
    await hand.rewrite(heading, 'Welcome aboard, {');
    await hand.type('first');
    await hand.press('Enter');
    await hand.rewrite(text, 'It is good to have you here. Three steps, and you are ready to sail.');
    await hand.picture(await scenes('deck', 'The deck of our boat', 1_200, 400));
    await hand.button('Three columns');
    await hand.rewrite(sample, '1. Choose your berth.');
    await hand.rewrite(sample, '2. Invite your crew.');
    await hand.rewrite(sample, '3. Set the first course.');
    await hand.cta('Start now', 'https://example.com/start');
    await hand.align('Centre');
    await hand.button('Social links');
  },
};

export const letters: readonly Letter[] = [
  digest,
  launch,
  offer,
  invitation,
  changelog,
  personal,
  magazine,
  receipt,
  survey,
  welcome,
];
