// The examples do what they are for: the single-page application in Chromium, the Express API in Node, and the code of
// the README.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { Service } from '../browser/harness.mjs';
import { Consentry, built, listen, memoryStorage, password, totp } from './client.mjs';
import { openSite, openTab } from './pages.mjs';

const scratch = mkdtempSync(join(tmpdir(), 'consentry-examples-'));
after(() => rmSync(scratch, { recursive: true, force: true }));
let site, service, browser;
before(async () => {
    ({ site, service, browser } = await openSite());
});

const text = (page) => page.$eval('main', (one) => one.textContent);
const fill = async (page, fields) => {
    for (const [name, value] of Object.entries(fields)) {
        await page.waitForSelector(`input[name=${name}]`);
        await page.$eval(`input[name=${name}]`, (field, value) => (field.value = value), value);
    }
    await page.click('form button');
};
const shows = (page, words) => page.waitForFunction((words) => document.body.textContent.includes(words), {}, words);

test('the single-page application: login with a second factor, reload, logout', async () => {
    const email = 'ada@example.org';
    service.createUser(email);
    const client = new Consentry({ baseUrl: service.origin });
    await client.login({ email, password });
    const { secret } = await client.twoFactor.setUp();
    await client.twoFactor.enable(totp(secret));

    const { page, troubles } = await openTab(site, service, browser, '/');
    await fill(page, { email, password: 'Wrong-Harbor-42' });
    await page.waitForFunction(() => document.querySelector('#message').textContent !== '');
    await fill(page, { email, password });
    await fill(page, { code: totp(secret, 1) });
    await shows(page, 'You have 2 session(s)');
    await page.reload();
    await shows(page, 'You have 2 session(s)');
    await page.click('main button');
    await page.waitForSelector('input[name=password]');
    assert.equal((await client.sessions.list()).data.length, 1);
    assert.doesNotMatch(await text(page), /session/);
    assert.deepEqual(troubles, []);
    await page.close();
});

test('the single-page application: a login that requires a set-up', async () => {
    const email = 'erin@example.org';
    service.createUser(email);
    const client = new Consentry({ baseUrl: service.origin });
    await client.login({ email, password });
    await client.twoFactor.enable(totp((await client.twoFactor.setUp()).secret));
    service.run(['user', 'two-factor', 'reset', '--email', email]);

    const { page, troubles } = await openTab(site, service, browser, '/');
    await fill(page, { email, password });
    await shows(page, 'authenticator app');
    const secret = /app: ([A-Z2-7]{32})/.exec(await text(page))[1];
    await fill(page, { code: totp(secret, 1) });
    await shows(page, 'Keep these codes');
    const [code] = /(?<=codes: )[A-Z0-9]+/.exec(await text(page));
    await fill(page, { backupCode: code });
    await shows(page, 'You have 1 session(s)');
    assert.deepEqual(troubles, []);
    await page.close();
});

test('the single-page application has at most 60 lines', () => {
    assert.ok(readFileSync(join(built, 'examples/single-page/app.js'), 'utf8').trimEnd().split('\n').length <= 60);
});

test('the Express API admits live sessions only', async () => {
    const { makeApp } = await import(pathToFileURL(join(built, 'examples/express/server.mjs')));
    const api = await listen(makeApp(service.origin));
    const get = (path, authorization) => fetch(api + path, { headers: { ...(authorization && { authorization }) } });

    const user = service.createUser('tom@example.org');
    const token = await service.logIn('tom@example.org');
    const admitted = await get('/hello', `Bearer ${token}`);
    assert.equal(admitted.status, 200);
    assert.deepEqual(await admitted.json(), { user: { id: user, role: 'user' } });

    for (const authorization of [undefined, 'Basic dG9tOnRvbQ==', 'Bearer', 'Bearer a.b.c', `Bearer ${token}x`])
        assert.equal((await get('/hello', authorization)).status, 401, authorization);
    const forbidden = await get('/admin', `Bearer ${token}`);
    assert.equal(forbidden.status, 403);
    assert.equal((await forbidden.json()).name, 'role.forbidden');
    assert.equal((await get('/terms', `Bearer ${token}`)).status, 200, 'no privacy policy is published yet');
    service.publishPolicies({ privacy: 'We keep little.\n' });
    const terms = await get('/terms', `Bearer ${token}`);
    assert.equal(terms.status, 403);
    assert.equal((await terms.json()).data.policies[0].type, 'privacy');

    await service.post('/api/shared/user/logout', token, {});
    assert.equal((await get('/hello', `Bearer ${token}`)).status, 401, 'after the logout');

    const down = await listen(makeApp('http://127.0.0.1:1'));
    assert.equal((await fetch(`${down}/hello`, { headers: { authorization: 'Bearer a.b.c' } })).status, 503);
    const another = await listen(makeApp(await listen((request, response) => response.end('yes'))));
    assert.equal((await fetch(`${another}/hello`, { headers: { authorization: 'Bearer a.b.c' } })).status, 503);
});

test('the Express API takes no mistake of its operator for one of the user', async () => {
    const { makeApp } = await import(pathToFileURL(join(built, 'examples/express/server.mjs')));
    const guarded = new Service({ AUTH_API_KEY_REQUIRED: 'true' });
    guarded.migrate();
    await guarded.start();
    guarded.createUser('tess@example.org');
    const apiKey = guarded.run(['apikey', 'create', '--name', 'API', '--type', 'default']).trim();
    const storage = memoryStorage();
    await new Consentry({ baseUrl: guarded.origin, apiKey, storage }).login({ email: 'tess@example.org', password });
    const { accessToken } = await storage.read();
    const statusOf = async (app, token = accessToken) => {
        const api = await listen(app);
        return (await fetch(`${api}/hello`, { headers: { authorization: `Bearer ${token}` } })).status;
    };
    assert.equal(await statusOf(makeApp(guarded.origin)), 503, 'without a key');
    assert.equal(await statusOf(makeApp(guarded.origin, `${apiKey}x`)), 503, 'with a wrong key');
    assert.equal(await statusOf(makeApp(guarded.origin, apiKey)), 200);
    assert.equal(await statusOf(makeApp(guarded.origin, apiKey), `${accessToken}x`), 401);
    for (const status of [401, 403, 429]) {
        const proxy = await listen((request, response) => response.writeHead(status).end('<h1>Who are you?</h1>'));
        assert.equal(await statusOf(makeApp(proxy)), 503, `a proxy answers ${status}`);
    }
});

test('the Express API starts through a symbolic link, too', async () => {
    const link = join(scratch, 'express');
    symlinkSync(join(built, 'examples/express'), link);
    const server = spawn('node', [join(link, 'server.mjs')], {
        env: { ...process.env, PORT: '0' },
        stdio: ['ignore', 'pipe', 'inherit'],
    });
    const said = once(server.stdout, 'data').then(String);
    const ended = once(server, 'exit').then(() => 'ended');
    assert.match(await Promise.race([said, ended]), /^listens on/);
    server.kill();
    await ended;
});

test('after an update, the commands of the README give the single-page application the new client', () => {
    const readme = readFileSync('clients/typescript/README.md', 'utf8');
    const section = readme.split('\n## A single-page application\n')[1].split('\n## ')[0];
    const commands = section.match(/^ {4}(rm|cp) .*$/gm).join('\n');
    const folder = join(scratch, 'package');
    for (const part of ['dist', 'examples']) cpSync(join(built, part), join(folder, part), { recursive: true });
    const update = '// the update\n';
    for (const change of ['', update]) {
        appendFileSync(join(folder, 'dist/index.js'), change);
        assert.equal(spawnSync('sh', ['-ec', commands], { cwd: folder, stdio: 'inherit' }).status, 0);
    }
    assert.ok(readFileSync(join(folder, 'examples/single-page/client/index.js'), 'utf8').endsWith(update));
});

// The blocks ```js of a page are one module.
for (const page of ['clients/typescript/README.md', 'docs/guides/typescript.md'])
    test(`the code of ${page} runs as it stands`, async () => {
        const fresh = new Service();
        fresh.migrate();
        await fresh.start();
        const code = [...readFileSync(page, 'utf8').matchAll(/^```js\n(.*?)^```/gms)]
            .map(([, block]) => block)
            .join('\n');
        assert.ok(code.length > 200);
        fresh.createUser('tess@example.org');
        const file = join(built, 'page.mjs');
        writeFileSync(file, code.replaceAll('http://localhost:3000', fresh.origin));
        const ended = spawnSync('node', [file], { encoding: 'utf8', cwd: built });
        assert.equal(ended.status, 0, ended.stdout + ended.stderr);
        const promised = [...code.matchAll(/\/\/ -> (.*)$/gm)].map(([, line]) => `${line}\n`).join('');
        assert.equal(ended.stdout, promised);
    });
