// assets/verify.html: whole and filtered bundles of a log of the real service, and tampering with each part.
import assert from 'node:assert/strict';
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { before, test } from 'node:test';
import { Authority, NoteKey, bundle, bundleMembers, checkpointText, consistencyOf, everything, hashLines, leafHash, proofFile, sha256, stampMembers, tilePath, withSums, zip } from './bundle.mjs';
import { openBrowser, openPage, root } from './harness.mjs';
import { isConsent, isPublication, recordedLog, texts, verify } from './records.mjs';

let log;
let page;
let troubles;
before(async () => {
    const [recorded, browser] = await Promise.all([recordedLog(), openBrowser()]);
    log = recorded;
    ({ page, troubles } = await openPage(browser, 'file://'));
    await page.goto(`file://${root}assets/verify.html`);
});

const check = (content, trust = log.vkey) => verify(page, trust, [{ name: 'bundle.zip', content }]);
async function expectRefused(content, reason) {
    const [finding] = await check(content);
    assert.ok(!finding.good, `accepted, although it should be refused: ${reason}`);
    assert.match(finding.sentence, reason);
}
const factsOf = (finding) => Object.fromEntries(finding.facts);
const indicesOf = (isWanted) => log.entries.flatMap((entry, index) => (isWanted(entry) ? [index] : []));

test('a whole bundle is the log', async () => {
    const [finding] = await check(bundle(log));
    assert.ok(finding.good, finding.sentence);
    assert.match(finding.sentence, new RegExp(`contains the whole log \\S+ up to its checkpoint of ${log.entries.length} entries`));
    const facts = factsOf(finding);
    assert.equal(facts.Acceptances, '6 entries');
    assert.equal(facts.Withdrawals, '1 entry');
    assert.equal(facts.Addenda, '7 addenda match their entries');
    assert.equal(facts.Publications, '3 entries');
    assert.equal(log.entries.length, 6 + 1 + 3);
    assert.equal(facts.Documents, '6 texts match their hashes', 'three texts and three records of publications');
    const other = new NoteKey(log.origin, randomBytes(32));
    assert.match((await check(bundle(log), other.vkey))[0].sentence, /^checkpoint: none of the known keys/);
});

test('texts that entries name may be absent, and are counted', async () => {
    const sentenceOf = async (documents, chosen) => {
        const [finding] = await check(bundle({ ...log, documents }, chosen));
        assert.ok(finding.good, finding.sentence);
        return finding.sentence;
    };
    assert.doesNotMatch(await sentenceOf(log.documents), /not in the bundle/);
    const one = /1 text that entries name is not in the bundle: ask the operator for it\./;
    for (let i = 0; i < log.documents.length; ++i)
        assert.match(await sentenceOf(log.documents.toSpliced(i, 1)), one);
    assert.match(await sentenceOf([]), /6 texts that entries name are not in the bundle: ask the operator for them\./);
    const chosen = indicesOf((entry) => isConsent(entry) && entry.subarray(34, 66).equals(sha256(texts.marketing)));
    assert.match(await sentenceOf([], chosen), one);
    const unknown = Buffer.from(log.entries[chosen[0]]).fill(0, 34, 66);
    const [finding] = await check(bundle(rebuilt([unknown])));
    assert.ok(finding.good, finding.sentence);
    assert.doesNotMatch(finding.sentence, /not in the bundle/, 'nobody knows which text it was');
});

test('addenda and publications may name further documents', async () => {
    const [shown, processing, german] = ['<p>what has changed</p>', 'what we do with your data', 'Bedingungen'];
    const hashOf = (text) => sha256(text).toString('hex');
    const [index] = log.addenda.keys();
    const addendum = log.addenda.get(index).replace('"userAgent"', `"shownDiffHash":"${hashOf(shown)}","userAgent"`);
    const record = log.publications[0]
        .replace('"processingHash":null', `"processingHash":"${hashOf(processing)}"`)
        .replace('"contentHashes":{', `"contentHashes":{"de":"${hashOf(german)}",`);
    const entries = log.entries.map((entry) => Buffer.from(entry));
    sha256(addendum).copy(entries[index], 66);
    const place = indicesOf(isPublication).find((at) => entries[at].subarray(15).equals(sha256(log.publications[0])));
    sha256(record).copy(entries[place], 15);
    const addenda = new Map([...log.addenda, [index, addendum]]);
    const documents = [record, shown, processing, german];
    const given = [{ name: 'bundle.zip', content: bundle({ ...rebuilt(entries), addenda, documents }) }];
    given.push({ name: 'page.html', content: shown });
    const [finding, text] = await verify(page, log.vkey, given);
    assert.ok(finding.good && text.good, finding.sentence);
    assert.equal(factsOf(finding).Documents, '4 texts match their hashes');
    assert.match(text.sentence, /an addendum or the record of a publication in bundle\.zip names it/);
    const refused = async (addenda, documents) =>
        expectRefused(bundle({ ...rebuilt(entries), addenda, documents }), /no entry of the bundle names this document/);
    await refused(addenda, [shown, processing]);
    await refused(addenda, [record, shown, processing, german, 'more']);
    await refused(new Map([...log.addenda].filter(([at]) => at !== index)), [record, shown]);
});

test('a filtered bundle proves each of its entries', async () => {
    const [text, record] = [texts.marketing, log.publications[2]];
    const some = { ...log, documents: [text] };
    const chosen = indicesOf((entry) => isConsent(entry) && entry.subarray(34, 66).equals(sha256(text)));
    assert.equal(chosen.length, 3);
    const [right] = await check(bundle(some, chosen));
    assert.ok(right.good, right.sentence);
    const proven = (count) => new RegExp(`contains ${count} of the ${log.entries.length} entries of \\S+; each is proven`);
    assert.match(right.sentence, proven(3));
    assert.equal(factsOf(right).Addenda, '3 addenda match their entries');
    // With the publication of the text.
    const published = indicesOf((entry) => isPublication(entry) && entry.subarray(15).equals(sha256(record)));
    assert.equal(published.length, 1);
    const [more] = await check(bundle({ ...log, documents: [text, record] }, [...published, ...chosen]));
    assert.ok(more.good, more.sentence);
    assert.match(more.sentence, proven(4));
    assert.equal(factsOf(more).Addenda, '3 addenda match their entries');
    assert.equal(factsOf(more).Documents, '2 texts match their hashes');
    const [without] = await check(bundle({ ...log, documents: [text, record] }, chosen));
    assert.match(without.sentence, /no entry of the bundle names/);
});

// Each change leaves checksums and archive right, so that only the check in question can notice.
async function expectChangeRefused(change, reason, chosen = null) {
    const members = bundleMembers({ ...log, documents: chosen ? [] : log.documents }, chosen);
    change(members);
    const facts = chosen ? { filter: everything, entries: chosen.length } : {};
    await expectRefused(zip(withSums(log, members, facts)), reason);
}
test('every member is checked', async () => {
    const tile = tilePath(0, log.entries.length);
    for (const name of ['checkpoint', 'description.note', 'policy.txt', 'README.txt'])
        await expectChangeRefused(
            (members) => delete members[name],
            new RegExp(`^${name}: the bundle lacks this member`),
        );
    await expectChangeRefused(
        (members) => (members['evil.txt'] = 'x'),
        /^evil.txt: a bundle has no member of this name/,
    );
    await expectChangeRefused(
        (members) => (members['tile/entries/001.p/1'] = 'x'),
        /^tile\/entries\/001.p\/1: the whole log has no such member/,
    );
    await expectChangeRefused(
        (members) => (members[`documents/${'0'.repeat(64)}`] = 'x'),
        /the name is not the SHA-256/,
    );
    await expectChangeRefused(
        (members) => (members[`documents/${sha256('x').toString('hex')}`] = 'x'),
        /no entry of the bundle names/,
    );
    await expectChangeRefused((members) => (members['policy.txt'] = 'log x'), /^policy.txt: line 1/);
    await expectChangeRefused(
        (members) => (members[tile] = Buffer.concat([members[tile], Buffer.from('x')])),
        /1 bytes follow/,
    );
    await expectChangeRefused((members) => (members[tile] = members[tile].subarray(0, -1)), new RegExp(`ends within entry ${log.entries.length - 1}`));
    const swapped = () =>
        Buffer.concat(
            [log.entries[1], log.entries[0], ...log.entries.slice(2)].flatMap((one) => [
                Buffer.from([0, one.length]),
                one,
            ]),
        );
    await expectChangeRefused(
        (members) => (members[tile] = swapped()),
        /^checkpoint: the entries of the bundle are not those of the log/,
    );
    await expectChangeRefused(
        (members) => (members['proofs/000000000000.tlog-proof'] = 'x'),
        /000000000000|not a proof|first line/,
    );
});

test('addenda belong to their entries', async () => {
    const [first] = log.addenda.keys();
    assert.equal(first, indicesOf(isConsent)[0]);
    const firstIs = (index) => (text) => text.replace(`"index":${first},`, `"index":${index},`);
    const refused = (change, reason) =>
        expectChangeRefused((members) => (members['addenda.ndjson'] = change(members['addenda.ndjson'])), reason);
    await refused(
        (text) => text.replace('"userAgent":"node"', '"userAgent":"curl"'),
        new RegExp(`the addendum of entry ${first} is not the one`),
    );
    await refused(firstIs(log.entries.length), /not sorted|no entry/);
    await refused(firstIs(indicesOf(isPublication)[0]), /not sorted|no entry/);
    await refused((text) => text.split('\n').reverse().join('\n').slice(1) + '\n', /not sorted/);
    await refused((text) => text.slice(0, -1), /last line is cut off/);
    await refused(firstIs(`0${first}`), /not of the form/);
    await refused((text) => `${text}{}\n`, /not of the form/);
});

test('the log says which addenda were erased', async () => {
    const consents = indicesOf(isConsent);
    const subjectOf = (index) => log.entries[index].subarray(18, 34);
    const erasureOf = (index) => {
        const entry = Buffer.alloc(25);
        entry[0] = 2;
        entry.writeBigUInt64BE(log.entries[consents.at(-1)].readBigUInt64BE(10), 1);
        subjectOf(index).copy(entry, 9);
        return entry;
    };
    const withAddenda = (entries, addenda) => ({ ...rebuilt(entries), addenda });
    const without = (...indices) => new Map([...log.addenda].filter(([index]) => !indices.includes(index)));
    const sentenceOf = async (some, chosen) => {
        const [finding] = await check(bundle(some, chosen));
        assert.ok(finding.good, finding.sentence);
        return finding.sentence;
    };
    const complete = await sentenceOf(withAddenda(log.entries, log.addenda));
    assert.doesNotMatch(complete, /missing/);
    const [first] = consents;
    const missing = /1 addendum is missing, although the log has no erasure that explains it: ask the operator why/;
    assert.match(await sentenceOf(withAddenda(log.entries, without(first))), missing);
    assert.match(
        await sentenceOf(withAddenda(log.entries, without(...consents.slice(0, 3)))),
        /3 addenda are missing, although/,
    );
    // Each account is erased, and one of them accepts nothing more.
    const [ada, bob] = [first, consents.find((index) => !subjectOf(index).equals(subjectOf(first)))];
    const erased = [...log.entries, erasureOf(ada)];
    const mine = consents.filter((index) => subjectOf(index).equals(subjectOf(ada)));
    assert.doesNotMatch(await sentenceOf(withAddenda(erased, without(...mine))), /missing/);
    assert.match(await sentenceOf(withAddenda(erased, without(...mine, bob))), missing);
    // An erasure explains nothing that is after it.
    const early = [erasureOf(ada), ...log.entries];
    const moved = new Map([...without(first)].map(([index, text]) => [index + 1, text]));
    assert.match(await sentenceOf(withAddenda(early, moved)), missing);
    // A part of the log may lack the erasure.
    const chosen = consents.slice(0, 2);
    assert.doesNotMatch(await sentenceOf(withAddenda(log.entries, without(first)), chosen), /missing/);
    assert.doesNotMatch(await sentenceOf(withAddenda(log.entries, new Map())), /missing/, 'exported without addenda');
});

test('proofs of a filtered bundle are for its checkpoint', async () => {
    const [one, between, another] = indicesOf(isConsent).slice(2);
    const nameOf = (index) => `proofs/${String(index).padStart(12, '0')}.tlog-proof`;
    const name = nameOf(one);
    const change = (edit, reason) => expectChangeRefused(edit, reason, [one, another]);
    await change((members) => (members[nameOf(between)] = members[name]), /the name is not that of its index/);
    const other = `extra ${log.entries[between].toString('base64')}\n`;
    await change((members) => (members[name] = members[name].replace(/^extra .*\n/m, other)), /leads to another root/);
    await change(
        (members) => (members[name] = members[name].replace(/^extra .*\n/m, '')),
        /does not contain its entry/,
    );
    await change((members) => (members[name] = members[name].replace(/\n\n[^]*/, '\n\nx')), /for a checkpoint other/);
    await change((members) => (members[name] = members[name].replace(`index ${one}`, `index ${one} `)), /not a decimal number/);
});

test('a cut bundle is none', async () => {
    const marketing = { type: 'marketing' };
    const chosen = indicesOf((entry) => isConsent(entry) && entry[3] === 3);
    const some = bundleMembers({ ...log, documents: [] }, chosen);
    const right = withSums(log, some, { filter: marketing, entries: chosen.length });
    const [finding] = await check(zip(right));
    assert.ok(finding.good, finding.sentence);
    assert.equal(factsOf(finding).Conditions, 'marketing');
    // Sums as a forger makes them, under the manifest of another bundle of this checkpoint.
    const cut = bundleMembers({ ...log, documents: [] }, []);
    const manifestOf = (members) => members.find(([name]) => name === 'manifest.note')[1];
    const under = (manifest) =>
        zip(withSums(log, cut).map(([name, bytes]) => [name, name === 'manifest.note' ? manifest : bytes]));
    const whole = withSums(log, bundleMembers(log));
    for (const manifest of [manifestOf(right), manifestOf(whole)])
        await expectRefused(under(manifest), /^manifest.note: the bundle has other members than the log has put in/);
    await expectRefused(zip(right.filter(([name]) => name !== 'manifest.note')), /^manifest.note: the bundle lacks/);
    const forger = { ...log, key: new NoteKey(log.origin, randomBytes(32)) };
    await expectRefused(zip(withSums(forger, cut, { filter: marketing, entries: 0 })), /^manifest.note: none of the known/);
    // Not even the operator can name other entries than there are.
    const signed = (members, facts) => zip(withSums(log, members, facts));
    await expectRefused(signed(some, { filter: marketing, entries: 1 }), /names 1 entries, but the bundle has/);
    await expectRefused(signed(some, { filter: { type: 'privacy' }, entries: chosen.length }), /not one of those/);
    await expectRefused(signed(cut, { entries: 0 }), /lacks this member/);
    // Each object of JavaScript has a member of the names behind the first one. The last filter is not in its usual order.
    for (const filter of [
        { color: 'red' },
        { toString: 'x' },
        { constructor: 'x' },
        { valueOf: 'x' },
        JSON.parse('{"__proto__":"x"}'),
        { type: 'cookies', before: '2200-01-01T00:00:00.000Z' },
    ])
        await expectRefused(signed(cut, { filter, entries: 0 }), /not the manifest of a bundle/);
    const [none] = await check(signed(cut, { filter: { type: 'cookies' }, entries: 0 }));
    assert.ok(none.good, none.sentence);
    assert.match(none.sentence, /contains 0 of the/);
    assert.equal(factsOf(none).Conditions, 'cookies');
});

// The log with other entries, as only its owner can make it.
function rebuilt(entries) {
    const text = checkpointText(log.origin, entries.map(leafHash));
    return { ...log, entries, checkpoint: log.key.note(text), addenda: new Map(), documents: [] };
}
function laterEntry(seconds) {
    const entry = Buffer.from(log.entries.findLast(isConsent));
    entry.writeBigUInt64BE(entry.readBigUInt64BE(10) + BigInt(seconds), 10);
    return entry;
}
const named = (name, content) => ({ name, content });

test('a whole bundle has the entries that receipts promise', async () => {
    const { receipt, claims } = log.records[0];
    const place = log.entries.findIndex((one) => leafHash(one).toString('hex') === claims.entryHash);
    const given = (content) => verify(page, log.vkey, [named('ada.jwt', receipt), named('log.zip', content)]);
    const [whole, promised] = await given(bundle(log));
    assert.ok(promised.good && whole.good, promised.sentence);
    assert.match(promised.sentence, new RegExp(`The promise is kept: this is entry ${place} of the log`));
    assert.equal(factsOf(whole).Receipts, '1 of 1 receipt has its entry in the bundle');
    const without = log.entries.toSpliced(place, 1);
    // The promise may be kept later, if the bundle ends before.
    const early = await given(bundle(rebuilt(without)));
    assert.deepEqual(early.map(({ good }) => good), [true, true]);
    assert.equal(
        factsOf(early[0]).Receipts,
        "0 of 1 receipt has its entry in the bundle; none of the others is due by the times of the log's entries",
    );
    const broken = await given(bundle(rebuilt([...without, laterEntry(90)])));
    assert.deepEqual(
        broken.map(({ name, good }) => [name, good]),
        [
            ['log.zip', true],
            ['ada.jwt', true],
            ['ada.jwt and log.zip', false],
        ],
    );
    assert.match(broken[2].sentence, /^The service has promised to add the entry .* goes on after that time without it/);
    // An entry that was recorded late says nothing about the time of the log.
    const late = laterEntry(90);
    late[2] = 1;
    assert.ok((await given(bundle(rebuilt([...without, late])))).every(({ good }) => good));
    const lines = `${log.records.map((one) => one.receipt).join('\n')}\n`.repeat(60);
    const many = await verify(page, log.vkey, [
        named('all.jwt', lines),
        named('log.zip', bundle(rebuilt([...without, laterEntry(90)]))),
    ]);
    assert.equal(factsOf(many[0]).Receipts, '180 of 240 receipts have their entries in the bundle');
    assert.equal(many.filter(({ good }) => !good).length, 60);
    assert.equal(many.find(({ good }) => !good).name, 'all.jwt, line 1 and log.zip');
});

test('a backdated entry does not hide a broken promise', async () => {
    const { receipt, claims } = log.records[0];
    const without = log.entries.filter((one) => leafHash(one).toString('hex') !== claims.entryHash);
    const given = async (...more) => {
        const content = bundle(rebuilt([...without, ...more]));
        const findings = await verify(page, log.vkey, [named('ada.jwt', receipt), named('log.zip', content)]);
        return findings.find(({ good }) => !good);
    };
    const at = (seconds) => {
        const entry = laterEntry(0);
        entry.writeBigUInt64BE(BigInt(claims.iat + seconds), 10);
        return entry;
    };
    assert.match((await given(at(3600), at(61))).sentence, /but the log goes on after that time without it/);
    const hidden = /entries that are later than that time, but its last one is not/;
    const found = await given(at(3600), at(0));
    assert.equal(found?.name, 'ada.jwt and log.zip');
    assert.match(found.sentence, hidden);
    assert.match((await given(at(121), at(60))).sentence, hidden);
    assert.equal(await given(at(120), at(60)), undefined, 'clocks of instances may differ so much');
    const late = at(3600);
    late[2] = 1;
    assert.equal(await given(late, at(60)), undefined, 'recorded late');
    const published = Buffer.from(log.entries.find(isPublication));
    published.writeBigUInt64BE(BigInt(claims.iat + 600), 7);
    assert.equal(await given(published, at(0)), undefined, 'its position follows that of its draft');
});

test('backdated entries do not hide a promise from a witness', async () => {
    const { receipt, claims } = log.records[0];
    const without = rebuilt(log.entries.filter((one) => leafHash(one).toString('hex') !== claims.entryHash));
    const witness = new NoteKey('witness.example', randomBytes(32), 4);
    const policy = `log ${log.vkey}\nwitness one ${witness.vkey}\nquorum one\n`;
    const [text] = without.checkpoint.split(/(?<=\n)\n/);
    const given = async (seconds) => {
        const checkpoint = `${without.checkpoint}${witness.line(text, claims.iat + seconds)}`;
        const content = bundle({ ...without, checkpoint });
        return verify(page, policy, [named('ada.jwt', receipt), named('log.zip', content)]);
    };
    for (const one of await given(120)) assert.ok(one.good, one.sentence);
    const found = (await given(121)).filter(({ good }) => !good);
    assert.deepEqual(
        found.map(({ name }) => name),
        ['ada.jwt and log.zip'],
    );
    assert.match(
        found[0].sentence,
        /^The service has promised .* The log lacks it, although the witness one has signed this state of the log on 20.* or the witness lagged behind/,
    );
});

// A log that shows another tree does not ask witnesses about it.
test('a bundle and a state without cosignatures prove a fork', async () => {
    const witness = new NoteKey('witness.example', randomBytes(32), 4);
    const policy = `log ${log.vkey}\nwitness one ${witness.vkey}\nquorum one\n`;
    const whole = rebuilt(log.entries);
    const [text] = whole.checkpoint.split(/(?<=\n)\n/);
    const cosigned = bundle({ ...whole, checkpoint: `${whole.checkpoint}${witness.line(text, 1_772_000_000)}` });
    const others = log.entries.with(2, log.entries[1]);
    const forksOf = async (other) => {
        const findings = await verify(page, policy, [named('log.zip', cosigned), named('other', other)]);
        assert.ok(findings[0].good, findings[0].sentence);
        assert.match(findings[1].sentence, /o witness of the policy has cosigned the checkpoint/);
        return findings.slice(2).map(({ name, mark }) => [name, mark]);
    };
    const contradiction = [['log.zip and other', 'Contradiction']];
    assert.deepEqual(await forksOf(bundle(rebuilt(others))), contradiction);
    assert.deepEqual(
        (await forksOf(rebuilt(others.slice(0, 5)).checkpoint)).map(([, mark]) => mark),
        ['Contradiction'],
    );
    assert.deepEqual(await forksOf(rebuilt(log.entries.slice(0, 5)).checkpoint), []);
});

// What the page says of a log with these entries behind its own, apart from what it says of every log.
async function doubtsAbout(entries, change = (members) => members, documents = log.documents) {
    const members = bundleMembers({ ...rebuilt([...log.entries, ...entries]), documents });
    const [finding] = await check(zip(withSums({ ...log, entries: [...log.entries, ...entries] }, await change(members))));
    assert.ok(finding.good, finding.sentence);
    return finding.sentence.replace(/^The bundle contains the whole log .* entries\./, '');
}
const timeOf = (entry) => Number(entry.readBigUInt64BE({ 1: 10, 2: 1, 3: 7 }[entry[0]]));
function withTime(entry, seconds) {
    const out = Buffer.from(entry);
    out.writeBigUInt64BE(BigInt(seconds), { 1: 10, 2: 1, 3: 7 }[entry[0]]);
    return out;
}

test('entries that are older than those before them are named', async () => {
    const last = log.entries.findLast(isConsent);
    const at = (seconds) => withTime(last, timeOf(last) + seconds);
    const [count, hour] = [log.entries.length, 3600];
    const says = (entries) =>
        ` Entries that are more than 60 seconds older than one before them: ${entries}. They were backdated, or a clock of the ` +
        'service was wrong. Ask the operator.';
    assert.equal(await doubtsAbout([]), '');
    assert.equal(await doubtsAbout([at(hour), at(hour - 60), at(2 * hour)]), '', 'clocks may differ so much');
    assert.equal(await doubtsAbout([at(hour), at(hour - 61)]), says(`1 (entry ${count + 1})`));
    assert.equal(
        await doubtsAbout([at(2 * hour), at(hour), at(hour + 60), at(3 * hour), at(2 * hour)]),
        says(`3 (entries ${count + 1}, ${count + 2}, ${count + 4})`),
    );
    const many = Array.from({ length: 11 }, () => at(hour));
    const first = Array.from({ length: 10 }, (_, i) => count + 1 + i);
    assert.equal(await doubtsAbout([at(2 * hour), ...many]), says(`11 (entries ${first.join(', ')}, and so on)`));
    const verdict = await page.evaluate(() => [false, true].map((isDoubtful) => verdictOf([{ good: true, isDoubtful }])[2]));
    assert.doesNotMatch(verdict[0], /explanation/);
    assert.match(verdict[1], /What some entries of a bundle say needs an explanation: see below\./);
    const late = [at(2 * hour), at(hour)];
    for (const entry of late) entry[2] = 1;
    assert.equal(await doubtsAbout(late), '', 'recorded late');
    const erasure = Buffer.alloc(25);
    erasure[0] = 2;
    assert.equal(await doubtsAbout([at(hour), withTime(erasure, timeOf(last))]), says(`1 (entry ${count + 1})`));
    assert.equal(await doubtsAbout([withTime(erasure, timeOf(last) + hour), at(0)]), says(`1 (entry ${count + 1})`));
});

test('acceptances that are older than the publication of their version are named', async () => {
    const last = log.entries.findLast(isConsent);
    const hour = 3600;
    const count = log.entries.length;
    const publication = (seconds) => {
        const entry = withTime(log.entries.find((one) => isPublication(one) && one[1] === last[3]), timeOf(last) + seconds);
        entry.writeUInt32BE(2, 3);
        return entry;
    };
    const acceptance = (seconds, late = 0) => {
        const entry = withTime(last, timeOf(last) + seconds);
        entry[2] = late;
        entry.writeUInt32BE(2, 4);
        return entry.fill(0, 34, 66); // the text is unknown
    };
    const says = (entries) =>
        new RegExp(
            ' Acceptances and withdrawals that are more than 60 seconds older than the publication of their version: ' +
                `${entries}\\. They were backdated, or a clock of the service was wrong\\. Ask the operator\\.`,
        );
    assert.equal(await doubtsAbout([publication(hour), acceptance(hour)]), '');
    assert.equal(await doubtsAbout([publication(hour), acceptance(hour - 60)]), '', 'clocks may differ so much');
    assert.equal(await doubtsAbout([publication(hour), withTime(last, timeOf(last))]), '', 'of another version');
    assert.equal(await doubtsAbout([publication(hour), acceptance(hour / 2, 1)]), '', 'from a former system');
    assert.equal(await doubtsAbout([acceptance(hour), publication(hour)]), '', 'an outage, and another draft');
    assert.match(await doubtsAbout([publication(hour), acceptance(hour - 61)]), says(`1 \\(entry ${count + 1}\\)`));
    assert.match(
        await doubtsAbout([acceptance(1800), publication(hour), acceptance(1860), acceptance(2 * hour)]),
        says(`2 \\(entries ${count}, ${count + 2}\\)`),
    );
    assert.match(
        await doubtsAbout([publication(hour), publication(0), acceptance(1800)]),
        says(`1 \\(entry ${count + 2}\\)`),
    );
});

test('entries that are older than the timestamp before them are named', async (t) => {
    const authority = new Authority();
    t.after(() => authority.close());
    const count = log.entries.length;
    const last = log.entries.findLast(isConsent);
    const stampedWith = (seconds, size) => {
        const entries = [withTime(last, Math.floor(Date.now() / 1000) + seconds)];
        return doubtsAbout(entries, (members) =>
            Object.assign(members, stampMembers(authority, { ...log, entries: [...log.entries, ...entries] }, size)),
        );
    };
    assert.equal(await stampedWith(0, count), '');
    assert.equal(await stampedWith(-50, count), '', 'it may wait for its position so long');
    assert.match(
        await stampedWith(-100, count),
        new RegExp(
            ' Entries that are more than 60 seconds older than the timestamp, which is about a state of the log without ' +
                `them: 1 \\(entry ${count}\\)\\. They were backdated, or the service added them later than it promises, for ` +
                'example after an outage, or a clock was wrong\\. Ask the operator\\.',
        ),
    );
    assert.doesNotMatch(await stampedWith(-100, count + 1), /than the timestamp/);
});

test('versions that were never published are named', async () => {
    const last = log.entries.findLast(isConsent);
    const count = log.entries.length;
    const of = (version, late = 0) => {
        const entry = Buffer.from(last);
        entry[2] = late;
        entry.writeUInt32BE(version, 4);
        return entry;
    };
    const says = (entries) =>
        ` Acceptances and withdrawals of versions whose publication is not in the log: ${entries}. Consentry publishes a ` +
        'version before users can accept it. Ask the operator.';
    assert.equal(await doubtsAbout([of(1)]), '');
    assert.equal(await doubtsAbout([of(2)]), says(`1 (entry ${count})`));
    assert.equal(
        await doubtsAbout([of(3), of(1), of(2, 1), of(3)]),
        says(`3 (entries ${count}, ${count + 2}, ${count + 3})`),
        'recorded late or not',
    );
    // In a part of the log, where the publication would be.
    const some = { ...rebuilt([...log.entries, of(2)]) };
    const partOf = async (filter) => {
        const chosen = [count];
        const content = zip(withSums(some, bundleMembers(some, chosen), { filter, entries: chosen.length }));
        const [finding] = await check(content);
        assert.ok(finding.good, finding.sentence);
        return finding.sentence;
    };
    assert.match(await partOf({ type: 'marketing' }), /whose publication is not in the log: 1 \(entry 10\)/);
    const subject = last.subarray(18, 34).toString('hex');
    for (const filter of [everything, { subject }, { before: '2200-01-01T00:00:00.000Z', type: 'marketing' }])
        assert.doesNotMatch(await partOf(filter), /publication/, 'it may be in another part');
});

test('texts that were never published as the version are named', async () => {
    const last = log.entries.findLast(isConsent);
    const count = log.entries.length;
    const ofText = (content, language = 'en') => {
        const entry = Buffer.from(last);
        content.copy(entry, 34);
        entry.write(language, 8);
        return entry;
    };
    const other = 'another text';
    const says = (entries) =>
        ` Acceptances and withdrawals of another text than the one that was published as their version: ${entries}. ` +
        'Consentry records no other text. Ask the operator.';
    // A document for each hash: otherwise it is absent, which the page says as well.
    const doubts = (entries, documents = [other]) => doubtsAbout(entries, undefined, [...log.documents, ...documents]);
    assert.equal(await doubts([ofText(Buffer.alloc(32))], []), '', 'nobody knows which text it was');
    assert.equal(await doubts([ofText(sha256(other))]), says(`1 (entry ${count})`));
    assert.equal(await doubts([ofText(last.subarray(34, 66), 'de')], []), says(`1 (entry ${count})`), 'in another language');
    // No second publication, and no other record, makes it right.
    const publish = (record, version) => {
        const entry = Buffer.from(log.entries.find((one) => isPublication(one) && one[1] === last[3]));
        entry.writeUInt32BE(version, 3);
        sha256(record).copy(entry, 15);
        return entry;
    };
    const record = JSON.stringify({ contentHashes: { en: sha256(other).toString('hex') } });
    assert.equal(
        await doubts([publish(record, 1), ofText(sha256(other))], [record, other]),
        says(`1 (entry ${count + 1})`),
    );
    const third = Buffer.from(last);
    third.writeUInt32BE(3, 4);
    assert.equal(await doubts([publish('no record', 3), third], ['no record']), says(`1 (entry ${count + 1})`));
    assert.equal(await doubts([publish(record, 3), third], [record]), says(`1 (entry ${count + 1})`));
    // Leaving out the record does not hide it.
    const marketing = log.entries.flatMap((one, i) => (isConsent(one) && one[3] === last[3] ? [i] : []));
    assert.ok(
        (await doubtsAbout([], undefined, log.documents.toSpliced(-1))).endsWith(
            ' Acceptances and withdrawals whose text cannot be compared with the published one, because the bundle lacks the ' +
                `record of the publication: 3 (entries ${marketing.join(', ')}). Ask the operator for the record.`,
        ),
    );
});

test('no description displaces another', async () => {
    const [title, line] = log.descriptionNote.split('\n');
    const described = (keys) =>
        log.key.note(`${title}\n${JSON.stringify({ ...JSON.parse(line), receiptKeys: { keys } })}\n`);
    const keys = JSON.parse(line).receiptKeys.keys;
    const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const others = keys.map(({ kid, alg }) => ({ ...publicKey.export({ format: 'jwk' }), kid, alg }));
    const bare = named('bare.zip', bundle({ ...log, descriptionNote: described([]) }));
    const receipt = named('receipt.jwt', log.records[0].receipt);
    const own = (descriptionNote) =>
        named(
            'account.json',
            JSON.stringify({ descriptionNote, entries: log.records.map(({ receipt }) => ({ receipt })) }),
        );
    const refusals = async (files, description) =>
        (await verify(page, log.vkey, files, description)).filter(({ good }) => !good);
    assert.match((await refusals([bare, receipt]))[0].sentence, /no key of the description has signed the token/);
    assert.deepEqual(await refusals([bare, receipt], log.descriptionNote), []);
    assert.deepEqual(await refusals([bare, receipt, own(log.descriptionNote)]), []);
    assert.deepEqual(await refusals([own(described([])), receipt], log.descriptionNote), []);
    // One ID with two keys: the log has told another reader something else.
    const first = 'Description of the log';
    for (const [second, name] of [
        [named('other.zip', bundle({ ...log, descriptionNote: described(others) })), 'other.zip'],
        [own(described(others)), 'account.json, description of the log'],
    ]) {
        const findings = await refusals([second], log.descriptionNote);
        const found = findings.filter(({ mark }) => mark);
        assert.deepEqual(
            found.map(({ name, mark }) => [name, mark]),
            [[`${first} and ${name}`, 'Contradiction']],
        );
        assert.match(found[0].sentence, /The log has signed both, but they name different receipt keys with the ID/);
    }
});

test('a whole bundle continues each earlier state', async () => {
    const proof = log.records[0].proof;
    const changed = rebuilt(log.entries.with(1, log.entries[2]));
    const findings = await verify(page, log.vkey, [named('old.tlog-proof', proof), named('log.zip', bundle(changed))]);
    assert.equal(findings.at(-1).name, 'log.zip and old.tlog-proof');
    assert.match(findings.at(-1).sentence, /its first 10 entries differ/);
    // Of more than one tile.
    const entries = Array.from({ length: 600 }, (_, i) => {
        const entry = Buffer.from(log.entries.find(isConsent));
        entry.writeUInt32BE(i, 4);
        return entry;
    });
    const leaves = entries.map(leafHash);
    const proofAt = (some) => proofFile(0, entries, some, log.key.note(checkpointText(log.origin, some)));
    const sizes = [1, 2, 255, 256, 257, 511, 512, 513, 599];
    const whole = named('log.zip', bundle(rebuilt(entries)));
    const right = sizes.map((size) => named(`at ${size}`, proofAt(leaves.slice(0, size))));
    for (const { name, good, sentence } of await verify(page, log.vkey, [whole, ...right]))
        assert.ok(good, `${name}: ${sentence}`);
    const other = sha256('another entry');
    const wrong = sizes.slice(1).map((size) => named(`at ${size}`, proofAt(leaves.slice(0, size).with(size - 1, other))));
    const names = (await verify(page, log.vkey, [whole, ...wrong])).filter(({ good }) => !good).map(({ name }) => name);
    assert.deepEqual(names, wrong.map(({ name }) => `${name} and log.zip`));
    // A later state than that of the bundle says nothing about it.
    const shorter = named('log.zip', bundle(rebuilt(entries.slice(0, 300))));
    assert.ok((await verify(page, log.vkey, [shorter, wrong.at(-1)])).every(({ good }) => good));
});

test('a timestamp is one of the log', async (t) => {
    const authority = new Authority();
    t.after(() => authority.close());
    for (let size = 1; size <= log.entries.length; ++size) {
        const members = Object.assign(bundleMembers(log), stampMembers(authority, log, size));
        const [finding] = await check(zip(withSums(log, members)));
        assert.ok(finding.good, `${size}: ${finding.sentence}`);
        const said = new RegExp(`^Of the first ${size} entr(y|ies), at 20\\d\\d-.* UTC\\. .*did not verify who signed it`);
        assert.match(factsOf(finding)['Timestamp'], said);
    }
    const refused = (change, reason) =>
        expectChangeRefused((members) => change(Object.assign(members, stampMembers(authority, log, 3))), reason);
    const [name, text, proof] = ['timestamps/3.tsr', 'timestamps/3.txt', 'timestamps/3.consistency'];
    await refused((members) => delete members[text], /^timestamps\/3.txt: the bundle lacks this member/);
    await refused((members) => delete members[name], /^timestamps\/3.tsr: the bundle lacks this member/);
    await refused((members) => delete members[proof], /too few hashes/);
    await refused((members) => (members[proof] = hashLines(consistencyOf(4, log.entries.map(leafHash)))), /^timestamps\/3/);
    await refused((members) => (members[proof] += 'x'), /cut off/);
    await refused((members) => (members[name] = authority.stamp('another text')), /is for another text/);
    await refused((members) => (members[name] = members[name].subarray(0, -1)), /is not a timestamp/);
    await refused((members) => (members[name] = Buffer.from('30053003020102', 'hex')), /has refused the timestamp/);
    await refused((members) => (members['timestamps/4.tsr'] = members[name]), /must not contain|no such member/);
    await refused((members) => (members[text] = members[text].replace(/^/, 'x')), /another log/);
});

test('checksums and archive are exact', async () => {
    const members = withSums(log, bundleMembers(log));
    const withSum = (edit) => zip(withSums(log, bundleMembers(log), { edit }));
    await expectRefused(
        withSum((text) => text.replace(/^[0-9a-f]/, (digit) => (digit === '0' ? '1' : '0'))),
        /its SHA-256 is not the one/,
    );
    await expectRefused(
        withSum((text) => text.split('\n').slice(1).join('\n')),
        /does not list exactly/,
    );
    await expectRefused(
        withSum((text) => `${text}${'0'.repeat(64)}  more\n`),
        /does not list exactly/,
    );
    await expectRefused(
        withSum((text) => text.replace('  ', ' *')),
        /not a hash, two spaces/,
    );
    await expectRefused(
        zip(members, () => 0),
        /the member is damaged: its CRC does not match/,
    );
    await expectRefused(zip([...members].reverse()), /not in the order of their names/);
    await expectRefused(zip([members[0], ...members]), /not in the order of their names/);
    await expectRefused(Buffer.concat([bundle(log), Buffer.from('x')]), /not a whole ZIP archive/);
});

test('no byte of a bundle can change', async () => {
    const whole = bundle({ ...log, documents: [] });
    // In one call; the step has no special meaning in the format.
    const { accepted, tried } = await page.evaluate(
        async (vkey, base64) => {
            const policy = await readTrust(vkey);
            const right = Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
            const accepted = [];
            let tried = 0;
            const attempt = async (what, bytes) => {
                ++tried;
                try {
                    await new Bundle(new Blob([bytes]), policy, new Work(() => {})).verify();
                    accepted.push(what);
                } catch (error) {
                    if (!(error instanceof Refusal)) throw error;
                }
            };
            for (let at = 0; at < right.length; at += 9)
                await attempt(
                    `byte ${at}`,
                    right.map((one, i) => (i === at ? one ^ (1 << (at % 8)) : one)),
                );
            for (let at = right.length - 22; at < right.length; ++at)
                await attempt(
                    `byte ${at}`,
                    right.map((one, i) => (i === at ? one ^ 1 : one)),
                );
            for (let at = 0; at < right.length; at += 501) await attempt(`cut off at ${at}`, right.slice(0, at));
            return { accepted, tried };
        },
        log.vkey,
        whole.toString('base64'),
    );
    assert.deepEqual(accepted, []);
    assert.ok(tried > 500, `${tried} changes`);
});

// CONSENTRY_BROWSER_ENTRIES=1000000 measures a large one.
test('a large bundle does not freeze the page', async (t) => {
    const count = Number(process.env.CONSENTRY_BROWSER_ENTRIES ?? 10000);
    const key = new NoteKey('large.example/consent', randomBytes(32));
    const consents = log.entries.filter(isConsent);
    const entries = [];
    const addenda = new Map();
    for (let i = 0; i < count; ++i) {
        const text = JSON.stringify({
            acceptanceId: String(i),
            ipAddress: '192.0.2.1',
            salt: '',
            sessionId: null,
            userAgent: 'x'.repeat(100),
            userId: String(i),
        });
        const entry = Buffer.from(consents[i % consents.length]);
        sha256(text).copy(entry, 66);
        entries.push(entry);
        addenda.set(i, text);
    }
    const text = checkpointText(key.name, entries.map(leafHash));
    const description = `description of a consent log\n${JSON.stringify({ origin: key.name, verifierKey: key.vkey, mergeDelay: 60, receiptKeys: { keys: [] } })}\n`;
    const large = bundle({
        key,
        vkey: key.vkey,
        checkpoint: key.note(text),
        descriptionNote: key.note(description),
        entries,
        addenda,
        documents: [],
    });
    const file = `${log.service.folder}/large.zip`;
    writeFileSync(file, large);
    await page.type('#trust', key.vkey);
    await (await page.$('#record-file')).uploadFile(file);
    const started = Date.now();
    await page.evaluate(() => {
        globalThis.longest = 0;
        let last = performance.now();
        setInterval(() => {
            const now = performance.now();
            longest = Math.max(longest, now - last);
            last = now;
        }, 10);
    });
    await page.click('#verify');
    await page.waitForSelector('#result:not([hidden])', { timeout: 590000 });
    const seconds = (Date.now() - started) / 1000;
    assert.equal(await page.$eval('#verdict', (one) => one.textContent), 'Verified');
    const longest = await page.evaluate(() => longest);
    t.diagnostic(
        `${count} entries, ${(large.length / 1e6).toFixed(1)} MB: ${seconds.toFixed(1)} s; the longest pause of the page: ${longest.toFixed(0)} ms`,
    );
    assert.ok(longest < 2000, `the page did not answer for ${longest} ms`);
});

test('the page has sent and loaded nothing, and has had no error', () => assert.deepEqual(troubles, []));
