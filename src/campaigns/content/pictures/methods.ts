// The methods for uploaded pictures: create, list, delete.
import { z } from 'zod';
import { method } from '../../../method/method.ts';
import { named } from '../../../method/named.ts';
import { bytesOrText, filledText, integer, line, params, text } from '../../../method/params.ts';
import { maxPictureBytes } from '../limits.ts';
import { createPicture, deletePicture, listPictures } from './library.ts';
import { maxPixelsPerSide } from './picture.ts';

/** One transparent dot, for the example. */
const dot = 'R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7';

const record = named(
  'Asset',
  z.object({
    name: z.string().meta({ description: 'Made from its content: the same image has the same name.' }),
    url: z.string(),
    title: z.string(),
    alt: z.string().meta({ description: 'Alternative text, for readers who do not see the image.' }),
    width: z.int(),
    height: z.int(),
    size: z.int().meta({ description: 'Bytes.' }),
    create_time: z.string(),
  }),
);

export const assetMethods = [
  method({
    name: 'assetCreate',
    group: 'templates',
    summary: 'Uploads an image for use in emails and templates; returns it with its URL.',
    description: `A PNG, JPEG, GIF or WebP of at most ${maxPictureBytes / 1024 / 1024} MiB and ${maxPixelsPerSide} pixels per side; the format is detected from the bytes. Metadata (EXIF, XMP, IPTC, comments) is removed; pixels, colours and orientation stay. SVG is rejected, because email clients do not show it. Uploading the same image again keeps its URL and replaces the title and the alternative text. Anyone who knows the URL can see the image.`,
    params: params({
      content: bytesOrText('The image: base64, or text in Base64.', 30_000_000),
      title: line('A name to find it by, such as that of the file.', 200).default(''),
      alt: text('Alternative text, for readers who do not see the image.', 500).default(''),
    }),
    returns: record,
    faults: ['ASSET_INVALID', 'TOO_LARGE'],
    scope: 'write',
    narrowed: true,
    example: { params: { content: dot, title: 'dot.gif', alt: 'A dot' } },
    run: createPicture,
  }),
  method({
    name: 'assets',
    group: 'templates',
    summary: 'Returns the uploaded images, newest first.',
    params: params({
      start: integer('Page number from which the selection starts.', 0, 1_000_000, {
        fault: 'START_OUT_OF_RANGE',
      }).default(0),
      limit: integer('Results per page, at most 1000.', 1, 1_000, { fault: 'LIMIT_OUT_OF_RANGE' }).default(50),
    }),
    returns: z.array(record),
    faults: ['LIMIT_OUT_OF_RANGE', 'START_OUT_OF_RANGE'],
    scope: 'read',
    narrowed: true,
    reads: true,
    example: { params: { limit: 10 } },
    run: listPictures,
  }),
  method({
    name: 'assetDelete',
    group: 'templates',
    summary:
      'Removes an image from the list; it stays at its URL as long as something uses it, and permanently if a message carried it.',
    params: params({ name: filledText('The name of the image, from assets.', 100) }),
    returns: z.boolean(),
    faults: ['ASSET_UNKNOWN'],
    scope: 'write',
    example: { params: { name: '{{asset}}' } },
    run: deletePicture,
  }),
];
