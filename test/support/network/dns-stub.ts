// A name server on loopback with the answers that a test sets: A, AAAA, MX, TXT, PTR, CNAME chains, mixed, slow,
// missing, and answers that change from one query to the next (rebinding). Speaks UDP and only answers from its table.
import { createSocket } from 'node:dgram';
import { isIPv4 } from 'node:net';

export type DnsRecords = {
  A?: readonly string[];
  AAAA?: readonly string[];
  MX?: readonly { exchange: string; priority: number }[];
  /** One string for each record; cut into pieces of 255 octets on the wire. */
  TXT?: readonly string[];
  PTR?: readonly string[];
  CNAME?: string;
  ttl?: number;
  /** Answer later, or (Infinity) never. */
  delayMs?: number;
  /** 2 SERVFAIL, 3 NXDOMAIN, 5 REFUSED. */
  rcode?: number;
};

export type DnsStub = {
  /** As createOutbound and Resolver.setServers want it. */
  server: string;
  /** Sets a name's records, or what they are at its nth question of a type (from 0). Names match in any case. */
  set(name: string, records: DnsRecords | ((nth: number, type: string) => DnsRecords)): void;
  /** Every question that came, in order. */
  questions: { name: string; type: string }[];
  close(): Promise<void>;
};

const typeNames: Record<number, string> = { 1: 'A', 5: 'CNAME', 12: 'PTR', 15: 'MX', 16: 'TXT', 28: 'AAAA' };
const typeNumbers: Record<string, number> = { A: 1, CNAME: 5, PTR: 12, MX: 15, TXT: 16, AAAA: 28 };
const notFound = 3;

export async function startDnsStub(): Promise<DnsStub> {
  const zone = new Map<string, (nth: number, type: string) => DnsRecords>();
  const asked = new Map<string, number>();
  const questions: { name: string; type: string }[] = [];
  const timers = new Set<NodeJS.Timeout>();
  const socket = createSocket('udp4');

  socket.on('message', (query, peer) => {
    const question = readQuestion(query);
    if (!question) return;
    const type = typeNames[question.type] ?? `TYPE${question.type}`;
    questions.push({ name: question.name, type });
    const key = `${question.name} ${type}`;
    const nth = asked.get(key) ?? 0;
    asked.set(key, nth + 1);

    const answers: Buffer[] = [];
    let name = question.name;
    let rcode = 0;
    let delayMs = 0;
    for (let hops = 0; hops < 16; hops++) {
      const records = zone.get(name)?.(nth, type);
      if (!records) {
        rcode = notFound;
        break;
      }
      rcode = records.rcode ?? 0;
      delayMs += records.delayMs ?? 0;
      const ttl = records.ttl ?? 60;
      for (const value of valuesOf(records, type)) answers.push(record(name, question.type, ttl, value));
      if (records.CNAME === undefined || type === 'CNAME') break;
      answers.push(record(name, typeNumbers['CNAME']!, ttl, encodeName(records.CNAME)));
      name = records.CNAME.toLowerCase();
    }
    if (delayMs === Infinity) return;
    const reply = Buffer.concat([
      header(query, rcode, rcode === 0 ? answers.length : 0),
      question.raw,
      ...(rcode === 0 ? answers : []),
    ]);
    const timer = setTimeout(() => {
      timers.delete(timer);
      socket.send(reply, peer.port, peer.address);
    }, delayMs);
    timers.add(timer);
  });

  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  return {
    server: `127.0.0.1:${socket.address().port}`,
    set(name, records) {
      zone.set(name.toLowerCase(), typeof records === 'function' ? records : () => records);
    },
    questions,
    close() {
      for (const timer of timers) clearTimeout(timer);
      return new Promise((resolve) => socket.close(() => resolve()));
    },
  };
}

function valuesOf(records: DnsRecords, type: string): Buffer[] {
  switch (type) {
    case 'A':
      return (records.A ?? []).map((address) => Buffer.from(address.split('.').map(Number)));
    case 'AAAA':
      return (records.AAAA ?? []).map(ipv6Bytes);
    case 'MX':
      return (records.MX ?? []).map(({ exchange, priority }) =>
        Buffer.concat([uint16(priority), encodeName(exchange)]),
      );
    case 'TXT':
      return (records.TXT ?? []).map(characterStrings);
    case 'PTR':
      return (records.PTR ?? []).map(encodeName);
    case 'CNAME':
      return records.CNAME === undefined ? [] : [encodeName(records.CNAME)];
    default:
      return [];
  }
}

/** RFC 1035 4.1.1 */
function header(query: Buffer, rcode: number, answers: number): Buffer {
  const head = Buffer.alloc(12);
  query.copy(head, 0, 0, 2);
  // QR, AA, and RD as asked; RA.
  head[2] = 0x84 | (query[2]! & 0x01);
  head[3] = 0x80 | rcode;
  head.writeUInt16BE(1, 4);
  head.writeUInt16BE(answers, 6);
  return head;
}

function readQuestion(query: Buffer): { name: string; type: number; raw: Buffer } | null {
  const labels: string[] = [];
  let at = 12;
  while (at < query.length && query[at] !== 0) {
    const length = query[at]!;
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += length + 1;
  }
  if (at + 5 > query.length) return null;
  return { name: labels.join('.').toLowerCase(), type: query.readUInt16BE(at + 1), raw: query.subarray(12, at + 5) };
}

function record(name: string, type: number, ttl: number, value: Buffer): Buffer {
  const fixed = Buffer.alloc(10);
  fixed.writeUInt16BE(type, 0);
  fixed.writeUInt16BE(1, 2);
  fixed.writeUInt32BE(ttl, 4);
  fixed.writeUInt16BE(value.length, 8);
  return Buffer.concat([encodeName(name), fixed, value]);
}

function encodeName(name: string): Buffer {
  const labels = name.split('.').filter((label) => label !== '');
  return Buffer.concat([
    ...labels.map((label) => Buffer.concat([Buffer.from([label.length]), Buffer.from(label)])),
    Buffer.alloc(1),
  ]);
}

function characterStrings(text: string): Buffer {
  const bytes = Buffer.from(text);
  const pieces: Buffer[] = [];
  for (let at = 0; at === 0 || at < bytes.length; at += 255) {
    const piece = bytes.subarray(at, at + 255);
    pieces.push(Buffer.from([piece.length]), piece);
  }
  return Buffer.concat(pieces);
}

function uint16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16BE(value);
  return bytes;
}

function ipv6Bytes(address: string): Buffer {
  const [head = '', tail] = address.split('::');
  const groups = (text: string) => {
    const parts = text === '' ? [] : text.split(':');
    return parts.flatMap((part) => {
      if (!isIPv4(part)) return [Number.parseInt(part, 16)];
      const [a, b, c, d] = part.split('.').map(Number);
      return [a! * 256 + b!, c! * 256 + d!];
    });
  };
  const left = groups(head);
  const right = tail === undefined ? [] : groups(tail);
  const all = [...left, ...new Array<number>(8 - left.length - right.length).fill(0), ...right];
  return Buffer.concat(all.map(uint16));
}
