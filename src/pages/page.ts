// The frame of all server-rendered pages. No script.
import { Html, html } from '../base/html.ts';

/** A whole page. @param language BCP 47 */
export function page(parts: { title: string; body: Html; language?: string; description?: string }): string {
  return html`<!doctype html>
<html lang="${parts.language ?? 'en'}"${parts.language && rightToLeft.has(parts.language) ? new Html(' dir="rtl"') : ''}>
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex"><title>${parts.title}</title><style>${style}</style></head>
<body><main>${parts.body}</main></body></html>
`.text;
}

const rightToLeft = new Set(['ar', 'he', 'fa', 'ur']);

const style = new Html(`
:root { color-scheme: light dark; --line: #80868f; --accent: #2f6fde; --ground: #fff; --text: #1a1d21; --soft: #5b6470; --wrong: #b3261e; }
@media (prefers-color-scheme: dark) { :root { --ground: #15171a; --text: #e8eaed; --soft: #a2abb6; --accent: #7aa7ff; --wrong: #ff9a91; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--text); font: 16px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; }
main { max-width: 44rem; margin: 0 auto; padding: 2.5rem 1rem 4rem; }
h1 { font-size: 1.75rem; line-height: 1.2; margin: 0 0 1rem; } h2 { font-size: 1.1rem; margin: 2rem 0 .5rem; }
a { color: var(--accent); } .soft { color: var(--soft); font-size: .875rem; }
label { display: block; margin: 0 0 1rem; } input, select, textarea { display: block; width: 100%; font: inherit; padding: .55rem .65rem; border: 1px solid var(--line); border-radius: 6px; background: transparent; color: inherit; }
input[type=checkbox], input[type=radio] { display: inline; width: auto; margin-right: .4rem; }
button { font: inherit; font-weight: 600; padding: .6rem 1.1rem; border: 0; border-radius: 6px; background: var(--accent); color: #fff; cursor: pointer; }
@media (prefers-color-scheme: dark) { button { color: #10131a; } }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
table { border-collapse: collapse; width: 100%; } th, td { text-align: left; padding: .5rem .75rem .5rem 0; border-bottom: 1px solid var(--line); vertical-align: top; overflow-wrap: anywhere; }
fieldset { border: 0; margin: 0 0 1.25rem; padding: 0; min-width: 0; } legend { font-weight: 600; padding: 0; margin: 0 0 .6rem; }
.field { margin: 0 0 1.1rem; } .field label { margin: 0 0 .3rem; } label:not(.pick) > :is(input, select, textarea) { margin-top: .3rem; }
label.pick { margin: 0 0 .15rem; padding: .3rem 0 .3rem 1.75rem; text-indent: -1.75rem; cursor: pointer; overflow-wrap: anywhere; } label.pick input { width: 1.05rem; height: 1.05rem; margin: 0 .7rem 0 0; vertical-align: -.15rem; accent-color: var(--accent); }
fieldset .pick + label:not(.pick) { margin-top: .9rem; }
.choice { display: grid; grid-template-columns: auto 1fr; column-gap: .7rem; margin: 1.4rem 0; } .choice input { width: 1.1rem; height: 1.1rem; margin: .25rem 0 0; accent-color: var(--accent); } .choice label { margin: 0; font-size: .9375rem; overflow-wrap: anywhere; } .choice .wrong { grid-column: 2; }
.wrong { display: block; margin-top: .3rem; color: var(--wrong); font-size: .9375rem; } [aria-invalid] { border-color: var(--wrong); }
.lead { white-space: normal; margin: 0 0 1.5rem; } .after { margin-top: 2rem; } form button { margin-top: .4rem; }
h1, p { overflow-wrap: anywhere; } option { color: #1a1d21; background: #fff; }
pre { overflow: auto; padding: 1rem; border: 1px solid var(--line); border-radius: 6px; font-size: .8125rem; }
.problem { border-left: 3px solid var(--wrong); padding: .4rem .8rem; } .fine { border-left: 3px solid #2c8a4b; padding: .4rem .8rem; } iframe { width: 100%; height: 32rem; border: 1px solid var(--line); border-radius: 6px; background: #fff; }
`);
