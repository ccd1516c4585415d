// THE style sheet of the public pages. Colours, font and shape are the variables at its top and nothing below names one:
// a sender's brand sets --accent, --on-accent (the text on it), --link and --font.
import { Html } from '../../base/html.ts';
import { contrast, readableOn, textOn } from '../../campaigns/model/colour.ts';
import { type Brand, fonts } from '../../campaigns/model/plain-brand.ts';

export const style = new Html(`
:root { color-scheme: light dark; --font: system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif; --radius: 8px; --width: 36rem;
  --ground: #f4f5f7; --card: #fff; --text: #1a1d21; --soft: #5b6470; --line: #d9dde3; --edge: #80868f;
  --accent: #2f6fde; --on-accent: #fff; --link: #1f5fd0; --wrong: #b3261e; --fine: #2c8a4b; }
@media (prefers-color-scheme: dark) { :root { --ground: #101214; --card: #1a1d21; --text: #e8eaed; --soft: #a2abb6; --line: #32373e; --edge: #7d8590;
  --accent: #7aa7ff; --on-accent: #10131a; --link: #8db4ff; --wrong: #ff9a91; --fine: #6bd08f; } }
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
body { margin: 0; min-height: 100vh; padding: 2.5rem 1rem 3rem; background: var(--ground); color: var(--text); font: 16px/1.55 var(--font); }
body > * { max-width: var(--width); margin-inline: auto; }
.sender { margin-bottom: 1rem; padding-inline: .25rem; font-weight: 600; overflow-wrap: anywhere; }
main { padding: 2rem; background: var(--card); border: 1px solid var(--line); border-radius: calc(var(--radius) * 1.5); }
footer { margin-top: 1rem; padding-inline: .25rem; color: var(--soft); font-size: .8125rem; overflow-wrap: anywhere; } footer p { margin: 0; white-space: pre-line; }
@media (max-width: 30rem) { body { padding-top: 1.25rem; } main { padding: 1.25rem; } main form > button { width: 100%; } }
h1 { font-size: 1.5rem; line-height: 1.25; margin: 0 0 .75rem; } h2 { font-size: 1.0625rem; margin: 2rem 0 .75rem; } h1, p { overflow-wrap: anywhere; }
main > :last-child { margin-bottom: 0; }
a { color: var(--link); } .soft { color: var(--soft); font-size: .875rem; }
label { display: block; margin: 0 0 1rem; } input, select, textarea { display: block; width: 100%; min-height: 2.75rem; font: inherit; padding: .55rem .7rem; border: 1px solid var(--edge); border-radius: var(--radius); background: var(--card); color: inherit; }
input[type=checkbox], input[type=radio] { display: inline; width: auto; min-height: 0; margin-inline-end: .4rem; }
button { font: inherit; font-weight: 600; min-height: 2.75rem; padding: .6rem 1.25rem; border: 0; border-radius: var(--radius); background: var(--accent); color: var(--on-accent); cursor: pointer; }
button.quiet { background: none; border: 1px solid var(--edge); color: var(--link); }
:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
fieldset { border: 0; margin: 0 0 1.25rem; padding: 0; min-width: 0; } legend { font-weight: 600; padding: 0; margin: 0 0 .4rem; }
.field { margin: 0 0 1.1rem; } .field label { margin: 0 0 .3rem; } label:not(.pick) > :is(input, select, textarea) { margin-top: .3rem; }
label.pick { display: flex; align-items: baseline; gap: .7rem; margin: 0; padding: .4rem 0; cursor: pointer; overflow-wrap: anywhere; } label.pick input { flex: none; width: 1.05rem; height: 1.05rem; margin: 0; position: relative; top: .15rem; accent-color: var(--accent); }
label.pick:has(:disabled) { color: var(--soft); cursor: default; }
fieldset .pick + label:not(.pick) { margin-top: .6rem; }
.choice { display: grid; grid-template-columns: auto 1fr; column-gap: .7rem; margin: 1.4rem 0; } .choice input { width: 1.1rem; height: 1.1rem; margin: .25rem 0 0; accent-color: var(--accent); } .choice label { margin: 0; font-size: .9375rem; overflow-wrap: anywhere; } .choice .wrong { grid-column: 2; }
.wrong { display: block; margin-top: .3rem; color: var(--wrong); font-size: .9375rem; } [aria-invalid] { border-color: var(--wrong); }
.lead { margin: 0 0 1.5rem; } .after { margin: 1.5rem 0 0; } form button { margin-top: .4rem; }
.letters { list-style: none; margin: 0; padding: 0; } .letters li { display: flex; flex-wrap: wrap; justify-content: space-between; gap: 0 1rem; padding: .7rem 0; border-top: 1px solid var(--line); overflow-wrap: anywhere; } .letters li > a { flex: 1 1 16rem; }
pre { overflow: auto; padding: 1rem; border: 1px solid var(--line); border-radius: var(--radius); font-size: .8125rem; }
.landing { display: grid; grid-template-columns: 1fr 1fr; gap: 2.5rem; align-items: start; } :root:has(.landing) { --width: 60rem; } .landing > * > :last-child { margin-bottom: 0; }
.about img { display: block; max-width: 100%; height: auto; margin-bottom: 1.25rem; border-radius: var(--radius); } .about p { margin: 0 0 1rem; }
@media (max-width: 48rem) { .landing { grid-template-columns: minmax(0, 1fr); gap: 1.5rem; } :root:has(.landing) { --width: 36rem; } }
.totals { display: grid; grid-template-columns: repeat(auto-fill, minmax(9rem, 1fr)); gap: 1rem; margin: 1.25rem 0 1.5rem; } .totals dt { color: var(--soft); font-size: .875rem; } .totals dd { margin: 0; font-size: 1.25rem; font-weight: 600; font-variant-numeric: tabular-nums; } .totals dd .soft { font-weight: 400; }
.figures { width: 100%; border-collapse: collapse; margin: 0 0 1.5rem; } .figures :is(th, td) { padding: .6rem 0; border-top: 1px solid var(--line); text-align: start; vertical-align: top; font-weight: 400; overflow-wrap: anywhere; } .figures thead th { border: 0; color: var(--soft); font-size: .875rem; overflow-wrap: normal; } .figures :is(th, td) + :is(th, td) { padding-inline-start: .75rem; text-align: end; font-variant-numeric: tabular-nums; } .figures th > .soft { display: block; }
@media print { :root { --ground: #fff; --card: #fff; --text: #000; --soft: #444; --line: #bbb; --link: #000; } body, main { padding: 0; border: 0; } .no-print { display: none; } tr, dl > div { break-inside: avoid; } }
:root[dir=rtl] :is(.sender, footer p) { unicode-bidi: plaintext; text-align: right; } :root[dir=rtl] :is(.letters a, .pick > span, option) { unicode-bidi: plaintext; }
:root[dir=rtl] input:is([type=email], [type=url], [type=tel]) { direction: ltr; text-align: right; }
.problem, .fine { border-inline-start: 3px solid var(--wrong); padding: .4rem .8rem; } .fine { border-color: var(--fine); }
`);

/** Where text and buttons are, in light and in dark: links must be read on the card and around it. */
const grounds = { light: '#f4f5f7', dark: '#1a1d21' };

/** The variables of a sender's brand. A colour that could not be seen on the card is moved towards one that can. */
export function brandStyle({ colour, font }: Brand): Html {
  const variables = (ground: string) => {
    const accent = contrast(colour, ground) >= 1.5 ? colour : readableOn(colour, ground);
    return `--accent: ${accent}; --on-accent: ${textOn(accent)}; --link: ${readableOn(colour, ground)};`;
  };
  return new Html(`
:root { ${variables(grounds.light)} --font: ${fonts[font]}; }
@media (prefers-color-scheme: dark) { :root { ${variables(grounds.dark)} } }
.sender img { display: block; max-height: 3rem; max-width: 100%; }
`);
}
