// People at a browser: they open addresses, fill in forms, and press what they see.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, before } from 'node:test';
import { Service, atEnd, expectTrouble, openBrowser, openContext, openPage, unexpectedTroubles } from './harness.mjs';

// The service with these policies and accounts, and a browser, for the tests of a file: they start before the first.
// `visit` begins a visit there.
export function openSite({ policies, users = [] } = {}) {
    const service = new Service();
    let browser;
    before(async () => {
        service.migrate();
        if (policies) service.publishPolicies(policies);
        for (const email of users) service.createUser(email);
        [browser] = await Promise.all([openBrowser(), service.start()]);
    });
    return { service, visit: (options) => visit(browser, service.origin, options) };
}

// No visitor of a page met an error of it, or a request to a stranger.
const pages = [];
afterEach(() => {
    for (const page of pages.splice(0)) assert.deepEqual(unexpectedTroubles(page), []);
});

// A visit in a profile of its own, so that no cookie comes from another test. The pages are at the first of `origins`.
// `others` are those of strangers to which they lead.
export async function visit(browser, origins, { script = true, others } = {}) {
    const [origin] = [origins].flat();
    const context = await openContext(browser);
    const downloads = await openDownloads(browser, context);
    const { page } = await openPage(context, origins, { others });
    pages.push(page);
    await page.setJavaScriptEnabled(script);
    const onward = followHandOvers(page);
    const one = {
        context,
        page,
        // What the test itself brings about.
        expectTrouble: (pattern) => expectTrouble(page, pattern),
        go: async (path) => {
            const answer = await page.goto(path.startsWith('/') ? origin + path : path);
            await onward();
            return answer;
        },
        path: () => (page.url().startsWith(origin) ? page.url().slice(origin.length) : page.url()),
        text: (selector) => page.$eval(selector, (element) => element.textContent),
        heading: () => one.text('h1'),
        press: async (what) => {
            await Promise.all([page.waitForNavigation(), typeof what === 'string' ? page.click(what) : what.click()]);
            await onward();
        },
        fill: async (fields) => {
            for (const [name, value] of Object.entries(fields)) {
                const field = await page.$(`#${name}`);
                await field.evaluate((box) => (box.value = ''));
                await enter(page, field, value);
                assert.equal(await field.evaluate((box) => box.value), value, `${name} cannot be typed into`);
            }
        },
        submit: async (fields = {}) => {
            await one.fill(fields);
            await one.press('main form button[type=submit]');
        },
        // Presses what leads to a file. Returns its name and content.
        download: async (selector) => {
            const come = downloads.next();
            await page.click(selector);
            return come;
        },
        // By what people read: the link or button with this text, and the field with this label.
        follow: async (text) => one.press(await visible(page, 'a, button', text)),
        type: async (label, value) => {
            const field = await (await visible(page, 'label', label)).evaluateHandle((element) => element.control);
            await enter(page, field, value);
        },
    };
    return one;
}

// As a password manager or a paste does: at once. Tests of the keyboard press keys.
async function enter(page, field, text) {
    await field.focus();
    await page.keyboard.sendCharacter(text);
}

// The page between a login and a guarded host goes on by itself. Returns a function that waits until it has.
function followHandOvers(page) {
    const isOne = () => new URL(page.url()).pathname === '/login/hand-over';
    let arrived = Promise.resolve();
    page.on('framenavigated', (frame) => {
        if (frame !== page.mainFrame() || !isOne()) return;
        arrived = new Promise((resolve) => {
            const loaded = () => {
                if (isOne()) return;
                page.off('load', loaded);
                resolve();
            };
            page.on('load', loaded);
        });
    });
    return async () => {
        let timer;
        const late = new Promise((_, reject) => {
            timer = setTimeout(() => reject(new Error(`stays at ${page.url()}`)), 30_000);
        });
        await Promise.race([arrived, late]).finally(() => clearTimeout(timer));
    };
}

// The files that a profile downloads.
async function openDownloads(browser, context) {
    const folder = mkdtempSync(join(tmpdir(), 'consentry-downloads-'));
    atEnd(() => rmSync(folder, { recursive: true, force: true }));
    const client = await browser.target().createCDPSession();
    const where = { browserContextId: context.id, downloadPath: folder };
    await client.send('Browser.setDownloadBehavior', { behavior: 'allowAndName', eventsEnabled: true, ...where });
    const next = () =>
        new Promise((resolve, reject) => {
            let begun;
            client.on('Browser.downloadWillBegin', (event) => (begun ??= event));
            client.on('Browser.downloadProgress', ({ guid, state }) => {
                if (guid !== begun?.guid || state === 'inProgress') return;
                client.removeAllListeners();
                if (state === 'canceled') reject(new Error(`${begun.url} was canceled`));
                else resolve({ name: begun.suggestedFilename, text: readFileSync(join(folder, guid), 'utf8') });
            });
        });
    return { next };
}

// The first of the elements that can be seen and have this text.
async function visible(page, selector, text) {
    const found = await page.evaluateHandle(
        (selector, text) =>
            [...document.querySelectorAll(selector)].find(
                (element) => element.textContent.trim() === text && element.checkVisibility(),
            ),
        selector,
        text,
    );
    if (found.asElement()) return found;
    throw new Error(`no "${text}" on ${page.url()}: ${await page.$eval('body', (body) => body.innerText)}`);
}
