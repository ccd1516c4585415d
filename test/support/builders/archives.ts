// Writes zip and tar archives octet by octet, so that a test can set each field to values that no tool would write. For
// invalid archives; valid ones should come from the usual tools.
import { execFileSync } from 'node:child_process';
import { delimiter, join } from 'node:path';
import { crc32, deflateRawSync } from 'node:zlib';

/** An environment in which bzip2 and zip are found, our own ones where the machine has none. */
export const withPrograms = {
  ...process.env,
  PATH: [process.env.PATH, join(import.meta.dirname, '../programs')].join(delimiter),
};

export const bzip2 = (bytes: Buffer): Buffer =>
  execFileSync('bzip2', ['-9', '-c'], { input: bytes, maxBuffer: 100_000_000, env: withPrograms });

export type ZipEntry = {
  name: string | Buffer;
  body?: Buffer | string;
  /** 0 stored, 8 deflated (default), anything else is only said. */
  method?: number;
  flags?: number;
  crc?: number;
  /** What the directory says instead of the truth. */
  size?: number;
  packedSize?: number;
  offset?: number;
  /** Unix mode with its type bits, as 0o120777 for a link. */
  mode?: number;
};

export function zipOf(entries: readonly ZipEntry[], end: { entries?: number; disk?: number } = {}): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let at = 0;
  for (const entry of entries) {
    const name = Buffer.from(entry.name);
    const body = Buffer.from(entry.body ?? '');
    const method = entry.method ?? 8;
    const packed = method === 8 ? deflateRawSync(body) : body;
    const crc = entry.crc ?? crc32(body);
    const flags = entry.flags ?? 0x800;
    const size = entry.size ?? body.length;
    const packedSize = entry.packedSize ?? packed.length;

    const local = Buffer.alloc(30);
    local.writeUInt32LE(0x04034b50, 0);
    local.writeUInt16LE(20, 4);
    local.writeUInt16LE(flags, 6);
    local.writeUInt16LE(method, 8);
    local.writeUInt32LE(crc, 14);
    local.writeUInt32LE(packedSize, 18);
    local.writeUInt32LE(size, 22);
    local.writeUInt16LE(name.length, 26);

    const central = Buffer.alloc(46);
    central.writeUInt32LE(0x02014b50, 0);
    central.writeUInt16LE((3 << 8) | 20, 4);
    local.copy(central, 6, 4, 28);
    central.writeUInt32LE(((entry.mode ?? 0o100644) << 16) >>> 0, 38);
    central.writeUInt32LE(entry.offset ?? at, 42);
    directory.push(central, name);
    if (entry.offset === undefined) {
      parts.push(local, name, packed);
      at += local.length + name.length + packed.length;
    }
  }
  const central = Buffer.concat(directory);
  const tail = Buffer.alloc(22);
  tail.writeUInt32LE(0x06054b50, 0);
  tail.writeUInt16LE(end.disk ?? 0, 4);
  tail.writeUInt16LE(end.entries ?? entries.length, 8);
  tail.writeUInt16LE(end.entries ?? entries.length, 10);
  tail.writeUInt32LE(central.length, 12);
  tail.writeUInt32LE(at, 16);
  return Buffer.concat([...parts, central, tail]);
}

export type TarEntry = {
  name: string | Buffer;
  body?: Buffer | string;
  /** '0' file (default), '5' folder, '1' hard link, '2' link, '3' '4' devices, '6' pipe, 'x' pax, 'L' long name … */
  type?: string;
  link?: string;
  /** What the header says instead of the truth; -1 for a number that is none. */
  size?: number;
  checksum?: number;
};

export function tarOf(entries: readonly TarEntry[], { end = true } = {}): Buffer {
  const parts: Buffer[] = [];
  for (const entry of entries) {
    const body = Buffer.from(entry.body ?? '');
    parts.push(tarHeader(entry, body.length), body, Buffer.alloc((512 - (body.length % 512)) % 512));
  }
  if (end) parts.push(Buffer.alloc(1024));
  return Buffer.concat(parts);
}

export function tarHeader(entry: TarEntry, length: number): Buffer {
  const header = Buffer.alloc(512);
  Buffer.from(entry.name).copy(header, 0, 0, 100);
  header.write('0000644\0', 100, 'latin1');
  header.write('0000000\0', 108, 'latin1');
  header.write('0000000\0', 116, 'latin1');
  const size = entry.size ?? length;
  if (size < 0) header.write('zzzzzzzzzzz\0', 124, 'latin1');
  else if (size < 8 ** 11) header.write(`${size.toString(8).padStart(11, '0')}\0`, 124, 'latin1');
  else {
    header[124] = 0x80;
    header.writeBigUInt64BE(BigInt(size), 128);
  }
  header.write('00000000000\0', 136, 'latin1');
  header.write('        ', 148, 'latin1');
  header.write(entry.type ?? '0', 156, 'latin1');
  header.write(entry.link ?? '', 157, 'latin1');
  header.write('ustar\x0000', 257, 'latin1');
  const sum = entry.checksum ?? header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
  return header;
}

/** One record of a pax header. */
export function paxRecord(key: string, value: string): Buffer {
  const rest = Buffer.byteLength(` ${key}=${value}\n`);
  let length = rest + String(rest).length;
  if (String(length).length !== String(rest).length) length = rest + String(length).length;
  return Buffer.from(`${length} ${key}=${value}\n`);
}

/** The smallest pictures that their signatures and a decoder accept. */
export const pictures = {
  png: Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    'base64',
  ),
  gif: Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64'),
  jpg: Buffer.from('/9j/4AAQSkZJRgABAQEASABIAAD/2wBDAAMCAgICAgMCAgIDAwMDBAYEBAQEBAgGBgUGCQgKCgkICQkKDA8M', 'base64'),
  webp: Buffer.from('UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA==', 'base64'),
  svg: Buffer.from('<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"/>'),
};
