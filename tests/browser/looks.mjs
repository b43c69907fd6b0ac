// What a page must look like, to people and to programs: axe-core and html-validate find nothing wrong with it, nothing
// is cut off, nothing comes from elsewhere, and nothing depends on JavaScript. Also keeps pictures.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { test } from 'node:test';
import { sentHtml, sentPolicy, setLook, unexpectedTroubles } from './harness.mjs';
import { faultsOf } from './html.mjs';

const require = createRequire(`${process.env.CONSENTRY_NODE_MODULES}/`);
const axe = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

// A function that evaluates expressions beside axe-core, outside the page's own security policy.
async function besideAxe(page) {
    const client = await page.createCDPSession();
    const { frameTree } = await client.send('Page.getFrameTree');
    const { executionContextId } = await client.send('Page.createIsolatedWorld', {
        frameId: frameTree.frame.id,
        worldName: 'axe',
    });
    const evaluate = async (expression) => {
        const { result, exceptionDetails } = await client.send('Runtime.evaluate', {
            expression,
            contextId: executionContextId,
            awaitPromise: true,
            returnByValue: true,
        });
        if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
        return result.value;
    };
    await evaluate(`${axe}; 0`);
    return { evaluate, detach: () => client.detach() };
}

async function found({ evaluate }, options = {}) {
    const asked = JSON.stringify({ resultTypes: ['violations'], ...options });
    const list = await evaluate(`axe.run(document, ${asked}).then((result) => result.violations)`);
    return list.map(
        ({ id, nodes }) => `${id}: ${nodes.map((node) => `${node.target} ${node.failureSummary}`).join('; ')}`,
    );
}

// What axe-core finds wrong with the page, as sentences.
export async function violations(page) {
    const world = await besideAxe(page);
    const out = await found(world);
    await world.detach();
    return out;
}

export const isTooWide = (page) =>
    page.evaluate(() => document.documentElement.scrollWidth > document.documentElement.clientWidth);

// Keeps a picture in CONSENTRY_SCREENSHOTS, if that folder is set.
const screenshots = process.env.CONSENTRY_SCREENSHOTS;
export async function picture(page, name) {
    if (screenshots) await page.screenshot({ path: join(screenshots, `${name}.png`), fullPage: true });
}

// What a browser with JavaScript may treat otherwise than one without: scripts, and what elements and style sheets do if
// there are none.
const partsOfScripts = `[
    ...[...document.querySelectorAll('script, noscript')].map((element) => element.localName),
    ...[...document.querySelectorAll('*')].flatMap((element) =>
        element.getAttributeNames().filter((name) => name.startsWith('on'))),
    ...[...document.styleSheets].flatMap((sheet) =>
        [...sheet.cssRules].map((rule) => rule.cssText).filter((text) => text.includes('(scripting'))),
]`;

// No script can run on the page, so it is the same with and without JavaScript. Therefore the tests follow each flow once.
async function assertScriptless(page, world, name) {
    assert.match(sentPolicy(page), /(^|;) *default-src 'none' *(;|$)/, name);
    assert.doesNotMatch(sentPolicy(page), /script-src/, name);
    assert.deepEqual(await world.evaluate(partsOfScripts), [], name);
}

// Looks at a page that openPage() opened, in narrow and wide windows and in both color schemes.
export async function assertAccessible(page, name, { widths = [320, 1280], hasScripts = false } = {}) {
    assert.deepEqual(await faultsOf(await sentHtml(page)), [], `${name}, HTML`);
    const world = await besideAxe(page);
    if (!hasScripts) await assertScriptless(page, world, name);
    for (const width of widths)
        for (const scheme of ['light', 'dark']) {
            await setLook(page, { scheme, width });
            await picture(page, `${name}-${scheme}-${width}`);
            const options = scheme === 'dark' ? { runOnly: ['cat.color'] } : {};  // nothing else differs
            assert.deepEqual(await found(world, options), [], `${name}, ${scheme}, ${width} px`);
            assert.equal(await isTooWide(page), false, `${name}, ${width} px`);
        }
    await world.detach();
    assert.deepEqual(unexpectedTroubles(page), [], name);
}

// Tests of pages: for each of them a function that leads there. One visitor opens them in this order.
export function testPages(pages, visit) {
    test('every page is accessible, and fits narrow and wide windows', async () => {
        const one = await visit();
        for (const [name, open] of Object.entries(pages)) {
            await open(one);
            await assertAccessible(one.page, name);
        }
    });
}
