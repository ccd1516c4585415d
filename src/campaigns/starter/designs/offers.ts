// Offers and occasions: offer, invitation of friends, anniversary, event.
import { type Design, type Draw, site } from '../design.ts';
import { header } from '../page.ts';
import type { Surface } from '../surface.ts';

/** A number that cannot be overlooked, a code, three articles. */
export const offer: Design = (draw) => {
  const { on, w, art } = draw;
  const top = on('brand', { align: 'center', radius: 28 });
  const sheet = on('sheet', { align: 'center', radius: 28 });
  return {
    rows: [
      header(top, { bottom: 20 }),
      top.eyebrow(w('until'), { bottom: 8 }),
      top.display(w('figure'), { size: 112, bottom: 4 }),
      top.h1(w('title'), { size: 32 }),
      top.p(w('intro'), { size: 18, side: 72 }),
      top.code(w('code')),
      top.button(w('shop'), site),
      top.hero(art('shelf'), site),
      sheet.h2(w('favourites'), { top: 48, size: 28, bottom: 8 }),
      sheet.p(w('favouritesText'), { bottom: 28 }),
      articles(draw, sheet),
      sheet.button(w('all'), site, { ghost: true, top: 0 }),
      sheet.small(w('terms'), { side: 72, bottom: 48 }),
    ],
  };
};

function articles({ w, art }: Draw, sheet: Surface) {
  const column = sheet.inColumn;
  return sheet.columns(
    [33.33, 33.33, 33.33],
    ['vase', 'lamp', 'chair'].map((name, i) => [
      column.picture(art(name), { width: 152, bottom: 14 }),
      column.h3(w(`article${i + 1}`)),
      column.small(w(`price${i + 1}`), { bottom: 20 }),
    ]),
  );
}

/** Both get something: the friend, and the reader. */
export const invite: Design = ({ on, w, art }) => {
  const top = on('deep', { align: 'center', radius: 28 });
  const sheet = on('sheet');
  const tint = on('tint', { align: 'center' });
  return {
    rows: [
      header(top, { bottom: 0 }),
      top.hero(art('gift')),
      top.h1(w('title'), { top: 32, size: 44 }),
      top.p(w('intro'), { size: 18, side: 72 }),
      top.button(w('share'), site, { bottom: 56 }),
      sheet.h2(w('how'), { top: 48, bottom: 24 }),
      ...[1, 2, 3].map((at) => sheet.point(String(at), w(`step${at}`), w(`text${at}`), { bottom: at === 3 ? 48 : 28 })),
      tint.h3(w('yours'), { top: 36, bottom: 16 }),
      tint.code(w('code')),
      tint.small(w('terms'), { side: 72, bottom: 36 }),
    ],
  };
};

/** A year together: balloons, a present, what happened. */
export const anniversary: Design = ({ on, w, art }) => {
  const top = on('brand', { align: 'center', radius: 28 });
  const sheet = on('sheet', { align: 'center', radius: 28 });
  const column = sheet.inColumn;
  return {
    rows: [
      header(top, { bottom: 0 }),
      top.hero(art('balloons')),
      top.h1(w('title'), { top: 36, size: 44 }),
      top.p(w('intro'), { size: 18, side: 64, bottom: 48 }),
      sheet.eyebrow(w('present'), { top: 48, bottom: 16 }),
      sheet.h2(w('gift'), { size: 30, bottom: 20 }),
      sheet.code(w('code')),
      sheet.button(w('redeem'), site),
      sheet.line({ top: 0 }),
      sheet.columns(
        [33.33, 33.33, 33.33],
        [1, 2, 3].map((at) => [
          column.display(w(`figure${at}`), { size: 40, bottom: 4 }),
          column.small(w(`label${at}`), { bottom: 16 }),
        ]),
        { stacks: false },
      ),
      sheet.p(w('thanks'), { side: 72, bottom: 48 }),
    ],
  };
};

/** An evening: when, where, who, and what happens when. */
export const event: Design = ({ on, w, art }) => {
  const top = on('deep', { radius: 4 });
  const sheet = on('sheet', { radius: 4 });
  const column = sheet.centred.inColumn;
  const end = on('tint', { align: 'center', radius: 4 });
  return {
    rows: [
      header(top, { bottom: 24 }),
      top.hero(art('stage')),
      top.eyebrow(w('date'), { top: 40 }),
      top.h1(w('title'), { size: 46 }),
      top.p(w('intro'), { size: 18 }),
      top.button(w('register'), site, { bottom: 56 }),
      sheet.pairs(
        [1, 2, 3].map((at) => [w(`name${at}`), w(`value${at}`)] as const),
        { top: 32, atRight: false },
      ),
      sheet.h2(w('programme'), { bottom: 20 }),
      ...['18:30', '19:00', '20:30'].map((time, i) =>
        sheet.point(time, w(`part${i + 1}`), w(`about${i + 1}`), { width: 72, bottom: 20 }),
      ),
      sheet.h2(w('speakers'), { top: 20, bottom: 24 }),
      sheet.columns(
        [33.33, 33.33, 33.33],
        ['a', 'b', 'c'].map((name, i) => [
          column.portrait(art(`portrait-${name}`), { width: 96, bottom: 16 }),
          column.h3(w(`speaker${i + 1}`), { bottom: 0 }),
          column.small(w(`role${i + 1}`)),
        ]),
        { stacks: false },
      ),
      end.h2(w('end'), { top: 40 }),
      end.p(w('ending'), { side: 72 }),
      end.button(w('register'), site),
    ],
  };
};
