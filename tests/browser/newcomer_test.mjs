// Newcomers in Chromium: sign-up, the mailed link, the policies, and a second factor that the account must have.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { onSharedEngines, root } from './harness.mjs';
import { assertAccessible } from './looks.mjs';
import { codeOf, nextCodeOf } from './totp.mjs';
import { openSite } from './visitor.mjs';

const password = 'Velvet-Harbor-42';
const policies = {
    termsOfService: `# Terms\n\n    ${'An indented line. '.repeat(20)}\n\nBe *kind*.\n\n- To people\n- To machines\n`,
    privacy: '# Privacy\n\nWe keep little.\n',
};
const german = JSON.parse(readFileSync(join(root, 'locales/de.json')));
const { service, visit } = openSite({ policies });

async function acceptPolicies(email) {
    const token = await service.logIn(email);
    for (const type of Object.keys(policies))
        await service.post('/api/shared/user/term-policy/accept', token, { type });
}

// A visitor at the set-up that the operator has forced upon an account.
async function visitSetUp(email) {
    const id = service.createUser(email);
    await acceptPolicies(email);
    await service.turnTwoFactorOn(email);
    // As if that were long ago: an account takes no code of a time for which it took one.
    service.change(`UPDATE two_factors SET last_step = 0 WHERE user_id = '${id}'`);
    service.run(['user', 'two-factor', 'reset', '--email', email]);
    const one = await visit();
    await one.go('/login?return=%2Faccount%2Fprofile');
    await one.submit({ email, password });
    assert.equal(one.path(), '/login/set-up?return=%2Faccount%2Fprofile');
    return one;
}

test('from sign-up to an accepted policy', async () => {
    const email = 'new@example.org';
    const one = await visit();
    await one.go('/account');
    await one.follow('Create an account');
    await one.type('Email address', email);
    await one.type('Password', password);
    await one.follow('Create account');
    assert.match(await one.text('[role=status]'), /sent you an email/);
    await one.submit({ email, password });
    assert.match(await one.text('.fault'), /verif/, 'the address is to be verified first');
    await one.go(await service.mailedLink(email, '/verify-email'));
    await one.follow('Verify');
    assert.match(await one.text('[role=status]'), /is verified/);
    await one.submit({ email, password });
    for (const heading of ['Terms of service', 'Privacy policy']) {
        assert.equal(await one.heading(), heading);
        if (!onSharedEngines) await assertAccessible(one.page, `accept-${heading.split(' ')[0].toLowerCase()}`);
        await one.follow('Accept');
    }
    assert.equal(one.path(), '/account');
    if (onSharedEngines) return;
    await one.go('/policies/termsOfService/1');
    await assertAccessible(one.page, 'policy');
});

test('a forced set-up with backup codes, and the next code of the app', async () => {
    const one = await visitSetUp('forced@example.org');
    if (!onSharedEngines) await assertAccessible(one.page, 'set-up');
    assert.ok(await one.page.$('.qr svg'));
    const secret = await one.text('.secret');
    await one.submit({ code: '000000' });
    assert.match(await one.text('.fault'), /incorrect/);
    assert.equal(await one.text('.secret'), secret, 'a wrong code begins nothing anew');
    await one.submit({ code: codeOf(secret) });
    assert.equal(await one.heading(), 'Your backup codes');
    const codes = await one.page.$$eval('.codes code', (all) => all.map((code) => code.textContent));
    assert.equal(codes.length, 8);
    if (!onSharedEngines) await assertAccessible(one.page, 'set-up-codes');
    await one.follow('Continue');
    assert.equal(await one.heading(), 'Confirm that it is you');
    await one.submit({ code: nextCodeOf(secret) });
    assert.equal(one.path(), '/account/profile');

    await one.press('header form button');
    await one.go('/login');
    await one.submit({ email: 'forced@example.org', password });
    await one.page.click('summary');
    await one.submit({ backupCode: codes[0] });
    assert.equal(one.path(), '/account');
});

const inGerman = (one) => one.press('footer a[lang=de]');

test('the language changes half-way through a sign-up, up to the mail', async () => {
    const email = 'neu@example.org';
    const one = await visit();
    await one.go('/sign-up?return=%2Faccount%2Fprofile');
    await inGerman(one);
    assert.equal(await one.heading(), german['pages.signUp.title']);
    await one.submit({ email, password });
    assert.equal(await one.text('[role=status]'), german['pages.login.signedUp']);
    assert.match(one.path(), /&return=%2Faccount%2Fprofile$/);
    assert.equal(await service.mailed(email, /^Content-Language: (\w+)\r?$/m), 'de');
});

test('the language changes half-way through a forced set-up, which goes on', async () => {
    const one = await visitSetUp('polyglot@example.org');
    const secret = await one.text('.secret');
    await inGerman(one);
    assert.equal(await one.heading(), german['pages.setUp.title']);
    assert.equal(await one.text('.secret'), secret);
    await one.submit({ code: codeOf(secret) });
    assert.equal(await one.heading(), german['pages.backupCodes.title']);
    await one.follow(german['pages.verify.submit']);
    await one.submit({ code: nextCodeOf(secret) });
    assert.equal(one.path(), '/account/profile');
    assert.equal(await one.heading(), german['pages.profile.title']);
});

test('the language changes half-way through the acceptance, which goes on', async () => {
    const email = 'reader@example.org';
    service.createUser(email);
    const one = await visit();
    await one.go('/login?return=%2Faccount%2Fprofile');
    await one.submit({ email, password });
    assert.equal(await one.heading(), 'Terms of service');
    await inGerman(one);
    assert.equal(await one.heading(), german['termPolicy.type.termsOfService']);
    await one.submit();
    assert.equal(await one.heading(), german['termPolicy.type.privacy']);
    await one.submit();
    assert.equal(one.path(), '/account/profile');
    assert.equal(await one.heading(), german['pages.profile.title']);
});
