// Which passwords are good enough.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { passwordProblem } from './password.ts';

const person = { email: 'grace.hopper@example.com', name: 'Grace Hopper' };

for (const [password, words] of [
  ['', 'too_short'],
  ['elevenchars', 'too_short'],
  // Twelve UTF-16 units, but six characters.
  ['🐦🐧🦆🦉🦅🦢', 'too_short'],
  ['a heron '.repeat(40), 'too_long'],
  ['grace.hopper@example.com', 'own_name'],
  ['Grace.Hopper2024', 'own_name'],
  ['grace hopper 1906', 'own_name'],
  ['aaaaaaaaaaaa', 'repeated'],
  ['abcabcabcabc', 'repeated'],
  ['abcdefabcdef', 'repeated'],
  ['abababababab1', 'repeated'],
  ['abcdefghijkl', 'row'],
  ['lkjhgfdsapoi', 'row'],
  ['345678901234', 'row'],
  ['password1234', 'common'],
  ['Passwort!2024', 'common'],
  ['ＰＡＳＳＷＯＲＤ1234', 'common'],
  ['!!letmein2025!!', 'common'],
  ['correct horse battery staple', 'common'],
] as const)
  test(`"${password.slice(0, 30)}" is refused: ${words}`, () => {
    assert.equal(passwordProblem(password, person, 'password')?.key, `password.${words}`);
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
  test(`"${password}" is taken`, () => assert.equal(passwordProblem(password, person, 'password'), undefined));
