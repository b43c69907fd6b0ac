// What forms must bear in Chromium: password managers, cookies that are off, a page that was left open, a double click,
// and a database that takes nothing.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { Service, newTab, onSharedEngines, openBrowser } from './harness.mjs';
import { assertAccessible } from './looks.mjs';
import { codeOf } from './totp.mjs';
import { visit as visitAt } from './visitor.mjs';

const password = 'Velvet-Harbor-42';
let service;
let browser;
before(async () => {
    // How long a test waits for the page that tells of a database that takes nothing.
    service = new Service(onSharedEngines ? { DATABASE_TIMEOUT: '10s' } : {});
    service.migrate();
    [browser] = await Promise.all([openBrowser(), service.start()]);
});

const visit = (options) => visitAt(browser, service.origin, options);

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

test('password managers know what belongs into each field', { skip: onSharedEngines }, async () => {
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

for (const script of [true, false]) {
    const how = `${script ? 'with' : 'without'} JavaScript`;

    test(`a form that another tab has made old says so, and works at the second time, ${how}`, async () => {
        const email = `tab${script ? 1 : 2}@example.org`;
        service.createUser(email);
        const one = await visit({ script });
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
        if (script && !onSharedEngines) await assertAccessible(one.page, 'expired-form');
        await one.submit({ password });
        assert.equal(one.path(), '/account/profile');
    });

    test(`a browser that keeps no cookies is told what to do, ${how}`, async () => {
        const email = `crumb${script ? 1 : 2}@example.org`;
        service.createUser(email);
        const one = await visit({ script });
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
}

test('while the database takes nothing, a page says so', async () => {
    const email = 'patient@example.org';
    service.createUser(email);
    const one = await visit();
    await one.go('/login');
    const unlock = await service.lockDatabase();
    await one.submit({ email, password });
    assert.equal(await one.heading(), 'We are not available right now');
    assert.match(await one.text('main'), /Please try again shortly/);
    if (!onSharedEngines) await assertAccessible(one.page, 'unavailable');
    await unlock();
    await one.page.goBack();
    await one.submit({ email, password });
    assert.equal(one.path(), '/account');
});

test('a double click does no harm', async () => {
    const email = 'hasty@example.org';
    const one = await visit();
    const twice = async (fields = {}, selector = 'main form button[type=submit]') => {
        await one.fill(fields);
        await Promise.all([one.page.waitForNavigation(), one.page.click(selector, { count: 2 })]);
    };
    await one.go('/sign-up');
    await twice({ email, password });
    assert.equal(one.path(), '/login?step=signed-up');
    await one.go(await service.mailedLink(email, '/verify-email'));
    await twice();
    assert.equal(one.path(), '/login?step=verified');
    await twice({ email, password });
    assert.equal(one.path(), '/account');
    await one.go('/account/sessions');
    assert.equal((await one.page.$$('.cards > li')).length, 1, 'one login is one session');

    await one.go('/account/two-factor/start');
    await twice();
    await twice({ code: codeOf((await one.text('.secret')).replaceAll(' ', '')) });
    assert.equal((await one.page.$$('.codes code')).length, 8, 'the only sight of the codes is not lost');
    await one.go('/account/two-factor/codes');
    await twice();
    const codes = await one.page.$$eval('.codes code', (all) => all.map((code) => code.textContent));
    await one.go('/account/profile');
    await twice({ name: 'Ada' });
    assert.equal(one.path(), '/account?done=profile');
    await one.go('/account/two-factor/off');
    await one.page.click('summary');
    await twice({ backupCode: codes[0] });
    assert.equal(one.path(), '/account/two-factor?done=twoFactorOff', 'the codes that were shown last are valid');
    await one.go('/account/data');
    await twice({ email }, 'button.danger');
    assert.equal(one.path(), '/account/deleted');
});
