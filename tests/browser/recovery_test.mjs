// How people get back into their accounts, and prove once more who they are, in Chromium: forgotten and temporary
// passwords, confirmations, new backup codes.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertAccessible } from './looks.mjs';
import { nextCodeOf } from './totp.mjs';
import { openSite } from './visitor.mjs';

const password = 'Velvet-Harbor-42';
const newPassword = 'Copper-Meadow-77';
const { service, visit } = openSite();

let people = 0;
// A new account. Returns its address and id.
function newPerson() {
    const email = `ada${++people}@example.org`;
    return { email, id: service.createUser(email) };
}

async function logIn(one, fields, path = '/login') {
    await one.go(path);
    await one.submit(fields);
}

// As if the login of an account were ten minutes ago.
function makeStale(id) {
    service.change(`UPDATE sessions SET login_at = login_at - 600000, proven_at = NULL WHERE user_id = '${id}'`);
}

test('a forgotten password', async () => {
    const { email } = newPerson();
    const one = await visit();
    await one.go('/login?return=%2Faccount%2Fprofile');
    await one.follow('Forgot your password?');
    await one.type('Email address', email);
    await one.follow('Send the link');
    assert.match(await one.text('[role=status]'), /an email with a link is on its way/);
    await one.go(await service.mailedLink(email, '/forgot-password'));
    await one.submit({ newPassword: 'short' });
    assert.match(await one.text('#newPassword-error'), /New password/);
    await one.submit({ newPassword });
    assert.match(await one.text('[role=status]'), /Your new password is set/);
    await one.submit({ email, password });
    assert.match(await one.text('.fault'), /incorrect/i, 'the old password is over');
    await one.submit({ email, password: newPassword });
    assert.ok(one.path().startsWith('/account'), one.path());
});

test('a forgotten password with a second factor', async () => {
    const { email } = newPerson();
    const { backupCodes } = await service.turnTwoFactorOn(email);
    const one = await visit();
    await logIn(one, { email }, '/forgot-password');
    await one.go(await service.mailedLink(email, '/forgot-password'));
    await one.submit({ newPassword });
    assert.ok(await one.page.$('.fault'), 'the password alone does not do');
    await one.page.click('summary');
    await one.submit({ newPassword, backupCode: backupCodes[0] });
    assert.match(await one.text('[role=status]'), /Your new password is set/);
    await one.submit({ email, password: newPassword });
    assert.equal(await one.heading(), 'Confirm that it is you');
});

test('a temporary password is replaced before anything else', async () => {
    const { email, id } = newPerson();
    service.createUser('admin@example.org', 'admin');
    const token = await service.logIn('admin@example.org');
    await service.json(`/api/admin/user/update/${id}/password`, { method: 'PUT', token });
    const temporary = await service.mailed(email, /^ {4}(\S+)\r?$/m);
    const one = await visit();
    await logIn(one, { email, password: temporary }, '/login?return=%2Faccount%2Fprofile');
    assert.equal(one.path(), '/change-password?return=%2Faccount%2Fprofile');
    await one.go('/account/sessions');
    assert.equal(one.path(), '/change-password?return=%2Faccount%2Fsessions');
    await one.submit({ oldPassword: temporary, newPassword: temporary });
    assert.ok(await one.page.$('#newPassword-error'));
    await one.submit({ oldPassword: temporary, newPassword });
    assert.match(await one.text('[role=status]'), /Your new password is set/);
    await one.submit({ email, password: newPassword });
    assert.equal(one.path(), '/account/sessions');
});

test('a step that needs a fresh proof is reached by the password', async () => {
    const { email, id } = newPerson();
    const one = await visit();
    await logIn(one, { email, password });
    makeStale(id);
    await one.follow('Turn on two-factor authentication');
    await one.follow('Turn on two-factor authentication');
    assert.equal(one.path(), '/login/confirm?return=%2Faccount%2Ftwo-factor%2Fstart');
    await one.submit({ password: 'Wrong-Harbor-42' });
    assert.ok(await one.page.$('.fault'));
    await one.submit({ password });
    assert.equal(one.path(), '/account/two-factor/start');
    await one.follow('Continue');
    assert.equal(one.path(), '/account/two-factor/confirm');
});

test('new backup codes, after a fresh proof by the app', async () => {
    const { email, id } = newPerson();
    const { secret, backupCodes } = await service.turnTwoFactorOn(email);
    const one = await visit();
    await logIn(one, { email, password });
    await one.page.click('summary');
    await one.submit({ backupCode: backupCodes[0] });
    await one.go('/change-password');
    await assertAccessible(one.page, 'change-password-with-code');
    makeStale(id);
    await one.go('/account/two-factor');
    assert.match(await one.text('.facts'), /Backup codes left\s*7/);
    await one.follow('Generate new backup codes');
    assert.equal(one.path(), '/login/confirm?return=%2Faccount%2Ftwo-factor%2Fcodes');
    await assertAccessible(one.page, 'confirm-with-code');
    await one.submit({ code: '000000' });
    assert.match(await one.text('.fault'), /incorrect/);
    await one.submit({ code: nextCodeOf(secret) });
    assert.equal(one.path(), '/account/two-factor/codes');
    await one.follow('Generate new backup codes');
    const codes = await one.page.$$eval('.codes code', (all) => all.map((code) => code.textContent));
    assert.equal(new Set([...codes, ...backupCodes]).size, 16);
    await one.follow('I have saved the codes');
    assert.match(await one.text('.facts'), /Backup codes left\s*8/);

    await one.press('header form button');
    await logIn(one, { email, password });
    await one.page.click('summary');
    await one.submit({ backupCode: backupCodes[1] });
    assert.match(await one.text('.fault'), /incorrect/, 'an old code is over');
    await one.submit({ backupCode: codes[0] });
    assert.equal(one.path(), '/account');
});

test('a password is changed with a second factor', async () => {
    const { email } = newPerson();
    const { secret, backupCodes } = await service.turnTwoFactorOn(email);
    const one = await visit();
    await logIn(one, { email, password });
    await one.page.click('summary');
    await one.submit({ backupCode: backupCodes[0] });
    await one.follow('Change your password');
    await one.submit({ oldPassword: password, newPassword });
    assert.ok(await one.page.$('.fault'), 'the passwords alone do not do');
    await one.submit({ oldPassword: password, newPassword, code: nextCodeOf(secret) });
    assert.match(await one.text('[role=status]'), /Your new password is set/);
    await one.submit({ email, password: newPassword });
    assert.equal(await one.heading(), 'Confirm that it is you');
});
