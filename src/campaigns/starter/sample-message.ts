// What an email without text begins with, to be written over: the check takes it for no text (check/sample-words.ts).
import type { MessageLanguage } from '../../base/messages.ts';

export const sampleMessages: Record<MessageLanguage, string> = {
  en: 'Write your message here.',
  de: 'Schreiben Sie hier Ihre Nachricht.',
  fr: 'Rédigez votre message ici.',
  es: 'Escriba aquí su mensaje.',
  it: 'Scrivi qui il tuo messaggio.',
  pl: 'Tu wpisz swoją wiadomość.',
  pt: 'Escreva sua mensagem aqui.',
  nl: 'Schrijf hier je bericht.',
};

/** In English where the language is none of the application's. */
export const sampleMessage = (language: string): string =>
  sampleMessages[language.slice(0, 2) as MessageLanguage] ?? sampleMessages.en;
