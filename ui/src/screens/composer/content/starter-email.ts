// The HTML of a new campaign: a simple layout that every email client renders well, with an unsubscribe link.
import type { Translate } from '../../../text/use-text.tsx';

export function starterHtml(t: Translate<'composer'>): string {
  return `<!doctype html>
<html>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>*|CAMPAIGN:SUBJECT|*</title>
</head>
<body style="margin:0; padding:0; background-color:#f4f5f7;">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" style="background-color:#f4f5f7;">
<tr><td align="center" style="padding:24px 12px;">
<table role="presentation" width="600" cellpadding="0" cellspacing="0" border="0" style="width:100%; max-width:600px; background-color:#ffffff; border-radius:8px;">
<tr><td style="padding:32px 32px 8px 32px; font-family:Arial,Helvetica,sans-serif; font-size:24px; line-height:1.3; font-weight:bold; color:#1c2430;">${t('letterHeading')}</td></tr>
<tr><td style="padding:8px 32px 24px 32px; font-family:Arial,Helvetica,sans-serif; font-size:16px; line-height:1.6; color:#1c2430;">${t('letterBody')}</td></tr>
</table>
<table role="presentation" width="600" cellpadding="0" cellspacing="0" border="0" style="width:100%; max-width:600px;">
<tr><td align="center" style="padding:16px 32px; font-family:Arial,Helvetica,sans-serif; font-size:13px; line-height:1.5; color:#59626d;">*|LIST:COMPANY|* · *|LIST:ADDRESS|*<br><a href="*|UNSUB|*" style="color:#59626d;">${t('letterLeave')}</a></td></tr>
</table>
</td></tr>
</table>
</body>
</html>
`;
}
