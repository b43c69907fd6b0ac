// How a refresh is repeated whose answer is lost: Consentry repeats its answer for ten seconds, and takes a later
// repetition for a theft.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { Service } from '../browser/harness.mjs';
import { Consentry, answered, built, madeUp, memoryStorage, named, password, recorded } from './client.mjs';

const refresh = '/user/refresh';
let service;
before(async () => {
    service = new Service();
    service.migrate();
    await service.start();
});

// A client that logged in and whose access token is about to expire. `broken` replaces the answers to a refresh after
// Consentry has sent them, or throws, until it returns undefined.
let users = 0;
async function withLost(broken) {
    const email = `user${++users}@example.org`;
    service.createUser(email);
    const storage = memoryStorage();
    const made = recorded(service, {
        storage,
        intercept: async (send, line) => {
            if (!line.includes(refresh)) return send();
            if (made.count(refresh) === 1) await send();
            return broken() ?? send();
        },
    });
    await made.client.login({ email, password });
    await storage.write({ ...(await storage.read()), expiresAt: Date.now() });
    return made;
}

test('a network that is gone for seconds costs no session', async () => {
    let end;
    const { client, count } = await withLost(() => {
        end ??= Date.now() + 3_000;
        if (Date.now() < end) throw new TypeError('fetch failed');
    });
    assert.equal((await client.sessions.list()).data.length, 1);
    assert.ok(count(refresh) > 3 && count(refresh) < 8, `${count(refresh)} attempts`);
    assert.equal((await client.sessions.list()).data.length, 1, 'the session goes on');
});

const page = (status, headers) =>
    new Response('<h1>Not now</h1>', { status, headers: { 'content-type': 'text/html', ...headers } });
const failure = (status, statusCodeKey) =>
    Response.json({ statusCode: status, statusCodeKey, module: 'http', message: 'Failed' }, { status });
const late = () =>
    Response.json({ statusCode: 5031, statusCodeKey: 'timeout', module: 'request', message: 'Late' }, { status: 408 });
for (const [what, answer] of Object.entries({
    'a page with status 502': () => page(502),
    'a page with status 504': () => page(504),
    'a page with status 404': () => page(404),
    'a page with status 200': () => page(200),
    'half an answer': () => new Response('{"statusCode":200,', { headers: { 'content-type': 'application/json' } }),
    'an error of Consentry with status 500': () => failure(500, 'unknown'),
    'an outage without Retry-After': () => failure(503, 'serviceUnavailable'),
    'the 408 of a Consentry that took too long': () => late(),
}))
    test(`${what} instead of the answer to a refresh costs no session`, async () => {
        let lost = 0;
        const { client, count } = await withLost(() => (++lost > 2 ? undefined : answer()));
        assert.equal((await client.sessions.list()).data.length, 1);
        assert.equal(count(refresh), 3);
        assert.equal((await client.sessions.list()).data.length, 1, 'the session goes on');
    });

// Runs a refresh on a clock of the client that jumps to its next timer whenever nothing else is left to do. Returns the
// milliseconds at which the refresh was sent, and how it ended. `answer(n)` makes the nth answer, and may throw.
async function attemptsOf(t, answer, options) {
    let now = 1_000;
    const timers = new Set();
    const { setTimeout, clearTimeout } = globalThis;
    t.mock.method(performance, 'now', () => now);
    t.mock.method(Math, 'random', () => 0.5);
    t.mock.method(globalThis, 'setTimeout', (act, delay) => {
        // Node's own fetch has timers, too.
        if (!new Error().stack.includes(join(built, 'dist'))) return setTimeout(act, delay);
        const timer = { at: now + delay, act };
        timers.add(timer);
        return timer;
    });
    t.mock.method(globalThis, 'clearTimeout', (timer) => timers.delete(timer) || clearTimeout(timer));
    const storage = memoryStorage();
    await storage.write(madeUp('first', 1, Date.now()));
    const at = [];
    const client = new Consentry({
        baseUrl: 'https://login.example.org',
        storage,
        ...options,
        fetch: async (url, { signal }) => {
            if (!url.endsWith(refresh)) return answered(200, { statusCode: 200, data: [] });
            at.push(now - 1_000);
            return answer(at.length, signal);
        },
    });
    let outcome;
    client.sessions.list().then(
        () => (outcome = 'done'),
        (error) => (outcome = error),
    );
    for (;;) {
        for (let i = 0; i < 20; ++i) await new Promise(setImmediate);
        if (outcome) return { at, outcome, storage };
        const [next] = [...timers].sort((a, b) => a.at - b.at);
        timers.delete(next);
        now = next.at;
        next.act();
    }
}
const lose = () => {
    throw new TypeError('fetch failed');
};
const granted = () => answered(200, { statusCode: 200, data: { ...madeUp('first', 2), expiresIn: 600 } });
const limited = (seconds) => ({
    ...answered(429, { statusCode: 429, statusCodeKey: 'tooManyRequests', module: 'http', message: 'Slow down' }),
    headers: new Headers({ 'content-type': 'application/json', 'retry-after': String(seconds) }),
});

test('a refresh is repeated in growing pauses for nine seconds, and then the session stays', async (t) => {
    const { at, outcome, storage } = await attemptsOf(t, lose);
    named('client.unreachable')(outcome);
    assert.equal(at.length, 7, at.join());
    const pauses = at.slice(1).map((time, i) => time - at[i]);
    for (const [i, pause] of pauses.slice(0, -1).entries())
        assert.ok(pause >= 250 * 2 ** i && pause <= 250 * 2 ** i + 250, pauses.join());
    assert.equal(at.at(-1), 9_000);
    assert.equal((await storage.read()).refreshToken, 'first-1');
});

test('a refresh that gets no answer is repeated once: a third attempt would come too late', async (t) => {
    const never = (_, signal) =>
        new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    const { at, outcome } = await attemptsOf(t, never);
    named('client.timeout')(outcome);
    assert.deepEqual(at, [0, 8_000]);
});

test('all repetitions come within the grace period that Consentry has', async (t) => {
    const never = (_, signal) =>
        new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    const timesOf = async (answer, refreshGrace) => {
        const { at } = await attemptsOf(t, answer, { refreshGrace });
        t.mock.restoreAll();
        return at;
    };
    for (const [grace, latest] of [
        [1_000, 900],
        [5_000, 4_500],
        [60_000, 54_000],
    ]) {
        const last = (await timesOf(lose, grace)).at(-1);
        assert.ok(last <= latest && last >= latest - 250, `${last} of ${grace}`);
    }
    assert.deepEqual(await timesOf(lose, 0), [0]);
    assert.deepEqual(await timesOf(never, 5_000), [0, 4_000]);
    assert.deepEqual(await timesOf(never, 3_000), [0], 'its answer may take longer than the grace period');
    assert.deepEqual((await timesOf(never, 60_000)).slice(0, 2), [0, 8_000]);
});

test('a short timeout does not make many attempts', async (t) => {
    const never = (_, signal) =>
        new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    const { at } = await attemptsOf(t, never, { timeout: 10 });
    assert.ok(at.length <= 7, at.join());
});

test('a refresh waits as long as Retry-After says, but not beyond the nine seconds', async (t) => {
    const { at, outcome } = await attemptsOf(t, (n) => (n === 1 ? page(502, { 'retry-after': '4' }) : granted()));
    assert.equal(outcome, 'done');
    assert.ok(at[1] >= 4_000 && at[1] <= 4_250, at.join());
    t.mock.restoreAll();
    const late = await attemptsOf(t, (n) => (n === 1 ? page(502, { 'retry-after': '10' }) : granted()));
    assert.equal(late.outcome, 'done');
    assert.deepEqual(late.at, [0, 9_000]);
    t.mock.restoreAll();
    const busy = await attemptsOf(t, () => page(503, { 'retry-after': '0' }));
    assert.ok(busy.at.length <= 7, busy.at.join());
    t.mock.restoreAll();
    const long = await attemptsOf(t, () => page(503, { 'retry-after': '60' }));
    named('client.unreadable')(long.outcome);
    assert.deepEqual(long.at, [0]);
});

test('the nine seconds begin with the first attempt that may have reached Consentry', async (t) => {
    const { at, outcome } = await attemptsOf(t, (n) => (n === 1 ? limited(9) : n < 6 ? lose() : granted()));
    assert.equal(outcome, 'done');
    assert.equal(at.length, 6);
    assert.ok(at[1] >= 9_000);
});

test('the rate limit ends no repetition that it allows in time', async (t) => {
    const { at, outcome } = await attemptsOf(t, (n) => (n < 4 ? lose() : n === 4 ? limited(1) : granted()));
    assert.equal(outcome, 'done');
    assert.equal(at.length, 5);
});

test('a Retry-After of exactly the longest wait is waited for', async (t) => {
    for (const [seconds, retry] of [
        [10, {}],
        [1, { longestWait: 1_000 }],
    ]) {
        const { at, outcome } = await attemptsOf(t, (n) => (n === 1 ? limited(seconds) : granted()), { retry });
        assert.equal(outcome, 'done');
        assert.ok(at[1] >= seconds * 1000 && at[1] <= seconds * 1000 + 250, at.join());
        t.mock.restoreAll();
    }
    const { at, outcome } = await attemptsOf(t, () => limited(11));
    named('http.tooManyRequests')(outcome);
    assert.deepEqual(at, [0]);
});

test('attempts: 1 turns repetition off for a refresh, too', async (t) => {
    const { at, outcome } = await attemptsOf(t, lose, { retry: { attempts: 1 } });
    named('client.unreachable')(outcome);
    assert.deepEqual(at, [0]);
});
