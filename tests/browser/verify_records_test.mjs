// assets/verify.html, opened as a file: receipts, proofs and exports of the real service, and tampering with each.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { NoteKey, checkpointText, leafHash, proofFile, sha256 } from './bundle.mjs';
import { openBrowser, openPage, root } from './harness.mjs';
import { recordedLog, texts, verify } from './records.mjs';

let log;
let page;
let troubles;
before(async () => {
    const [recorded, browser] = await Promise.all([recordedLog(), openBrowser()]);
    log = recorded;
    ({ page, troubles } = await openPage(browser, 'file://'));
    await page.goto(`file://${root}assets/verify.html`);
});

const file = (content, name = 'file') => ({ name, content });
function expectGood(findings, count) {
    assert.ok(Array.isArray(findings), findings);
    assert.equal(findings.length, count);
    for (const one of findings) assert.ok(one.good, `${one.name}: ${one.sentence}`);
}
const factOf = (finding, label) => {
    const value = finding.facts.find(([name]) => name === label)?.[1];
    return value?.code ?? value;
};
function expectRefused(findings, reason) {
    if (typeof findings === 'string') return assert.match(findings, reason);
    const bad = findings.filter((one) => !one.good);
    assert.ok(bad.length > 0, 'accepted');
    assert.match(bad[0].sentence, reason);
}

test('a receipt is verified by the verifier key and the description alone', async () => {
    const { receipt, claims } = log.records[1];
    const findings = await verify(page, log.vkey, [file(receipt)], log.descriptionNote);
    expectGood(findings, 1);
    assert.match(
        findings[0].sentence,
        /privacy policy, version 1 in English, was accepted on \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC/,
    );
    assert.equal(factOf(findings[0], 'Account tag'), claims.sub);
    assert.equal(factOf(findings[0], 'SHA-256 of the text'), claims.policy.contentHash);
    assert.equal(factOf(findings[0], 'Number of the entry'), undefined, 'a promise alone');
    expectRefused(await verify(page, log.vkey, [file(receipt)]), /the description of the log is missing/);
});

test('receipts may have each algorithm that tokens may have', async () => {
    await Promise.all(
        ['ES384', 'ES512', 'EdDSA'].map(async (algorithm) => {
            const other = await recordedLog({ AUTH_JWT_ACCESS_TOKEN_ALGORITHM: algorithm });
            const { receipt } = other.records[0];
            assert.equal(JSON.parse(Buffer.from(receipt.split('.')[0], 'base64url')).alg, algorithm);
            expectGood(await verify(page, other.vkey, [file(receipt)], other.descriptionNote), 1);
            const changed = receipt.replace(/.{4}$/, (end) => (end === 'AAAA' ? 'AAAB' : 'AAAA'));
            expectRefused(
                await verify(page, other.vkey, [file(changed)], other.descriptionNote),
                /the signature is invalid/,
            );
        }),
    );
});

test('a proof shows that the promise is kept', async () => {
    const { receipt, proof } = log.records[3];
    const last = log.entries.length - 1;
    const findings = await verify(page, `${log.vkey}\n`, [file(proof), file(receipt), file(log.descriptionNote)]);
    expectGood(findings, 3);
    const promised = findings.find((one) => one.sentence.includes('marketing') && one.sentence.includes('signed'));
    assert.match(promised.sentence, new RegExp(`withdrawn .* The promise is kept: this is entry ${last} of the log`));
    assert.equal(factOf(promised, 'Size of the log'), `${log.entries.length} entries`);
    expectGood(await verify(page, log.vkey, [file(proof)]), 1);
    const bare = proof.replace(/^extra .*\n/m, '');
    expectGood(await verify(page, log.vkey, [file(bare), file(receipt)], log.descriptionNote), 2);
    expectRefused(await verify(page, log.vkey, [file(bare)]), /does not contain its entry/);
    expectRefused(
        await verify(page, log.vkey, [file(bare), file(log.records[0].receipt)], log.descriptionNote),
        new RegExp(`is not number ${last}`),
    );
});

test('a file may contain many receipts', async () => {
    const lines = log.records.map(({ receipt }) => receipt);
    const few = await verify(page, log.vkey, [file(`${lines.join('\r\n')}\n\n`)], log.descriptionNote);
    expectGood(few, 4);
    const many = Array.from({ length: 300 }, (_, i) => lines[i % lines.length]);
    const findings = await verify(page, log.vkey, [file(many.join('\n'))], log.descriptionNote);
    expectGood(findings, 1);
    assert.equal(findings[0].sentence, 'The service has signed all 300 receipts.');
    many[250] = many[250].replace(/.$/, '');
    const refused = await verify(page, log.vkey, [file(many.join('\n'))], log.descriptionNote);
    assert.deepEqual(
        refused.map((one) => [one.name, one.good]),
        [
            ['file, line 251', false],
            ['file', false],
        ],
    );
    assert.equal(refused[1].sentence, '1 of the 300 receipts is refused.');
});

test('the accepted text is recognized by its hash', async () => {
    const { receipt } = log.records[1];
    const given = [file(receipt), file(texts.privacy, 'text')];
    expectGood(await verify(page, log.vkey, given, log.descriptionNote), 2);
    given[1].content += ' ';
    expectRefused(await verify(page, log.vkey, given, log.descriptionNote), /neither a record, nor a text/);
});

function exportOf(records) {
    const entries = records.map(({ receipt, claims, proof }) => ({
        acceptanceId: claims.jti,
        receipt,
        ...(proof && { proof }),
    }));
    return { user: { email: 'ada@example.org' }, consentLog: { descriptionNote: log.descriptionNote, entries } };
}
// The page's findings. The command must judge each export as the page does.
async function judge(value, policy = `log ${log.vkey}\nquorum none\n`) {
    const content = JSON.stringify(value);
    const findings = await verify(page, policy, [file(content)]);
    const policyFile = join(log.service.folder, 'policy.txt');
    writeFileSync(policyFile, policy);
    const { status, stderr } = spawnSync(
        process.env.CONSENTRY_PROGRAM,
        ['verify', 'receipt', '-', '--policy', policyFile],
        { input: content, encoding: 'utf8' },
    );
    const isGood = Array.isArray(findings) && findings.every((one) => one.good);
    assert.equal(status === 0, isGood, `the command exits with ${status}: ${stderr}`);
    return findings;
}
test('an export contains all that is needed', async () => {
    const whole = exportOf(log.records);
    const findings = await judge(whole);
    expectGood(findings, 5);
    assert.match(findings[0].sentence, /4 genuine receipts; 4 entries are proven/);
    expectGood(await judge({ statusCode: 200, data: whole }), 5);
    const { proof, ...pending } = log.records[3];
    const some = await judge(exportOf([...log.records.slice(0, 3), pending]));
    assert.match(some[0].sentence, /3 entries are proven to be in the log. 1 receipt has no proof yet/);

    const refused = async (change, reason) => {
        const changed = exportOf(log.records);
        change(changed.consentLog);
        expectRefused(await judge(changed), reason);
    };
    await refused((one) => (one.entries[2].proof = one.entries[1].proof), /parts? of the file/);
    await refused((one) => (one.entries[2].acceptanceId = one.entries[1].acceptanceId), /parts? of the file/);
    for (const proof of [[], [log.records[2].proof], {}, 1, null])
        await refused((one) => (one.entries[2].proof = proof), /parts? of the file/);
    for (const id of [[log.records[2].claims.jti], {}, 1, null])
        await refused((one) => (one.entries[2].acceptanceId = id), /parts? of the file/);
    await refused((one) => (one.entries = []), /the file contains no receipt/);
    await refused((one) => delete one.descriptionNote, /parts of the file/);
    await refused(
        (one) => (one.descriptionNote = one.descriptionNote.replace('"mergeDelay":60', '"mergeDelay":61')),
        /parts? of the file/,
    );
});

test('an export says of its acceptances what the receipts say', async () => {
    const own = await log.service.json('/api/shared/user/export', {
        token: await log.service.logIn('ada@example.org'),
    });
    const changedBy = (change) => {
        const changed = structuredClone(own);
        change(changed);
        return judge(changed);
    };
    const findings = await changedBy(() => {});
    expectGood(findings, 5);
    assert.equal(own.acceptances.length, 4);
    assert.match(findings[0].sentence, /Each row of `acceptances` that has a receipt agrees with it\. Nothing else in the file is signed\.$/);
    assert.equal(
        await page.evaluate((findings) => verdictOf(findings)[2], findings),
        'All receipts, proofs and bundles that you entered are genuine, if the key is the right one.',
    );
    for (const [name, value] of [
        ['type', 'cookies'],
        ['version', 2],
        ['version', '1'],
        ['action', own.acceptances[1].action === 'accepted' ? 'withdrawn' : 'accepted'],
        ['language', 'de'],
        ['contentHashes', []],
        ['contentHashes', [{ language: 'en', contentHash: 'f'.repeat(64) }]],
        ['contentHashes', [...own.acceptances[1].contentHashes, { language: 'en', contentHash: 'f'.repeat(64) }]],
        ['acceptedAt', '2020-01-01T00:00:00.000Z'],
        ['acceptedAt', undefined],
        ['ipAddress', '192.0.2.99'],
        ['ipAddress', null],
        ['userAgent', 'another program'],
        ['sessionId', own.profile.id],
        ['shownDiffHash', 'f'.repeat(64)],
    ]) {
        const refused = await changedBy(({ acceptances }) => (acceptances[1][name] = value));
        const bad = refused.find((one) => one.name === 'file, acceptances[1]');
        const expected = name === 'language' ? /`(language|contentHashes)` differs/ : new RegExp(`\`${name}\` differs`);
        assert.match(bad?.sentence ?? 'accepted', expected, name);
    }
    for (const receipt of [null, 1, [own.consentLog.entries[2].receipt]]) {
        const refused = await changedBy(({ consentLog }) => (consentLog.entries[2].receipt = receipt));
        assert.match(refused.find((one) => /entries\[2\]/.test(one.name)).sentence, /`receipt` is not a string/);
    }
    // An addendum names the account. Without one, nothing in the export proves where the acceptance came from.
    const other = own.acceptances[0].id;
    for (const one of await changedBy(({ profile }) => (profile.id = other)))
        assert.match(one.sentence, /names an account other than `profile`\.$|parts of the file are refused/);
    const moved = await changedBy((changed) => {
        changed.more = { profile: { ...changed.profile, id: other }, acceptances: changed.acceptances };
        delete changed.acceptances;
    });
    assert.match(
        moved.find((one) => one.name === 'file, more.acceptances[0]')?.sentence ?? 'accepted',
        /the addendum of this acceptance names an account other than `profile`/,
    );
    const [bare] = await changedBy(({ acceptances, consentLog }) => {
        for (const one of consentLog.entries) delete one.addendum;
        acceptances[1].ipAddress = '192.0.2.99';
        acceptances[1].contentHashes.push({ language: 'de', contentHash: 'any' });
    });
    assert.match(
        bare.sentence,
        / 4 rows of `acceptances` have no addendum, so that nothing proves their addresses, programs, sessions and comparisons\. 1 hash of a text in another language than the accepted one is there, which nothing proves\. Nothing else/,
    );
    const [more] = await changedBy(({ acceptances }) => acceptances.push({ ...acceptances[0], id: 'unknown' }));
    assert.match(more.sentence, /1 row of `acceptances` has no receipt, so that nothing proves it\./);
});

test('an addendum in an export is the one that its receipt names', async () => {
    const addendumOf = ({ claims }) =>
        [...log.addenda.values()].find((text) => sha256(text).toString('hex') === claims.addendumHash);
    const whole = exportOf(log.records);
    whole.consentLog.entries.forEach((one, i) => (one.addendum = addendumOf(log.records[i])));
    const findings = await judge(whole);
    expectGood(findings, 5);
    assert.match(findings[0].sentence, /4 addenda match their receipts\./);
    const refused = async (addendum, reason) => {
        const changed = structuredClone(whole);
        changed.consentLog.entries[2].addendum = addendum;
        const bad = (await judge(changed)).find((one) => /entries\[2\]/.test(one.name));
        assert.match(bad?.sentence ?? 'accepted', reason);
    };
    await refused(`${addendumOf(log.records[2])} `, /`addendum` is not the one that the receipt names/);
    await refused(addendumOf(log.records[1]), /`addendum` is not the one that the receipt names/);
    for (const damaged of [null, 1, {}, [addendumOf(log.records[2])]]) await refused(damaged, /`addendum` is not a string/);
});

// Changes each byte in turn, and returns the changes that the page accepts. All in one call, and without blobs: thousands of
// calls would take most of the time.
function acceptedChanges(kind, content) {
    return page.evaluate(
        async (vkey, note, kind, base64) => {
            const policy = await readTrust(vkey);
            const description = await openDescription(note, policy);
            const descriptions = new Map([[description.verifierKey, description]]);
            const verifyText = {
                receipt: (text) => verifyReceipt(text, policy, descriptions),
                proof: async (text) =>
                    verifyLeafProof(await leafHash(parseProof(text).extra), parseProof(text), policy),
                description: (text) => openDescription(text, policy),
            }[kind];
            const isAccepted = async (bytes) => {
                try {
                    await verifyText(readUtf8(bytes) ?? refuse('not UTF-8'));
                    return true;
                } catch (error) {
                    if (error instanceof Refusal) return false;
                    throw error;
                }
            };
            const right = Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
            const accepted = (await isAccepted(right)) ? [] : ['the right one is refused'];
            const tried = async (what, bytes) => {
                if (await isAccepted(bytes)) accepted.push(what);
            };
            for (let at = 0; at < right.length; ++at) {
                for (const flip of [0x01, 0x20])
                    await tried(
                        `byte ${at} ^ ${flip}`,
                        right.map((one, i) => (i === at ? one ^ flip : one)),
                    );
                await tried(
                    `without byte ${at}`,
                    right.filter((_, i) => i !== at),
                );
                if (at % 16 === 0) await tried(`cut off at ${at}`, right.slice(0, at));
            }
            return accepted;
        },
        log.vkey,
        log.descriptionNote,
        kind,
        Buffer.from(content).toString('base64'),
    );
}
test('no byte of a receipt, a proof or a description can change', async () => {
    const { receipt, proof } = log.records[2];
    assert.deepEqual(await acceptedChanges('receipt', receipt), []);
    assert.deepEqual(await acceptedChanges('proof', proof), []);
    assert.deepEqual(await acceptedChanges('description', log.descriptionNote), []);
});

test('records of another log, key or type are refused', async () => {
    const other = new NoteKey(log.origin, randomBytes(32));
    const { receipt, proof } = log.records[0];
    expectRefused(await verify(page, other.vkey, [file(proof)]), /none of the known keys has signed the note/);
    expectRefused(
        await verify(page, other.vkey, [file(receipt)], log.descriptionNote),
        /the description names another verifier key/,
    );
    expectRefused(
        await verify(page, new NoteKey('other.example/consent', randomBytes(32)).vkey, [file(proof)]),
        /the policy has no log/,
    );
    // Claims that the service would sign for another purpose.
    const [head, claims, signature] = receipt.split('.');
    const header = JSON.parse(Buffer.from(head, 'base64url'));
    const encode = (value) =>
        Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');
    const withHead = (value) =>
        verify(page, log.vkey, [file([encode(value), claims, signature].join('.'))], log.descriptionNote);
    expectRefused(await withHead({ ...header, typ: 'at+jwt' }), /not of type consent-receipt\+jwt/);
    expectRefused(await withHead({ ...header, jwk: {} }), /has the header jwk/);
    expectRefused(await withHead({ ...header, alg: 'none' }), /the key of the token is for ES256, not for none/);
    expectRefused(
        await withHead(JSON.stringify(header).replace('{', '{"alg":"none",')),
        /does not consist of JSON objects/,
    );
});

// A log with keys of the test, which signs whatever a test says.
function ownLog(name = 'log.example/consent') {
    const logKey = new NoteKey(name, randomBytes(32));
    const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const jwk = { ...publicKey.export({ format: 'jwk' }), kid: 'one', alg: 'ES256', use: 'sig' };
    const describe = (keys, facts = {}) =>
        logKey.note(
            `description of a consent log\n${JSON.stringify({ origin: logKey.name, verifierKey: logKey.vkey, mergeDelay: 60, receiptKeys: { keys }, ...facts })}\n`,
        );
    const encode = (value) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const receiptOf = (claims, head = {}) => {
        const signed = `${encode({ alg: 'ES256', kid: 'one', typ: 'consent-receipt+jwt', ...head })}.${encode(claims)}`;
        return `${signed}.${sign('sha256', Buffer.from(signed), { key: privateKey, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`;
    };
    return { logKey, jwk, describe, receiptOf };
}

test('the claims of a receipt are complete and agree with each other', async () => {
    const { logKey, jwk, describe, receiptOf } = ownLog();
    const right = { ...log.records[0].claims, log: logKey.name };
    const description = describe([jwk]);
    const verifyClaims = (claims, head) => verify(page, logKey.vkey, [file(receiptOf(claims, head))], description);
    expectGood(await verifyClaims(right), 1);
    expectGood(await verifyClaims({ ...right, later: 'an addition of a later version' }), 1);
    for (const name of ['sub', 'jti', 'iat', 'iss', 'action', 'policy', 'addendumHash', 'entryHash', 'mergeDelay']) {
        const { [name]: left, ...others } = right;
        expectRefused(await verifyClaims(others), new RegExp(`the claim ${name} is missing`));
        expectRefused(await verifyClaims({ ...right, [name]: [left] }), new RegExp(`the claim ${name}`));
    }
    for (const [name, value] of [
        ['version', -1],
        ['version', 2 ** 32],
        ['language', 'xx'],
        ['language', 'toString'],
        ['type', 'terms'],
        ['contentHash', right.policy.contentHash.toUpperCase()],
    ])
        expectRefused(
            await verifyClaims({ ...right, policy: { ...right.policy, [name]: value } }),
            new RegExp(`the claim policy.${name}`),
        );
    // Each says something else than the entry whose hash it names.
    for (const change of [
        { iat: right.iat + 1 },
        { action: 'withdrawn' },
        { late: true },
        { policy: { ...right.policy, version: 2 } },
        { policy: { ...right.policy, language: 'de' } },
        { sub: '0'.repeat(32) },
    ])
        expectRefused(
            await verifyClaims({ ...right, ...change }),
            /not the hash of the entry that the claims describe/,
        );
    // The key of receipts is not that of the log, and cannot give the log more time.
    expectGood(await verifyClaims({ ...right, mergeDelay: 59 }), 1);
    for (const mergeDelay of [61, Number.MAX_SAFE_INTEGER])
        expectRefused(await verifyClaims({ ...right, mergeDelay }), /but the log adds entries within 60/);
    for (const mergeDelay of [undefined, -1, '60', 1.5])
        expectRefused(
            await verify(page, logKey.vkey, [file(receiptOf(right))], describe([jwk], { mergeDelay })),
            /does not say within which time/,
        );
    for (const number of ['6e1', '60.0']) {
        const text = `${describe([jwk]).split('\n\n')[0]}\n`.replace('"mergeDelay":60', `"mergeDelay":${number}`);
        expectRefused(
            await verify(page, logKey.vkey, [file(receiptOf(right))], logKey.note(text)),
            /does not say within which time/,
        );
    }
    expectRefused(await verifyClaims({ ...right, log: log.origin }), /the policy has no log/);
    expectRefused(await verifyClaims(right, { kid: 'two' }), /no key of the description/);
    const describedBy = (note) => verify(page, logKey.vkey, [file(receiptOf(right))], note);
    expectRefused(await describedBy(describe([jwk, jwk])), /two keys of the description have one ID/);
    expectRefused(await describedBy(describe([{ ...jwk, kid: undefined }])), /not a public key/);
    expectRefused(await describedBy(describe([jwk], { verifierKey: log.vkey })), /another verifier key/);
    expectRefused(await describedBy(describe([jwk], { origin: log.origin })), /the policy has no log/);
    expectRefused(
        await describedBy(logKey.note(`${log.checkpoint.split('\n\n')[0]}\n`)),
        /not "description of a consent log"/,
    );
});

// As after the loss of a key: the operator begins another log of the same origin, and the policy names both.
test('two logs may have one origin', async () => {
    const logs = [ownLog(), ownLog()];
    const policy = `${logs.map(({ logKey }) => `log ${logKey.vkey}\n`).join('')}quorum none\n`;
    const claims = { ...log.records[0].claims, log: logs[0].logKey.name };
    const leaves = log.entries.map(leafHash);
    const index = leaves.findIndex((leaf) => leaf.toString('hex') === claims.entryHash);
    const text = checkpointText(claims.log, leaves);
    const given = logs.map(({ logKey, jwk, describe, receiptOf }) => ({
        description: describe([jwk]),
        receipt: receiptOf(claims),
        proof: proofFile(index, log.entries, leaves, logKey.note(text)),
    }));
    for (const { description, receipt, proof } of given) {
        expectGood(await verify(page, policy, [file(receipt), file(proof)], description), 2);
        const entries = [{ acceptanceId: claims.jti, receipt, proof }];
        expectGood(await judge({ descriptionNote: description, entries }, policy), 2);
    }
    // Both descriptions name a key `one`.
    const both = given.flatMap(({ description, receipt }) => [file(description), file(receipt)]);
    expectGood(await verify(page, policy, both), 4);
    expectGood(await verify(page, policy, both.toReversed()), 4);

    const third = ownLog('log.example.org/consent');
    const [{ jwk, describe }, second] = logs;
    const refused = async (description, reason) => {
        const [{ receipt }] = given;
        const trusted = `log ${third.logKey.vkey}\n${policy}`;
        expectRefused(await verify(page, trusted, [file(receipt)], description), reason);
    };
    await refused(given[1].description, /the signature is invalid/);
    await refused(describe([jwk], { verifierKey: second.logKey.vkey }), /none of the known keys has signed the note/);
    await refused(describe([jwk], { verifierKey: third.logKey.vkey }), /names another verifier key/);
    await refused(describe([jwk], { verifierKey: ownLog().logKey.vkey }), /names another verifier key/);
});

// A log whose key its owner uses to show different people different contents.
test('proofs of two logs under one key contradict each other', async () => {
    const { logKey } = ownLog();
    const proofAt = (entries, index = 0) => {
        const leaves = entries.map(leafHash);
        return proofFile(index, entries, leaves, logKey.note(checkpointText(logKey.name, leaves)));
    };
    const others = log.entries.with(2, log.entries[1]);
    const [one, other] = [proofAt(log.entries), proofAt(others)];
    expectGood(await verify(page, logKey.vkey, [file(one), file(proofAt(log.entries, 3))]), 2);
    const findings = await verify(page, logKey.vkey, [file(one, 'one'), file(other, 'other')]);
    assert.deepEqual(
        findings.map(({ name, good, mark }) => [name, good, mark]),
        [
            ['one', true, undefined],
            ['other', true, undefined],
            ['one and other', false, 'Contradiction'],
        ],
    );
    assert.match(findings[2].sentence, /The log has signed both, but its first 10 entries differ/);
    assert.match(
        await page.evaluate((findings) => verdictOf(findings).join(' '), findings),
        /^false Not verified Records that are genuine by themselves contradict each other\.$/,
    );
    // These cannot be compared without the entries.
    expectGood(await verify(page, logKey.vkey, [file(one), file(proofAt(others.slice(0, 5)))]), 2);
    // Another log of this origin may have other contents.
    const second = ownLog();
    const leaves = others.map(leafHash);
    const theirs = proofFile(0, others, leaves, second.logKey.note(checkpointText(logKey.name, leaves)));
    const policy = `log ${logKey.vkey}\nlog ${second.logKey.vkey}\nquorum none\n`;
    expectGood(await verify(page, policy, [file(one), file(theirs)]), 2);
});

// A log that shows another tree does not ask witnesses about it.
test('a state that no witness has cosigned proves a fork', async () => {
    const { logKey } = ownLog();
    const witness = new NoteKey('w.example', randomBytes(32), 4);
    const policy = `log ${logKey.vkey}\nwitness w ${witness.vkey}\nquorum w\n`;
    const stateOf = (entries, ...keys) => {
        const text = checkpointText(logKey.name, entries.map(leafHash));
        return `${text}\n${[logKey, ...keys].map((key) => key.line(text)).join('')}`;
    };
    const proofAt = (entries, state) => proofFile(0, entries, entries.map(leafHash), state);
    const one = proofAt(log.entries, stateOf(log.entries, witness));
    const others = log.entries.with(2, log.entries[1]);
    const state = stateOf(others);
    for (const other of [state, proofAt(others, state)]) {
        const findings = await verify(page, policy, [file(one, 'one'), file(other, 'other')]);
        assert.deepEqual(
            findings.map(({ name, good, mark }) => [name, good, mark]),
            [
                ['one', true, undefined],
                ['other', false, undefined],
                ['one and other', false, 'Contradiction'],
            ],
        );
        assert.match(findings[1].sentence, /o witness of the policy has cosigned the checkpoint/);
        assert.match(findings[2].sentence, /The log has signed both, but its first 10 entries differ/);
    }
    // The witness alone says nothing about the log.
    const text = checkpointText(logKey.name, others.map(leafHash));
    const unsigned = await verify(page, policy, [file(one), file(`${text}\n${witness.line(text)}`)]);
    assert.deepEqual(
        unsigned.map(({ good }) => good),
        [true, false],
    );
});

test('keys are spelled in one way', async () => {
    const { proof } = log.records[0];
    const [, name, id, key] = /^(.*?)\+(.*?)\+(.*)$/.exec(log.vkey);
    for (const [vkey, reason] of [
        ['', /enter the verifier key/],
        [name, /not of the form/],
        [`${name}+${id}0+${key}`, /key ID does not belong/],
        [`${name}x+${id}+${key}`, /key ID does not belong/],
        [`${name}+${id}+${key}=`, /not base64/],
        [`${name}+${id}+AAAA`, /keys of type 0/],
        [new NoteKey(name, randomBytes(32), 4).vkey, /the key of a log has type 1/],
    ])
        expectRefused(await verify(page, vkey, [file(proof)]), reason);
});

test('a policy decides who must have cosigned', async () => {
    const logKey = new NoteKey('log.example/consent', randomBytes(32));
    const witnesses = ['w1.example', 'w2.example', 'w3.example'].map((name) => new NoteKey(name, randomBytes(32), 4));
    const entries = log.entries;
    const leaves = entries.map(leafHash);
    const text = checkpointText(logKey.name, leaves);
    const proofWith = (...keys) =>
        proofFile(1, entries, leaves, `${text}\n${keys.map((key) => key.line(text)).join('')}`);
    const [a, b, c] = witnesses;
    const policy = (...last) =>
        [
            `log ${logKey.vkey} https://log.example/`,
            ...witnesses.map((key, i) => `witness w${i + 1} ${key.vkey}`),
            ...last,
            '',
        ].join('\n');
    const twoOfThree = policy('group two 2 w1 w2 w3', '# enough', 'quorum two');
    const findings = await verify(page, twoOfThree, [file(proofWith(logKey, a, c))]);
    expectGood(findings, 1);
    assert.match(factOf(findings[0], 'Witnesses'), /^w1 \(2025-11-24 16:00:00 UTC\), w3 \(/);
    expectGood(await verify(page, policy('quorum none'), [file(proofWith(logKey))]), 1);
    const refused = async (policy, keys, reason) =>
        expectRefused(await verify(page, policy, [file(proofWith(...keys))]), reason);
    await refused(twoOfThree, [logKey, b], /the quorum of the policy is not reached: only w2 cosigned/);
    await refused(twoOfThree, [logKey, b, b], /quorum of the policy is not reached/);
    await refused(twoOfThree, [logKey], /no witness of the policy/);
    await refused(twoOfThree, [a, b], /has not signed the checkpoint/);
    await refused(policy('group g all w1 w2', 'group h any w3 g', 'quorum h'), [logKey, a], /quorum/);
    expectGood(
        await verify(page, policy('group g all w1 w2', 'group h any w3 g', 'quorum h'), [
            file(proofWith(logKey, a, b)),
        ]),
        1,
    );
    // A false cosignature of a witness of the policy refuses, one of a stranger does not matter.
    const forged = `${text}\n${logKey.line(text)}${a.line(text)}${b.line(`${text}x`)}`;
    expectRefused(
        await verify(page, policy('quorum w1'), [file(proofFile(1, entries, leaves, forged))]),
        /the signature of w2.example is invalid/,
    );
    const stranger = new NoteKey('w2.example', randomBytes(32), 4);
    expectGood(await verify(page, policy('quorum w1'), [file(proofWith(logKey, a, stranger))]), 1);
    for (const [last, reason] of [
        [[], /has no line `quorum`/],
        [['quorum none', 'quorum w1'], /line 6: the policy has a second line/],
        [['quorum w4'], /line 5: no earlier line defines w4/],
        [['group g 4 w1 w2 w3', 'quorum g'], /line 5: a group needs 1 to all/],
        [['group g 02 w1 w2', 'quorum g'], /a group needs/],
        [['group g toString w1 w2', 'quorum g'], /a group needs/],
        [['group g __proto__ w1 w2', 'quorum g'], /a group needs/],
        [['group g any w1 w1', 'quorum g'], /w1 is a member of a group already/],
        [['group w1 any w2', 'quorum w1'], /w1 is defined already/],
        [['group none any w2', 'quorum none'], /reserved/],
        [[`witness w9 ${a.vkey}`, 'quorum none'], /same public key/],
        [[`witness w9 ${logKey.vkey}`, 'quorum none'], /the key has type 1 instead of 4/],
        [['Quorum none'], /a line begins with/],
        [['quorum none\u0001'], /control characters/],
    ])
        await refused(policy(...last), [logKey, a, b, c], reason);
});

test('published Merkle proofs', async (t) => {
    const folder = join(process.env.CONSENTRY_TEST_DATA ?? '../shared/data', 'merkle/testdata/inclusion');
    if (!existsSync(folder)) return t.skip('the published vectors are not here: set CONSENTRY_TEST_DATA (CONTRIBUTING.md)');
    const cases = readdirSync(folder, { recursive: true })
        .filter((name) => name.endsWith('.json'))
        .map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')));
    assert.equal(cases.length, 98);
    // Some cases have bytes of another length where a hash should be. The page has no such values; a digest stands for them.
    const hashOf = (text, role) => {
        const bytes = Buffer.from(text, 'base64');
        return (bytes.length === 32 ? bytes : sha256(`${role} ${text}`)).toString('base64');
    };
    for (const one of cases)
        Object.assign(one, { root: hashOf(one.root, 'root'), leafHash: hashOf(one.leafHash, 'leaf') });
    const wrong = await page.evaluate(async (cases) => {
        const bytes = (text) => Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
        const wrong = [];
        for (const one of cases) {
            let refused = false;
            try {
                await verifyInclusion(
                    bytes(one.leafHash),
                    BigInt(one.leafIdx),
                    BigInt(one.treeSize),
                    (one.proof ?? []).map(bytes),
                    bytes(one.root),
                );
            } catch (error) {
                if (!(error instanceof Refusal)) throw error;
                refused = true;
            }
            if (refused !== one.wantErr) wrong.push(one.desc);
        }
        return wrong;
    }, cases);
    assert.deepEqual(wrong, []);
});

test('the page has sent and loaded nothing, and has had no error', () => assert.deepEqual(troubles, []));
