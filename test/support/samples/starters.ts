// The starter templates as an account with the plain brand gets them, with pictures at an address of no account.
import { plainBrand } from '../../../src/campaigns/model/plain-brand.ts';
import {
  catalogue,
  type StarterLanguage,
  starterKeys,
  starterNames,
} from '../../../src/campaigns/starter/catalogue.ts';
import { starterSource } from '../../../src/campaigns/starter/source.ts';

export const startersIn = (language: StarterLanguage, brand = plainBrand) =>
  starterKeys.map((key) => ({
    key,
    name: starterNames[language][key],
    layout: catalogue[key].layout,
    source: starterSource(key, {
      brand,
      language,
      addressOf: ({ name }) => `https://example.com/asset/b0000001/${name}`,
    }),
  }));
