// The one form in which words of files are compared.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { foldText } from './fold.ts';

test('words in any spelling come to one form', () => {
  for (const [text, folded] of [
    ["Don't `OPT` out", 'dont opt out'],
    ['Désabonné', 'desabonne'],
    ['De\u0301sabonne\u0301', 'desabonne'],
    ['Łódź', 'lodz'],
    ['Ødegård', 'odegard'],
    ['Đă', 'da'],
    ['KAYIT kayıt', 'kayit kayit'],
    ['Straße', 'strasse'],
    ['Ærø', 'aero'],
    ['Œuvre', 'oeuvre'],
    ['Ｅｍａｉｌ', 'email'],
    ['l’adresse', 'ladresse'],
    ['zero\u200bwidth', 'zerowidth'],
  ] as const)
    assert.equal(foldText(text), folded, text);
});
