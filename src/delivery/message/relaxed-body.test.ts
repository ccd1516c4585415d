// The hash of a body whose static sections were prepared: that it is the hash of the whole body, for any cuts, values and
// holes, and that two other verifiers accept the signatures made with it, for every shape of message.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { content, recipient } from '../../../test/support/builders/mail.ts';
import { startPythonVerifier, verifyWithMailauth } from '../../../test/support/judges/dkim-verifiers.ts';
import { runs } from '../../../test/support/run/runs.ts';
import { layouts } from '../../../test/support/samples/layouts.ts';
import { compile } from '../../campaigns/compile/compile.ts';
import type { CampaignContent } from '../../campaigns/markup/compiled.ts';
import { dkimRecordName, dkimRecordText, generateDkimKey } from '../../senders/domains/dkim-key.ts';
import { createSigner } from './dkim.ts';
import type { Attachment, InlineImage } from './mime.ts';
import { RelaxedSections, relaxedBodyHash, type Section } from './relaxed-body.ts';
import { prepare, type Renderer } from './render.ts';

const [rsa, ed25519] = await Promise.all([generateDkimKey('rsa-sha256'), generateDkimKey('ed25519-sha256')]);
const domain = 'shop.example';
const signer = createSigner([
  { domain, selector: 'r1', ...rsa },
  { domain, selector: 'e1', ...ed25519 },
]);
const records = {
  [dkimRecordName('r1', domain)]: dkimRecordText('rsa-sha256', rsa.publicKey),
  [dkimRecordName('e1', domain)]: dkimRecordText('ed25519-sha256', ed25519.publicKey),
};

const python = startPythonVerifier();
after(() => python.verifier?.close());

/** RFC 6376 3.4.4, rule by rule. */
function byTheRules(body: Buffer): string {
  const lines = body.toString('latin1').split('\r\n');
  const relaxed = lines.map((line) => line.replace(/[ \t]+/g, ' ').replace(/ $/, ''));
  const text = relaxed.join('\r\n').replace(/(\r\n)*$/, '');
  return createHash('sha256')
    .update(text === '' ? '' : `${text}\r\n`, 'latin1')
    .digest('base64');
}

const holeLength = 4;
const blanks = fc.constantFrom(' ', '\t', '\r\n', '\r\n\r\n', '  ', ' \r\n', '\r\n ');
const text = fc
  .array(fc.oneof(blanks, fc.constantFrom('a', 'word', '=', '.', 'gr\xfc\xdfe', '\x01', '\xa0', 'x'.repeat(120))), {
    maxLength: 8,
  })
  .map((pieces) => pieces.join(''));
const token = fc.stringMatching(/^[A-Za-z0-9_-]{4}$/);

test('the hash of prepared sections is that of the joined body, for any sections, values, holes and cuts', () => {
  const section = fc.record({ pieces: fc.array(text, { minLength: 1, maxLength: 4 }), value: text });
  // Often longer than what is hashed in advance.
  const start = fc.oneof(fc.constant(''), fc.constant('Hello  \r\n'.repeat(600)), fc.constant('\r\n'.repeat(2_100)));
  fc.assert(
    fc.property(start, fc.array(section, { maxLength: 5 }), token, fc.boolean(), (start, drawn, token, endsInValue) => {
      const values: string[] = [token];
      const joined: string[] = [start];
      const sections = drawn.map(({ pieces, value }, i): Section => {
        // Between the pieces of a section are holes.
        const withStart = i === 0 ? [start + pieces[0]!, ...pieces.slice(1)] : pieces;
        joined.push(pieces.join(token));
        const isLast = i === drawn.length - 1;
        let at = 0;
        const holeAt = withStart.slice(0, -1).map((piece) => {
          at += piece.length + holeLength;
          return at - holeLength;
        });
        const bytes = Buffer.from(withStart.join(' '.repeat(holeLength)), 'latin1');
        if (isLast && !endsInValue) return { bytes, holeAt, holeSlot: holeAt.map(() => 0), value: -1 };
        joined.push(value);
        return { bytes, holeAt, holeSlot: holeAt.map(() => 0), value: values.push(value) - 1 };
      });
      if (drawn.length === 0) sections.push({ bytes: Buffer.from(start), holeAt: [], holeSlot: [], value: -1 });
      const body = Buffer.from(joined.join(''), 'latin1');
      const prepared = new RelaxedSections(sections, holeLength);
      const expected = byTheRules(body);
      assert.equal(relaxedBodyHash(body), expected);
      assert.equal(prepared.hash(body, values), expected);
      assert.equal(prepared.hash(body, values), expected, 'the second message');
    }),
    { numRuns: runs(500) },
  );
});

test('a body is hashed as a whole, wherever it is cut but between CR and LF, where it is refused', () => {
  const body = Buffer.from(' a  b\t\tc \t d  \r\n\r\n \r\ne\t\r\n f \r\n\t\r\n\r\n');
  const section = (bytes: Buffer, value: number) => ({ bytes, holeAt: [], holeSlot: [], value });
  for (let cut = 0; cut <= body.length; cut++) {
    const hash = () =>
      new RelaxedSections([section(body.subarray(0, cut), 0), section(body.subarray(cut), -1)], 4).hash(body, ['']);
    if (body[cut - 1] === 13) assert.throws(hash, /bare CR/);
    else assert.equal(hash(), byTheRules(body), `${cut}`);
  }
});

const names: Record<string, string>[] = [
  { FNAME: 'Joe', LNAME: 'Reader' },
  { FNAME: '', LNAME: '' },
  { FNAME: '  Zoë \t ', LNAME: ' \t ' },
  { FNAME: '. dots\r\n\r\n\r\nand lines  ', LNAME: 'Ünlü '.repeat(60) },
];

async function assertVerified(renderer: Renderer, about: string): Promise<void> {
  for (const values of names) {
    for (const emailType of ['html', 'text'] as const) {
      const mail = renderer.render(recipient({ values, emailType }));
      assert.ok(!('refused' in mail), about);
      assert.equal(mail.bodyHash!(), byTheRules(mail.body), about);
      const message = Buffer.concat([Buffer.from(await signer.sign(mail.head, mail.bodyHash!)), mail.whole]);
      // mailauth takes a byte of a letter for a space in a head; here heads are ASCII.
      assert.deepEqual(await verifyWithMailauth(message, records), ['pass', 'pass'], about);
      if (python.verifier) assert.deepEqual(await python.verifier.verify(message, records, 2), [true, true], about);
    }
  }
}

const spaced = 'a  b \t c\t\td   \n\n\n  *|FNAME|*  \t*|LNAME|*\n \n\t*|FNAME|*';
const shapes: Record<string, Partial<CampaignContent>> = {
  usual: {},
  'without HTML': { html: undefined, plain: 'Hello *|FNAME|*,\n\nread this.\n' },
  'without plain text': { plain: undefined },
  'nothing personal before its end': {
    html: undefined,
    plain: `${'Many words  about goods. \n'.repeat(400)}*|FNAME|*`,
    tracking: { opens: false, htmlClicks: false, textClicks: false },
  },
  'empty text': { html: undefined, plain: '' },
  'blank lines at the end': { html: undefined, plain: `Hello *|FNAME|*\n\n \n\t\n\n` },
  'a value at the begin and at the end': { html: undefined, plain: '*|FNAME|*\n*|LNAME|*' },
  'nothing but values': { html: undefined, plain: '*|FNAME|**|LNAME|*' },
  'white space around values': { html: `<pre>${spaced}</pre>`, plain: spaced },
  'very long lines': {
    html: `<p>${'word  '.repeat(20_000)}*|FNAME|*${'x'.repeat(5_000)}</p>`,
    plain: 'y'.repeat(3_000),
  },
  'letters beyond ASCII': { html: '<p>Grüße *|FNAME|* 用户 😀\t</p>', plain: 'Grüße  à *|LNAME|* \t' },
  'many links': {
    html: '<a href="https://shop.example/a">  a  </a> \t\n'.repeat(40),
    plain: 'https://shop.example/b  \n'.repeat(9),
  },
};

test('two verifiers accept the signatures of every shape of campaign, whatever the values are', async (t) => {
  if (!python.verifier) t.diagnostic(`second verifier left out: ${python.reason}`);
  for (const [name, shape] of Object.entries(shapes)) await assertVerified(prepare(compile(content(shape))), name);
});

test('two verifiers accept the signatures of campaigns of every layout', async () => {
  for (const { name, html } of layouts) {
    const mail = prepare(compile(content({ html }))).render(recipient());
    assert.ok(!('refused' in mail));
    const message = Buffer.concat([Buffer.from(await signer.sign(mail.head, mail.bodyHash!)), mail.whole]);
    assert.deepEqual(await verifyWithMailauth(message, records), ['pass', 'pass'], name);
    if (python.verifier) assert.deepEqual(await python.verifier.verify(message, records, 2), [true, true], name);
  }
});

test('two verifiers accept the signatures of messages with inline images and attachments', async () => {
  const bytes = Buffer.from(Array.from({ length: 10_000 }, (_, i) => (i * i) % 251));
  const images: InlineImage[] = [
    { cid: 'a@shop.example', contentType: 'image/png', bytes },
    { cid: 'b@shop.example', contentType: 'image/gif', bytes: bytes.subarray(0, 57) },
  ];
  const attachments: Attachment[] = [
    { name: 'Grüße  an alle.pdf', contentType: 'application/pdf', bytes },
    { name: 'empty.txt', contentType: 'text/plain', bytes: Buffer.alloc(0) },
  ];
  const html = '<p>  *|FNAME|*  </p><img src="cid:a@shop.example">';
  await assertVerified(prepare(compile(content({ html })), { images }), 'inline images');
  const head = (_to: unknown, partHeaders: string) =>
    `From: news@shop.example\r\nTo: a@b.example\r\nSubject: x\r\nMIME-Version: 1.0\r\n${partHeaders}\r\n`;
  await assertVerified(prepare(compile(content({ html })), { images, head, attachments }), 'attachments');
});

test('the bodies of two recipients have hashes of their own after a long common beginning', () => {
  const shared = { tracking: { opens: false, htmlClicks: false, textClicks: false }, html: undefined };
  const renderer = prepare(compile(content({ ...shared, plain: `${'Words. '.repeat(2_000)}*|FNAME|*` })));
  const hashOf = (FNAME: string) => {
    const mail = renderer.render(recipient({ values: { FNAME } }));
    assert.ok(!('refused' in mail));
    assert.equal(mail.bodyHash!(), byTheRules(mail.body));
    return mail.bodyHash!();
  };
  const [first, second] = [hashOf('Ann'), hashOf('Bob')];
  assert.notEqual(first, second);
  assert.equal(hashOf('Ann'), first);
});
