// THE list of languages in which there are texts for readers (BCP 47), each with a file beside this one. Imports nothing, so that the
// screens offer the same (bin/build-ui).
export const languages = 'da de en es et fi fr it ja lt lv nb pl pt ru sv zh'.split(' ');

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
