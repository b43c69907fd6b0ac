// assets/verify.html as the service serves it: headers, use by mouse and keyboard, hostile input, accessibility, looks.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { openBrowser, openPage, root } from './harness.mjs';
import { faultsOf } from './html.mjs';
import { isTooWide, picture, violations } from './looks.mjs';
import { NoteKey, bundle } from './bundle.mjs';
import { recordedLog } from './records.mjs';

let log;
let browser;
before(async () => {
    [log, browser] = await Promise.all([recordedLog(), openBrowser()]);
});

async function openVerifier(options) {
    const opened = await openPage(browser, log.service.origin, options);
    await opened.page.goto(`${log.service.origin}/consent-log/verify`);
    return opened;
}
const fill = (page, id, text) => page.$eval(`#${id}`, (field, text) => (field.value = text), text);
async function submit(page) {
    await page.click('#verify');
    await page.waitForSelector('#result:not([hidden])');
    return page.$eval('#verdict', (one) => one.textContent);
}
const place = (name, content) => {
    const file = join(log.service.folder, name);
    writeFileSync(file, content);
    return file;
};

test('the service serves the file, under its policy', async () => {
    const answer = await log.service.fetch('/consent-log/verify');
    const file = readFileSync(join(root, 'assets/verify.html'));
    assert.equal(answer.status, 200);
    assert.ok(answer.bytes.equals(file));
    assert.deepEqual(await faultsOf(file.toString()), []);
    assert.equal(answer.headers.get('content-type'), 'text/html; charset=utf-8');
    const policy = /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(file.toString())[1];
    assert.equal(answer.headers.get('content-security-policy'), `${policy}; frame-ancestors 'none'`);
    assert.match(policy, /^default-src 'none'; script-src 'sha256-[^']*'; style-src 'sha256-/);
    const etag = answer.headers.get('etag');
    assert.match(etag, /^"/, 'strong');
    const again = await fetch(`${log.service.origin}/consent-log/verify`, { headers: { 'If-None-Match': etag } });
    assert.equal(again.status, 304);
});

test('by keyboard alone: paste, verify, read', async () => {
    const { page, troubles } = await openVerifier();
    const focusOn = async (id) => {
        for (let i = 0; i < 20; ++i) {
            if ((await page.evaluate(() => document.activeElement.id)) === id) return;
            await page.keyboard.press('Tab');
        }
        assert.fail(`the Tab key does not reach ${id}`);
    };
    await focusOn('trust');
    await page.keyboard.sendCharacter(log.vkey);
    await focusOn('record');
    await page.keyboard.sendCharacter(log.records[1].receipt);
    await focusOn('description');
    await page.keyboard.sendCharacter(log.descriptionNote.trimEnd()); // pasting may lose the last newline
    await focusOn('verify');
    await page.keyboard.press('Enter');
    await page.waitForSelector('#result:not([hidden])');
    assert.equal(await page.evaluate(() => document.activeElement.textContent), 'Verified');
    assert.match(
        await page.$eval('#findings', (one) => one.textContent),
        /privacy policy, version 1 in English, was accepted/,
    );
    assert.deepEqual(troubles, []);
    await page.close();
});

test('files are chosen, dropped and removed', async () => {
    const { page, troubles } = await openVerifier();
    await (await page.$('#trust-file')).uploadFile(place('key.txt', `${log.vkey}\n`));
    await (await page.$('#description-file')).uploadFile(place('description.note', log.descriptionNote));
    await (
        await page.$('#record-file')
    ).uploadFile(place('receipt.jwt', log.records[0].receipt), place('bundle.zip', bundle(log)));
    await page.waitForFunction(
        () =>
            document.querySelectorAll('#files li').length === 2 && document.getElementById('description').value !== '',
    );
    await page.evaluate((proof) => {
        const data = new DataTransfer();
        data.items.add(new File([proof], 'proof.tlog-proof'));
        document
            .querySelector('.zone')
            .dispatchEvent(new DragEvent('drop', { bubbles: true, cancelable: true, dataTransfer: data }));
    }, log.records[0].proof);
    assert.equal(await submit(page), 'Verified');
    const names = await page.$$eval('#findings h3', (all) => all.map((one) => one.textContent));
    assert.deepEqual(names, ['Verifiedbundle.zip', 'Verifiedreceipt.jwt', 'Verifiedproof.tlog-proof']);
    await page.click('button[aria-label="Remove bundle.zip"]');
    assert.equal(await submit(page), 'Verified');
    assert.equal((await page.$$('#findings h3')).length, 2);
    await page.click('#clear');
    assert.equal(await submit(page), 'Not verified');
    assert.match(await page.$eval('#verdict-text', (one) => one.textContent), /^Key or policy: enter the verifier key/);
    assert.deepEqual(troubles, []);
    await page.close();
});

// Markup wherever a stranger's text can reach the page: names of files, witnesses and keys, texts of claims and errors.
test('markup stays text', async () => {
    const { page, troubles } = await openVerifier();
    const markup = '<img/src=x/onerror=hacked()><script>hacked()</script>';
    await page.evaluate(() => (globalThis.hacked = () => (globalThis.isHacked = true)));
    const hostile = new NoteKey(`evil.example/${markup}`, Buffer.alloc(32, 7));
    const text = `${hostile.name}\n0\n47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=\n`;
    const token = (claims) =>
        ['{"alg":"ES256","kid":"k","typ":"consent-receipt+jwt"}', JSON.stringify(claims), markup]
            .map((part) => Buffer.from(part).toString('base64url'))
            .join('.');
    const claims = { ...log.records[0].claims, log: markup };
    const inputs = [
        markup,
        `c2sp.org/tlog-proof@v1\nindex ${markup}\n`,
        token(claims),
        token({ ...claims, action: markup }),
        `c2sp.org/tlog-proof@v1\nextra ${log.entries[0].toString('base64')}\nindex 0\n\n${text}\n${hostile.line(text)}`,
        JSON.stringify({ [markup]: { receipt: token(claims) } }),
    ];
    const policies = [
        hostile.vkey,
        markup,
        `${markup} ${markup}`,
        `log ${hostile.vkey}\nwitness ${markup} ${hostile.vkey}\nquorum ${markup}\n`,
    ];
    await (
        await page.$('#record-file')
    ).uploadFile(...inputs.map((content, i) => place(`<img src=x onerror=hacked()>${i}`, content)));
    let shown = '';
    for (const policy of policies) {
        await fill(page, 'trust', policy);
        assert.equal(await submit(page), 'Not verified');
        shown += await page.$eval('#result', (one) => one.textContent);
    }
    for (const where of [
        'The policy has no log <img',
        'is not number 0 of evil.example/<img',
        '<img src=x onerror=hacked()>0',
    ])
        assert.ok(shown.includes(where), `${where} is not shown in ${shown}`);
    assert.ok(shown.includes(markup), 'the markup is shown as it is');
    const good = `log ${log.vkey}\nquorum none\n`;
    await fill(page, 'trust', good);
    await submit(page);
    assert.equal(await page.$('img'), null);
    assert.equal(await page.evaluate(() => globalThis.isHacked), undefined);
    // The policy of the page is a second wall: what a defect would insert neither runs nor loads.
    const escaped = await page.evaluate(() => {
        try {
            document.body.innerHTML = '<img src=x>';
            return 'markup was parsed';
        } catch {
            const script = document.createElement('script');
            try {
                script.textContent = 'hacked()';
                document.body.append(script);
            } catch {}
            return globalThis.isHacked ? 'a script ran' : '';
        }
    });
    assert.equal(escaped, '');
    assert.deepEqual(
        troubles.filter(
            (one) =>
                !one.includes('TrustedHTML') &&
                !one.includes('TrustedScript') &&
                !one.includes('Content Security Policy'),
        ),
        [],
    );
    await page.close();
});

test('everybody can use it: light and dark, 320 to 1280 pixels', async () => {
    const wide = place('bundle.zip', bundle(log));
    const receipt = place('receipt.jwt', log.records[1].receipt);
    const { proof } = log.records[1];
    const moved = proof.replace(/^index (\d+)$/m, (_, index) => `index ${Number(index) + 1}`);
    assert.notEqual(moved, proof);
    const changed = place('changed.tlog-proof', moved);
    for (const [scheme, width] of [
        ['light', 1280],
        ['dark', 1280],
        ['light', 320],
        ['dark', 320],
    ]) {
        const { page, troubles } = await openVerifier({ scheme, width });
        const look = async (state) => {
            await picture(page, `verify-${state}-${scheme}-${width}`);
            assert.deepEqual(await violations(page), [], `${state}, ${scheme}, ${width}`);
            assert.equal(await isTooWide(page), false, `${state} is wider than ${width} pixels`);
        };
        await fill(page, 'trust', log.vkey);
        await fill(page, 'description', log.descriptionNote);
        await (await page.$('#record-file')).uploadFile(wide, receipt);
        assert.equal(await submit(page), 'Verified');
        await look('good');
        await (await page.$('#record-file')).uploadFile(changed); // the result now contains both kinds
        assert.equal(await submit(page), 'Not verified');
        await look('bad');
        assert.deepEqual(troubles, []);
        await page.close();
    }
});

test('a verification can be canceled', async () => {
    const { page, troubles } = await openVerifier();
    await fill(page, 'trust', log.vkey);
    await (
        await page.$('#record-file')
    ).uploadFile(place('receipts.jwt', `${log.records[0].receipt}\n`.repeat(200000)));
    await page.click('#verify');
    await page.waitForSelector('#cancel:not([hidden])');
    assert.equal(await page.$eval('#verify', (one) => one.disabled), true);
    await page.click('#cancel');
    await page.waitForFunction(() => document.getElementById('status').textContent === 'Canceled.');
    assert.equal(await page.$eval('#result', (one) => one.hidden), true);
    assert.deepEqual(troubles, []);
    await page.close();
});
