// The template layouts and their starting pages: tables, which all email clients render well, and an unsubscribe link.

export const layouts = ['basic', 'left column', 'right column', 'postcard'] as const;
export type Layout = (typeof layouts)[number];
export const isLayout = (text: string | undefined): text is Layout => layouts.includes(text as Layout);

type Words = { heading: string; text: string; leave: string };

export function startingPage(layout: Layout, words: Words): string {
  const side = `<td width="180" valign="top" style="padding:32px 16px;background-color:#eef1f6;${font}font-size:14px;line-height:1.5;color:#1c2430;">${words.text}</td>`;
  const main = `<td valign="top" style="padding:32px;${font}font-size:16px;line-height:1.6;color:#1c2430;"><div style="font-size:24px;line-height:1.3;font-weight:bold;padding-bottom:12px;">${words.heading}</div>${words.text}</td>`;
  const cells = layout === 'left column' ? side + main : layout === 'right column' ? main + side : main;
  const width = layout === 'postcard' ? 440 : 600;
  const frame = layout === 'postcard' ? 'border:8px solid #d9e2f2;' : '';
  return `<!doctype html>
<html>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>*|CAMPAIGN:SUBJECT|*</title>
</head>
<body style="margin:0;padding:0;background-color:#f4f5f7;">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0">
<tr><td align="center" style="padding:24px 12px;">
<table role="presentation" width="${width}" cellpadding="0" cellspacing="0" border="0" style="width:100%;max-width:${width}px;background-color:#ffffff;${frame}">
<tr>${cells}</tr>
</table>
<p style="${font}font-size:13px;color:#59626d;">*|LIST:COMPANY|* · *|LIST:ADDRESS|*<br><a href="*|UNSUB|*" style="color:#59626d;">${words.leave}</a></p>
</td></tr>
</table>
</body>
</html>
`;
}

const font = 'font-family:Arial,Helvetica,sans-serif;';
