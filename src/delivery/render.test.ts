// A rendered mail is read back by a parser that is not ours and compared with what the author and the recipient say.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import PostalMime from 'postal-mime';
import { content, mailOf, recipient } from '../../test/support/mail.ts';
import { compile } from '../campaigns/compile.ts';
import { asMailed } from '../campaigns/show.ts';
import { prepare } from './render.ts';

test('a mail carries text, page and subject as its recipient is to read them', async () => {
  const compiled = compile(content());
  const to = recipient({ values: { FNAME: 'Jürgen <b>' } });
  const mail = mailOf(prepare(compiled).render(to));
  const parsed = await PostalMime.parse(mail);
  const expected = asMailed(compiled, to, to.at, to.tokens);
  assert.equal(parsed.html?.trimEnd(), expected.html);
  assert.equal(parsed.text?.trimEnd(), expected.plain);
  assert.match(parsed.html ?? '', /Hello Jürgen &lt;b&gt;!/);
  assert.equal(parsed.subject, 'News for Jürgen <b>');
});
