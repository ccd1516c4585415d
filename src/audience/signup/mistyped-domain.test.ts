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

test('an end that is no domain is corrected to the one that was meant', () => {
  for (const end of 'con cim cpm vom xom dom comm coom cmo ocm om cm coim comn comt ccom ckm'.split(' '))
    assert.equal(probableAddress(`a@aol.${end}`), 'a@aol.com', end);
  for (const end of 'dee ed dw dd ded'.split(' ')) assert.equal(probableAddress(`a@web.${end}`), 'a@web.de', end);
  for (const end of 'nett ent ner met'.split(' ')) assert.equal(probableAddress(`a@gmx.${end}`), 'a@gmx.net', end);
});

test('providers of other countries, and those with similar names, are right as they are', () => {
  const countries: Record<string, string> = {
    yahoo: 'de fr it es co.uk co.jp co.in com.br com.ar com.au com.mx ca co cn in se no dk gr be at',
    hotmail: 'de fr it es co.uk com.br com.ar be ca ch gr nl no se dk',
    outlook: 'de fr es com.br at be cl cz dk ie it pt',
    yandex: 'ru by kz ua com',
    gmx: 'de net at ch',
  };
  for (const [name, ends] of Object.entries(countries))
    for (const end of ends.split(' ')) assert.equal(probableAddress(`a@${name}.${end}`), undefined, `${name}.${end}`);
  const similar = 'ymail.com email.com mail.com gmail.co gmai.com zmail.com tmail.com hmail.com fmail.com';
  for (const domain of `${similar} tiscali.cz orange.pl orange.es freenet.am`.split(' '))
    assert.equal(probableAddress(`a@${domain}`), undefined, domain);
});

test('one letter more in the name of a national provider has a hint', () => {
  const national =
    'terra.com.br t-online.de freenet.de posteo.de mailbox.org wanadoo.fr orange.fr laposte.net libero.it virgilio.it tiscali.it ' +
    'comcast.net verizon.net btinternet.com bluewin.ch telenet.be ziggo.nl seznam.cz interia.pl yandex.ru rambler.ru naver.com ' +
    'yahoo.com.ar yahoo.com.au yahoo.com.mx hotmail.com.br hotmail.com.ar outlook.com.br yahoo.co.jp yahoo.co.in yahoo.fr yahoo.it ' +
    'yahoo.es hotmail.de hotmail.fr hotmail.it hotmail.es outlook.de outlook.fr outlook.es';
  for (const domain of national.split(' ')) assert.equal(probableAddress(`a@x${domain}`), `a@${domain}`, domain);
});

test('a country of two letters may be another one, and one of three is a slip', () => {
  assert.equal(probableAddress('a@yahoo.com.bt'), undefined);
  assert.equal(probableAddress('a@yahoo.com.bra'), 'a@yahoo.com.br');
  assert.equal(probableAddress('a@yahoo.co.brr'), undefined);
});

test('of a provider with a short name only the end is corrected', () => {
  for (const [given, meant] of [
    ['live.con', 'live.com'],
    ['msn.cmo', 'msn.com'],
    ['me.vom', 'me.com'],
    ['mail.ruu', 'mail.ru'],
    ['gmx.att', 'gmx.at'],
    ['gmx.chh', 'gmx.ch'],
    ['bol.con.br', 'bol.com.br'],
    ['googlemal.com', 'googlemail.com'],
    ['protonmial.com', 'protonmail.com'],
  ])
    assert.equal(probableAddress(`a@${given}`), `a@${meant}`, given);
  for (const domain of ['live.com', 'mxn.com', 'ne.com', 'nail.ru', 'gnx.at', 'bol.com.ar', 'gmail.com.br.example'])
    assert.equal(probableAddress(`a@${domain}`), undefined, domain);
});

test('one letter is missing, added, another or exchanged with its neighbour, and no more', () => {
  for (const name of ['outlok', 'outloook', 'outlooc', 'outlokk', 'otulook', 'outloko', 'utlook', 'voutlook'])
    assert.equal(probableAddress(`a@${name}.com`), 'a@outlook.com', name);
  for (const name of ['outlk', 'outloooook', 'outlaac', 'tuolook', 'kooltuo', 'out'])
    assert.equal(probableAddress(`a@${name}.com`), undefined, name);
});
