// How the client keeps a session: refreshes, outages, limits. What happens in several tabs is in tabs_test.mjs.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { Service } from '../browser/harness.mjs';
import { Consentry, answered, listen, madeUp, memoryStorage, named, next, password, recorded } from './client.mjs';

const refresh = '/user/refresh';
let service;
before(async () => {
    service = new Service();
    service.migrate();
    await service.start();
});

let users = 0;
async function signedIn(options) {
    const email = `user${++users}@example.org`;
    service.createUser(email);
    const made = recorded(service, options);
    await made.client.login({ email, password });
    made.sent.length = 0;
    return made;
}

// A storage whose access token does not work, as if it had expired. Its refresh token does.
async function withExpired({ clockTells = false, ...options } = {}) {
    const storage = options.storage ?? memoryStorage();
    const made = await signedIn({ ...options, storage });
    const tokens = await storage.read();
    const [head, claims] = tokens.accessToken.split('.');
    await storage.write({
        ...tokens,
        accessToken: `${head}.${claims}.AAAA`,
        ...(clockTells && { expiresAt: Date.now() }),
    });
    return { ...made, storage, tokens };
}

test('an expired access token is replaced without notice', async () => {
    const { client, sent, storage, tokens } = await withExpired();
    const event = next(client, 'refreshed');
    assert.equal((await client.sessions.list()).data.length, 1);
    assert.deepEqual(await event, { type: 'refreshed', elsewhere: false });
    assert.deepEqual(
        sent.map((line) => line.replace(/.*\//, '')),
        ['list', 'refresh', 'list'],
    );
    assert.notEqual((await storage.read()).refreshToken, tokens.refreshToken);
});

test('a token that is about to expire is replaced before it is sent', async () => {
    const brief = new Service({ AUTH_JWT_ACCESS_TOKEN_EXPIRED: '4s' });
    brief.migrate();
    await brief.start();
    brief.createUser('ada@example.org');
    const { client, sent } = recorded(brief);
    await client.login({ email: 'ada@example.org', password });
    sent.length = 0;
    await client.sessions.list();
    assert.deepEqual(
        sent.map((line) => line.replace(/.*\//, '')),
        ['refresh', 'list'],
    );
});

test('many requests at once need one refresh', async () => {
    const { client, count } = await withExpired();
    await Promise.all(Array.from({ length: 20 }, () => client.sessions.list()));
    assert.equal(count(refresh), 1);
});

test('so do many requests of several clients with one storage', async () => {
    for (const name of [undefined, 'shared']) {
        const kept = memoryStorage();
        const storage = { ...kept, name };
        const { client, count } = await withExpired({ storage });
        const others = [1, 2, 3].map(() => recorded(service, { storage }));
        const clients = [client, ...others.map((other) => other.client)];
        await Promise.all(clients.flatMap((one) => [one.sessions.list(), one.twoFactor.status()]));
        assert.equal(
            others.reduce((sum, other) => sum + other.count(refresh), count(refresh)),
            1,
        );
        for (const one of clients) one.close();
    }
});

test('an operation with a body is repeated whole after a refresh', async () => {
    const { client } = await withExpired();
    await client.account.update({ name: 'Renamed' });
    assert.equal((await client.account.profile()).name, 'Renamed');
});

test('a lost answer of a refresh costs nothing', async () => {
    let lost = 0;
    const { client, count } = await withExpired({
        intercept: async (send, line) => {
            const answer = await send();
            if (line.includes(refresh) && ++lost === 1) throw new TypeError('the connection broke');
            return answer;
        },
    });
    assert.equal((await client.sessions.list()).data.length, 1);
    assert.equal(count(refresh), 2);
    await client.sessions.list();
});

test('so does one that never arrives', async () => {
    const { storage } = await withExpired();
    let lost = 0;
    const { client, count } = recorded(service, {
        storage,
        timeout: 2_000,
        intercept: async (send, line, signal) => {
            const answer = await send();
            if (!line.includes(refresh) || ++lost > 1) return answer;
            await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
        },
    });
    assert.equal((await client.sessions.list()).data.length, 1);
    assert.equal(count(refresh), 2);
});

test('a refused refresh token ends the session once, with the reason', async () => {
    const storage = memoryStorage();
    const { client, count } = await signedIn({ storage, language: 'de' });
    const events = [];
    client.on('signedOut', (event) => events.push(event));
    await storage.write({ ...(await storage.read()), accessToken: 'a.b.c', refreshToken: 'a.b.c' });
    const results = await Promise.allSettled([
        client.sessions.list(),
        client.sessions.list(),
        client.twoFactor.status(),
    ]);
    const names = new Set(results.map(({ reason }) => reason.name));
    assert.ok(names.delete('auth.jwtRefreshTokenInvalid'));
    names.delete('client.signedOut'); // of a request that was refused after the session had ended
    assert.deepEqual([...names], []);
    assert.equal(count(refresh), 1);
    assert.equal(events.length, 1);
    assert.equal(events[0].error.statusCode, 5121);
    const german = /^Ihr Aktualisierungstoken fehlt, ist abgelaufen/;
    assert.match(events[0].error.message, german);
    assert.match(results.find(({ reason }) => reason.name !== 'client.signedOut').reason.message, german);
    assert.equal(await storage.read(), undefined);
});

test('offline: the error says so, and the session stays', async () => {
    let offline = true;
    const { client, storage, tokens } = await withExpired({
        clockTells: true,
        retry: { attempts: 1 },
        intercept: (send, line) => {
            if (offline && !line.includes('login')) throw new TypeError('fetch failed');
            return send();
        },
    });
    client.on('signedOut', () => assert.fail('signed out'));
    await assert.rejects(client.sessions.list(), named('client.unreachable'));
    assert.equal((await storage.read()).refreshToken, tokens.refreshToken);
    offline = false;
    assert.equal((await client.sessions.list()).data.length, 1);

    const nobody = new Consentry({ baseUrl: 'http://127.0.0.1:1', retry: { attempts: 1 } });
    await assert.rejects(nobody.policies.list(), named('client.unreachable'));
});

test('an outage during a refresh keeps the session', async () => {
    let down = true;
    const { client, storage, tokens } = await withExpired({
        retry: { attempts: 1 },
        intercept: (send, line) =>
            down && line.includes(refresh)
                ? Response.json(
                      { statusCode: 503, statusCodeKey: 'serviceUnavailable', module: 'http', message: 'Down' },
                      { status: 503, headers: { 'retry-after': '1' } },
                  )
                : send(),
    });
    await assert.rejects(client.sessions.list(), named('http.serviceUnavailable'));
    assert.equal((await storage.read()).refreshToken, tokens.refreshToken);
    down = false;
    await client.sessions.list();
});

test('a storage that takes nothing costs no session', async () => {
    const kept = memoryStorage();
    let full = false;
    const storage = {
        ...kept,
        write: (tokens) => {
            if (full) throw new Error('disk full');
            kept.write(tokens);
        },
    };
    const { client, count } = await withExpired({ storage });
    full = true;
    await client.sessions.list();
    await client.sessions.list();
    assert.equal(count(refresh), 1);
    full = false;
    await client.sessions.list();
    assert.equal((await storage.read()) !== undefined, true);
    const { client: later } = recorded(service, { storage });
    await later.sessions.list();
});

// A storage whose methods fail while their names are in `broken`.
function fragile() {
    const kept = memoryStorage();
    const broken = new Set();
    const failing = (name) => (tokens) => {
        if (broken.has(name)) throw new Error(`no ${name}`);
        return kept[name](tokens);
    };
    const storage = Object.fromEntries(['read', 'write', 'clear'].map((name) => [name, failing(name)]));
    const isEmpty = async () => {
        for (let i = 0; i < 20 && kept.read(); ++i) await new Promise(setImmediate);
        return kept.read() === undefined;
    };
    return { storage, kept, broken, isEmpty };
}

test('a storage that keeps its tokens does not keep the user signed in after a logout', async () => {
    const { storage, kept, broken, isEmpty } = fragile();
    const { client, count } = await signedIn({ storage });
    broken.add('clear');
    const event = next(client, 'signedOut');
    await client.logout();
    assert.deepEqual(await event, { type: 'signedOut', elsewhere: false });
    assert.equal(count('/logout'), 1);
    assert.equal(await client.isSignedIn(), false);
    await assert.rejects(client.sessions.list(), named('client.signedOut'));
    assert.notEqual(kept.read(), undefined);
    broken.clear();
    assert.equal(await client.isSignedIn(), false);
    assert.ok(await isEmpty(), 'the next use tries again');

    broken.add('clear');
    const email = 'again@example.org';
    service.createUser(email);
    await client.login({ email, password });
    await client.logout();
    await client.login({ email, password });
    assert.equal((await client.sessions.list()).data.length, 1, 'a new login holds');
    broken.clear();
    assert.equal(await client.isSignedIn(), true);
});

test('nor after Consentry has ended the session', async () => {
    const { storage, broken, isEmpty } = fragile();
    const { client, count } = await signedIn({ storage });
    const events = [];
    client.on('signedOut', ({ error }) => events.push(error.name));
    await storage.write({ ...(await storage.read()), accessToken: 'a.b.c', refreshToken: 'a.b.c' });
    broken.add('clear');
    await assert.rejects(client.sessions.list(), named('auth.jwtRefreshTokenInvalid'));
    await assert.rejects(client.sessions.list(), named('client.signedOut'));
    assert.deepEqual(events, ['auth.jwtRefreshTokenInvalid']);
    assert.equal(count(refresh), 1);
    broken.clear();
    assert.equal(await client.isSignedIn(), false);
    assert.ok(await isEmpty());
});

test('nor if it cannot be read just then', async () => {
    const { storage, broken, isEmpty } = fragile();
    const unreadable = (error) => error.message === 'no read';
    const { client } = await signedIn({
        storage,
        intercept: async (send, line) => {
            const answer = await send();
            if (line.includes('/logout')) broken.add('read').add('clear');
            return answer;
        },
    });
    const event = next(client, 'signedOut');
    await client.logout();
    await event;
    await assert.rejects(client.isSignedIn(), unreadable);
    broken.clear();
    assert.equal(await client.isSignedIn(), false);
    assert.ok(await isEmpty());

    // Consentry cannot be told which session it is.
    const email = 'unread@example.org';
    service.createUser(email);
    await client.login({ email, password });
    broken.add('read');
    const another = next(client, 'signedOut');
    await assert.rejects(client.logout(), unreadable);
    await another;
    assert.ok(await isEmpty(), 'and the tokens are forgotten in any case');
});

test('nor by a use that began before the logout', async () => {
    const { storage, kept, broken } = fragile();
    await kept.write(madeUp('first', 1, Date.now()));
    let held;
    const slow = { ...storage, read: () => (held ? storage.read() : new Promise((resolve) => (held = resolve))) };
    held = () => {};
    const client = new Consentry({
        baseUrl: 'https://login.example.org',
        storage: slow,
        fetch: async (url) => {
            const tokens = url.endsWith(refresh) && { ...madeUp('first', 2), expiresIn: 600 };
            return answered(200, { statusCode: 200, data: tokens || [] });
        },
    });
    broken.add('write');
    await client.sessions.list(); // The new tokens are in memory.
    held = undefined;
    const before = kept.read();
    const use = client.isSignedIn();
    await client.logout();
    broken.clear();
    held(before);
    assert.equal(await use, false);
    assert.equal(kept.read(), undefined);
});

test('a login is kept by a storage that cannot be read, or in memory if that takes nothing', async () => {
    const { storage, kept, broken } = fragile();
    const { client } = await signedIn({ storage });
    const logIn = async (email) => {
        service.createUser(email);
        await client.login({ email, password });
    };
    const stored = kept.read();
    broken.add('read');
    await logIn('reader@example.org');
    broken.clear();
    assert.equal((await client.account.profile()).email, 'reader@example.org');
    for (const methods of [['write'], ['read', 'write']]) {
        await kept.write(stored); // another user's
        for (const method of methods) broken.add(method);
        const email = `without-${methods.join('-')}@example.org`;
        await logIn(email);
        assert.equal((await client.account.profile()).email, email);
        // Another tab refreshes the session that the login replaced.
        if (methods.length === 1) await kept.write({ ...stored, refreshToken: 'another' });
        broken.delete('read');
        assert.equal((await client.account.profile()).email, email);
        broken.clear();
        assert.equal((await client.account.profile()).email, email);
        const { client: later } = recorded(service, { storage });
        assert.equal((await later.account.profile()).email, email);
    }
    await kept.write(stored);
    broken.add('write').add('clear');
    await logIn('gone@example.org');
    await client.logout();
    assert.equal(await client.isSignedIn(), false, 'nor does the user come back whom the login replaced');
});

test('a request is not repeated for a user who logged in meanwhile', async () => {
    const storage = memoryStorage();
    const first = await signedIn({ storage });
    const stale = await storage.read();
    service.createUser('other@example.org');
    const { client, count } = recorded(service, {
        storage,
        intercept: async (send, line) => {
            const answer = await send();
            // The other user logs in while the answer to the first one is on its way.
            if (line.startsWith('PUT')) await first.client.login({ email: 'other@example.org', password });
            return answer;
        },
    });
    await storage.write({ ...stale, accessToken: stale.accessToken.replace(/\.[^.]*$/, '.AAAA') });
    await assert.rejects(client.account.update({ name: 'Mistaken' }), named('client.signedOut'));
    assert.equal(count('PUT'), 1);
    assert.notEqual((await first.client.account.profile()).name, 'Mistaken');
});

test('nor if the tokens of that user are being refreshed just then', async () => {
    const storage = memoryStorage();
    await storage.write(madeUp('first', 1));
    const sent = [];
    let refuse;
    const client = new Consentry({
        baseUrl: 'https://login.example.org',
        storage,
        fetch: async (url, { method, headers }) => {
            sent.push(method);
            if (method === 'PUT') {
                assert.equal(headers.get('authorization'), `Bearer ${madeUp('first', 1).accessToken}`);
                return new Promise((resolve) => (refuse = resolve));
            }
            if (!url.endsWith(refresh)) return answered(200, { statusCode: 200, data: [] });
            refuse(answered(401, { statusCode: 5120, statusCodeKey: 'jwtAccessTokenInvalid', module: 'auth' }));
            await new Promise(setImmediate); // the first request has asked for other tokens by then
            return answered(200, { statusCode: 200, data: { ...madeUp('second', 2), expiresIn: 600 } });
        },
    });
    const update = client.account.update({ name: 'Mistaken' });
    while (!refuse) await new Promise(setImmediate);
    await storage.write(madeUp('second', 1, Date.now()));
    const list = client.sessions.list();
    await assert.rejects(update, named('client.signedOut'));
    await list;
    assert.deepEqual(sent, ['PUT', 'POST', 'GET']);
    assert.equal((await storage.read()).refreshToken, 'second-2', 'and the second user stays');
});

test('a storage that takes nothing costs no session over several refreshes either', async () => {
    const kept = memoryStorage();
    await kept.write(madeUp('first', 1, Date.now()));
    const storage = { ...kept, write: () => Promise.reject(new Error('disk full')) };
    const refreshed = [];
    const client = new Consentry({
        baseUrl: 'https://login.example.org',
        storage,
        fetch: async (url, { headers }) => {
            if (!url.endsWith(refresh)) return answered(200, { statusCode: 200, data: [] });
            const n = refreshed.push(headers.get('authorization')) + 1;
            return answered(200, { statusCode: 200, data: { ...madeUp('first', n), expiresIn: n < 4 ? 0 : 600 } });
        },
    });
    for (let i = 0; i < 5; ++i) await client.sessions.list();
    assert.deepEqual(refreshed, ['Bearer first-1', 'Bearer first-2', 'Bearer first-3'], 'each token once');
});

// Without Web Locks, as with plain http or in two programs with one storage.
for (const { granted, write, kept, stays } of [
    { granted: true, write: madeUp('second', 1), kept: false, stays: 'second-1' },
    { granted: false, write: madeUp('second', 1), kept: false, stays: 'second-1' },
    { granted: true, write: madeUp('first', 3), kept: true, stays: 'first-3' },
    { granted: false, write: madeUp('first', 3), kept: true, stays: 'first-3' },
    { granted: true, write: undefined, kept: false, stays: undefined },
]) {
    const who = write?.refreshToken ?? 'nobody';
    test(`a refresh that is ${granted ? 'granted' : 'refused'} finds tokens of ${who} in the storage`, async () => {
        const storage = memoryStorage();
        await storage.write(madeUp('first', 1));
        const sent = [];
        const client = new Consentry({
            baseUrl: 'https://login.example.org',
            storage,
            fetch: async (url, { method, headers }) => {
                sent.push(`${method} ${headers.get('authorization') ?? ''}`);
                if (method === 'PUT' && sent.length > 1) return answered(200, { statusCode: 200 });
                if (method === 'PUT')
                    return answered(401, { statusCode: 5120, statusCodeKey: 'jwtAccessTokenInvalid', module: 'auth' });
                await (write ? storage.write(write) : storage.clear());
                if (granted)
                    return answered(200, { statusCode: 200, data: { ...madeUp('first', 2), expiresIn: 600 } });
                return answered(401, { statusCode: 5121, statusCodeKey: 'jwtRefreshTokenInvalid', module: 'auth' });
            },
        });
        const update = client.account.update({ name: 'Mistaken' });
        if (kept) await update;
        else await assert.rejects(update, named('client.signedOut'));
        assert.equal(sent.length, kept ? 3 : 2);
        if (kept) assert.equal(sent[2], `PUT Bearer ${write.accessToken}`);
        assert.equal((await storage.read())?.refreshToken, stays);
    });
}

test('a client that was closed still refreshes and logs out', async () => {
    const storage = { ...memoryStorage(), name: 'closed' };
    const { client, count } = await withExpired({ storage });
    client.close();
    assert.equal((await client.sessions.list()).data.length, 1);
    assert.equal(count(refresh), 1);
    await client.logout();
    assert.equal(await storage.read(), undefined);
});

test('a session that Consentry has ended is signed out once by a logout', async () => {
    const { client } = await withExpired({
        intercept: (send, line) => {
            if (!line.includes(refresh)) return send();
            return answered(401, { statusCode: 5121, statusCodeKey: 'jwtRefreshTokenInvalid', module: 'auth' });
        },
    });
    const events = [];
    client.on('signedOut', (event) => events.push(event.error?.name));
    await client.logout();
    await client.logout();
    assert.deepEqual(events, ['auth.jwtRefreshTokenInvalid']);
});

test('a logout without network forgets the tokens and says so', async () => {
    const { client, storage } = await withExpired({
        retry: { attempts: 1 },
        intercept: (send, line) => {
            if (line.includes('logout')) throw new TypeError('fetch failed');
            return send();
        },
    });
    await assert.rejects(client.logout(), named('client.unreachable'));
    assert.equal(await storage.read(), undefined);
});

for (const [what, name, answer] of [
    [
        'the 401 of a proxy',
        'client.unreadable',
        () => new Response('<h1>Who are you?</h1>', { status: 401, headers: { 'content-type': 'text/html' } }),
    ],
    [
        'a refused API key',
        'apiKey.xApiKeyInvalid',
        () => answered(401, { statusCode: 5102, statusCodeKey: 'xApiKeyInvalid', module: 'apiKey', message: '' }),
    ],
])
    test(`${what} ends no session: the logout forgets the tokens and says that Consentry does not know`, async () => {
        const storage = memoryStorage();
        const { client } = await signedIn({
            storage,
            intercept: (send, line) => (line.includes('logout') ? answer() : send()),
        });
        await assert.rejects(client.logout(), named(name));
        assert.equal(await storage.read(), undefined);
    });

test('429 is repeated as Retry-After tells, for every method', async () => {
    const strict = new Service({ THROTTLE_LIMIT: '1', THROTTLE_TTL_IN_MS: '2000' });
    strict.migrate();
    await strict.start();
    const { client, sent } = recorded(strict);
    await Promise.all([client.policies.list(), client.policies.list()]);
    assert.equal(sent.length, 3);
    sent.length = 0;
    await Promise.all([client.forgotPassword('a@example.org'), client.forgotPassword('b@example.org')]);
    assert.equal(sent.length, 3);

    const impatient = recorded(strict, { retry: { longestWait: 0 } });
    const results = await Promise.allSettled([impatient.client.policies.list(), impatient.client.policies.list()]);
    const { reason } = results.find(({ status }) => status === 'rejected');
    assert.equal(reason.name, 'http.tooManyRequests');
    assert.ok(reason.retryAfter >= 1);
    assert.equal(impatient.sent.length, 2);
});

test('503 is repeated for reading only', async () => {
    let requests = 0;
    const baseUrl = await listen((request, response) => {
        ++requests;
        response.writeHead(503, { 'content-type': 'application/json', 'retry-after': '0' });
        response.end('{"statusCode":503,"statusCodeKey":"serviceUnavailable","module":"http","message":"Down"}');
    });
    const client = new Consentry({ baseUrl });
    await assert.rejects(client.policies.list(), named('http.serviceUnavailable'));
    assert.equal(requests, 3);
    await assert.rejects(client.login({ email: 'a@example.org', password }), named('http.serviceUnavailable'));
    assert.equal(requests, 4);
});

test('an answer of somebody else is told from one of Consentry', async () => {
    const baseUrl = await listen((request, response) => {
        if (request.url.includes('hello'))
            return response.writeHead(200, { 'content-type': 'application/json' }).end('<');
        response.writeHead(502, { 'content-type': 'text/html' }).end('<h1>Bad gateway</h1>');
    });
    const client = new Consentry({ baseUrl });
    const error = await client.policies.list().catch((error) => error);
    assert.equal(error.name, 'client.unreadable');
    assert.equal(error.status, 502);
    await assert.rejects(client.request('hello'), named('client.unreadable'));
});

const credentials = { email: 'a@example.org', password };
const callsWithContent = (client) => [
    () => client.login(credentials),
    () => client.signUp(credentials),
    () => client.policies.list(),
    () => client.policies.proof('x'),
    () => client.policies.record('x'),
    () => client.account.profile(),
    () => client.account.export(),
    () => client.request('listSessions'),
    () => client.request('exportUsers'),
    () => client.request('exportConsentLog'),
    () => client.request('jwks'),
    () => client.request('filePublic', { path: { key: 'x' } }),
];
const callsWithoutContent = (client) => [
    () => client.sessions.revoke('x'),
    () => client.request('revokeSession', { path: { sessionId: 'x' } }),
    () => client.twoFactor.disable({ code: '000000' }),
    () => client.account.delete(),
];

test('a page with status 200 is no success', async () => {
    const baseUrl = await listen((request, response) =>
        response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>My application</h1>'),
    );
    const storage = memoryStorage();
    const client = new Consentry({ baseUrl, storage, retry: { attempts: 1 } });
    for (const call of [...callsWithContent(client), ...callsWithoutContent(client)]) {
        await storage.write(madeUp('first', 1));
        await assert.rejects(call(), (error) => named('client.unreadable')(error) && error.status === 200, `${call}`);
        assert.equal((await storage.read()).refreshToken, 'first-1', `the session stays: ${call}`);
    }
    await storage.write(madeUp('first', 1));
    await assert.rejects(client.logout(), named('client.unreadable'), 'Consentry was not told');
    await storage.write(madeUp('first', 1, Date.now()));
    await assert.rejects(client.sessions.list(), named('client.unreadable'));
    assert.equal((await storage.read()).refreshToken, 'first-1', 'the session stays');
});

test('nor is an answer without the content that it must have, or with content that it must not have', async () => {
    const storage = memoryStorage();
    const client = new Consentry({
        baseUrl: await listen((request, response) => response.writeHead(204).end()),
        storage,
        retry: { attempts: 1 },
    });
    for (const call of callsWithContent(client)) {
        await storage.write(madeUp('first', 1));
        await assert.rejects(call(), (error) => named('client.unreadable')(error) && error.status === 204, `${call}`);
    }
    await storage.write(madeUp('first', 1, Date.now()));
    await assert.rejects(client.sessions.list(), named('client.unreadable'));
    assert.equal((await storage.read()).refreshToken, 'first-1', 'the session stays');
    await storage.write(madeUp('first', 1));
    await client.sessions.revoke('x'); // this is how Consentry answers it

    for (const [type, content] of [
        ['application/json', '{"statusCode":200,"message":"Yes"}'],
        ['application/json', '[]'],
        ['text/plain', 'yes'],
    ]) {
        const answer = (response) => response.writeHead(200, { 'content-type': type }).end(content);
        const baseUrl = await listen((request, response) => answer(response));
        const other = new Consentry({ baseUrl, storage, retry: { attempts: 1 } });
        await storage.write(madeUp('first', 1));
        for (const call of callsWithoutContent(other))
            await assert.rejects(call(), named('client.unreadable'), `${call}`);
        await assert.rejects(other.policies.record('x'), named('client.unreadable'));
        if (type !== 'text/plain') await assert.rejects(other.policies.proof('x'), named('client.unreadable'));
        else assert.equal(await other.policies.proof('x'), 'yes');
    }
});

test('a redirect is not followed, so tokens go nowhere else', async () => {
    let stolen = 0;
    const elsewhere = await listen((request, response) => response.end(String(++stolen)));
    const baseUrl = await listen((request, response) => response.writeHead(307, { location: elsewhere }).end());
    const client = new Consentry({ baseUrl, retry: { attempts: 1 } });
    await assert.rejects(client.login({ email: 'a@example.org', password }), named('client.unreachable'));
    assert.equal(stolen, 0);
});

test('timeouts and aborts', async () => {
    const baseUrl = await listen(() => {});
    const { client, sent } = recorded(service, { baseUrl, timeout: 50 });
    await assert.rejects(client.policies.list(), named('client.timeout'));
    assert.equal(sent.length, 1, 'only a refresh is repeated');
    const reason = new Error('the user left');
    const aborter = new AbortController();
    const left = client.policies.list({}, { signal: aborter.signal, timeout: 60_000 });
    aborter.abort(reason);
    await assert.rejects(left, reason);
    await assert.rejects(client.policies.list({}, { signal: AbortSignal.abort(reason) }), reason);
});

test('a confirmation takes the timeout of the call', async () => {
    const { client } = await signedIn({
        timeout: 2_000,
        intercept: async (send, line, signal) => {
            if (!line.includes('/confirm')) return send();
            await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
        },
    });
    for (const timeout of [50, 2_050])
        await assert.rejects(
            client.confirmSession({ password }, { timeout }),
            (error) => named('client.timeout')(error) && error.message.includes(` ${timeout} ms`),
        );
});

test('an option that is undefined counts as absent', async () => {
    const sent = [];
    const client = new Consentry({
        baseUrl: 'https://login.example.org',
        language: 'de',
        from: undefined,
        storage: undefined,
        timeout: undefined,
        retry: { attempts: undefined, longestWait: undefined },
        fetch: async (url, { headers, body }) => {
            sent.push([headers.get('x-custom-lang'), JSON.parse(body ?? '{}').from]);
            if (url.endsWith('/list')) throw new TypeError('fetch failed');
            const data = { isTwoFactorRequired: false, tokens: { ...madeUp('first', 1), expiresIn: 600 } };
            return answered(200, { statusCode: 200, data: { ...data, ...data.tokens } });
        },
    });
    const options = { language: undefined, timeout: undefined, signal: undefined };
    await client.login({ email: 'a@example.org', password }, options);
    await client.loginWithGoogle({ token: 'a.b.c', from: undefined }, options);
    await client.loginWithApple({ token: 'a.b.c', from: undefined }, options);
    await client.confirmSession({ password }, options);
    await assert.rejects(client.policies.list(undefined, options), named('client.unreachable'));
    const login = ['de', 'website'];
    const other = ['de', undefined];
    assert.deepEqual(sent, [login, login, login, other, other, other, other], 'the last one three times');
});

test('Infinity is a timeout, too', async () => {
    const { client } = recorded(service, { timeout: Infinity });
    await client.policies.list();
});

test('who aborts leaves the refresh to the others', async () => {
    const aborter = new AbortController();
    const reason = new Error('the user left');
    const { client, count } = await withExpired({
        intercept: (send, line) => {
            if (line.includes(refresh)) aborter.abort(reason);
            return send();
        },
    });
    const left = client.sessions.list({}, { signal: aborter.signal });
    const stays = client.sessions.list();
    await assert.rejects(left, reason);
    assert.equal((await stays).data.length, 1);
    assert.equal(count(refresh), 1);
});

test('a refresh that fails after its caller has left ends no program', async () => {
    const storage = memoryStorage();
    await storage.write(madeUp('first', 1, Date.now()));
    let asked = 0;
    const client = new Consentry({
        baseUrl: 'https://login.example.org',
        storage,
        retry: { attempts: 1 },
        fetch: async () => {
            ++asked;
            throw new TypeError('fetch failed');
        },
    });
    const reason = new Error('the user left');
    await assert.rejects(client.sessions.list({}, { signal: AbortSignal.abort(reason) }), reason);
    // An unhandled rejection would fail this test.
    while (asked < 1) await new Promise(setImmediate);
    await new Promise(setImmediate);
});

test('who aborts a confirmation does not wait, and nothing more is sent', async () => {
    const reason = new Error('the user left');
    const { client, sent } = await withExpired({ clockTells: true });
    await assert.rejects(client.confirmSession({ password }, { signal: AbortSignal.abort(reason) }), reason);
    await new Promise((resume) => setTimeout(resume, 50));
    assert.deepEqual(sent, []);

    // Behind a refresh that takes long.
    const aborter = new AbortController();
    let goOn;
    const busy = await withExpired({
        clockTells: true,
        intercept: async (send, line) => {
            if (line.includes(refresh)) await new Promise((resolve) => (goOn = resolve));
            return send();
        },
    });
    const list = busy.client.sessions.list();
    const left = busy.client.confirmSession({ password }, { signal: aborter.signal });
    while (!goOn) await new Promise(setImmediate);
    aborter.abort(reason);
    await assert.rejects(left, reason);
    goOn();
    await list;
    assert.equal(busy.count('/confirm'), 0);
});

test('nor after the refresh that it needs', async () => {
    const reason = new Error('the user left');
    const aborter = new AbortController();
    const { client, count } = await withExpired({
        clockTells: true,
        intercept: (send, line) => {
            if (line.includes(refresh)) aborter.abort(reason);
            return send();
        },
    });
    await assert.rejects(client.confirmSession({ password }, { signal: aborter.signal }), reason);
    await client.sessions.list();
    assert.deepEqual([count(refresh), count('/confirm')], [1, 0]);
});

const ticks = async () => {
    for (let i = 0; i < 20; ++i) await new Promise(setImmediate);
};

// While a confirmation has the storage to itself, as a refresh in another tab may.
const challenge = { challengeToken: 'x' };
for (const [what, event, call] of [
    ['login', 'signedIn', (client, options) => client.login(credentials, options)],
    ['verifyLogin', 'signedIn', (client, options) => client.verifyLogin(challenge, { code: '000000' }, options)],
    ['loginWithGoogle', 'signedIn', (client, options) => client.loginWithGoogle({ token: 'x' }, options)],
    ['loginWithApple', 'signedIn', (client, options) => client.loginWithApple({ token: 'x' }, options)],
    ['logout', 'signedOut', (client, options) => client.logout(options)],
    ['changePassword', 'signedOut', (client, options) => client.changePassword({}, options)],
    ['account.delete', 'signedOut', (client, options) => client.account.delete(undefined, options)],
])
    test(`who aborts ${what} does not wait for the storage, which then learns what was done`, async () => {
        const storage = memoryStorage();
        await storage.write(madeUp('first', 1));
        let goOn;
        const client = new Consentry({
            baseUrl: 'https://login.example.org',
            storage,
            fetch: async (url) => {
                if (url.endsWith('/confirm')) {
                    await new Promise((resolve) => (goOn = resolve));
                    return answered(200, { statusCode: 200, data: { ...madeUp('first', 2), expiresIn: 600 } });
                }
                if (url.endsWith('/delete/self')) return answered(204);
                const tokens = { ...madeUp('second', 1), expiresIn: 600 };
                return answered(200, { statusCode: 200, data: { isTwoFactorRequired: false, tokens } });
            },
        });
        const confirmed = client.confirmSession({ password });
        while (!goOn) await new Promise(setImmediate);
        const aborter = new AbortController();
        const left = call(client, { signal: aborter.signal }).catch((error) => error);
        await ticks(); // its answer is there
        const reason = new Error('the user left');
        aborter.abort(reason);
        assert.equal(await Promise.race([left, ticks().then(() => 'waits')]), reason);
        const done = next(client, event);
        goOn();
        await Promise.all([confirmed, done]);
        assert.equal((await storage.read())?.refreshToken, event === 'signedIn' ? 'second-1' : undefined);
    });

test('a confirmation that was done before its caller left costs no session', async () => {
    const reason = new Error('the user left');
    const aborter = new AbortController();
    const { client, count } = await signedIn({
        intercept: async (send, line) => {
            const answer = await send();
            if (!line.includes('/confirm')) return answer;
            aborter.abort(reason);
            throw reason;
        },
    });
    const refreshed = next(client, 'refreshed');
    const left = client.confirmSession({ password }, { signal: aborter.signal }).catch((error) => error);
    assert.equal(await Promise.race([left, refreshed]), reason, 'the caller does not wait for the new tokens');
    await refreshed;
    assert.equal(count(refresh), 1);
    assert.equal((await client.sessions.list()).data.length, 1);
});

test('so does one that Consentry did although it answered 408', async () => {
    const { client, count } = await signedIn({
        intercept: async (send, line) => {
            const answer = await send();
            if (!line.includes('/confirm')) return answer;
            return answered(408, { statusCode: 5031, statusCodeKey: 'timeout', module: 'request', message: 'Late' });
        },
    });
    await assert.rejects(client.confirmSession({ password }), named('request.timeout'));
    assert.equal(count(refresh), 1, 'at once: after ten seconds, the spent token would end the session');
    assert.equal((await client.sessions.list()).data.length, 1);
});

test('what a listener throws does not reach the request', async () => {
    const { client } = await withExpired();
    client.on('refreshed', () => {
        throw new Error('from the listener');
    });
    const thrown = new Promise((resolve) => process.setUncaughtExceptionCaptureCallback(resolve));
    await client.sessions.list();
    assert.equal((await thrown).message, 'from the listener');
    process.setUncaughtExceptionCaptureCallback(null);
});

test('an address that cannot be right is refused at once', () => {
    for (const baseUrl of [
        'consentry',
        'ftp://example.org',
        'https://me:secret@example.org',
        'https://example.org/?a=b',
    ])
        assert.throws(() => new Consentry({ baseUrl }), TypeError);
    for (const apiPath of ['api', '/', '/api/', '//api', '/api//v1', '/api/../v1', '/.', '/api?v=1', '/a#v1', 'a:b'])
        assert.throws(() => new Consentry({ baseUrl: 'https://example.org', apiPath }), TypeError, apiPath);
});
