// The three emails that welcome someone: hello, first steps, interests. A line at the top shows where the reader is.
import { type Design, site } from '../design.ts';
import { header } from '../page.ts';

export const welcome1: Design = ({ on, w, art, brandColour }) => {
  const sheet = on('sheet', { align: 'center', radius: 28 });
  const column = sheet.inColumn;
  return {
    rows: [
      header(sheet, { bottom: 24 }),
      sheet.progress(1, 3, { side: 220 }),
      sheet.picture(art('stairs'), { ground: brandColour, side: 24, width: 552, radius: 16, bottom: 40 }),
      sheet.h1(w('title'), { size: 46 }),
      sheet.p(w('intro'), { size: 18, side: 64 }),
      sheet.button(w('start'), site),
      sheet.line(),
      sheet.columns(
        [33.33, 33.33, 33.33],
        [1, 2, 3].map((at) => [
          column.display(String(at), { size: 36, bottom: 4 }),
          column.h3(w(`promise${at}`)),
          column.small(w(`text${at}`), { bottom: 20 }),
        ]),
      ),
      on('tint', { align: 'center' }).p(w('reply'), { side: 96, top: 32, bottom: 32 }),
    ],
  };
};

export const welcome2: Design = ({ on, w, art }) => {
  const sheet = on('sheet', { radius: 28 });
  const column = sheet.inColumn;
  const picture = (name: string) => [column.picture(art(name), { width: 236, radius: 16, bottom: 20 })];
  const words = sheet.besides('left');
  const step = (at: number) => [
    words.eyebrow(w(`number${at}`), { top: 28, bottom: 8 }),
    words.h2(w(`step${at}`)),
    words.p(w(`text${at}`), { bottom: 12 }),
    words.link(w('how'), site),
  ];
  const end = on('brand', { align: 'center', radius: 28 });
  return {
    rows: [
      header(sheet.centred, { bottom: 24 }),
      sheet.progress(2, 3, { side: 220, bottom: 40 }),
      sheet.centred.h1(w('title')),
      sheet.centred.p(w('intro'), { size: 18, side: 64, bottom: 40 }),
      sheet.columns([50, 50], [picture('cup'), step(1)]),
      sheet.columns([50, 50], [picture('book'), step(2)]),
      sheet.columns([50, 50], [picture('leaf'), step(3)], { bottom: 32 }),
      end.h2(w('stuck'), { top: 40 }),
      end.p(w('help'), { side: 72 }),
      end.button(w('ask'), site, { bottom: 48 }),
    ],
  };
};

export const welcome3: Design = ({ on, w, all, art }) => {
  const top = on('tint', { align: 'center', radius: 28 });
  const sheet = on('sheet', { radius: 28 });
  return {
    rows: [
      header(top, { bottom: 24 }),
      top.progress(3, 3, { side: 220, bottom: 40 }),
      top.h1(w('title'), { size: 44 }),
      top.p(w('intro'), { size: 18, side: 64 }),
      ...all('choice', 4).map((words) =>
        top.button(words, '*|UPDATE_PROFILE|*', { full: true, ghost: true, side: 120, top: 0, bottom: 12 }),
      ),
      top.small(w('change'), { top: 12, bottom: 48 }),
      sheet.h2(w('read'), { top: 44, bottom: 24 }),
      ...['book', 'cup', 'lamp'].map((name, i) =>
        sheet.article(art(name), w(`story${i + 1}`), w(`about${i + 1}`), '', { bottom: 24 }),
      ),
      sheet.button(w('all'), site, { top: 8, bottom: 48 }),
    ],
  };
};
