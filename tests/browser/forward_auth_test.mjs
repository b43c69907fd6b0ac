// An application behind a proxy, guarded by Consentry, as a person in Chromium meets it: with each proxy of docs/deploy
// that Debian has.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { request } from 'node:https';
import { connect, createServer as createTcpServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { Service, atEnd, newTab, openBrowser, root } from './harness.mjs';
import { assertAccessible } from './looks.mjs';
import { codeOf, nextCodeOf } from './totp.mjs';
import { visit as visitAt } from './visitor.mjs';

const password = 'Velvet-Harbor-42';
const app = 'https://app.example.com';
const pages = 'https://accounts.example.com';
const script = join(root, 'tests/real/forward_auth_proxy.sh');
// What the proxies do does not depend on the engines.
const proxies = ['nginx', 'caddy', 'haproxy', 'apache'];
let service;
let browser;
let applicationPort;
let proxyPort;

// Shows who the proxy says is calling, and what of the request has reached the application.
function startApplication() {
    const server = createServer((request, response) => {
        const { 'x-user-email': email = '', authorization = '' } = request.headers;
        if (request.url === '/moved') {
            response.writeHead(302, { Location: elsewhere() });
            response.end();
            return;
        }
        if (request.url.endsWith('/headers')) {
            response.end(JSON.stringify(request.rawHeaders));
            return;
        }
        if (request.url === '/data') {
            response.setHeader('Content-Type', 'application/json');
            response.end(JSON.stringify({ email }));
            return;
        }
        response.setHeader('Content-Type', 'text/html');
        response.end(`<!doctype html><html lang="en"><title>Toy</title><h1>Hello ${email}</h1>
            <p>${request.url} ${authorization}</p>
            <p><a href="/members/">Members</a> <a href="${pages}/account">Your account</a></p>`);
    });
    atEnd(() => server.close() && server.closeAllConnections());
    return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server.address().port)));
}

// A host that the settings do not name: the application without the proxy.
const elsewhere = () => `http://127.0.0.1:${applicationPort}/elsewhere`;

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
    return Number(/PORT=(\d+)/.exec(ended.stdout)[1]);
}

// Leads the browser to the proxy of the test.
function startSwitch() {
    const sockets = new Set();
    const server = createTcpServer((incoming) => {
        const outgoing = connect(proxyPort, '127.0.0.1');
        for (const [one, other] of [
            [incoming, outgoing],
            [outgoing, incoming],
        ]) {
            sockets.add(one);
            one.pipe(other);
            one.on('error', () => other.destroy());
            one.on('close', () => sockets.delete(one) && other.destroy());
        }
    });
    atEnd(() => {
        server.close();
        for (const socket of sockets) socket.destroy();
    });
    return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server.address().port)));
}

before(async () => {
    service = new Service({
        PUBLIC_URL: pages,
        FORWARD_AUTH_HOSTS: 'app.example.com',
        HTTP_TRUSTED_PROXIES: '127.0.0.1',
    });
    service.migrate();
    service.publishPolicies({ termsOfService: '# Terms\n\nBe kind.\n', privacy: '# Privacy\n\nWe keep little.\n' });
    let switchPort;
    [applicationPort, switchPort] = await Promise.all([startApplication(), startSwitch(), service.start()]);
    browser = await openBrowser(
        '--ignore-certificate-errors',
        `--host-resolver-rules=MAP *.example.com:443 127.0.0.1:${switchPort}`,
    );
});

const visit = (options) => visitAt(browser, [pages, app], options);

const fetched = (page, path) =>
    page.evaluate(async (path) => {
        const answer = await fetch(path);
        return [answer.status, await answer.text()];
    }, path);

const claims = ['X-User-Id', 'X-User-Email', 'X-User-Role', 'X-Session-Id'];
// CGI, WSGI and Rack hand headers to applications under names in which all of these are one.
const spellingsOf = (name) => {
    const [first, second, third] = name.split('-');
    return ['-', '_'].flatMap((one) => ['-', '_'].map((other) => first + one + second + other + third));
};

// Unlike a browser, it sends path and headers as they are.
function rawAnswerAt(path, headers) {
    const options = {
        host: '127.0.0.1',
        port: proxyPort,
        servername: 'app.example.com',
        rejectUnauthorized: false,
        agent: false,
        path,
        headers: { Host: 'app.example.com', ...headers },
    };
    return new Promise((resolve, reject) => {
        const read = async (answer) => [answer.statusCode, Buffer.concat(await answer.toArray()).toString(), answer.headers];
        request(options, (answer) => read(answer).then(resolve, reject)).on('error', reject).end();
    });
}

// The headers that reach the application, as a list of names and values in turn.
async function rawHeadersAt(path, headers) {
    const [, body] = await rawAnswerAt(path, headers);
    return JSON.parse(body);
}

// The values of each claim that reach the application, however they are spelled.
async function claimsOf(path, headers) {
    const raw = await rawHeadersAt(path, headers);
    const found = Object.fromEntries(claims.map((name) => [name, []]));
    for (let i = 0; i < raw.length; i += 2) {
        const name = claims.find((one) => one.toLowerCase() === raw[i].replaceAll('_', '-').toLowerCase());
        if (name) found[name].push(raw[i + 1]);
    }
    return found;
}

async function forge(name) {
    const email = `${name}3@example.org`;
    service.createUser(email);
    const Authorization = `Bearer ${await service.logIn(email)}`;
    const forged = Object.fromEntries(claims.flatMap(spellingsOf).map((spelling) => [spelling, 'forged']));
    const nobody = await claimsOf('/public/headers', forged);
    assert.deepEqual(Object.values(nobody).flat(), [], 'a public path has no caller');
    const caller = await claimsOf('/headers', { ...forged, Authorization });
    assert.deepEqual(caller['X-User-Email'], [email]);
    assert.deepEqual(caller['X-User-Role'], ['user']);
    for (const name of claims) assert.ok(caller[name].length === 1 && caller[name][0] !== 'forged', name);
}

// Proxies remove the headers that Connection names. That must come before they set the claims.
async function takeAway(name) {
    const email = `${name}6@example.org`;
    service.createUser(email);
    const Authorization = `Bearer ${await service.logIn(email)}`;
    for (const Connection of [
        claims.join(', '),
        'close, x-user-id,X-USER-EMAIL ,x-User-Role;X-Session-Id',
        ['keep-alive', 'X-User-Id, X-User-Email', 'X-User-Role, X-Session-Id'],
    ]) {
        const caller = await claimsOf('/headers', { Authorization, Connection });
        assert.deepEqual(caller['X-User-Email'], [email]);
        for (const name of claims) assert.equal(caller[name].length, 1, `${name} with ${Connection}`);
    }
    // The proxies that pass WebSockets on still do.
    if (['caddy', 'haproxy'].includes(name)) {
        const wished = { Upgrade: 'websocket', 'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==' };
        const raw = await rawHeadersAt('/headers', { Authorization, Connection: 'X-User-Id, Upgrade', ...wished });
        assert.ok(raw.includes('websocket'), raw.join(' '));
    }
    // Consentry asks for HTTPS where X-Forwarded-Proto says that the client used it.
    const Host = 'accounts.example.com';
    const [, , headers] = await rawAnswerAt('/login', { Host, Connection: 'close, x-forwarded-proto' });
    assert.match(headers['strict-transport-security'] ?? '', /^max-age=/);
}

// Application and proxy may read these paths differently.
async function obscurePaths(name) {
    const email = `${name}5@example.org`;
    service.createUser(email);
    const Authorization = `Bearer ${await service.logIn(email)}`;
    const guarded = ['/admin/%zz', '/admin/%', '/%61dmin/%zz', '/ADMIN/%4', '/members/%zz'];
    for (const path of guarded) {
        const [status] = await rawAnswerAt(path, { Authorization });
        assert.ok(status === 400 || status === 403, `${path}: ${status}`);
    }
    for (const path of ['/public/../orders/%', '/public/../admin/users/%', '/public/..%2forders/%zz']) {
        const [status] = await rawAnswerAt(path, {});
        assert.ok(status === 400 || status === 401, `${path}: ${status}`);
    }
}

// Consentry would refuse a key that is not its own.
async function keepKey(name) {
    const email = `${name}4@example.org`;
    service.createUser(email);
    const Authorization = `Bearer ${await service.logIn(email)}`;
    const raw = await rawHeadersAt('/headers', { Authorization, 'X-Api-Key': 'of:the-application' });
    assert.ok(raw.includes('of:the-application'), raw.join(' '));
}

async function hasHandOver(page) {
    const client = await page.createCDPSession();
    const { entries } = await client.send('Page.getNavigationHistory');
    return entries.some(({ url }) => new URL(url).pathname === '/login/hand-over');
}

// Keeps the page between a login and the application on the screen.
async function keepHandOver(page) {
    const client = await page.createCDPSession();
    client.on('Fetch.requestPaused', ({ requestId, responseStatusCode: responseCode, responseHeaders }) => {
        const isKept = ({ name }) => name.toLowerCase() !== 'refresh';
        const answer = { requestId, responseCode, responseHeaders: responseHeaders.filter(isKept) };
        return client.send('Fetch.continueResponse', answer);
    });
    await client.send('Fetch.enable', { patterns: [{ urlPattern: '*/login/hand-over*', requestStage: 'Response' }] });
}

// Sends the first requests of these tabs to such addresses at the same moment.
async function sendTogether(tabs, urlPattern) {
    const held = [];
    for (const tab of tabs) {
        const client = await tab.createCDPSession();
        client.on('Fetch.requestPaused', async ({ requestId }) => {
            held.push(() => client.send('Fetch.continueRequest', { requestId }));
            if (held.length === tabs.length) await Promise.all(held.map((send) => send()));
            if (held.length > tabs.length) await held.at(-1)();
        });
        await client.send('Fetch.enable', { patterns: [{ urlPattern }] });
    }
}

async function walk(name) {
    const email = `${name}1@example.org`;
    service.createUser(email);
    const one = await visit();
    one.expectTrouble(/status of 401 .*\/data$/);

    // Everybody.
    assert.equal((await one.go(`${app}/public/x`)).status(), 200);
    assert.equal(await one.heading(), 'Hello ');
    assert.deepEqual((await fetched(one.page, '/data'))[0], 401, 'a script gets a status, not a page');

    // Log in, and come back to the address.
    await one.go(`${app}/orders?x=1&y=a%20b`);
    assert.ok(one.path().startsWith('/login?return='), one.path());
    await one.submit({ email, password });
    assert.equal(one.page.url(), `${app}/orders?x=1&y=a%20b`);
    assert.equal(await one.heading(), `Hello ${email}`);
    assert.deepEqual(await fetched(one.page, '/data'), [200, JSON.stringify({ email })]);

    // Each host has its own cookie, which no script reads.
    const names = (await one.context.cookies())
        .filter((cookie) => cookie.domain === 'app.example.com')
        .map((cookie) => cookie.name);
    assert.deepEqual(names.sort(), ['__Host-consentry-browser', '__Host-consentry-host']);
    assert.equal(await one.page.evaluate(() => document.cookie), '');

    // What is to be accepted, one after the other, and back.
    await one.go(`${app}/members/7`);
    assert.ok(one.path().startsWith('/accept?policies='), one.path());
    await one.submit();
    await one.submit();
    assert.equal(one.page.url(), `${app}/members/7`);
    assert.equal(await one.heading(), `Hello ${email}`);

    // A role that is missing.
    const refused = await one.go(`${app}/admin/`);
    assert.equal(refused.status(), 403);
    assert.equal(await one.heading(), 'This is not allowed');
    const looks = name === proxies[0];
    if (looks) await assertAccessible(one.page, 'forbidden');
    const ground = await one.page.evaluate(() => getComputedStyle(document.body).fontFamily);
    assert.notEqual(ground, 'Times New Roman', 'the page has its style sheet');

    for (const path of ['/admin', '/Admin/', '/ADMIN/x', '/%41dmin', '/admin.json', '/admin?x=/public/'])
        assert.equal((await one.go(app + path)).status(), 403, path);

    // A step of a login that is over.
    const over = await one.go(`${app}/.consentry/callback?code=abc`);
    assert.ok(over.status() >= 400, String(over.status()));
    assert.match(await one.text('main'), /This step of the login can no longer be used/);
    assert.equal(await one.heading(), 'That did not work');
    if (looks) await assertAccessible(one.page, 'hand-over-invalid');

    // A form from another site carries no cookie.
    const stranger = await newTab(one.context);
    await stranger.goto('data:text/html,<form method=post action=https://app.example.com/orders><button>');
    const [answer] = await Promise.all([stranger.waitForNavigation(), stranger.click('button')]);
    assert.equal(answer.status(), 401);

    // Log out at the pages: the open page of the application is out at once.
    const open = await newTab(one.context);
    await open.goto(`${app}/orders`);
    assert.equal((await fetched(open, '/data'))[0], 200);
    await one.page.bringToFront();
    await one.go('/account');
    await one.press('header form button[type=submit]');
    assert.equal((await fetched(open, '/data'))[0], 401);
    await open.goto(`${app}/orders`);
    assert.ok(open.url().startsWith(`${pages}/login?return=`), open.url());
}

for (const name of proxies)
    test(`a person behind ${name}`, async () => {
        proxyPort = startProxy(name);
        await walk(name);
    });

for (const name of proxies)
    test(`nobody behind ${name} forges a claim, however it is spelled`, async () => {
        proxyPort = startProxy(name);
        await forge(name);
    });

for (const name of proxies)
    test(`a client of ${name} cannot take a claim away`, async () => {
        proxyPort = startProxy(name);
        await takeAway(name);
    });

for (const name of proxies)
    test(`no path evades the rules of ${name}`, async () => {
        proxyPort = startProxy(name);
        await obscurePaths(name);
    });

for (const name of proxies)
    test(`an application behind ${name} gets its own API key`, async () => {
        proxyPort = startProxy(name);
        await keepKey(name);
    });

test('a login ends where the application sends the browser', async () => {
    proxyPort = startProxy('nginx');
    const email = 'moved@example.org';
    service.createUser(email);
    const one = await visit({ others: [new URL(elsewhere()).origin] });
    await one.go(`${app}/moved`);
    await one.submit({ email, password });
    assert.equal(one.page.url(), elsewhere());
    assert.ok(!(await hasHandOver(one.page)), 'the way back is not through the page between');

    // Logged in at the pages only: nothing is asked, and the page between is not seen.
    const cookies = await one.context.cookies();
    await one.context.deleteCookie(...cookies.filter(({ domain }) => domain === 'app.example.com'));
    await one.go(`${app}/orders`);
    assert.equal(one.page.url(), `${app}/orders`);
    assert.ok(!(await hasHandOver(one.page)));
});

test('tabs that begin at the same moment both arrive', async () => {
    proxyPort = startProxy('nginx');
    const email = 'tabs@example.org';
    service.createUser(email);
    const one = await visit();
    await one.go('/login');
    await one.submit({ email, password });
    const tabs = [await newTab(one.context), await newTab(one.context)];
    await sendTogether(tabs, '*/.consentry/start*');
    await Promise.all(tabs.map((tab, number) => tab.goto(`${app}/orders/${number}`)));
    for (const [number, tab] of tabs.entries()) {
        // By time, because nothing is drawn in a tab behind another one.
        const isThere = (place, text) => location.href === place && document.querySelector('h1')?.textContent === text;
        await tab.waitForFunction(isThere, { polling: 100 }, `${app}/orders/${number}`, `Hello ${email}`);
    }
});

test('who stays at the page between login and application follows its link', async () => {
    proxyPort = startProxy('nginx');
    const email = 'waits@example.org';
    service.createUser(email);
    const one = await visit();
    await keepHandOver(one.page);
    await one.go(`${app}/orders`);
    await one.fill({ email, password });
    await Promise.all([one.page.waitForNavigation(), one.page.click('main form button[type=submit]')]);
    assert.equal(await one.heading(), 'You are logged in');
    await assertAccessible(one.page, 'hand-over');
    await one.follow('Continue to app.example.com');
    assert.equal(one.page.url(), `${app}/orders`);
    assert.equal(await one.heading(), `Hello ${email}`);
});

test('a newcomer behind nginx gets into the application by what the screen says', async () => {
    proxyPort = startProxy('nginx');
    const email = 'newcomer@example.org';
    const one = await visit();
    const logIn = async () => {
        await one.type('Email address', email);
        await one.type('Password', password);
        await one.follow('Log in');
    };
    await one.go(`${app}/orders`);
    await one.follow('Create an account');
    await one.type('Email address', email);
    await one.type('Password', password);
    await one.follow('Create account');
    assert.match(await one.text('[role=status]'), /Please open the link in it, then log in/);
    await one.go(await service.mailedLink(email, '/verify-email'));
    await one.follow('Verify');
    await logIn();
    assert.equal(one.page.url(), `${app}/orders`, 'the mailed link leads back');
    assert.equal(await one.heading(), `Hello ${email}`);

    await one.follow('Members');
    assert.equal(await one.heading(), 'Terms of service');
    await one.follow('Accept');
    await one.follow('Accept');
    assert.equal(one.page.url(), `${app}/members/`);

    await one.follow('Your account');
    await one.follow('Turn on two-factor authentication');
    await one.follow('Turn on two-factor authentication');
    await one.follow('Continue');
    const secret = (await one.text('.secret')).replaceAll(' ', '');
    await one.type('Six-digit code', codeOf(secret));
    await one.follow('Turn on two-factor authentication');
    assert.equal(await one.heading(), 'Two-factor authentication is on');
    await one.follow('I have saved the codes');

    await one.follow('Log out');
    await one.go(`${app}/members/`);
    await logIn();
    await one.type('Six-digit code', nextCodeOf(secret));
    await one.follow('Continue');
    assert.equal(one.page.url(), `${app}/members/`);
    assert.equal(await one.heading(), `Hello ${email}`);
});
