// The pages of an account in Chromium: with and without JavaScript, light and dark, narrow and wide.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { Service, openBrowser, sentHtml } from './harness.mjs';
import { faultsOf } from './html.mjs';
import { assertAccessible } from './looks.mjs';
import { codeOf } from './totp.mjs';
import { visit as visitAt } from './visitor.mjs';

const password = 'Velvet-Harbor-42';
let service;
let browser;
before(async () => {
    service = new Service();
    service.migrate();
    service.publishPolicies({
        termsOfService: '# Terms\n\nBe kind.\n',
        privacy: '# Privacy\n\nWe keep little.\n',
        marketing: '# News\n\nOnce a month.\n',
    });
    [browser] = await Promise.all([openBrowser(), service.start()]);
});

let people = 0;
// A visitor who is logged in with an account of their own that has accepted everything.
async function visit(options) {
    const email = `ada${++people}@example.org`;
    service.createUser(email);
    const token = await service.logIn(email);
    for (const type of ['termsOfService', 'privacy', 'marketing'])
        await service.post('/api/shared/user/term-policy/accept', token, { type });
    const one = { email, ...(await visitAt(browser, service.origin, options)) };
    await one.go('/login');
    await one.submit({ email, password });
    return one;
}

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

// Each page, by a function that leads there. One visitor opens them in this order.
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

test('every page is accessible, and fits narrow and wide windows', async () => {
    const one = await visit();
    for (const [name, open] of Object.entries(pages)) {
        await open(one);
        await assertAccessible(one.page, name);
    }
});

test('every page is valid HTML in a language of another script', async () => {
    const one = await visit();
    await one.go('/account?lang=ja');
    for (const [name, open] of Object.entries(pages)) {
        await open(one);
        assert.equal(await one.page.$eval('html', (html) => html.lang), 'ja', name);
        assert.deepEqual(await faultsOf(await sentHtml(one.page)), [], name);
    }
});

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

for (const script of [false, true]) {
    const how = `${script ? 'with' : 'without'} JavaScript`;

    test(`two-factor: on, codes, off, ${how}`, async () => {
        const one = await visit({ script });
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
        assert.equal(one.path(), '/account/two-factor?done=twoFactorOff');
        // Pages are not cached: whoever goes back to the answer with the codes is asked to send the form again.
        for (let i = 0; i < 2; ++i) {
            await one.page.goBack().catch(() => {});
            assert.equal((await one.page.$$('.codes code')).length, 0);
        }
    });

    test(`the profile is saved, ${how}`, async () => {
        const one = await visit({ script });
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

    test(`password, sessions, consents and deletion, ${how}`, async () => {
        const one = await visit({ script });
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
}
