// A library that knows nothing of Consentry verifies receipts: npm's jose, with the keys that the log describes.
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { before, test } from 'node:test';
import { recordedLog } from './records.mjs';

const { createLocalJWKSet, decodeProtectedHeader, generateKeyPair, jwtVerify, SignJWT } = createRequire(
    `${process.env.CONSENTRY_NODE_MODULES}/`,
)('jose');

const options = { typ: 'consent-receipt+jwt', algorithms: ['ES256'] };
let log;
let keys;
before(async () => {
    log = await recordedLog();
    keys = createLocalJWKSet((await log.service.json('/.well-known/consent-log')).receiptKeys);
});

test('every receipt is genuine', async () => {
    assert.equal(log.records.length, 4);
    for (const { receipt, claims } of log.records) {
        const { payload, protectedHeader } = await jwtVerify(receipt, keys, { ...options, issuer: claims.iss });
        assert.deepEqual(payload, claims);
        assert.equal(protectedHeader.typ, options.typ);
        assert.equal(payload.log, log.origin);
        assert.match(payload.entryHash, /^[0-9a-f]{64}$/);
    }
});

test('no part of a receipt can be altered', async () => {
    const [{ receipt }] = log.records;
    const parts = receipt.split('.');
    for (const [place, part] of parts.entries())
        for (let at = 0; at < part.length - 1; at += 7) {
            const other = part[at] === 'A' ? 'B' : 'A';
            const altered = parts.with(place, part.slice(0, at) + other + part.slice(at + 1)).join('.');
            await assert.rejects(jwtVerify(altered, keys, options), `${place} ${at}`);
        }
});

test('what another key has signed is no receipt', async () => {
    const [{ receipt, claims }] = log.records;
    const { privateKey } = await generateKeyPair('ES256');
    const forged = await new SignJWT(claims).setProtectedHeader(decodeProtectedHeader(receipt)).sign(privateKey);
    await assert.rejects(jwtVerify(forged, keys, options), /signature verification failed/);
});

test('an access token is no receipt', async () => {
    const token = await log.service.logIn('ada@example.org');
    const { keys: published } = await log.service.json('/.well-known/jwks.json');
    await jwtVerify(token, createLocalJWKSet({ keys: published }), { algorithms: ['ES256'] });
    await assert.rejects(jwtVerify(token, createLocalJWKSet({ keys: published }), options), /typ/);
});
