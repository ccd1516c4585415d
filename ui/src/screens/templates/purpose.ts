// What a template is for. Starter templates are known by their names; the others are the account's own.
import { catalogue, frameMark, type StarterKey, starterNamed } from '../../../../src/campaigns/starter/catalogue.ts';

export const purposes = ['newsletter', 'company', 'offer', 'event', 'welcome', 'remind', 'service', 'own'] as const;
export type Purpose = (typeof purposes)[number];

export function purposeOf({ name }: { name: string }): Purpose {
  const key = starterNamed(name);
  return key ? catalogue[key].purpose : 'own';
}

/** The starter template that this one is, for what is said about it; undefined for one of the same name in an earlier design. */
export const starterOf = ({ name, source }: { name: string; source: string }): StarterKey | undefined =>
  source.includes(frameMark) ? starterNamed(name) : undefined;
