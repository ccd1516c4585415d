// An email as clients in dark mode show it. One with dark colours of its own, and one without any colours, is shown as it is; of others
// the colours are inverted, as Outlook and Gmail on iOS do, and pictures are not. Pure.

export type Darkness = 'own' | 'none' | 'inverted';

export function darknessOf(html: string): Darkness {
  if (/prefers-color-scheme\s*:\s*dark/i.test(html)) return 'own';
  if (
    /<meta\b(?=[^>]*\bname\s*=\s*["']?(?:supported-)?color-schemes?\b)(?=[^>]*\bcontent\s*=\s*["'][^"']*\bdark\b)/i.test(
      html,
    )
  )
    return 'own';
  return /\b(?:bgcolor|background(?:-color|-image)?|color)\s*[=:]/i.test(html) ? 'inverted' : 'none';
}

/** The styles that make it so. Pictures are turned twice, which leaves them as they are. */
export const darkStyle = (darkness: Darkness): string =>
  darkness === 'inverted'
    ? '<style>html:not(:has(body[style*="background"],body[bgcolor])){background:#fff}html{filter:invert(1) hue-rotate(180deg)}img,video,[background],[style*="background-image"]{filter:invert(1) hue-rotate(180deg)}</style>'
    : '';
