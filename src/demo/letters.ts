// What the demo has sent: the campaigns of eight months, with how well each was received.

export type Letter = {
  title: string;
  subject: string;
  heading: string;
  text: string;
  daysAgo: number;
  /** Of a hundred who got it, how many opened it, and of those how many clicked. */
  opened: number;
  clicked: number;
};

export const pastLetters: readonly Letter[] = [
  letter('A new year of letters', 'What we plan for the year ahead', 226, 41, 18),
  letter('Reading in the dark season', 'Twelve books for long evenings, *|FNAME|*', 197, 36, 24),
  letter('The spring issue is here', 'Spring issue: gardens, rivers, a map', 166, 44, 27),
  letter('Meet the editors', 'An evening in Lisbon – will you come?', 131, 33, 12),
  letter('Summer walks', 'Nine walks close to you in *|CITY|*', 96, 47, 31),
  letter('Subscriber offer', 'A gift for a friend, until Sunday', 61, 29, 15),
  letter('The autumn issue', 'Autumn issue: bread, boats and a mystery', 33, 42, 26),
  letter('Results of the survey', 'You answered. Here is what we learnt', 6, 39, 21),
];

export const runningLetter = letter('This week’s letter', 'A letter from the harbour', 0, 0, 0);
export const scheduledLetter = letter('Winter preview', 'What winter will bring', 0, 0, 0);
export const welcomeLetter = letter('Welcome', 'Welcome, *|FNAME|* – three things to read first', 0, 0, 0);

function letter(title: string, subject: string, daysAgo: number, opened: number, clicked: number): Letter {
  const text =
    'Thank you for reading with us. In this letter: a long read for a quiet hour, a short one for the tram, and a question to you at the end.';
  return { title, subject, heading: title, text, daysAgo, opened, clicked };
}

/** The page of a letter, with four links that are counted. */
export function pageOf({ heading, text }: Letter): string {
  const font = 'font-family:Georgia,serif;';
  const link = (path: string, words: string) =>
    `<p style="margin:0 0 16px 0;"><a href="https://example.com/${path}" style="color:#1d4f91;">${words}</a></p>`;
  return `<!doctype html>
<html>
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${heading}</title></head>
<body style="margin:0;padding:0;background-color:#f3f1ec;">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0"><tr><td align="center" style="padding:24px 12px;">
<table role="presentation" width="600" cellpadding="0" cellspacing="0" border="0" style="width:100%;max-width:600px;background-color:#ffffff;">
<tr><td style="padding:24px 32px;background-color:#1c3a4b;color:#ffffff;${font}font-size:18px;">The Harbour Letters</td></tr>
<tr><td style="padding:32px;${font}font-size:17px;line-height:1.6;color:#22303a;">
<h1 style="margin:0 0 16px 0;font-size:28px;line-height:1.3;">${heading}</h1>
<p style="margin:0 0 16px 0;">Dear *|FNAME:reader|*,</p>
<p style="margin:0 0 24px 0;">${text}</p>
${link('long-read', 'The long read: what the tide leaves behind')}
${link('short-read', 'The short read: a bakery at four in the morning')}
${link('question', 'Our question to you')}
<p style="margin:24px 0;"><a href="https://example.com/subscribe" style="display:inline-block;padding:12px 20px;background-color:#1c3a4b;color:#ffffff;text-decoration:none;">Give a subscription</a></p>
</td></tr></table>
<p style="${font}font-size:13px;color:#5c666d;">*|LIST:COMPANY|* · *|LIST:ADDRESS|*<br><a href="*|UNSUB|*" style="color:#5c666d;">Unsubscribe</a> · <a href="*|ARCHIVE|*" style="color:#5c666d;">View in the browser</a></p>
</td></tr></table>
</body>
</html>
`;
}
