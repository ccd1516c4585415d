// The newsletters: letter, digest, magazine, podcast episode, minimal.
import { type Design, site } from '../design.ts';
import { header } from '../page.ts';

/** A personal letter in serif type, with a quotation and a signature. */
export const letter: Design = ({ on, w, art }) => {
  const sheet = on('sheet', { serif: true, side: 56 });
  const column = sheet.inColumn;
  const note = on('tint', { side: 56 });
  return {
    rows: [
      header(sheet, { note: '*|DATE:j F Y|*', bottom: 20 }),
      sheet.line({ top: 0, bottom: 36 }),
      sheet.h1(w('title'), { size: 38, bottom: 24 }),
      sheet.p([w('hello'), w('first'), w('second')], { size: 17 }),
      sheet.quote(w('quote')),
      sheet.p(w('third'), { size: 17, bottom: 32 }),
      sheet.picture(art('hills'), { width: 488, ground: sheet.look.grounds.brand, bottom: 12 }),
      sheet.small(w('caption'), { bottom: 32 }),
      sheet.p(w('last'), { size: 17 }),
      sheet.columns(
        [25, 75],
        [
          [column.portrait(art('portrait-b'), { bottom: 0 })],
          [column.h3(w('name'), { top: 10, bottom: 0 }), column.small(w('role'), { bottom: 0 })],
        ],
        { stacks: false, bottom: 40 },
      ),
      note.p(w('postscript'), { top: 28, bottom: 28 }),
    ],
  };
};

/** Five things in the brand's colour, numbered. */
export const digest: Design = ({ on, w, all, art }) => {
  const top = on('brand', { align: 'center' });
  const sheet = on('sheet', { side: 48 });
  const tint = on('tint');
  const titles = all('title', 5);
  const texts = all('text', 5);
  return {
    rows: [
      header(top, { bottom: 40 }),
      top.eyebrow('*|DATE:j F Y|*'),
      top.h1(w('title'), { size: 44 }),
      top.p(w('intro'), { size: 18, side: 72, bottom: 48 }),
      sheet.point('1', titles[0]!, texts[0]!, { top: 48, href: site, more: w('more') }),
      sheet.point('2', titles[1]!, texts[1]!, { href: site, more: w('more') }),
      sheet.picture(art('shelf'), { ground: sheet.look.grounds.deep, bottom: 32 }),
      ...[2, 3, 4].map((i) =>
        sheet.point(String(i + 1), titles[i]!, texts[i]!, { href: site, more: w('more'), bottom: i === 4 ? 48 : 28 }),
      ),
      tint.h2(w('also'), { top: 40, bottom: 16 }),
      ...all('link', 3).map((words) => tint.link(words, site, { bottom: 12 })),
      tint.small(w('forward'), { top: 16, bottom: 40 }),
    ],
  };
};

/** A cover, a story with a sidebar, two stories beside each other. */
export const magazine: Design = ({ on, w, all, art }) => {
  const sheet = on('sheet', { serif: true, radius: 2 });
  const column = sheet.inColumn;
  const story = sheet.besides('right');
  const deep = on('deep', { serif: true, align: 'center' });
  const teaser = (name: string, at: number) => [
    column.picture(art(name), { width: 236, radius: 4, bottom: 20 }),
    column.eyebrow(w(`kind${at}`), { bottom: 8 }),
    column.h2(w(`story${at}`), { size: 22 }),
    column.p(w(`storyText${at}`), { size: 15, bottom: 12 }),
    column.link(w('read'), site),
  ];
  return {
    rows: [
      header(sheet.centred, { size: 36, top: 44, bottom: 20 }),
      sheet.line({ top: 0, bottom: 14 }),
      sheet.centred.small(w('issue'), { bottom: 20 }),
      on('brand').hero(art('arches'), site),
      sheet.eyebrow(w('kind'), { top: 40 }),
      sheet.h1(w('title'), { size: 46 }),
      sheet.p(w('lead'), { size: 18, bottom: 16 }),
      sheet.link(w('read'), site, { bottom: 40 }),
      sheet.line(),
      sheet.columns(
        [66.66, 33.33],
        [
          [
            story.h2(w('second'), { size: 28 }),
            story.p([w('secondText'), w('secondMore')]),
            story.link(w('read'), site),
          ],
          [column.eyebrow(w('inside')), ...all('item', 4).map((words) => column.p(words, { size: 15, bottom: 14 }))],
        ],
      ),
      sheet.line({ bottom: 40 }),
      sheet.columns([50, 50], [teaser('cup', 1), teaser('leaf', 2)], { bottom: 16 }),
      deep.h2(w('quote'), { size: 30, top: 56, side: 64, bottom: 16 }),
      deep.small(w('quoted'), { bottom: 56 }),
    ],
  };
};

/** A new episode: dark, with what is in it by the minute. */
export const podcast: Design = ({ on, w, all, art, brandColour }) => {
  const deep = on('deep', { radius: 28 });
  const sheet = on('sheet', { radius: 28 });
  const column = sheet.inColumn;
  const times = ['00:00', '08:30', '21:15', '34:40'];
  return {
    rows: [
      header(deep, { note: w('number') }),
      deep.picture(art('sound'), { ground: brandColour, radius: 20, bottom: 36 }),
      deep.h1(w('title')),
      deep.p(w('intro'), { size: 18 }),
      deep.button(w('listen'), site, { bottom: 48 }),
      sheet.h2(w('inside'), { top: 48, bottom: 24 }),
      ...times.map((time, i) => sheet.point(time, w(`part${i + 1}`), w(`about${i + 1}`), { width: 72, bottom: 20 })),
      sheet.line({ top: 12 }),
      sheet.eyebrow(w('guest'), { bottom: 16 }),
      sheet.columns(
        [25, 75],
        [
          [column.portrait(art('portrait-c'), { width: 88, bottom: 0 })],
          [column.h2(w('name'), { size: 20 }), column.p(w('person'), { size: 15, bottom: 0 })],
        ],
        { stacks: false, bottom: 32 },
      ),
      sheet.quote(w('quote')),
      sheet.line(),
      sheet.h3(w('where'), { bottom: 12 }),
      ...all('place', 3).map((words) => sheet.link(words, site, { bottom: 8 })),
      sheet.space(36),
    ],
  };
};

/** Words and nothing else, as from one person to another. */
export const minimal: Design = ({ on, w }) => {
  const sheet = on('sheet');
  return {
    width: 560,
    rows: [
      header(sheet, { top: 48, bottom: 32 }),
      sheet.p([w('hello'), w('first'), w('second')], { size: 17 }),
      sheet.link(w('link'), site),
      sheet.p(w('third'), { size: 17 }),
      sheet.p(`${w('regards')}<br>*|LIST:COMPANY|*`, { size: 17, bottom: 48 }),
    ],
  };
};
