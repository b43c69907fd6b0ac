// "Continue with Google" and "Continue with Apple" in Chromium, against a provider of others (tests/real/oidc.sh), which
// sends browsers back with a form from another site, as both do.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { createServer } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { Service, atEnd, openBrowser, root } from './harness.mjs';
import { assertAccessible } from './looks.mjs';
import { visit as visitAt } from './visitor.mjs';

const pages = 'https://accounts.example.com';
const script = join(root, 'tests/real/oidc.sh');
let provider;
let service;
let browser;

// Starts the provider. Returns its origin and the folder with its certificates.
function startProvider() {
    const folder = mkdtempSync(join(tmpdir(), 'consentry-oidc-'));
    chmodSync(folder, 0o755); // it may run as another user
    const place = join(folder, 'idp');
    atEnd(() => {
        spawnSync(script, ['stop', place]);
        rmSync(folder, { recursive: true, force: true });
    });
    const args = ['start', '--owner', String(process.pid), place];
    const ended = spawnSync(script, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
    if (ended.status !== 0) throw new Error(ended.stderr);
    return { origin: `https://127.0.0.1:${/HTTPS_PORT=(\d+)/.exec(ended.stdout)[1]}`, place };
}

// What a proxy does: https in front of the service. Cookies of the kind that the pages use need it.
function startFront() {
    const certificate = { cert: readFileSync(join(provider.place, 'tls.crt')), key: readFileSync(join(provider.place, 'tls.key')) };
    const server = createServer(certificate, (incoming, outgoing) => {
        const { method, url, headers } = incoming;
        const onward = request(service.origin + url, { method, headers }, (answer) => {
            outgoing.writeHead(answer.statusCode, answer.rawHeaders);
            answer.pipe(outgoing);
        });
        onward.on('error', () => outgoing.destroy());
        incoming.pipe(onward);
    });
    atEnd(() => server.close() && server.closeAllConnections());
    return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server.address().port)));
}

before(async () => {
    provider = startProvider();
    const settings = (name) => ({
        [`AUTH_SOCIAL_${name}_ISSUER`]: provider.origin,
        [`AUTH_SOCIAL_${name}_JWKS_URI`]: `${provider.origin}/jwks`,
        [`AUTH_SOCIAL_${name}_AUTHORIZATION_URL`]: `${provider.origin}/auth`,
    });
    service = new Service({
        PUBLIC_URL: pages,
        AUTH_SOCIAL_GOOGLE_CLIENT_ID: 'google-web',
        AUTH_SOCIAL_APPLE_SIGN_IN_CLIENT_ID: 'apple-web',
        AUTH_SOCIAL_CA_FILE: join(provider.place, 'ca.crt'),
        ...settings('GOOGLE'),
        ...settings('APPLE'),
    });
    service.migrate();
    service.createUser('grace@example.org');
    await service.start();
    const port = await startFront();
    browser = await openBrowser(
        '--ignore-certificate-errors',
        `--host-resolver-rules=MAP accounts.example.com:443 127.0.0.1:${port}, MAP * ~NOTFOUND, EXCLUDE 127.0.0.1`,
    );
});

async function visit({ script: hasScript = true } = {}) {
    const one = await visitAt(browser, pages, { script: hasScript, others: [provider.origin] });
    const { page, press } = one;
    const note = () => one.text('[role=status]');
    // Waits until the form of the provider has led back, which without JavaScript takes a press of its button.
    const comeBack = async () => {
        if (!hasScript) await press('button[autofocus]');
        await page.waitForFunction((origin) => location.origin === origin && document.readyState === 'complete', {}, pages);
    };
    // Presses the button, and identifies there as `name`.
    const continueWith = async (name, which = 'google') => {
        await press(`form[action="/login/${which}"] button`);
        assert.ok(page.url().startsWith(`${provider.origin}/interaction/`), page.url());
        await page.type('[name=login]', name);
        await page.type('[name=password]', 'any');
        await press('[type=submit]');
        await press('[type=submit]');
        await comeBack();
    };
    return { ...one, note, comeBack, continueWith };
}

// The provider's page sends its form by a script, or by a press of its button.
for (const hasScript of [true, false])
    test(`sign up and log in again, ${hasScript ? 'with' : 'without'} JavaScript`, async () => {
        const name = hasScript ? 'ada' : 'joan';
        const one = await visit({ script: hasScript });
        await one.go('/sign-up');
        await one.continueWith(name);
        assert.equal(one.path(), '/account');
        assert.match(await one.page.$eval('main', (main) => main.textContent), new RegExp(`${name}@example\\.org`));
        const cookies = Object.fromEntries((await one.context.cookies()).map((cookie) => [cookie.name, cookie]));
        assert.equal(cookies['__Host-consentry'].sameSite, 'Lax');
        assert.equal(cookies['__Host-consentry-provider'], undefined, 'the trip is over');
        await one.page.reload();
        assert.equal(one.path(), '/account', 'reloading sends no form again');

        await one.press('header form button');
        await one.go('/account/profile');
        assert.equal(one.path(), '/login?return=%2Faccount%2Fprofile');
        await one.press('form[action="/login/google"] button');
        await one.comeBack();
        assert.equal(one.path(), '/account/profile', 'who is known there is not asked again');
        assert.deepEqual(service.rows(`SELECT count(*) AS n FROM users WHERE email = '${name}@example.org'`), [{ n: 1 }]);
    });

test('Apple, with a code beside the token', async () => {
    const one = await visit();
    await one.go('/login');
    await one.continueWith('hedy', 'apple');
    assert.equal(one.path(), '/account');
});

test('who cancels is told so, in the language of the visit', async () => {
    const one = await visit();
    await one.go('/login?lang=de');
    await one.press('form[action="/login/google"] button');
    const cookie = (await one.context.cookies()).find(({ name }) => name === '__Host-consentry-provider');
    assert.deepEqual([cookie.sameSite, cookie.secure, cookie.httpOnly, cookie.path], ['None', true, true, '/']);
    await one.press('a[href$="/abort"]');
    await one.comeBack();
    assert.equal(one.path(), '/login?step=cancelled&with=google');
    assert.match(await one.note(), /^Sie haben die Anmeldung mit Google abgebrochen\./);
});

test('the second factor comes after the button', async () => {
    const { backupCodes } = await service.turnTwoFactorOn('grace@example.org');
    const one = await visit();
    await one.go('/login?return=%2Faccount%2Fprofile');
    await one.continueWith('grace');
    assert.equal(one.path(), '/login/verify?return=%2Faccount%2Fprofile');
    await one.page.click('summary');
    await one.page.type('#backupCode', backupCodes[0]);
    await one.press('main form button[type=submit]');
    assert.equal(one.path(), '/account/profile');
});

test('an answer that belongs to another browser logs nobody in', async () => {
    // Without JavaScript the form stays on the screen.
    const attacker = await visit({ script: false });
    await attacker.go('/login');
    await attacker.press('form[action="/login/google"] button');
    await attacker.page.type('[name=login]', 'eve');
    await attacker.page.type('[name=password]', 'any');
    await attacker.press('[type=submit]');
    await attacker.press('[type=submit]');
    const form = await attacker.page.content();
    assert.match(form, /name="id_token"/);

    const victim = await visit({ script: false });
    await victim.go('/login');
    await victim.press('form[action="/login/google"] button');
    await victim.page.setContent(form);
    await victim.press('button[autofocus]');
    assert.equal(victim.path(), '/login?step=over&with=google');
    await victim.go('/account');
    assert.equal(victim.path(), '/login?return=%2Faccount');
    assert.deepEqual(service.rows("SELECT id FROM users WHERE email = 'eve@example.org'"), []);
});

test('the pages with the buttons are accessible and valid', async () => {
    const one = await visit();
    for (const [name, path] of Object.entries({
        'login-with-buttons': '/login',
        'login-with-note': '/login?step=refused&with=google',
        'sign-up-with-buttons': '/sign-up',
    })) {
        await one.go(path);
        await assertAccessible(one.page, name);
    }
});
