import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fillText, type TextForms, type Values } from '../../text/fill-text.ts';
import type { Translate } from '../../text/use-text.tsx';
import { autoresponderStart } from './autoresponder-start.ts';

function words(language: string): Translate<'automations'> {
  const file = join(import.meta.dirname, `../../locales/${language}/automations.json`);
  const texts = JSON.parse(readFileSync(file, 'utf8')) as Record<string, TextForms>;
  return ((key: string, values: Values = {}) => fillText(texts[key]!, values, language)) as Translate<'automations'>;
}

const signup = { amount: 1, unit: 'day', direction: 'after', event: 'signup', field: '' } as const;
const birthday = { amount: 2, unit: 'week', direction: 'before', event: 'annual', field: 'BIRTHDAY' } as const;

for (const [language, first, second] of [
  ['en', '1 day after sign-up', '2 weeks before the day in BIRTHDAY, every year'],
  ['de', '1 Tag nach der Anmeldung', '2 Wochen vor dem Tag in BIRTHDAY, jedes Jahr'],
  ['es', '1 día después de la suscripción', '2 semanas antes del día de BIRTHDAY, cada año'],
  ['fr', '1 jour après l’inscription', '2 semaines avant le jour de BIRTHDAY, chaque année'],
  ['it', '1 giorno dopo l’iscrizione', '2 settimane prima del giorno di BIRTHDAY, ogni anno'],
  ['nl', '1 dag na aanmelding', '2 weken voor de dag in BIRTHDAY, elk jaar'],
  ['pl', '1 dzień po zapisie', '2 tygodnie przed dniem z pola BIRTHDAY, co roku'],
  ['pt', '1 dia após a inscrição', '2 semanas antes do dia em BIRTHDAY, todo ano'],
] as const)
  test(`an autoresponder says when it sends in a sentence (${language})`, () => {
    assert.equal(autoresponderStart(words(language), signup), first);
    assert.equal(autoresponderStart(words(language), birthday), second);
  });
