// One session in several tabs of Chromium.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { openSite, openTab } from './pages.mjs';
import { password } from './client.mjs';

const refresh = '/user/refresh';
let site, service, browser;
before(async () => {
    ({ site, service, browser } = await openSite());
});

// A tab with a client whose tokens are in IndexedDB, and what happened to its session in `events`.
async function open() {
    const tab = await openTab(site, service, browser);
    await tab.page.waitForFunction('window.kit');
    await tab.page.evaluate((baseUrl) => {
        window.storage = kit.browserStorage();
        window.consentry = new kit.Consentry({ baseUrl, storage, retry: { attempts: 1 } });
        window.events = [];
        for (const type of ['signedIn', 'refreshed', 'signedOut'])
            consentry.on(type, ({ elsewhere }) => events.push(`${type}${elsewhere ? ' elsewhere' : ''}`));
        window.list = () =>
            consentry.sessions.list().then(
                ({ data }) => data.length,
                (error) => error.name,
            );
        window.expire = async () => {
            const tokens = await storage.read();
            await storage.write({ ...tokens, accessToken: tokens.accessToken.replace(/\.[^.]*$/, '.AAAA') });
        };
    }, service.origin);
    return tab;
}
const logIn = ({ page }, email) =>
    page.evaluate(
        (email, password) => consentry.login({ email, password }).then(({ state }) => state),
        email,
        password,
    );
const list = ({ page }) => page.evaluate('list()');
const happened = ({ page }, event) => page.waitForFunction((event) => events.includes(event), {}, event);
const close = (tabs) => Promise.all(tabs.map(({ page }) => page.close()));

test('two tabs refresh at once: one refresh, and both have its tokens', async () => {
    service.createUser('ada@example.org');
    const tabs = [await open(), await open()];
    assert.equal(await logIn(tabs[0], 'ada@example.org'), 'signedIn');
    await happened(tabs[1], 'signedIn elsewhere');
    for (let round = 1; round <= 10; ++round) {
        await tabs[0].page.evaluate('expire()');
        const answers = await Promise.all([...tabs, ...tabs, ...tabs].map(list));
        assert.deepEqual(answers, [1, 1, 1, 1, 1, 1]);
        assert.equal(tabs[0].count(refresh) + tabs[1].count(refresh), round);
    }
    const kept = await Promise.all(tabs.map(({ page }) => page.evaluate('storage.read()')));
    assert.deepEqual(kept[0], kept[1]);
    await close(tabs);
});

test('a logout in one tab reaches the other; a login too', async () => {
    service.createUser('bob@example.org');
    const tabs = [await open(), await open()];
    await logIn(tabs[0], 'bob@example.org');
    await happened(tabs[1], 'signedIn elsewhere');
    await tabs[1].page.evaluate('consentry.logout()');
    await happened(tabs[0], 'signedOut elsewhere');
    assert.equal(await list(tabs[0]), 'client.signedOut');
    await close(tabs);
});

test('a revoked session signs all tabs out', async () => {
    const user = service.createUser('eve@example.org');
    const tabs = [await open(), await open()];
    await logIn(tabs[0], 'eve@example.org');
    await tabs[0].page.evaluate('consentry.sessions.list().then(({ data }) => consentry.sessions.revoke(data[0].id))');
    assert.equal(await list(tabs[0]), 'auth.jwtRefreshTokenInvalid');
    await happened(tabs[0], 'signedOut');
    await happened(tabs[1], 'signedOut elsewhere');
    assert.equal(await list(tabs[1]), 'client.signedOut');
    assert.ok(user);
    await close(tabs);
});

test('offline, the session stays; a reload keeps it', async () => {
    service.createUser('zoe@example.org');
    const tab = await open();
    await logIn(tab, 'zoe@example.org');
    await tab.page.evaluate('expire()');
    await tab.page.setOfflineMode(true);
    assert.equal(await list(tab), 'client.unreachable');
    await tab.page.setOfflineMode(false);
    assert.equal(await list(tab), 1);
    const again = await open();
    assert.equal(await list(again), 1);
    await close([tab, again]);
});

test('a tab that is closed during a refresh holds up nobody', async () => {
    service.createUser('kim@example.org');
    const tabs = [await open(), await open()];
    await logIn(tabs[0], 'kim@example.org');
    await tabs[0].page.evaluate('expire()');
    // The answer to the first tab's refresh never comes.
    await tabs[0].page.setRequestInterception(true);
    const asked = new Promise((resolve) =>
        tabs[0].page.on('request', (request) => {
            if (request.method() !== 'OPTIONS' && request.url().includes(refresh)) resolve();
            else request.continue();
        }),
    );
    const left = list(tabs[0]).catch(() => 'closed');
    await asked;
    const waits = list(tabs[1]);
    await tabs[0].page.close();
    assert.equal(await waits, 1);
    assert.equal(await left, 'closed');
    await close([tabs[1]]);
});

test('pages can read what Retry-After tells', async () => {
    const strict = await openSite({ THROTTLE_LIMIT: '1', THROTTLE_TTL_IN_MS: '60000' });
    const tab = await openTab(strict.site, strict.service, strict.browser);
    await tab.page.waitForFunction('window.kit');
    const seconds = await tab.page.evaluate(async (baseUrl) => {
        const consentry = new kit.Consentry({ baseUrl });
        await consentry.policies.list();
        return consentry.policies.list().catch(({ name, retryAfter }) => [name, retryAfter > 10]);
    }, strict.service.origin);
    assert.deepEqual(seconds, ['http.tooManyRequests', true]);
});
