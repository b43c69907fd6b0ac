// The pages in Chromium: light and dark, narrow and wide; accessible and valid HTML.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newTab, sentHtml } from './harness.mjs';
import { faultsOf } from './html.mjs';
import { assertAccessible, testPages } from './looks.mjs';
import { nextCodeOf } from './totp.mjs';
import { openSite } from './visitor.mjs';

const password = 'Velvet-Harbor-42';
const { service, visit } = openSite({ users: ['ada', 'grace', 'joan'].map((name) => `${name}@example.org`) });

async function logIn(visitor, name = 'ada') {
    await visitor.go('/login');
    await visitor.submit({ email: `${name}@example.org`, password });
}

const pages = {
    home: (one) => one.go('/'),
    login: (one) => one.go('/login'),
    'login-with-faults': async (one) => {
        await one.go('/login');
        await one.submit({ email: 'ada@example.org', password: 'Wrong-Harbor-42' });
    },
    'sign-up': (one) => one.go('/sign-up'),
    'sign-up-with-faults': async (one) => {
        await one.go('/sign-up');
        await one.submit({ email: 'new@example.org', password: 'short' });
    },
    'new-link': (one) => one.go('/verify-email'),
    'mailed-link': (one) => one.go('/verify-email/abc'),
    'forgot-password': (one) => one.go('/forgot-password'),
    'reset-password': (one) => one.go('/forgot-password/abc'),
    'not-found': (one) => one.go('/no-such-page'),
    account: (one) => logIn(one),
    confirm: (one) => one.go('/login/confirm'),
};

testPages(pages, visit);

// The messages are text, so what is valid in one language is valid in all. The layout says which one it is.
test('every page is valid HTML in a language of another script', async () => {
    const one = await visit();
    await one.go('/?lang=ja');
    for (const [name, open] of Object.entries(pages)) {
        await open(one);
        assert.equal(await one.page.$eval('html', (html) => html.lang), 'ja', name);
        assert.deepEqual(await faultsOf(await sentHtml(one.page)), [], name);
    }
});

// No page has scripts (assertAccessible), so one flow is enough to show that the browser needs none.
for (const script of [true, false])
    test(`log in and out, ${script ? 'with' : 'without'} JavaScript`, async () => {
        const one = await visit({ script });
        await one.go('/account');
        assert.equal(one.path(), '/login?return=%2Faccount');
        await one.submit({ email: 'ada@example.org', password: 'Wrong-Harbor-42' });
        assert.equal(await one.heading(), 'Log in');
        assert.equal(await one.page.$eval('#email', (field) => field.value), 'ada@example.org');
        assert.equal(await one.page.$eval('#password', (field) => field.value), '');
        await one.submit({ password });
        assert.equal(one.path(), '/account');
        assert.match(await one.text('main'), /ada@example\.org/);
        // Reloading a page after a form sends no form again.
        await one.page.reload();
        assert.equal(one.path(), '/account');
        await one.press('header form button');
        assert.equal(one.path(), '/');
        // The back button shows nothing of the account.
        await one.page.goBack();
        assert.match(one.path(), /^\/login/);
    });

test('the second factor, by backup code and by the app', async () => {
    const { secret, backupCodes } = await service.turnTwoFactorOn('grace@example.org');
    const one = await visit();
    await logIn(one, 'grace');
    assert.equal(await one.heading(), 'Confirm that it is you');
    await assertAccessible(one.page, 'verify');
    await one.submit({ code: '000000' });
    assert.match(await one.text('.fault'), /incorrect/);
    await one.page.click('summary');
    const [code] = backupCodes;
    await one.submit({ code: '', backupCode: `${code.slice(0, 5)} ${code.slice(5)}`.toLowerCase() });
    assert.equal(one.path(), '/account');
    await one.press('header form button');
    await logIn(one, 'grace');
    await one.submit({ code: nextCodeOf(secret) });
    assert.equal(one.path(), '/account');
});

test('a change of the language half-way keeps the login', async () => {
    const one = await visit();
    await one.go('/login?return=%2Faccount');
    await one.press('footer a[lang=de]');
    assert.equal(await one.heading(), 'Anmelden');
    await one.submit({ email: 'joan@example.org', password });
    assert.equal(one.path(), '/account');
    assert.equal(await one.heading(), 'Ihr Konto');
});

test('two tabs: a login in one leads the form of the other on', async () => {
    const one = await visit();
    await one.go('/login');
    const other = await newTab(one.context);
    await other.goto(`${service.origin}/login`);
    await other.type('#email', 'joan@example.org');
    await other.type('#password', password);
    await Promise.all([other.waitForNavigation(), other.click('main form button')]);
    await one.page.bringToFront();
    await one.submit({ email: 'ada@example.org', password });
    assert.equal(one.path(), '/account', 'who is logged in already is led on');
    assert.match(await one.text('main'), /joan@example\.org/);
});

test('a page of another site can send no form', async () => {
    const one = await visit();
    await logIn(one);
    const hostile = await newTab(one.context);
    await hostile.setContent(`<form method="post" action="${service.origin}/logout"><button>x</button></form>`);
    await Promise.all([hostile.waitForNavigation(), hostile.click('button')]);
    assert.match(await hostile.$eval('main', (main) => main.textContent), /not sent from one of our pages/);
    await one.page.bringToFront();
    await one.go('/account');
    assert.equal(one.path(), '/account');
});

// The login page needs no session, so no cookie that the browser withholds can pass this test.
test('a page of another site cannot frame the login', async () => {
    const one = await visit();
    const hostile = await newTab(one.context);
    const told = [];
    hostile.on('console', (message) => told.push(message.text()));
    const answered = hostile.waitForResponse(`${service.origin}/login`);
    await hostile.setContent(`<iframe src="${service.origin}/login"></iframe>`);
    const answer = await answered;
    assert.equal(answer.status(), 200);
    const frame = await (await hostile.waitForSelector('iframe')).contentFrame();
    assert.equal(await frame.$('#email'), null);
    assert.match(told.join('\n'), new RegExp(`Framing '${service.origin}/' violates .*frame-ancestors 'none'`));
});

test('the skip link and the form can be used by keyboard alone', async () => {
    const one = await visit();
    await one.go('/login');
    const focused = () => one.page.evaluate(() => document.activeElement.id || document.activeElement.className);
    await one.page.keyboard.press('Tab');
    assert.equal(await focused(), 'skip');
    for (let i = 0; i < 10 && (await focused()) !== 'email'; ++i) await one.page.keyboard.press('Tab');
    await one.page.keyboard.type('ada@example.org');
    await one.page.keyboard.press('Tab');
    assert.equal(await focused(), 'password');
    await one.page.keyboard.type(password);
    await Promise.all([one.page.waitForNavigation(), one.page.keyboard.press('Enter')]);
    assert.equal(one.path(), '/account');
});
