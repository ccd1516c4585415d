import assert from 'node:assert/strict';
import { test } from 'node:test';
import { probableAddress } from './mistyped-domain.ts';

test('an address with the domain of a large provider but for one letter has a hint', () => {
  const table: Record<string, string> = {
    'ann@gmail.con': 'ann@gmail.com',
    'Ann.Lee+x@GMIAL.com': 'Ann.Lee+x@gmail.com',
    'a@gamil.com': 'a@gmail.com',
    'a@gmal.com': 'a@gmail.com',
    'a@gmaill.com': 'a@gmail.com',
    'a@gnail.com': 'a@gmail.com',
    'a@gmial.con': 'a@gmail.com',
    'a@hotmial.com': 'a@hotmail.com',
    'a@hotmai.com': 'a@hotmail.com',
    'a@outlok.com': 'a@outlook.com',
    'a@yaho.com': 'a@yahoo.com',
    'a@yahooo.de': 'a@yahoo.de',
    'a@iclould.com': 'a@icloud.com',
    'a@t-onlin.de': 'a@t-online.de',
    'a@tonline.de': 'a@t-online.de',
    'a@gmx.dee': 'a@gmx.de',
    'a@web.ed': 'a@web.de',
    'a@aol.con': 'a@aol.com',
    'a@yahoo.couk': 'a@yahoo.co.uk',
    'a@yahoo.con.br': 'a@yahoo.com.br',
    'a@yahoo.cm.br': 'a@yahoo.com.br',
    'a@yahoo.com.brr': 'a@yahoo.com.br',
    'a@yahooo.com.br': 'a@yahoo.com.br',
    'a@yahoo.com.jp': 'a@yahoo.co.jp',
    'a@gmail.comm': 'a@gmail.com',
    'a@hotmial.co.uk': 'a@hotmail.co.uk',
    'a@hotmail.co.ukk': 'a@hotmail.co.uk',
    'a@live.c.uk': 'a@live.co.uk',
    'a@uol.con.br': 'a@uol.com.br',
    'a@orange.frr': 'a@orange.fr',
    'a@libero.itt': 'a@libero.it',
  };
  for (const [given, meant] of Object.entries(table)) assert.equal(probableAddress(given), meant, given);
});

test('an address that may be right has none', () => {
  for (const email of [
    'a@gmail.com',
    'a@ymail.com',
    'a@mail.com',
    'a@email.com',
    'a@hotmail.be',
    'a@outlook.at',
    'a@yahoo.ca',
    'a@yahoo.co.id',
    'a@yahoo.co.nz',
    'a@yahoo.com.ph',
    'a@yahoo.com.ar',
    'a@hotmail.co.il',
    'a@mail.yahoo.co.uk',
    'a@gmx.at',
    'a@gmx.com',
    'a@web.com',
    'a@example.com',
    'a@mygmail.com',
    'a@gmail.example.com',
    'a@mail.gmail.com',
    'a@live.nl',
    'a@google.com',
    'a@example.cm',
    'a@bücher.example',
    'gmail.con',
    '',
  ])
    assert.equal(probableAddress(email), undefined, email);
});
