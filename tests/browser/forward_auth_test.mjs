// An application behind a proxy, guarded by Consentry, as a person in Chromium meets it: with each proxy of docs/deploy
// that Debian has.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { Service, assertAccessible, atEnd, newTab, openBrowser, root } from './harness.mjs';

const password = 'Velvet-Harbor-42';
const app = 'https://app.example.com';
const pages = 'https://accounts.example.com';
const script = join(root, 'tests/real/forward_auth_proxy.sh');
let service;
let applicationPort;

// Shows who the proxy says is calling, and what of the request has reached the application.
function startApplication() {
    const server = createServer((request, response) => {
        const { 'x-user-email': email = '', authorization = '' } = request.headers;
        if (request.url === '/data') {
            response.setHeader('Content-Type', 'application/json');
            response.end(JSON.stringify({ email }));
            return;
        }
        response.setHeader('Content-Type', 'text/html');
        response.end(`<!doctype html><title>Toy</title><h1>Hello ${email}</h1><p>${request.url} ${authorization}</p>`);
    });
    atEnd(() => server.close() && server.closeAllConnections());
    return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server.address().port)));
}

function startProxy(name) {
    const folder = mkdtempSync(join(tmpdir(), 'consentry-proxy-'));
    chmodSync(folder, 0o755); // the proxy may run as another user
    const place = join(folder, name);
    atEnd(() => {
        spawnSync(script, ['stop', place]);
        rmSync(folder, { recursive: true, force: true });
    });
    const port = new URL(service.origin).port;
    const args = ['start', '--owner', String(process.pid), place, name, port, String(applicationPort)];
    const ended = spawnSync(script, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
    if (ended.status !== 0) throw new Error(ended.stderr);
    return /PORT=(\d+)/.exec(ended.stdout)[1];
}

before(async () => {
    service = new Service({
        PUBLIC_URL: pages,
        FORWARD_AUTH_HOSTS: 'app.example.com',
        HTTP_TRUSTED_PROXIES: '127.0.0.1',
    });
    service.migrate();
    for (const name of ['nginx', 'caddy', 'haproxy', 'apache']) service.createUser(`${name}@example.org`);
    service.publishPolicies({ termsOfService: '# Terms\n\nBe kind.\n', privacy: '# Privacy\n\nWe keep little.\n' });
    [applicationPort] = await Promise.all([startApplication(), service.start()]);
});

const heading = (page) => page.$eval('h1', (one) => one.textContent);
async function submit(page, selector = 'main form button[type=submit]') {
    await Promise.all([page.waitForNavigation(), page.click(selector)]);
}
const fetched = (page, path) =>
    page.evaluate(async (path) => {
        const answer = await fetch(path);
        return [answer.status, await answer.text()];
    }, path);

for (const name of ['nginx', 'caddy', 'haproxy', 'apache'])
    test(`a person behind ${name}`, async () => {
        const port = startProxy(name);
        const email = `${name}@example.org`;
        const browser = await openBrowser(
            '--ignore-certificate-errors',
            `--host-resolver-rules=MAP *.example.com:443 127.0.0.1:${port}`,
        );
        const page = await newTab(browser);

        // Everybody.
        assert.equal((await page.goto(`${app}/public/x`)).status(), 200);
        assert.equal(await heading(page), 'Hello ');
        assert.deepEqual((await fetched(page, '/data'))[0], 401, 'a script gets a status, not a page');

        // Log in, and come back to the address.
        await page.goto(`${app}/orders?x=1&y=a%20b`);
        assert.ok(page.url().startsWith(`${pages}/login?return=`), page.url());
        await page.type('#email', email);
        await page.type('#password', password);
        await submit(page);
        assert.equal(page.url(), `${app}/orders?x=1&y=a%20b`);
        assert.equal(await heading(page), `Hello ${email}`);
        assert.deepEqual(await fetched(page, '/data'), [200, JSON.stringify({ email })]);

        // Each host has its own cookie, which no script reads.
        const names = (await browser.cookies())
            .filter((one) => one.domain === 'app.example.com')
            .map((one) => one.name);
        assert.deepEqual(names.sort(), ['__Host-consentry-browser', '__Host-consentry-host']);
        assert.equal(await page.evaluate(() => document.cookie), '');

        // What is to be accepted, one after the other, and back.
        await page.goto(`${app}/members/7`);
        assert.ok(page.url().startsWith(`${pages}/accept?policies=`), page.url());
        await submit(page);
        await submit(page);
        assert.equal(page.url(), `${app}/members/7`);
        assert.equal(await heading(page), `Hello ${email}`);

        // A role that is missing.
        const refused = await page.goto(`${app}/admin/`);
        assert.equal(refused.status(), 403);
        assert.equal(await heading(page), 'This is not allowed');
        if (name === 'nginx') await assertAccessible(page, 'forbidden');
        const ground = await page.evaluate(() => getComputedStyle(document.body).fontFamily);
        assert.notEqual(ground, 'Times New Roman', 'the page has its style sheet');

        // A form from another site carries no cookie.
        const stranger = await newTab(browser);
        await stranger.goto('data:text/html,<form method=post action=https://app.example.com/orders><button>');
        const [answer] = await Promise.all([stranger.waitForNavigation(), stranger.click('button')]);
        assert.equal(answer.status(), 401);

        // Log out at the pages: the open page of the application is out at once.
        const open = await newTab(browser);
        await open.goto(`${app}/orders`);
        assert.equal((await fetched(open, '/data'))[0], 200);
        await page.bringToFront();
        await page.goto(`${pages}/account`);
        await submit(page, 'header form button[type=submit]');
        assert.equal((await fetched(open, '/data'))[0], 401);
        await open.goto(`${app}/orders`);
        assert.ok(open.url().startsWith(`${pages}/login?return=`), open.url());
        await browser.close();
    });
