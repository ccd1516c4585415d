// What a template is for. Starter templates are known by their names (src/campaigns/starter/starter.ts); the others are the account's own.

export const purposes = ['newsletter', 'offer', 'event', 'welcome', 'service', 'own'] as const;
export type Purpose = (typeof purposes)[number];

const starters: Record<string, Purpose> = {
  Letter: 'newsletter',
  'Personal letter': 'newsletter',
  Digest: 'newsletter',
  'News with a column on the left': 'newsletter',
  'News with a column on the right': 'newsletter',
  'Product news': 'offer',
  Offer: 'offer',
  Postcard: 'event',
  Event: 'event',
  Welcome: 'welcome',
  Receipt: 'service',
  Survey: 'service',
};

export const purposeOf = ({ name }: { name: string }): Purpose =>
  Object.hasOwn(starters, name) ? starters[name]! : 'own';
