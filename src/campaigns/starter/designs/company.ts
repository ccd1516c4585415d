// News of a company and its product: product news, changelog, announcement.
import { type Design, site } from '../design.ts';
import { header } from '../page.ts';

/** What is new, in a picture, and three reasons to try it. */
export const productNews: Design = ({ on, w, all, art, brandColour }) => {
  const sheet = on('sheet', { radius: 28 });
  const centre = sheet.centred;
  const column = sheet.inColumn;
  const tint = on('tint', { align: 'center' });
  const end = on('brand', { align: 'center', radius: 28 });
  const words = sheet.besides('left');
  const feature = (at: number) => [
    words.h2(w(`feature${at}`), { top: 12 }),
    words.p(w(`text${at}`), { bottom: 12 }),
    words.link(w('more'), site, { bottom: 16 }),
  ];
  const picture = (name: string) => [column.picture(art(name), { width: 236, bottom: 16 })];
  return {
    rows: [
      header(centre, { bottom: 36 }),
      centre.eyebrow(w('new')),
      centre.h1(w('title'), { size: 46 }),
      centre.p(w('intro'), { size: 18, side: 64 }),
      centre.button(w('try'), site),
      sheet.picture(art('window'), { ground: brandColour, side: 24, width: 552, radius: 16, bottom: 48 }),
      sheet.columns([50, 50], [picture('chart'), feature(1)]),
      sheet.columns([50, 50], [picture('chat'), feature(2)], { bottom: 32 }),
      tint.columns(
        [33.33, 33.33, 33.33],
        [1, 2, 3].map((at) => [
          tint.inColumn.display(w(`figure${at}`), { size: 40, bottom: 4 }),
          tint.inColumn.small(w(`label${at}`), { bottom: 16 }),
        ]),
        { top: 40, stacks: false },
      ),
      end.h2(w('end'), { top: 48, size: 28, bottom: 16 }),
      end.p(all('ending', 1)[0]!, { side: 72 }),
      end.button(w('try'), site, { bottom: 48 }),
    ],
  };
};

/** A version: new, better and fixed, each with a name in the left column. */
export const changelog: Design = ({ on, w, all }) => {
  const top = on('brand');
  const sheet = on('sheet');
  const column = sheet.inColumn;
  const tint = on('tint');
  const part = (name: string) =>
    sheet.columns(
      [25, 75],
      [[column.eyebrow(w(name), { top: 5 })], all(name, 3).map((words) => column.p(words, { bottom: 14 }))],
      { bottom: 16 },
    );
  return {
    rows: [
      header(top, { note: '*|DATE:j F Y|*', bottom: 40 }),
      top.display(w('version'), { size: 128, bottom: 0 }),
      top.h1(w('title'), { size: 32 }),
      top.p(w('intro'), { size: 17, bottom: 48 }),
      sheet.space(40),
      part('new'),
      ...['better', 'fixed'].flatMap((name) => [sheet.line({ top: 0, bottom: 24 }), part(name)]),
      sheet.button(w('all'), site, { top: 8 }),
      tint.h3(w('askTitle'), { top: 32 }),
      tint.p(w('ask'), { bottom: 32 }),
    ],
  };
};

/** One piece of news on a card. */
export const announcement: Design = ({ on, w, art }) => {
  const sheet = on('sheet', { serif: true, align: 'center', radius: 2, side: 56 });
  return {
    width: 520,
    rows: [
      header(on('brand', { serif: true, align: 'center' }), { top: 28, bottom: 28 }),
      sheet.eyebrow(w('kind'), { top: 56 }),
      sheet.h1(w('title'), { size: 42, bottom: 24 }),
      sheet.p([w('first'), w('second')], { size: 17, bottom: 32 }),
      sheet.picture(art('leaf'), { width: 200, small: true, radius: 100, bottom: 32 }),
      sheet.button(w('button'), site, { top: 0, bottom: 40 }),
      sheet.small(w('signed'), { bottom: 48 }),
      on('brand', { side: 0 }).space(16),
    ],
  };
};
