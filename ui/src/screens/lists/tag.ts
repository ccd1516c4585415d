// The tag a name suggests: capital letters, digits and underscores, beginning with a letter, 20 at most.

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
