// Emails about an order, and to those who have not been seen for a while: cart, re-engagement, receipt, shipping, survey.
import { type Design, type Draw, site } from '../design.ts';
import { header } from '../page.ts';
import type { Surface } from '../surface.ts';

/** What was left in the cart, with one button. */
export const cart: Design = (draw) => {
  const { on, w } = draw;
  const sheet = on('sheet', { radius: 8 });
  const tint = on('tint');
  const column = tint.inColumn;
  return {
    rows: [
      header(sheet),
      sheet.h1(w('title')),
      sheet.p(w('intro'), { size: 17, bottom: 32 }),
      sheet.line({ top: 0, bottom: 24 }),
      ...articles(draw, sheet),
      sheet.pairs([[w('sum'), w('total')]], { sum: true, bottom: 12 }),
      sheet.button(w('back'), site, { full: true, bottom: 16 }),
      sheet.centred.small(w('kept'), { bottom: 40 }),
      tint.columns(
        [33.33, 33.33, 33.33],
        [1, 2, 3].map((at) => [column.h3(w(`reason${at}`)), column.small(w(`text${at}`), { bottom: 16 })]),
        { top: 32, bottom: 16 },
      ),
    ],
  };
};

const articles = ({ w, art }: Draw, sheet: Surface) =>
  ['lamp', 'bag'].map((name, i) =>
    sheet.article(art(name), w(`article${i + 1}`), w(`kind${i + 1}`), w(`price${i + 1}`)),
  );

/** A question to those who read nothing: stay or leave. */
export const reEngagement: Design = ({ on, w, art }) => {
  const top = on('deep', { align: 'center', radius: 28 });
  const sheet = on('sheet');
  return {
    rows: [
      header(top, { bottom: 0 }),
      top.hero(art('envelope')),
      top.h1(w('title'), { top: 40, size: 44 }),
      top.p(w('intro'), { size: 18, side: 64 }),
      top.button(w('stay'), site, { bottom: 16 }),
      top.link(w('leave'), '*|UNSUB|*', { bottom: 56 }),
      sheet.h2(w('missed'), { top: 48, bottom: 24 }),
      ...['book', 'cup', 'leaf'].map((name, i) =>
        sheet.article(art(name), w(`story${i + 1}`), w(`about${i + 1}`), '', { bottom: 24 }),
      ),
      sheet.line({ top: 8, bottom: 24 }),
      sheet.small(w('otherwise'), { bottom: 40 }),
    ],
  };
};

/** An order that was paid. */
export const receipt: Design = (draw) => {
  const { on, w } = draw;
  const sheet = on('sheet');
  const column = sheet.inColumn;
  const tint = on('tint');
  const address = (name: string) => [column.h3(w(name)), column.p(w(`${name}Text`), { size: 15 })];
  return {
    rows: [
      header(sheet, { note: w('number') }),
      sheet.eyebrow(w('paid')),
      sheet.h1(w('title')),
      sheet.p(w('intro'), { size: 17, bottom: 32 }),
      sheet.line({ top: 0, bottom: 24 }),
      ...articles(draw, sheet),
      sheet.line({ top: 4, bottom: 8 }),
      sheet.pairs(
        [
          [w('goods'), w('goodsSum')],
          [w('delivery'), w('deliverySum')],
          [w('sum'), w('total')],
        ],
        { sum: true, bottom: 24 },
      ),
      sheet.button(w('view'), site),
      sheet.line({ top: 0 }),
      sheet.columns([50, 50], [address('to'), address('payment')], { bottom: 16 }),
      tint.p(w('help'), { top: 28, bottom: 28 }),
    ],
  };
};

/** A parcel that is on its way. */
export const shipping: Design = ({ on, w, art, brandColour }) => {
  const sheet = on('sheet', { radius: 28 });
  const tint = on('tint');
  return {
    rows: [
      header(sheet.centred, { bottom: 24 }),
      sheet.picture(art('parcel'), { ground: brandColour, side: 24, width: 552, radius: 16, bottom: 40 }),
      sheet.centred.h1(w('title'), { size: 44 }),
      sheet.centred.p(w('intro'), { size: 18, side: 64 }),
      sheet.centred.button(w('track'), site, { bottom: 48 }),
      sheet.progress(3, 4, { bottom: 10 }),
      sheet.steps([w('ordered'), w('packed'), w('sent'), w('arrived')], 3, { bottom: 40 }),
      sheet.pairs(
        [1, 2, 3].map((at) => [w(`name${at}`), w(`value${at}`)] as const),
        { atRight: false },
      ),
      tint.h3(w('helpTitle'), { top: 32 }),
      tint.p(w('help'), { bottom: 32 }),
    ],
  };
};

/** One question, answered by one click. */
export const survey: Design = ({ on, w }) => {
  const sheet = on('sheet', { align: 'center', radius: 12 });
  const tint = on('tint', { align: 'center', radius: 28 });
  return {
    rows: [
      header(sheet, { bottom: 40 }),
      sheet.eyebrow(w('short')),
      sheet.h1(w('title'), { size: 44 }),
      sheet.p(w('intro'), { size: 18, side: 64, bottom: 36 }),
      sheet.scale(['1', '2', '3', '4', '5'], site),
      sheet.ends(w('worst'), w('best'), { bottom: 48 }),
      tint.h2(w('more'), { top: 40 }),
      tint.p(w('moreText'), { side: 72 }),
      tint.button(w('start'), site, { bottom: 24 }),
      tint.small(w('thanks'), { bottom: 40 }),
    ],
  };
};
