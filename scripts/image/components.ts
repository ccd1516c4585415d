// Writes components.cdx.json, the list of the components of the image, into the folder of its files: `node scripts/image/components.ts FOLDER`.
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { imageComponents } from '../release/components.ts';

const [folder = ''] = process.argv.slice(2);
if (folder === '') throw new Error('Usage: components.ts FOLDER');
const bom = imageComponents(join(import.meta.dirname, '../..'), resolve(folder));
writeFileSync(join(resolve(folder), 'components.cdx.json'), `${JSON.stringify(bom, null, 2)}\n`);
console.log(`${bom.components.length} components.`);
