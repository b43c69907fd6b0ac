/** The languages of messages and mails. */
export type Language = 'en' | 'id' | 'es' | 'fr' | 'de' | 'ja';
