// What an application does with accounts, in Node.
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { Service } from '../browser/harness.mjs';
import {
    Consentry,
    ConsentryError,
    built,
    mailedToken,
    memoryStorage,
    named,
    next,
    password,
    recorded,
    startProviders,
    totp,
} from './client.mjs';

let service;
before(async () => {
    service = new Service();
    service.migrate();
    service.publishPolicies({ marketing: 'We write to you.\n' });
    await service.start();
});

const fresh = () => new Consentry({ baseUrl: service.origin });
async function signedIn(email) {
    service.createUser(email);
    const client = fresh();
    await client.login({ email, password });
    return client;
}
async function withSecondFactor(email) {
    const client = await signedIn(email);
    const { secret } = await client.twoFactor.setUp();
    const { backupCodes } = await client.twoFactor.enable(totp(secret));
    return { client, secret, backupCodes };
}

test('sign-up, verification, login, forgotten password', async () => {
    const client = fresh();
    const email = 'carol@example.org';
    await client.signUp({ email, password, name: 'Carol', marketing: true });
    await assert.rejects(client.signUp({ email, password }), named('user.emailExist'));
    await assert.rejects(client.login({ email, password }), named('user.emailNotVerified'));
    await client.verifyEmail(await mailedToken(service, 'verify-email'));
    assert.equal(await client.isSignedIn(), false);
    const event = next(client, 'signedIn');
    assert.deepEqual(await client.login({ email, password }), {
        state: 'signedIn',
        roleType: 'user',
        mustChangePassword: false,
    });
    assert.deepEqual(await event, { type: 'signedIn', elsewhere: false });
    assert.equal((await client.account.profile()).name, 'Carol');
    await client.account.update({ name: 'Caroline' });
    assert.equal((await client.account.profile()).name, 'Caroline');

    await client.forgotPassword(email);
    await client.resetPassword({
        token: await mailedToken(service, 'forgot-password'),
        newPassword: 'Copper-Meadow-77',
    });
    const ended = next(client, 'signedOut');
    await assert.rejects(client.account.profile(), named('auth.jwtRefreshTokenInvalid'));
    assert.equal((await ended).error.statusCode, 5121);
    assert.equal(await client.isSignedIn(), false);
    assert.equal((await client.login({ email, password: 'Copper-Meadow-77' })).state, 'signedIn');
});

test('a request without a session is not sent', async () => {
    const { client, sent } = recorded(service);
    await assert.rejects(client.account.profile(), named('client.signedOut'));
    await client.logout();
    assert.deepEqual(sent, []);
});

test('a refusal has its name, numbers, rules and language', async () => {
    const client = new Consentry({ baseUrl: service.origin, language: 'de' });
    const error = await client.login({ email: 'nobody', password: '' }).catch((error) => error);
    assert.ok(error instanceof ConsentryError && error instanceof Error);
    const { name, module, key, status, statusCode } = error;
    assert.deepEqual(
        { name, module, key, status, statusCode },
        { name: 'request.validation', module: 'request', key: 'validation', status: 422, statusCode: 5030 },
    );
    assert.deepEqual(error.errors.map(({ property }) => property).sort(), ['email', 'password']);
    assert.match(error.message, /Anfrage|Eingabe|Angaben|gültig/i);
    assert.match(error.requestId, /^[0-9a-f-]{36}$/);
    const english = await client
        .login({ email: 'nobody', password: '' }, { language: 'en' })
        .catch((error) => error.message);
    assert.notEqual(english, error.message);
});

test('a login with a second factor: code, wrong code, backup code', async () => {
    const email = 'tom@example.org';
    const { client, secret, backupCodes } = await withSecondFactor(email);
    assert.equal(backupCodes.length, 8);
    assert.equal((await client.twoFactor.status()).isEnabled, true);

    const other = fresh();
    const step = await other.login({ email, password });
    assert.equal(step.state, 'challenge');
    assert.equal(step.backupCodesRemaining, 8);
    assert.ok(step.expiresAt > Date.now());
    assert.equal(await other.isSignedIn(), false);
    await assert.rejects(other.verifyLogin(step, { code: '000000' }), named('auth.twoFactorInvalid'));
    assert.equal((await other.verifyLogin(step, { code: totp(secret, 1) })).state, 'signedIn');
    await assert.rejects(other.verifyLogin(step, { code: totp(secret, 1) }), named('auth.twoFactorChallengeInvalid'));

    const { client: third, count } = recorded(service);
    await third.verifyLogin(await third.login({ email, password }), { backupCode: backupCodes[0] });
    assert.equal((await third.twoFactor.status()).backupCodesRemaining, 7);
    const replaced = await third.twoFactor.newBackupCodes();
    assert.equal(replaced.backupCodes.length, 8);
    await third.confirmSession({ backupCode: replaced.backupCodes[0] });
    await third.twoFactor.disable({ backupCode: replaced.backupCodes[1] });
    assert.equal((await third.twoFactor.status()).isEnabled, false);
    assert.equal(count('/refresh'), 0, 'the client has the tokens that the confirmation answered with');
    // Turning it off ended all other sessions.
    await assert.rejects(other.sessions.list(), named('auth.jwtRefreshTokenInvalid'));
});

test('the second factor locks, and the client does not knock again', async () => {
    const email = 'lock@example.org';
    await withSecondFactor(email);
    const { client, sent } = recorded(service);
    const step = await client.login({ email, password });
    let error;
    for (let i = 0; i < 6; ++i) error = await client.verifyLogin(step, { code: '000000' }).catch((error) => error);
    assert.equal(error.name, 'auth.twoFactorAttemptTemporaryLock');
    assert.ok(error.retryAfter > 60);
    assert.equal(error.data.retryAfterSeconds, error.retryAfter);
    assert.equal(sent.length, 7);
});

test('a login that requires a set-up', async () => {
    const email = 'erin@example.org';
    await withSecondFactor(email);
    service.run(['user', 'two-factor', 'reset', '--email', email]);
    const client = fresh();
    const step = await client.login({ email, password });
    assert.equal(step.state, 'setUp');
    assert.match(step.otpauthUrl, new RegExp(`^otpauth://totp/.*secret=${step.secret}`));
    const { backupCodes } = await client.setUpAtLogin(step, totp(step.secret, 1));
    assert.equal((await client.verifyLogin(step, { backupCode: backupCodes[0] })).state, 'signedIn');
    assert.equal(await client.isSignedIn(), true);
});

test('sessions are listed and revoked; the revoked one hears of it', async () => {
    const email = 'sam@example.org';
    const here = await signedIn(email);
    const there = fresh();
    await there.login({ email, password, device: { fingerprint: 'phone', name: 'Phone', platform: 'ios' } });
    const { data } = await here.sessions.list();
    assert.deepEqual(data.map(({ deviceName, isCurrent }) => [deviceName ?? null, isCurrent]).sort(), [
        [null, true],
        ['Phone', false],
    ]);
    const ended = next(there, 'signedOut');
    await here.sessions.revoke(data.find(({ isCurrent }) => !isCurrent).id);
    await assert.rejects(there.sessions.list(), named('auth.jwtRefreshTokenInvalid'));
    assert.equal((await ended).error.name, 'auth.jwtRefreshTokenInvalid');
    await assert.rejects(there.sessions.list(), named('client.signedOut'));
    await assert.rejects(here.sessions.revoke('01890000-0000-7000-8000-000000000000'), named('session.notFound'));
});

test('a policy is accepted, proved and withdrawn', async () => {
    const client = await signedIn('pia@example.org');
    const { data: published } = await client.policies.list({ type: 'marketing' });
    assert.equal(published[0].version, 1);
    const receipt = await client.policies.accept({ type: 'marketing', version: 1, language: 'en' });
    assert.equal(receipt.split('.').length, 3);
    await assert.rejects(client.policies.accept({ type: 'marketing' }), named('termPolicy.alreadyAccepted'));
    await assert.rejects(client.policies.withdraw('privacy'), ConsentryError);
    const { data: accepted } = await client.policies.accepted();
    const { acceptanceId } = accepted[0];
    assert.equal((await client.policies.receipt(acceptanceId)).split('.').length, 3);
    let proof;
    while (!proof)
        proof = await client.policies.proof(acceptanceId).catch((error) => {
            named('termPolicy.logPending')(error); // the log publishes once a second
        });
    assert.match(proof, /^c2sp\.org\/tlog-proof@v1\n/);
    assert.equal((await client.policies.record(acceptanceId))['@context'] !== undefined, true);
    assert.equal((await client.policies.withdraw('marketing')).split('.').length, 3);
    assert.deepEqual(
        (await client.policies.accepted()).data.map(({ action }) => action),
        ['withdrawn', 'accepted'],
    );
});

test('a profile behind a policy names what to accept', async () => {
    const other = new Service();
    other.migrate();
    other.publishPolicies({ privacy: 'We keep little.\n' });
    await other.start();
    other.createUser('ada@example.org');
    const client = new Consentry({ baseUrl: other.origin });
    await client.login({ email: 'ada@example.org', password });
    const error = await client.account.profile().catch((error) => error);
    assert.equal(error.name, 'termPolicy.requiredInvalid');
    assert.deepEqual(
        error.data.policies.map(({ type, version }) => [type, version]),
        [['privacy', 1]],
    );
    const [{ type, version }] = error.data.policies;
    await client.policies.accept({ type, version });
    assert.equal((await client.account.profile()).email, 'ada@example.org');
});

test('an operation that shows administrators more gets their token', async () => {
    const other = new Service();
    other.migrate();
    other.publishPolicies({ privacy: 'We keep little.\n' });
    mkdirSync(join(other.folder, 'texts/privacy/2'));
    writeFileSync(join(other.folder, 'texts/privacy/2/en.hbs'), 'We keep less.\n');
    other.run(['policy', 'import', 'texts']);
    await other.start();
    other.createUser('root@example.org', 'superAdmin');
    other.createUser('ada@example.org');
    const versions = async (client) => (await client.policies.list()).data.map(({ version }) => version).sort();
    const storage = memoryStorage();
    const client = new Consentry({ baseUrl: other.origin, storage });
    assert.deepEqual(await versions(client), [1], 'nobody is logged in');
    await client.login({ email: 'ada@example.org', password });
    assert.deepEqual(await versions(client), [1]);
    await client.login({ email: 'root@example.org', password });
    assert.deepEqual(await versions(client), [1, 2]);
    await storage.write({ ...(await storage.read()), expiresAt: Date.now() });
    assert.deepEqual(await versions(client), [1, 2], 'after a refresh');

    // Whom Consentry does not admit sees what everybody sees.
    await storage.write({ ...(await storage.read()), accessToken: 'a.b.c', refreshToken: 'a.b.c' });
    const ended = next(client, 'signedOut');
    assert.deepEqual(await versions(client), [1]);
    await ended;
    const failing = { ...memoryStorage(), read: () => Promise.reject(new Error('no access to the disk')) };
    assert.deepEqual(await versions(new Consentry({ baseUrl: other.origin, storage: failing })), [1]);
    await client.login({ email: 'root@example.org', password });
    const { data: users } = await client.request('listUsers');
    const { id: userId } = users.find(({ email }) => email === 'ada@example.org');
    await client.request('updateUserPassword', { path: { userId } });
    const temporary = await other.mailed('ada@example.org', /^ {4}(\S+)\r?$/m);
    const ada = new Consentry({ baseUrl: other.origin });
    const step = await ada.login({ email: 'ada@example.org', password: temporary });
    assert.equal(step.mustChangePassword, true);
    assert.deepEqual(await versions(ada), [1]);
    await assert.rejects(ada.request('listTermPolicies', { token: 'a.b.c' }), named('auth.jwtAccessTokenInvalid'));
});

test('export, password change, deletion', async () => {
    const email = 'dan@example.org';
    const { client, backupCodes } = await withSecondFactor(email);
    const exported = await client.account.export();
    assert.equal(JSON.stringify(exported).includes(email), true);
    const file = await client.send('exportAccount');
    assert.match(file.headers.get('content-disposition') ?? '', /account-/);
    assert.equal((await file.blob()).type.startsWith('application/json'), true);

    const ended = next(client, 'signedOut');
    await client.changePassword({ oldPassword: password, newPassword: 'Copper-Meadow-77', backupCode: backupCodes[0] });
    assert.equal((await ended).error, undefined);
    assert.equal(await client.isSignedIn(), false);
    const step = await client.login({ email, password: 'Copper-Meadow-77' });
    await client.verifyLogin(step, { backupCode: backupCodes[1] });
    await assert.rejects(client.account.delete(), named('auth.twoFactorMethodRequired'));
    assert.equal(await client.isSignedIn(), true);
    await client.account.delete({ backupCode: backupCodes[2] });
    assert.equal(await client.isSignedIn(), false);
    await assert.rejects(client.login({ email, password: 'Copper-Meadow-77' }), named('user.passwordNotMatch'));
});

test('logout ends the session there and here', async () => {
    const client = await signedIn('lea@example.org');
    const { data } = await client.sessions.list();
    await client.logout();
    assert.equal(await client.isSignedIn(), false);
    const [{ revoked_at }] = service.rows(`SELECT revoked_at FROM sessions WHERE id = '${data[0].id}'`);
    assert.notEqual(revoked_at, null);
});

test('identity tokens of Google and Apple', async () => {
    const providers = await startProviders();
    const social = new Service({
        AUTH_SOCIAL_GOOGLE_CLIENT_ID: 'web',
        AUTH_SOCIAL_GOOGLE_JWKS_URI: `${providers.https}/google/keys`,
        AUTH_SOCIAL_APPLE_CLIENT_ID: 'app',
        AUTH_SOCIAL_APPLE_JWKS_URI: `${providers.https}/apple/keys`,
        AUTH_SOCIAL_CA_FILE: providers.authority,
    });
    social.migrate();
    await social.start();
    const google = { iss: 'https://accounts.google.com', aud: 'web' };
    const apple = { iss: 'https://appleid.apple.com', aud: 'app' };
    const client = new Consentry({ baseUrl: social.origin });

    const token = await providers.token('google', { ...google, email: 'gil@example.org', nonce: 'n' });
    assert.equal((await client.loginWithGoogle({ token, nonce: 'n', name: 'Gil' })).state, 'signedIn');
    assert.equal((await client.account.profile()).name, 'Gil');
    await assert.rejects(client.loginWithGoogle({ token, nonce: 'n' }), named('auth.socialGoogleInvalid'));
    assert.equal(await client.isSignedIn(), true, 'the first login holds');

    const other = new Consentry({ baseUrl: social.origin });
    await other.loginWithApple({ token: await providers.token('apple', { ...apple, email: 'ann@example.org' }) });
    assert.equal((await other.account.profile()).email, 'ann@example.org');
    await assert.rejects(other.loginWithApple({ token: 'a.b.c' }), named('auth.socialAppleInvalid'));
    await assert.rejects(other.request('loginWithApple', { body: { from: 'website' } }), TypeError);
});

test('the answer to every operation that needs nothing can be read', async () => {
    const { operations } = await import(pathToFileURL(join(built, 'dist/generated/operations.js')));
    const client = fresh();
    const read = [];
    for (const [operation, [method, path, token]] of Object.entries(operations)) {
        if (method !== 'GET' || path.includes('{') || token !== '') continue;
        const body = await client.request(operation).catch((error) => error);
        if (!(body instanceof Error)) read.push(operation);
        else assert.ok(body.statusCode > 0, `${operation}: ${body}`); // such as that of an API key
    }
    for (const operation of ['jwks', 'hello', 'documentation', 'documentationProgram', 'consentLogCheckpoint'])
        assert.ok(read.includes(operation), `${operation} is not in ${read}`);
    const { keys } = await client.request('jwks');
    assert.ok(keys.length > 0);
    assert.ok((await client.request('favicon')) instanceof Blob);
});

test('the API may be at another path', async () => {
    for (const [settings, apiPath] of [
        [{ HTTP_GLOBAL_PREFIX: '/auth' }, '/auth/v1'],
        [{ HTTP_GLOBAL_PREFIX: '/my/auth', URL_VERSIONING_PREFIX: 'version' }, '/my/auth/version1'],
        [{ HTTP_GLOBAL_PREFIX: '', URL_VERSIONING_ENABLE: 'false' }, ''],
        [{ URL_VERSIONING_ENABLE: 'false' }, '/api'],
    ]) {
        const other = new Service(settings);
        other.migrate();
        await other.start();
        other.createUser('ada@example.org');
        const storage = memoryStorage();
        const client = new Consentry({ baseUrl: other.origin, apiPath, storage });
        assert.equal((await client.login({ email: 'ada@example.org', password })).state, 'signedIn', apiPath);
        await storage.write({ ...(await storage.read()), expiresAt: Date.now() });
        assert.equal((await client.sessions.list()).data.length, 1, `${apiPath}, after a refresh`);
        // The first is documented without version, and the others are outside the prefix.
        for (const operation of ['hello', 'jwks', 'documentation', 'consentLogCheckpoint'])
            await client.request(operation);
        const usual = new Consentry({ baseUrl: other.origin });
        await assert.rejects(usual.login({ email: 'ada@example.org', password }), named('http.notFound'));
    }
});

test('any operation by its name, for administrators too', async () => {
    service.createUser('root@example.org', 'superAdmin');
    const client = fresh();
    assert.equal((await client.login({ email: 'root@example.org', password })).roleType, 'superAdmin');
    const { data, metadata } = await client.request('listUsers', {
        query: { perPage: 1, orderBy: ['createdAt:desc'] },
    });
    assert.equal(data.length, 1);
    assert.equal(metadata.perPage, 1);
    const found = await client.request('getUser', { path: { userId: data[0].id } });
    assert.equal(found.data.id, data[0].id);
    await assert.rejects(client.request('getUser', { path: { userId: '..' } }), TypeError);
    await assert.rejects(client.request('getUser', { path: { userId: '../list' } }), named('request.validation'));
    const form = new FormData();
    form.set('file', new Blob(['email\nimported@example.org\n'], { type: 'text/csv' }), 'users.csv');
    const imported = await client.request('importUsers', { body: form }).catch((error) => error);
    assert.ok(!(imported instanceof Error) || imported.name.startsWith('file.'), String(imported));
    const broken = new Blob(['email\nright@example.org\nwrong\n']);
    const { name, errors } = await client.request('importUsers', { body: broken }).catch((error) => error);
    assert.equal(name, 'file.validation');
    assert.deepEqual(
        errors.map(({ row, errors: [{ key, property }] }) => [row, key, property]),
        [[1, 'isEmail', 'email']],
    );
    // A browser tells by the ending of a file's name what type it has, if any.
    for (const [email, type] of [['blob@example.org'], ['sheet@example.org', 'application/vnd.ms-excel']]) {
        const body = new Blob([`email\n${email}\n`], { type });
        assert.equal((await client.request('importUsers', { body })).data.imported, 1);
    }
    // The slashes of a key are those of the address.
    assert.equal(await client.request('filePublic', { path: { key: 'term-policies/marketing/1/en.hbs' } }), 'We write to you.\n');
    await assert.rejects(client.request('filePublic', { path: { key: 'term-policies/../1' } }), TypeError);
    const table = await client.request('exportUsers');
    assert.equal(typeof table, 'string');
    assert.match(table, /root@example\.org/);
});
