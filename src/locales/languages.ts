// THE list of languages in which there are texts for readers (BCP 47), each with a file beside this one. Imports nothing, so that the
// screens offer the same (bin/build-ui).
export const languages = 'ar cs da de el en es et fi fr he hu it ja lt lv nb nl pl pt ru sv tr uk zh'.split(' ');

const rightToLeft = new Set('ar arc ckb dv fa he ks ps sd ug ur yi'.split(' '));

/** Whether a language is written from right to left. @param tag BCP 47; its script decides where it names one */
export function isRightToLeft(tag: string): boolean {
  const [base = '', ...subtags] = tag.toLowerCase().split(/[-_]/);
  const script = subtags.find((subtag) => /^[a-z]{4}$/.test(subtag));
  return script === undefined ? rightToLeft.has(base) : /^(arab|hebr|syrc|thaa|nkoo|adlm)$/.test(script);
}

/** How a page points back and on. */
export const arrowsOf = (language: string): { back: string; on: string } =>
  isRightToLeft(language) ? { back: '→', on: '←' } : { back: '←', on: '→' };

/** Country codes that the API and many files use for a language. */
export const languageAliases: Readonly<Record<string, string>> = {
  cn: 'zh',
  dk: 'da',
  ee: 'et',
  jp: 'ja',
  no: 'nb',
  se: 'sv',
};

/** Code of the API → language, for each of them. */
export const languageCodes: Readonly<Record<string, string>> = Object.fromEntries(
  languages
    .map((tag) => [Object.keys(languageAliases).find((code) => languageAliases[code] === tag) ?? tag, tag])
    .sort(),
);
