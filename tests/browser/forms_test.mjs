// What forms must bear in Chromium: password managers, cookies that are off, a page that was left open, a double click,
// and a database that takes nothing.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newTab } from './harness.mjs';
import { assertAccessible } from './looks.mjs';
import { codeOf, nextCodeOf } from './totp.mjs';
import { openSite } from './visitor.mjs';

const password = 'Velvet-Harbor-42';
const { service, visit } = openSite({ policies: { marketing: '# News\n\nOnce a month.\n' } });

async function logIn(one, email) {
    await one.go('/login');
    await one.submit({ email, password });
}

// The fields of each form of the page, and what they tell password managers.
const fieldsOf = (page) =>
    page.$$eval('main form', (forms) => {
        const isTyped = ({ name, type, localName }) => name && type !== 'hidden' && localName !== 'button';
        return forms
            .map((form) => [...form.elements].filter(isTyped).map((field) => [field.name, field.autocomplete]))
            .filter((fields) => fields.length > 0)
            .map(Object.fromEntries);
    });

const factor = { code: 'one-time-code', backupCode: 'off' };
const deletion = { email: 'off' };
const change = { oldPassword: 'current-password', newPassword: 'new-password' };

const forms = {
    stranger: {
        '/login': { email: 'username', password: 'current-password' },
        '/sign-up': { email: 'username', password: 'new-password', name: 'name' },
        '/verify-email': { email: 'username' },
        '/forgot-password': { email: 'username' },
        '/forgot-password/abc': { newPassword: 'new-password', ...factor },
    },
    'who has to set up a second factor': { '/login/set-up': { code: 'one-time-code' } },
    'who has to give a second factor': { '/login/verify': factor },
    user: {
        '/change-password': change,
        '/login/confirm': { password: 'current-password' },
        '/account/profile': { name: 'name', mailLanguage: '', gender: 'sex' },
        '/account/data': deletion,
        '/account/two-factor/confirm': { code: 'one-time-code' },
    },
    'user with a second factor': {
        '/change-password': { ...change, ...factor },
        '/login/confirm': factor,
        '/account/data': { ...deletion, ...factor },
        '/account/two-factor/off': factor,
    },
};

test('password managers know what belongs into each field', async () => {
    const assertFields = async (one, who) => {
        for (const [path, fields] of Object.entries(forms[who])) {
            await one.go(path);
            assert.deepEqual([one.path(), ...(await fieldsOf(one.page))], [path, fields], who);
        }
    };
    const one = await visit();
    await assertFields(one, 'stranger');

    service.createUser('lin@example.org');
    await service.turnTwoFactorOn('lin@example.org');
    await logIn(one, 'lin@example.org');
    await assertFields(one, 'who has to give a second factor');
    service.run(['user', 'two-factor', 'reset', '--email', 'lin@example.org']);
    await logIn(one, 'lin@example.org');
    await assertFields(one, 'who has to set up a second factor');

    service.createUser('ada@example.org');
    await logIn(one, 'ada@example.org');
    await one.go('/account/two-factor/start');
    await one.submit();
    await assertFields(one, 'user');
    await one.submit({ code: codeOf((await one.text('.secret')).replaceAll(' ', '')) });
    await assertFields(one, 'user with a second factor');
});

test('a form that another tab has made old says so, and works at the second time', async () => {
    const email = 'tab@example.org';
    service.createUser(email);
    const one = await visit();
    await one.go('/login?return=%2Faccount%2Fprofile');
    const other = await newTab(one.context);
    await other.goto(`${service.origin}/login`);
    await other.type('#email', email);
    await other.type('#password', password);
    await Promise.all([other.waitForNavigation(), other.click('main form button')]);
    await Promise.all([other.waitForNavigation(), other.click('header form button')]);
    await one.page.bringToFront();
    await one.submit({ email, password });
    assert.match(await one.text('.fault'), /This page was open for too long/);
    assert.equal(await one.page.$eval('#email', (field) => field.value), email);
    assert.equal(await one.page.$eval('#password', (field) => field.value), '');
    await assertAccessible(one.page, 'expired-form');
    await one.submit({ password });
    assert.equal(one.path(), '/account/profile');
});

test('a browser that keeps no cookies is told what to do', async () => {
    const email = 'crumb@example.org';
    service.createUser(email);
    const one = await visit();
    const forget = async () => one.context.deleteCookie(...(await one.context.cookies()));
    await one.go('/login');
    for (let i = 0; i < 2; ++i) {
        await forget();
        await one.submit({ email, password });
        assert.match(await one.text('.fault'), /Please allow cookies for this site, and send the form again/);
    }
    await one.submit({ password });
    assert.equal(one.path(), '/account', 'cookies are on again');
});

test('while the database takes nothing, a page says so', async () => {
    const email = 'patient@example.org';
    service.createUser(email);
    const one = await visit();
    await one.go('/login');
    const unlock = await service.lockDatabase();
    await one.submit({ email, password });
    assert.equal(await one.heading(), 'We are not available right now');
    assert.match(await one.text('main'), /Please try again shortly/);
    await assertAccessible(one.page, 'unavailable');
    await unlock();
    await one.page.goBack();
    await one.submit({ email, password });
    assert.equal(one.path(), '/account');
});

// Chromium may send the form twice, and shows the second answer then. So the tests look at what has happened.
async function pressTwice(one, fields = {}, selector = 'main form button[type=submit]') {
    await one.fill(fields);
    await Promise.all([one.page.waitForNavigation(), one.page.click(selector, { count: 2 })]);
}

test('what a newcomer clicks twice happens once', async () => {
    const email = 'hasty@example.org';
    const one = await visit();
    const users = () => service.rows(`SELECT id, is_verified FROM users WHERE email = '${email}'`);
    await one.go('/sign-up');
    await pressTwice(one, { email, password });
    assert.equal(users().length, 1);
    await one.go(await service.mailedLink(email, '/verify-email'));
    await pressTwice(one);
    assert.ok(users()[0].is_verified);
    await one.go('/login');
    await pressTwice(one, { email, password });
    assert.equal(one.path(), '/account');
    await one.go('/account/profile');
    await pressTwice(one, { name: 'Ada' });
    assert.equal(one.path(), '/account');
    assert.match(await one.text('.facts'), /Ada/);
    await pressTwice(one, {}, 'header form button');
    await one.go('/account');
    assert.equal(one.path(), '/login?return=%2Faccount');
    await one.submit({ email, password });
    await one.go('/account/data');
    await pressTwice(one, { email }, 'button.danger');
    await one.go('/login');
    await one.submit({ email, password });
    assert.equal(await one.heading(), 'Log in');
    assert.ok(await one.page.$('.fault'));
});

test('what is clicked twice about a second factor happens once', async () => {
    const email = 'twice@example.org';
    service.createUser(email);
    const one = await visit();
    await logIn(one, email);
    await one.go('/account/two-factor/start');
    await pressTwice(one);
    assert.equal(one.path(), '/account/two-factor/confirm');
    const secret = (await one.text('.secret')).replaceAll(' ', '');
    await pressTwice(one, { code: codeOf(secret) });
    const assertOn = async () => {
        await one.go('/account/two-factor');
        assert.match(await one.text('.facts'), /Backup codes left\s*8/);
    };
    await assertOn();
    await one.go('/account/two-factor/codes');
    await pressTwice(one);
    await assertOn();
    await one.go('/account/two-factor/off');
    await pressTwice(one, { code: nextCodeOf(secret) });
    assert.equal(one.path(), '/account/two-factor');
});

test('what is clicked twice about consents, sessions and passwords happens once', async () => {
    const email = 'quick@example.org';
    const id = service.createUser(email);
    await service.logIn(email);
    const one = await visit();
    const acceptances = () => service.rows(`SELECT id FROM term_policy_acceptances WHERE user_id = '${id}'`).length;
    await logIn(one, email);
    await one.go('/account/sessions');
    await pressTwice(one, {}, '.cards form button');
    assert.equal((await one.page.$$('.cards > li')).length, 1);
    await one.go('/accept?policies=marketing');
    await pressTwice(one);
    assert.deepEqual([one.path(), acceptances()], ['/account', 1]);
    await one.go('/account/consents');
    await pressTwice(one, {}, 'form[action$=withdraw] button');
    assert.deepEqual([one.path(), acceptances()], ['/account/consents', 2]);

    await one.go('/change-password');
    await pressTwice(one, { oldPassword: password, newPassword: 'Copper-Meadow-77' });
    await one.go('/login');
    await one.submit({ email, password: 'Copper-Meadow-77' });
    assert.equal(one.path(), '/account');
    await one.press('header form button');
    await one.go('/forgot-password');
    await pressTwice(one, { email });
    assert.equal(one.path(), '/login?step=link');
    await one.go(await service.mailedLink(email, '/forgot-password'));
    await pressTwice(one, { newPassword: 'Amber-Lantern-19' });
    await one.go('/login');
    await one.submit({ email, password: 'Amber-Lantern-19' });
    assert.equal(one.path(), '/account');
});
