import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Box, dragged, grips, shaped, wholeOf } from './crop-box.ts';

const image = { width: 1_200, height: 800 };

test('a shape is the largest that fits, near the middle of what was chosen', () => {
  assert.deepEqual(shaped(wholeOf(image), image, 1), { x: 200, y: 0, width: 800, height: 800 });
  assert.deepEqual(shaped({ x: 0, y: 0, width: 100, height: 100 }, image, 1), { x: 0, y: 0, width: 800, height: 800 });
  assert.deepEqual(shaped(wholeOf(image), image, 3), { x: 0, y: 200, width: 1_200, height: 400 });
});

test('an edge moves alone, a corner both of its edges, and the box as it is', () => {
  const box = { x: 100, y: 100, width: 400, height: 300 };
  assert.deepEqual(dragged(box, 'e', { x: 50, y: 90 }, image), { ...box, width: 450 });
  assert.deepEqual(dragged(box, 'n', { x: 50, y: -20 }, image), { ...box, y: 80, height: 320 });
  assert.deepEqual(dragged(box, 'sw', { x: -50, y: 10 }, image), { x: 50, y: 100, width: 450, height: 310 });
  assert.deepEqual(dragged(box, 'box', { x: -500, y: 900 }, image), { ...box, x: 0, y: 500 });
});

test('the box stays in the image and in its shape, wherever it is dragged to', () => {
  const starts: Box[] = [wholeOf(image), { x: 100, y: 50, width: 400, height: 300 }];
  for (const shape of [undefined, 1, 4 / 3, 16 / 9, 3])
    for (const start of starts)
      for (const grip of grips)
        for (const by of [-2_000, -333, -7, 0, 7, 333, 2_000]) {
          const before = shape ? shaped(start, image, shape) : start;
          const { x, y, width, height } = dragged(before, grip, { x: by, y: by / 2 }, image, shape);
          const what = `${shape} ${grip} ${by}`;
          assert.ok(x >= 0 && y >= 0 && x + width <= image.width + 1 && y + height <= image.height + 1, what);
          assert.ok(width >= 5 && height >= 5, what);
          if (shape && height > 20) assert.ok(Math.abs(width / height / shape - 1) < 0.05, what);
        }
});
