// Codes of an authenticator app: RFC 6238 with the defaults of the service.
import { createHmac } from 'node:crypto';

export function codeOf(secret, time = Date.now()) {
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
    let bits = '';
    for (const letter of secret) bits += alphabet.indexOf(letter).toString(2).padStart(5, '0');
    const key = Buffer.from(bits.match(/.{8}/g).map((byte) => parseInt(byte, 2)));
    const counter = Buffer.alloc(8);
    counter.writeBigUInt64BE(BigInt(Math.floor(time / 30000)));
    const digest = createHmac('sha1', key).update(counter).digest();
    const offset = digest[19] & 15;
    return String((digest.readUInt32BE(offset) & 0x7fffffff) % 1000000).padStart(6, '0');
}

// The code that the app shows next. The service takes it too, and it works after codeOf() has been used up.
export const nextCodeOf = (secret) => codeOf(secret, Date.now() + 30_000);
