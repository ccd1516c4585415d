// Suggests a tag from a name: capital letters, digits and underscores, starting with a letter, at most 20 characters.

export function tagOf(name: string): string {
  return name
    .replace(/ß/g, 'ss')
    .replace(/[Ää]/g, 'ae')
    .replace(/[Öö]/g, 'oe')
    .replace(/[Üü]/g, 'ue')
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toUpperCase()
    .replace(/[^A-Z0-9]+/g, '_')
    .replace(/^[^A-Z]+|_+$/g, '')
    .slice(0, 20)
    .replace(/_+$/, '');
}
