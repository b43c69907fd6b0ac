// The page /docs: what it finds, shows and sends, by mouse and keyboard; accessibility, looks, weight.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { Service, openBrowser, openContext, openPage } from './harness.mjs';
import { assertAccessible, isTooWide } from './looks.mjs';

let service;
let browser;
before(async () => {
    service = new Service();
    await Promise.all([service.start(), openBrowser().then((opened) => (browser = opened))]);
});

async function openDocs(options, hash = '') {
    const opened = await openPage(browser, service.origin, options);
    await opened.page.goto(`${service.origin}/docs${hash}`);
    await opened.page.waitForSelector('main h1');
    return opened;
}
// At once, which costs less than a key for each letter.
async function paste(page, selector, text) {
    await page.focus(selector);
    await page.keyboard.sendCharacter(text);
}
const heading = (page) => page.$eval('main h1', (one) => one.textContent);
const whenHeading = (page, text) =>
    page.waitForFunction((text) => document.querySelector('main h1')?.textContent === text, {}, text);

test('search finds what any part of the document says', async () => {
    const { page, troubles } = await openDocs();
    const find = async (text) => {
        await page.$eval('#search', (field) => (field.value = ''));
        await paste(page, '#search', text);
        return page.$$eval('#list a', (all) => all.map((one) => one.textContent));
    };
    assert.match((await find('log in with email'))[0], /^POSTLog in with email and password/);
    assert.match((await find('createApiKey'))[0], /^POST/, 'an id of an operation');
    assert.match((await find('/api/user/login/credential'))[0], /^POSTLog in.*also POST/, 'another path');
    assert.ok(
        (await find('5163')).some((one) => /Log in with email/.test(one)),
        'a code of an error',
    );
    assert.ok(
        (await find('passwordAttemptMax')).some((one) => /response 403/.test(one)),
        'the name of an error',
    );
    assert.ok(
        (await find('otpauthUrl')).some((one) => /field data/.test(one)),
        'a field of a response',
    );
    assert.ok((await find('UserLoginResponseDto')).includes('UserLoginResponseDtoschema') === true, 'a schema');
    assert.deepEqual(await find('nothing has this name'), []);
    assert.equal(await page.$eval('#found', (one) => one.textContent), 'Nothing found');
    assert.deepEqual(troubles, []);
    await page.close();
});

test('by keyboard alone: find an operation, read it, send a request', async () => {
    const { page, troubles } = await openDocs();
    await page.keyboard.press('/');
    assert.equal(await page.evaluate(() => document.activeElement.id), 'search');
    await page.keyboard.type('facts about this deployment');
    await page.keyboard.press('ArrowDown');
    assert.match(await page.evaluate(() => document.activeElement.textContent), /Get facts about this deployment/);
    await page.keyboard.press('Enter');
    await whenHeading(page, 'Get facts about this deployment');
    assert.equal(await page.evaluate(() => document.activeElement.id), 'main', 'reading goes on at the content');
    const focusOn = async (text) => {
        for (let i = 0; i < 40; ++i) {
            await page.keyboard.press('Tab');
            if ((await page.evaluate(() => document.activeElement.textContent)) === text) return;
        }
        assert.fail(`the Tab key does not reach "${text}"`);
    };
    await focusOn('Try it');
    await page.keyboard.press('Enter');
    await focusOn('Send request');
    await page.keyboard.press('Enter');
    await page.waitForSelector('form h3');
    assert.equal(await page.$eval('form h3', (one) => one.textContent), '200 OK');
    assert.match(await page.$eval('form pre', (one) => one.textContent), /"availableLanguage"/);
    await page.keyboard.press('/');
    await page.keyboard.press('Escape');
    assert.equal(await page.$eval('#search', (one) => one.value), '');
    assert.deepEqual(troubles, []);
    await page.close();
});

test('samples are in three languages, and tokens stay out of them', async () => {
    const { page, troubles } = await openDocs({}, '#/operation/loginWithCredential');
    const sample = () => page.$eval('pre[aria-label="Code sample"]', (one) => one.textContent);
    const pick = (name) =>
        page.$$eval(
            '[aria-label="Language of the sample"] button',
            (all, name) => all.find((one) => one.textContent === name).click(),
            name,
        );
    assert.match(
        await sample(),
        /^curl -X POST 'http:[^']*\/api\/[^']*login\/credential' \\\n  -H 'Content-Type: application\/json' \\\n  -d '{/,
    );
    await pick('Python');
    assert.match(await sample(), /requests\.request\("POST", .*\n    json={/s);
    await pick('JavaScript');
    assert.match(await sample(), /await fetch\(.*JSON\.stringify\({/s);
    await page.evaluate(() => (location.hash = '#/operation/logout'));
    await page.waitForFunction(() => /Log out/.test(document.querySelector('main h1').textContent));
    assert.match(await sample(), /await fetch/, 'the language stays');
    await page.$$eval('details', (all) => (all.find((one) => /^Try it/.test(one.textContent)).open = true));
    await paste(page, 'form input[type=password]', 'very-secret-token');
    assert.match(await sample(), /Bearer TOKEN/);
    assert.ok(!(await page.content()).includes('very-secret-token'));
    await page.evaluate(() => (location.hash = '#/operation/listTermPolicies'));
    await page.waitForFunction(() => /List policies/.test(document.querySelector('main h1').textContent));
    const text = await page.$eval('main', (one) => one.textContent);
    assert.match(text, /optional unless the installation asks for them: A/);
    await page.$$eval('details', (all) => (all.find((one) => /^Try it/.test(one.textContent)).open = true));
    await page.$eval('form input[type=password]', (one) => {
        one.value = '';
        one.dispatchEvent(new Event('input'));
    });
    assert.doesNotMatch(await sample(), /Bearer/, 'a token that is optional');
    await paste(page, 'form input[type=password]', 'very-secret-token');
    assert.match(await sample(), /Bearer TOKEN/);
    await page.reload();
    await page.waitForSelector('form');
    assert.equal(await page.$eval('form input[type=password]', (one) => one.value), '');
    assert.deepEqual(troubles, []);
    await page.close();
});

// A text as a program would send it: what the sample of curl says must be what the form sends.
test('a request with parameters, a body and a token', async () => {
    service.createUser('docs@example.org');
    const token = await service.logIn('docs@example.org');
    const { page, troubles } = await openDocs({}, '#/operation/changePassword');
    await page.$$eval('details', (all) => (all.find((one) => /^Try it/.test(one.textContent)).open = true));
    await paste(page, 'form input[type=password]', token);
    await page.$eval('form textarea', (one) => {
        one.value = '{"oldPassword":"wrong"}';
        one.dispatchEvent(new Event('input'));
    });
    await page.$eval('form [type=submit]', (one) => one.click());
    await page.waitForSelector('form h3');
    assert.equal(await page.$eval('form h3', (one) => one.textContent), '422 Unprocessable Content');
    assert.match(await page.$eval('form pre', (one) => one.textContent), /newPassword/);
    assert.deepEqual(
        troubles.filter((one) => !one.includes('422')),
        [],
    );
    await page.close();
});

test('a parameter that is the rest of the path keeps its slashes', async () => {
    service.publishPolicies({ privacy: 'We keep little.\n' });
    const { page } = await openDocs({}, '#/operation/filePublic');
    await page.$$eval('details', (all) => (all.find((one) => /^Try it/.test(one.textContent)).open = true));
    await paste(page, 'form input', 'term-policies/privacy/1/en.hbs');
    await page.$eval('form [type=submit]', (one) => one.click());
    await page.waitForSelector('form h3');
    assert.equal(await page.$eval('form h3', (one) => one.textContent), '200 OK');
    assert.match(await page.$eval('form', (one) => one.textContent), /We keep little/);
    await page.close();
});

test('every operation and schema can be shown', async () => {
    const { page, troubles } = await openDocs();
    const { paths, components } = await service.json('/docs/json');
    const ids = Object.values(paths)
        .flatMap((item) => Object.values(item))
        .map((one) => one.operationId)
        .filter(Boolean);
    assert.ok(ids.length > 100);
    const hashes = [
        ...ids.map((id) => `#/operation/${id}`),
        ...Object.keys(components.schemas).map((name) => `#/schema/${name}`),
    ];
    // What is said needs no layout.
    await page.$eval('main', (main) => (main.style.display = 'none'));
    for (const hash of hashes) {
        const shown = await page.evaluate(async (hash) => {
            const changed = new Promise((resume) => addEventListener('hashchange', resume, { once: true }));
            location.hash = hash;
            await changed;
            for (let closed; (closed = [...document.querySelectorAll('main details:not([open])')]).length > 0;) {
                const opened = closed.map(
                    (one) => new Promise((resume) => one.addEventListener('toggle', resume, { once: true })),
                );
                for (const one of closed) one.open = true;
                await Promise.all(opened);
            }
            return document.querySelector('main').textContent;
        }, hash);
        assert.ok(!/undefined|\[object|NaN|Not found/.test(shown), `${hash}: ${shown}`);
    }
    await page.evaluate(() => (location.hash = '#/operation/nosuch'));
    await whenHeading(page, 'Not found');
    assert.deepEqual(troubles, []);
    await page.close();
});

test('everybody can use it: light and dark, 320 to 1280 pixels', async () => {
    for (const width of [320, 1280]) {
        const { page } = await openDocs({ width });
        const look = (state) => assertAccessible(page, `docs-${state}`, { widths: [width], hasScripts: true });
        await look('start');
        if (width === 320) await page.click('#menu');
        await paste(page, '#search', 'two-factor');
        await look('found');
        await page.evaluate(() => (location.hash = '#/operation/loginWithCredential'));
        await whenHeading(page, 'Log in with email and password');
        await page.$$eval('main details', (all) => all.forEach((one) => (one.open = true)));
        await page.waitForFunction(() => document.querySelectorAll('main .response pre').length > 5);
        await look('operation');
        await page.evaluate(() => (location.hash = '#/schema/Error'));
        await whenHeading(page, 'Error');
        await look('schema');
        await page.close();
    }
});

test('the choice of colors wins over the system and stays', async () => {
    const { page } = await openDocs({ scheme: 'light' });
    const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    assert.equal(await ground(), 'rgb(255, 255, 255)');
    await page.select('#colors', 'dark');
    assert.equal(await ground(), 'rgb(22, 24, 29)');
    await page.reload();
    assert.equal(await ground(), 'rgb(22, 24, 29)');
    await page.select('#colors', 'light dark');
    assert.equal(await ground(), 'rgb(255, 255, 255)');
    await page.close();
});

test('the first visit transfers less than 100 kB, and nothing from other hosts', async () => {
    const { page, troubles } = await openPage(await openContext(browser), service.origin);
    const client = await page.createCDPSession();
    await client.send('Network.enable');
    let bytes = 0;
    client.on('Network.loadingFinished', ({ encodedDataLength }) => (bytes += encodedDataLength));
    await page.goto(`${service.origin}/docs`, { waitUntil: 'networkidle0' });
    await page.waitForSelector('main h1');
    assert.ok(bytes > 20_000 && bytes < 100_000, `${bytes} bytes`);
    console.log(`first visit: ${bytes} bytes`);
    assert.deepEqual(troubles, []);
    await page.close();
});

test('markup in the document stays text', async () => {
    const { page, troubles } = await openPage(browser, service.origin);
    const markup = '<img src=x onerror=alert(1)>';
    const document = JSON.parse(
        (await service.text('/docs/json')).replaceAll('Log in with email and password', markup.replaceAll('"', '\\"')),
    );
    await page.setRequestInterception(true);
    page.on('request', (request) =>
        request.url().endsWith('/docs/json')
            ? request.respond({ contentType: 'application/json', body: JSON.stringify(document) })
            : request.continue(),
    );
    await page.goto(`${service.origin}/docs#/operation/loginWithCredential`);
    await whenHeading(page, markup);
    assert.equal(await page.$('img'), null);
    assert.deepEqual(troubles, []);
    await page.close();
});
