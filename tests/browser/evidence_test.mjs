// What people take home of their consents and data in Chromium, with and without JavaScript: files, and the difference
// between two versions of a policy.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { Service, openBrowser } from './harness.mjs';
import { assertAccessible } from './looks.mjs';
import { visit as visitAt } from './visitor.mjs';

const password = 'Velvet-Harbor-42';
let service;
let browser;
before(async () => {
    service = new Service();
    service.migrate();
    service.publishPolicies({ termsOfService: '# Terms\n\nBe kind.\n\nPay on Mondays.\n' });
    for (const name of ['ada', 'joan', 'grace', 'hedy']) service.createUser(`${name}@example.org`);
    [browser] = await Promise.all([openBrowser(), service.start()]);
});

async function visit(name, options) {
    const one = await visitAt(browser, service.origin, options);
    await one.go('/login');
    await one.submit({ email: `${name}@example.org`, password });
    return one;
}

const claimsOf = (receipt) => JSON.parse(Buffer.from(receipt.split('.')[1], 'base64url'));

for (const script of [true, false]) {
    const name = script ? 'ada' : 'joan';
    const how = `${script ? 'with' : 'without'} JavaScript`;

    test(`record, receipt and proof of an acceptance are files, ${how}`, async () => {
        const one = await visit(name, { script });
        await one.follow('Accept');
        await one.go('/account/consents');
        const record = await one.download('form[action$=record] button');
        assert.match(record.name, /^record-[0-9a-f-]{36}\.jsonld$/);
        assert.ok(JSON.parse(record.text)['@context']);
        const receipt = await one.download('form[action$=receipt] button');
        assert.match(receipt.name, /^receipt-[0-9a-f-]{36}\.jwt$/);
        const { jti } = claimsOf(receipt.text);
        assert.equal(receipt.name, `receipt-${jti}.jwt`);
        const path = `/api/shared/user/term-policy/receipt/${jti}/proof`;
        const ofTheApi = await service.eventually(path, { token: await service.logIn(`${name}@example.org`) });
        await one.page.reload();
        const proof = await one.download('form[action$=proof] button');
        assert.equal(proof.name, `proof-${jti}.tlog-proof`);
        assert.deepEqual(proof.text.split('\n').slice(0, 2), ofTheApi.split('\n').slice(0, 2));
    });

    test(`the export of an account is a file, ${how}`, async () => {
        const one = await visit(name, { script });
        await one.follow('Data and deletion');
        const file = await one.download('form[action$=export] button');
        assert.match(file.name, /^account-[0-9a-f-]{36}\.json$/);
        assert.ok(file.text.includes(`"${name}@example.org"`));
        JSON.parse(file.text);
    });
}

test('who accepted an earlier version sees what has changed', async () => {
    const people = [
        ['grace', true],
        ['hedy', false],
    ];
    for (const [name] of people) {
        const token = await service.logIn(`${name}@example.org`);
        await service.post('/api/shared/user/term-policy/accept', token, { type: 'termsOfService' });
    }
    service.publishPolicies({ termsOfService: '# Terms\n\nBe kind.\n\nPay on Fridays.\n' }, 2);
    for (const [name, script] of people) {
        const one = await visit(name, { script });
        assert.equal(one.path(), '/accept?return=%2Faccount');
        if (script) await assertAccessible(one.page, 'accept-with-difference');
        await one.follow('See what has changed since the version that you accepted');
        assert.match(await one.text('.changes del'), /Removed: Pay on Mondays/);
        assert.match(await one.text('.changes ins'), /Added: Pay on Fridays/);
        if (script) await assertAccessible(one.page, 'difference');
        await one.follow('Accept');
        assert.equal(one.path(), '/account');
        await one.go('/account/consents');
        assert.equal((await one.page.$$('.cards > li')).length, 2);
    }
});
