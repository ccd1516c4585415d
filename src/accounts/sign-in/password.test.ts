// Which passwords are good enough.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { passwordProblem } from './password.ts';

const person = { email: 'grace.hopper@example.com', name: 'Grace Hopper' };

for (const [password, words] of [
  ['', 'shorter'],
  ['elevenchars', 'shorter'],
  // Twelve UTF-16 units, but six characters.
  ['🐦🐧🦆🦉🦅🦢', 'shorter'],
  ['a heron '.repeat(40), 'longer'],
  ['grace.hopper@example.com', 'name or the address'],
  ['Grace.Hopper2024', 'name or the address'],
  ['grace hopper 1906', 'name or the address'],
  ['aaaaaaaaaaaa', 'repeated'],
  ['abcabcabcabc', 'repeated'],
  ['abcdefabcdef', 'repeated'],
  ['abababababab1', 'repeated'],
  ['abcdefghijkl', 'row'],
  ['lkjhgfdsapoi', 'row'],
  ['345678901234', 'row'],
  ['password1234', 'commonest'],
  ['Passwort!2024', 'commonest'],
  ['ＰＡＳＳＷＯＲＤ1234', 'commonest'],
  ['!!letmein2025!!', 'commonest'],
  ['correct horse battery staple', 'commonest'],
] as const)
  test(`"${password.slice(0, 30)}" is refused: ${words}`, () => {
    assert.ok(passwordProblem(password, person)?.includes(words), passwordProblem(password, person));
  });

for (const password of [
  'correct horse',
  'a heron by the quiet lake',
  '4f9c02be7d1a6e83',
  'Zwölf Boxkämpfer jagen',
  'пароль для почты',
  '湖のほとりの静かなサギの夢',
  '            x  y z w',
  'my password manager made this',
])
  test(`"${password}" is taken`, () => assert.equal(passwordProblem(password, person), undefined));
