// The part of an image that is kept when it is cropped, in pixels of the image. Pure.

export type Size = { width: number; height: number };
export type Box = Size & { x: number; y: number };

/** What is dragged: the whole box, an edge or a corner, as on a compass. */
export const grips = ['n', 'e', 's', 'w', 'nw', 'ne', 'se', 'sw'] as const;
export type Grip = (typeof grips)[number] | 'box';

/** Nothing smaller can be seen in an email. */
const least = 16;

export const wholeOf = ({ width, height }: Size): Box => ({ x: 0, y: 0, width, height });

/** The largest box of this shape, width to height, as near to the middle of the other as it fits. */
export function shaped(box: Box, image: Size, shape: number): Box {
  const width = Math.min(image.width, image.height * shape);
  const height = width / shape;
  return rounded({
    x: within(box.x + box.width / 2 - width / 2, 0, image.width - width),
    y: within(box.y + box.height / 2 - height / 2, 0, image.height - height),
    width,
    height,
  });
}

/** The box after a grip was dragged by so many pixels. It stays in the image and, if it has one, in its shape. */
export function dragged(box: Box, grip: Grip, by: { x: number; y: number }, image: Size, shape?: number): Box {
  if (grip === 'box')
    return rounded({
      ...box,
      x: within(box.x + by.x, 0, image.width - box.width),
      y: within(box.y + by.y, 0, image.height - box.height),
    });
  const across = grip.includes('e') ? 1 : grip.includes('w') ? -1 : 0;
  const down = grip.includes('s') ? 1 : grip.includes('n') ? -1 : 0;
  const middle = { x: box.x + box.width / 2, y: box.y + box.height / 2 };
  const room = {
    width: roomOf(across, box.x, box.width, image.width, shape ? middle.x : undefined),
    height: roomOf(down, box.y, box.height, image.height, shape ? middle.y : undefined),
  };
  let width = within(box.width + across * by.x, Math.min(least, room.width), room.width);
  let height = within(box.height + down * by.y, Math.min(least, room.height), room.height);
  if (shape) {
    width = Math.min(across === 0 ? height * shape : width, room.width, room.height * shape);
    height = width / shape;
  }
  return rounded({
    x: startOf(across, box.x, box.width, width),
    y: startOf(down, box.y, box.height, height),
    width,
    height,
  });
}

/** How long a side may become: from the edge that stays, or to both sides of the middle. */
function roomOf(way: number, start: number, length: number, image: number, middle?: number): number {
  if (way > 0) return image - start;
  if (way < 0) return start + length;
  return middle === undefined ? length : 2 * Math.min(middle, image - middle);
}

function startOf(way: number, start: number, before: number, length: number): number {
  if (way > 0) return start;
  return way < 0 ? start + before - length : start + (before - length) / 2;
}

const within = (value: number, from: number, to: number) => Math.max(from, Math.min(value, Math.max(from, to)));

const rounded = ({ x, y, width, height }: Box): Box => ({
  x: Math.round(x),
  y: Math.round(y),
  width: Math.round(width),
  height: Math.round(height),
});
