import { capital } from './capital.ts';

/** A reason or fault of the server, which is part of a sentence there, as a sentence of its own: with a capital and a full stop. */
export function asSentence(words: string): string {
  const sentence = capital(words);
  return sentence === '' || /[.!?…:]$/.test(sentence) ? sentence : `${sentence}.`;
}
