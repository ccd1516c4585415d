// Colours as #rrggbb, and how well they read on each other (WCAG 2.2, contrast ratio). Imports nothing: the screens use it
// too (bin/build-ui).

export const isColour = (text: string): boolean => /^#[0-9a-f]{6}$/i.test(text);

/** The ratio that text of normal size needs (WCAG 2.2 AA). */
export const readable = 4.5;

const channels = (colour: string) => [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16));

function luminance(colour: string): number {
  const [red, green, blue] = channels(colour).map((channel) => {
    const share = channel / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red! + 0.7152 * green! + 0.0722 * blue!;
}

/** From 1 (equal) to 21 (black on white). */
export function contrast(a: string, b: string): number {
  const [darker, lighter] = [luminance(a), luminance(b)].sort((x, y) => x - y);
  return (lighter! + 0.05) / (darker! + 0.05);
}

/** The text colour that reads on this colour: white or near-black, or black for the few mid greys on which neither does. */
export const textOn = (colour: string): string =>
  ['#ffffff', '#10131a'].find((text) => contrast(colour, text) >= readable) ?? '#000000';

/** The colour, moved towards black or white as far as text in it needs to be read on this ground. */
export function readableOn(colour: string, ground: string): string {
  const target = textOn(ground) === '#ffffff' ? '#ffffff' : '#000000';
  for (let share = 0; share <= 1; share += 0.04) {
    const made = mixed(colour, target, share);
    if (contrast(made, ground) >= readable) return made;
  }
  return textOn(ground);
}

/** The colour, moved towards another by this share of the way. */
export function mixed(colour: string, target: string, share: number): string {
  const to = channels(target);
  const made = channels(colour).map((channel, at) => Math.round(channel + (to[at]! - channel) * share));
  return `#${made.map((channel) => channel.toString(16).padStart(2, '0')).join('')}`;
}
