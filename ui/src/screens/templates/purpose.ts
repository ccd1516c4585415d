// What a template is for. Starter templates are known by their names; the others are the account's own.
import { catalogue, starterNamed } from '../../../../src/campaigns/starter/catalogue.ts';

export const purposes = ['newsletter', 'company', 'offer', 'event', 'welcome', 'remind', 'service', 'own'] as const;
export type Purpose = (typeof purposes)[number];

export function purposeOf({ name }: { name: string }): Purpose {
  const key = starterNamed(name);
  return key ? catalogue[key].purpose : 'own';
}
