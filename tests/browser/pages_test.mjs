// The pages in Chromium: with and without JavaScript, light and dark, narrow and wide; accessible and valid HTML.
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { Service, assertAccessible, newTab, onSharedEngines, openBrowser, openContext, openPage } from './harness.mjs';
import { faultsOf } from './html.mjs';
import { codeOf } from './totp.mjs';

const password = 'Velvet-Harbor-42';
let service;
let browser;
before(async () => {
    service = new Service();
    service.migrate();
    for (const name of ['ada', 'grace', 'joan', 'lin']) service.createUser(`${name}@example.org`);
    [browser] = await Promise.all([openBrowser(), service.start()]);
    // An account that must set up its second factor again.
    const token = await service.logIn('lin@example.org');
    const { data } = await service.post('/api/user/2fa/setup', token, {});
    await service.post('/api/user/2fa/confirm', token, { code: codeOf(data.secret) });
    service.run(['user', 'two-factor', 'reset', '--email', 'lin@example.org']);
});

// A visit in a profile of its own, so that no cookie comes from another test.
async function visit({ to = service, script = true } = {}) {
    const context = await openContext(browser);
    const { page, troubles } = await openPage(context, to.origin);
    await page.setJavaScriptEnabled(script);
    const go = (path) => page.goto(to.origin + path);
    const submit = async (fields = {}) => {
        for (const [name, value] of Object.entries(fields)) {
            const field = await page.$(`#${name}`);
            await field.evaluate((one) => (one.value = ''));
            await field.type(value);
        }
        await Promise.all([page.waitForNavigation(), page.click('main form button[type=submit]')]);
    };
    const heading = () => page.$eval('h1', (one) => one.textContent);
    const path = () => page.url().slice(to.origin.length);
    return { context, page, troubles, go, submit, heading, path };
}

async function logIn(visitor, name = 'ada') {
    await visitor.go('/login');
    await visitor.submit({ email: `${name}@example.org`, password });
}

// The pages that a test can open, each by a function that leads there.
const pages = {
    home: (one) => one.go('/'),
    login: (one) => one.go('/login'),
    'login with faults': async (one) => {
        await one.go('/login');
        await one.submit({ email: 'ada@example.org', password: 'Wrong-Harbor-42' });
    },
    account: (one) => logIn(one),
    'sign up': (one) => one.go('/sign-up'),
    'sign up with faults': async (one) => {
        await one.go('/sign-up');
        await one.submit({ email: 'new@example.org', password: 'short' });
    },
    'new link': (one) => one.go('/verify-email'),
    'mailed link': (one) => one.go('/verify-email/abc'),
    'forgot password': (one) => one.go('/forgot-password'),
    'reset password': (one) => one.go('/forgot-password/abc'),
    confirm: async (one) => {
        await logIn(one);
        await one.go('/login/confirm');
    },
    'set up': async (one) => {
        await logIn(one, 'lin');
        assert.equal(one.path(), '/login/set-up');
    },
    'not found': (one) => one.go('/no-such-page'),
};

test('every page is accessible, and fits narrow and wide windows', { skip: onSharedEngines }, async () => {
    for (const [name, open] of Object.entries(pages)) {
        const one = await visit();
        await open(one);
        await assertAccessible(one.page, name.replaceAll(' ', '-'));
        await one.page.close();
    }
});

test('every page is valid HTML', { skip: onSharedEngines }, async () => {
    for (const language of ['en', 'ja'])
        for (const [name, open] of Object.entries(pages)) {
            const one = await visit();
            // Chromium forgets a document with the next one.
            let shown;
            one.page.on('response', (answer) => {
                if (answer.request().resourceType() === 'document' && answer.status() !== 303) shown = answer;
            });
            await one.go(`/?lang=${language}`);
            await open(one);
            assert.deepEqual(await faultsOf(await shown.text()), [], `${name} ${language}`);
            await one.page.close();
        }
});

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
        assert.match(await one.page.$eval('main', (main) => main.textContent), /ada@example\.org/);
        // Reloading a page after a form sends no form again.
        await one.page.reload();
        assert.equal(one.path(), '/account');
        await Promise.all([one.page.waitForNavigation(), one.page.click('header form button')]);
        assert.equal(one.path(), '/');
        // The back button shows nothing of the account.
        await one.page.goBack();
        assert.match(one.path(), /^\/login/);
        const unexpected = one.troubles.filter((trouble) => !/status of 40\d/.test(trouble));
        assert.deepEqual(unexpected, []);
    });

test('the second factor, with a backup code', async () => {
    const token = await service.logIn('grace@example.org');
    const { data } = await service.post('/api/user/2fa/setup', token, {});
    const enabled = await service.post('/api/user/2fa/confirm', token, { code: codeOf(data.secret) });
    const [code] = enabled.data.backupCodes;
    for (const script of [false, true]) {
        const one = await visit({ script });
        await logIn(one, 'grace');
        assert.equal(await one.heading(), 'Confirm that it is you');
        assert.equal(await one.page.$eval('#code', (field) => field.autocomplete), 'one-time-code');
        if (script) await assertAccessible(one.page, 'verify');
        await one.submit({ code: '000000' });
        assert.match(await one.page.$eval('.fault', (fault) => fault.textContent), /incorrect/);
        await one.page.click('summary');
        const left = enabled.data.backupCodes[script ? 1 : 0] ?? code;
        await one.submit({ code: '', backupCode: `${left.slice(0, 5)} ${left.slice(5)}`.toLowerCase() });
        assert.equal(one.path(), '/account');
    }
});

test('a change of the language half-way keeps the login', async () => {
    const one = await visit();
    await one.go('/login?return=%2Faccount');
    await Promise.all([one.page.waitForNavigation(), one.page.click('footer a[lang=de]')]);
    assert.equal(await one.heading(), 'Anmelden');
    await one.submit({ email: 'joan@example.org', password });
    assert.equal(one.path(), '/account');
    assert.equal(await one.heading(), 'Ihr Konto');
});

test('two tabs: a login in one ends the form of the other, which says so', async () => {
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
    assert.match(await one.page.$eval('main', (main) => main.textContent), /joan@example\.org/);
});

test('a page of another site can neither frame nor send a form', async () => {
    const one = await visit();
    await logIn(one);
    const hostile = await newTab(one.context);
    await hostile.setContent(`<form method="post" action="${service.origin}/logout"><button>x</button></form>`);
    await Promise.all([hostile.waitForNavigation(), hostile.click('button')]);
    assert.match(await hostile.$eval('main', (main) => main.textContent), /not sent from one of our pages/);
    await one.page.bringToFront();
    await one.go('/account');
    assert.equal(one.path(), '/account');
    const framing = await newTab(one.context);
    await framing.setContent(`<iframe src="${service.origin}/account"></iframe>`);
    const frame = await framing.waitForSelector('iframe');
    const content = await (await frame.contentFrame()).content().catch(() => '');
    assert.doesNotMatch(content, /ada@example\.org/);
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

// The path of the newest mailed link that begins so.
function mailedLink(from, beginning) {
    const folder = join(from.folder, 'data/mail');
    for (const name of readdirSync(folder).sort().reverse()) {
        const text = readFileSync(join(folder, name), 'latin1').replaceAll(/=\r?\n/g, '');
        const found = new RegExp(`${beginning}/[A-Za-z0-9]+`).exec(text);
        if (found) return found[0];
    }
    return null;
}
async function waitForLink(from, beginning) {
    for (const deadline = Date.now() + 120_000; ; await new Promise((resume) => setTimeout(resume, 50))) {
        const link = mailedLink(from, beginning);
        if (link) return link;
        if (Date.now() > deadline) throw new Error(`no mail with ${beginning}`);
    }
}

for (const script of [true, false])
    test(`from sign-up to an accepted policy, ${script ? 'with' : 'without'} JavaScript`, async () => {
        const own = new Service();
        own.migrate();
        own.publishPolicies({ termsOfService: '# Terms\n\nBe *kind*.\n', privacy: 'We keep little.\n' });
        await own.start();
        const one = await visit({ to: own, script });
        await one.go('/account');
        await Promise.all([one.page.waitForNavigation(), one.page.click('a[href^="/sign-up"]')]);
        await one.submit({ email: 'new@example.org', password: 'Copper-Meadow-77' });
        assert.match(await one.page.$eval('[role=status]', (note) => note.textContent), /sent you an email/);
        await one.go(await waitForLink(own, '/verify-email'));
        await one.submit();
        await one.submit({ email: 'new@example.org', password: 'Copper-Meadow-77' });
        for (const heading of ['Terms of service', 'Privacy policy']) {
            assert.equal(await one.heading(), heading);
            if (script) await assertAccessible(one.page, `accept-${heading.split(' ')[0].toLowerCase()}`);
            await one.submit();
        }
        assert.equal(one.path(), '/account');
        if (script) {
            await one.go('/policies/termsOfService/1');
            await assertAccessible(one.page, 'policy');
        }
        assert.deepEqual(one.troubles, []);
        await own.end();
    });
