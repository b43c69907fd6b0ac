// The pages of an account in Chromium, light and dark, narrow and wide: what people do there, and what they take home of
// their consents and data, as files and as the difference between two versions of a policy.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertAccessible, testPages } from './looks.mjs';
import { codeOf } from './totp.mjs';
import { openSite } from './visitor.mjs';

const password = 'Velvet-Harbor-42';
const site = openSite({
    policies: {
        termsOfService: '# Terms\n\nBe kind.\n\nPay on Mondays.\n',
        privacy: '# Privacy\n\nWe keep little.\n',
        marketing: '# News\n\nOnce a month.\n',
    },
});
const { service } = site;

let people = 0;
// The address of a new account that has accepted everything.
async function newPerson() {
    const email = `ada${++people}@example.org`;
    service.createUser(email);
    const token = await service.logIn(email);
    for (const type of ['termsOfService', 'privacy', 'marketing'])
        await service.post('/api/shared/user/term-policy/accept', token, { type });
    return email;
}
async function logIn(email) {
    const one = { email, ...(await site.visit()) };
    await one.go('/login');
    await one.submit({ email, password });
    return one;
}
const visit = async () => logIn(await newPerson());

async function beginTwoFactor(one) {
    await one.go('/account/two-factor/start');
    await one.submit();
    return (await one.text('.secret')).replaceAll(' ', '');
}
async function turnTwoFactorOn(one) {
    const secret = await beginTwoFactor(one);
    await one.submit({ code: codeOf(secret) });
    return secret;
}

const pages = {
    account: (one) => one.go('/account'),
    profile: (one) => one.go('/account/profile'),
    sessions: async (one) => {
        await service.logIn(one.email);
        await one.go('/account/sessions');
    },
    consents: (one) => one.go('/account/consents'),
    data: (one) => one.go('/account/data'),
    'change-password': (one) => one.go('/change-password'),
    'two-factor-off': (one) => one.go('/account/two-factor'),
    'two-factor-start': (one) => one.go('/account/two-factor/start'),
    'two-factor-confirm': beginTwoFactor,
    'backup-codes': turnTwoFactorOn,
    'two-factor-on': (one) => one.go('/account/two-factor'),
    'new-backup-codes': (one) => one.go('/account/two-factor/codes'),
    'turn-two-factor-off': (one) => one.go('/account/two-factor/off'),
    'data-with-code': (one) => one.go('/account/data'),
    deleted: (one) => one.go('/account/deleted'),
};

testPages(pages, visit);

test('the printed backup codes name their owner, and nothing that a press would do', async () => {
    const one = await visit();
    await turnTwoFactorOn(one);
    await one.page.emulateMediaType('print');
    const isVisible = (selector) => one.page.$eval(selector, (element) => element.checkVisibility());
    const codes = await one.page.$$eval('.codes code', (all) => all.filter((code) => code.checkVisibility()).length);
    assert.equal(codes, 8);
    assert.ok(await isVisible('.only-print'));
    const line = await one.text('.only-print');
    assert.ok(line.includes(one.email), line);
    assert.match(line, /\d{4}-\d\d-\d\d.*\d\d:\d\d/);
    for (const selector of ['header nav', 'footer', '.skip', '.up', '.ways'])
        assert.equal(await isVisible(selector), false, selector);
    await one.page.emulateMediaType('screen');
    assert.equal(await isVisible('.only-print'), false);
});

test('who has few backup codes left is warned', async () => {
    const one = await visit();
    await turnTwoFactorOn(one);
    const codes = await one.page.$$eval('.codes code', (all) => all.map((code) => code.textContent));
    for (const backupCode of codes.slice(0, 6)) {
        await one.go('/login/confirm');
        await one.page.click('summary');
        await one.submit({ backupCode });
        assert.equal(one.path(), '/account');
        assert.equal((await one.text('main')).includes('only a few backup codes left'), backupCode === codes[5]);
    }
    await assertAccessible(one.page, 'account-with-few-codes');
    await one.press('.warning a');
    assert.equal(one.path(), '/account/two-factor/codes');
});

test('two-factor: on, codes, off', async () => {
    const one = await visit();
    await one.go('/account');
    await one.press('a[href="/account/two-factor"]');
    await one.press('main a.button');
    await one.submit();
    const secret = (await one.text('.secret')).replaceAll(' ', '');
    assert.ok(await one.page.$('.qr svg'));
    await one.submit({ code: '000000' });
    assert.match(await one.text('.fault'), /incorrect/);
    await one.submit({ code: codeOf(secret) });
    const codes = await one.page.$$eval('.codes code', (all) => all.map((code) => code.textContent));
    assert.equal(codes.length, 8);
    await one.go('/account/two-factor/off');
    await one.page.click('summary');
    await one.submit({ backupCode: codes[0] });
    assert.equal(one.path(), '/account/two-factor');
    // Pages are not cached: a visitor who goes back to the answer with the codes is asked to send the form again.
    for (let i = 0; i < 2; ++i) {
        await one.page.goBack().catch(() => {});
        assert.equal((await one.page.$$('.codes code')).length, 0);
    }
});

test('the profile is saved', async () => {
    const one = await visit();
    await one.follow('Profile');
    await one.page.select('#mailLanguage', 'de');
    await one.page.select('#gender', 'female');
    await one.submit({ name: 'Ada <b>&amp; Co' });
    assert.match(await one.text('[role=status]'), /have been saved/);
    assert.match(await one.text('.facts'), /Ada <b>&amp; Co/);
    await one.follow('Profile');
    const boxes = 'main input:not([type=hidden]), main select';
    const values = await one.page.$$eval(boxes, (all) => all.map((box) => box.value));
    assert.deepEqual(values, ['Ada <b>&amp; Co', 'de', 'female']);
});

test('password, sessions, consents and deletion', async () => {
    const one = await visit();
    await service.logIn(one.email);
    await one.go('/account/sessions');
    assert.equal((await one.page.$$('.cards > li')).length, 3);
    await one.press('.cards form button');
    assert.equal((await one.page.$$('.cards > li')).length, 2);
    await one.press('button.danger');
    assert.equal((await one.page.$$('.cards > li')).length, 1);
    await one.go('/account/consents');
    await one.press('form[action$=withdraw] button');
    assert.match(await one.text('main'), /Marketing consent: withdrawn/);
    await one.go('/account');
    await one.press('a[href^="/change-password"]');
    await one.submit({ oldPassword: password, newPassword: 'Copper-Meadow-77' });
    assert.match(one.path(), /^\/login\?/);
    await one.submit({ email: one.email, password: 'Copper-Meadow-77' });
    assert.equal(one.path(), '/account');
    await one.press('a[href="/account/data"]');
    await one.fill({ email: one.email });
    await one.press('button.danger');
    assert.equal(one.path(), '/account/deleted');
    await one.page.goBack();
    assert.match(one.path(), /^\/login/);
});

test('record, receipt and proof of an acceptance are files', async () => {
    const one = await visit();
    await one.go('/account/consents');
    const record = await one.download('form[action$=record] button');
    assert.match(record.name, /^record-[0-9a-f-]{36}\.jsonld$/);
    assert.ok(JSON.parse(record.text)['@context']);
    const receipt = await one.download('form[action$=receipt] button');
    assert.match(receipt.name, /^receipt-[0-9a-f-]{36}\.jwt$/);
    const { jti } = JSON.parse(Buffer.from(receipt.text.split('.')[1], 'base64url'));
    assert.equal(receipt.name, `receipt-${jti}.jwt`);
    const path = `/api/shared/user/term-policy/receipt/${jti}/proof`;
    const ofTheApi = await service.eventually(path, { token: await service.logIn(one.email) });
    await one.page.reload();
    const proof = await one.download('form[action$=proof] button');
    assert.equal(proof.name, `proof-${jti}.tlog-proof`);
    assert.deepEqual(proof.text.split('\n').slice(0, 2), ofTheApi.split('\n').slice(0, 2));
});

test('the export of an account is a file', async () => {
    const one = await visit();
    await one.follow('Data and deletion');
    const file = await one.download('form[action$=export] button');
    assert.match(file.name, /^account-[0-9a-f-]{36}\.json$/);
    assert.ok(file.text.includes(`"${one.email}"`));
    JSON.parse(file.text);
});

// The last test, because it publishes a version that everybody has to accept.
test('who accepted an earlier version sees what has changed', async () => {
    const email = await newPerson();
    service.publishPolicies({ termsOfService: '# Terms\n\nBe kind.\n\nPay on Fridays.\n' }, 2);
    const one = await logIn(email);
    assert.equal(one.path(), '/accept?return=%2Faccount');
    await assertAccessible(one.page, 'accept-with-difference');
    await one.follow('See what has changed since the version that you accepted');
    assert.match(await one.text('.changes del'), /Removed: Pay on Mondays/);
    assert.match(await one.text('.changes ins'), /Added: Pay on Fridays/);
    await assertAccessible(one.page, 'difference');
    await one.follow('Accept');
    assert.equal(one.path(), '/account');
    await one.go('/account/consents');
    assert.equal((await one.page.$$('form[action$=record]')).length, 4, 'three acceptances, and that of the new version');
});
