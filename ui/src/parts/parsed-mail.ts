// A message as a document that is read, not shown. The policy of the application forbids `base` there, too.

export const withoutBase = (html: string): string => html.replace(/<base\b[^>]*>/gi, '');

export const parsedMail = (html: string): Document => new DOMParser().parseFromString(withoutBase(html), 'text/html');
