// What the tests of pages share: the service in a folder of its own, and Chromium, which may speak to nobody else.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach } from 'node:test';

const require = createRequire(`${process.env.CONSENTRY_NODE_MODULES}/`);
const puppeteer = require('puppeteer-core');
const axe = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

export const root = new URL('../..', import.meta.url).pathname;
const password = 'Velvet-Harbor-42';
const sanitizerOptions = ['ASAN_OPTIONS', 'UBSAN_OPTIONS', 'TSAN_OPTIONS', 'LLVM_PROFILE_FILE'];

// Ends what tests started, the last first, also if their preparations failed: a test that waits for its children hangs.
const endings = [];
export const atEnd = (end) => endings.push(end);
after(async () => {
    const failures = [];
    while (endings.length > 0) {
        try {
            await endings.pop()();
        } catch (error) {
            failures.push(error);
        }
    }
    if (failures.length > 0) throw failures[0];
});

// Whether the service runs on PostgreSQL and Redis. How pages look does not depend on it.
export const onSharedEngines = process.env.CONSENTRY_TEST_ENGINES === 'shared';

// A schema and a namespace in the servers that CTest's fixture "engines" starts.
class SharedEngines {
    name = `t${randomBytes(8).toString('hex')}`;

    constructor() {
        const lines = readFileSync(process.env.CONSENTRY_ENGINE_ADDRESSES, 'utf8').trim().split('\n');
        this.addresses = Object.fromEntries(lines.map((line) => line.split(/=(.*)/s)));
        this.url = `${this.addresses.POSTGRES_URL}?options=-c%20search_path%3D${this.name}`;
        this.sql(`CREATE SCHEMA ${this.name}`);
    }
    sql(statement) {
        const options = ['--quiet', '--no-align', '--tuples-only', '--command', statement];
        const ended = spawnSync('psql', [...options, this.url], { encoding: 'utf8' });
        if (ended.status !== 0) throw new Error(`psql: ${ended.error ?? ended.stderr}`);
        return ended.stdout.trim();
    }
    settings() {
        return {
            DATABASE_URL: this.url,
            DATABASE_TIMEOUT: '25s',
            CACHE_URL: this.addresses.REDIS_URL,
            CACHE_NAMESPACE: this.name,
            CACHE_TIMEOUT: '10s',
        };
    }
    drop() {
        this.sql(`SET client_min_messages = warning; DROP SCHEMA ${this.name} CASCADE`);
    }
}

export class Service {
    constructor(settings = {}) {
        this.folder = mkdtempSync(join(tmpdir(), 'consentry-browser-'));
        endings.push(() => this.end());
        if (onSharedEngines) this.engines = new SharedEngines();
        // Nothing of the machine's own settings but what sanitizers read, and the cheapest permitted password hash.
        this.environment = {
            ...Object.fromEntries(
                sanitizerOptions.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])),
            ),
            HTTP_HOST: '127.0.0.1',
            HTTP_PORT: '0',
            HTTP_THREADS: '2',
            AUTH_PASSWORD_ARGON2_MEMORY_IN_KIB: '8192',
            AUTH_PASSWORD_ARGON2_PASSES: '1',
            THROTTLE_LIMIT: '0',
            ...this.engines?.settings(),
            ...settings,
        };
    }

    run(args, input = '') {
        const options = { cwd: this.folder, env: this.environment, input, encoding: 'utf8' };
        const ended = spawnSync(process.env.CONSENTRY_PROGRAM, args, options);
        if (ended.status !== 0) throw new Error(`consentry ${args.join(' ')}: ${ended.stdout}${ended.stderr}`);
        return ended.stdout;
    }

    async start() {
        const options = { cwd: this.folder, env: this.environment, stdio: ['ignore', 'ignore', 'pipe'] };
        this.process = spawn(process.env.CONSENTRY_PROGRAM, ['serve'], options);
        process.once('exit', () => this.process.kill('SIGKILL'));
        this.said = '';
        // Settled when all that it has said is there.
        this.ended = new Promise((resolve) => this.process.once('close', (code, signal) => resolve(signal ?? code)));
        this.origin = await new Promise((resolve, reject) => {
            this.process.stderr.on('data', (text) => {
                this.said += text;
                const address = /listens on (http:\/\/\S+)/.exec(this.said);
                if (address) resolve(address[1]);
            });
            this.ended.then((how) => reject(new Error(`consentry serve ended with ${how}: ${this.said}`)));
        });
    }

    // Rejects if the service did not end well: it crashed, or a sanitizer has found something.
    async end() {
        this.process?.kill('SIGTERM');
        const how = (await this.ended) ?? 0;
        this.engines?.drop();
        this.engines = undefined;
        rmSync(this.folder, { recursive: true, force: true });
        if (how !== 0) throw new Error(`consentry serve ended with ${how}: ${this.said}`);
    }

    // Makes the database, so that commands find it.
    migrate() {
        this.run(['migrate']);
    }

    createUser(email, role = 'user') {
        return this.run(['user', 'create', '--email', email, '--role', role], `${password}\n`).trim();
    }

    // Publishes version 1 of each of the types with this text in English.
    publishPolicies(texts) {
        for (const [type, text] of Object.entries(texts)) {
            const folder = join(this.folder, 'texts', type, '1');
            mkdirSync(folder, { recursive: true });
            writeFileSync(join(folder, 'en.hbs'), text);
        }
        this.run(['policy', 'import', 'texts']);
        for (const type of Object.keys(texts)) this.run(['policy', 'publish', type, '1']);
    }

    async fetch(path, { token, ...options } = {}) {
        const headers = {
            ...(options.body && { 'Content-Type': 'application/json' }),
            ...(token && { Authorization: `Bearer ${token}` }),
        };
        const answer = await fetch(this.origin + path, { ...options, headers });
        return { status: answer.status, headers: answer.headers, bytes: Buffer.from(await answer.arrayBuffer()) };
    }
    async text(path, options) {
        const answer = await this.fetch(path, options);
        if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${answer.bytes}`);
        return answer.bytes.toString();
    }
    async json(path, options) {
        return JSON.parse(await this.text(path, options));
    }
    post(path, token, body) {
        return this.json(path, { method: 'POST', token, body: JSON.stringify(body) });
    }

    async logIn(email) {
        const answer = await this.post('/api/public/user/login/credential', null, { email, password, from: 'website' });
        return answer.data.tokens.accessToken;
    }

    // Asks again until the answer is 200: the log publishes once a second.
    async eventually(path, options) {
        for (const deadline = Date.now() + 120_000; ; await new Promise((resume) => setTimeout(resume, 50))) {
            const answer = await this.fetch(path, options);
            if (answer.status === 200) return answer.bytes.toString();
            if (Date.now() > deadline) throw new Error(`${path}: still ${answer.status} ${answer.bytes}`);
        }
    }

    // Rows of the database, by column.
    rows(select) {
        if (this.engines) return JSON.parse(this.engines.sql(`SELECT coalesce(json_agg(r), '[]') FROM (${select}) r`));
        const ended = spawnSync('sqlite3', ['-readonly', '-json', join(this.folder, 'data/consentry.db'), select], {
            encoding: 'utf8',
        });
        if (ended.status !== 0) throw new Error(ended.stderr);
        return JSON.parse(ended.stdout || '[]');
    }
}

// A browser with a profile of its own. `options` are further arguments of Chromium.
export async function openBrowser(...options) {
    const profile = mkdtempSync(join(tmpdir(), 'consentry-chromium-'));
    const browser = await puppeteer.launch({
        executablePath: process.env.CONSENTRY_CHROMIUM,
        headless: true,
        userDataDir: profile,
        args: [
            '--no-sandbox',
            '--disable-gpu',
            '--disable-quic',
            '--no-first-run',
            '--disable-background-networking',
            '--disable-component-update',
            '--disable-sync',
            '--disable-dev-shm-usage',
            ...options,
        ],
    });
    endings.push(async () => {
        await browser.close();
        rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
    });
    return browser;
}

// A profile of its own, which ends with the test: a page that a failed test left open would hide those of the next.
const contexts = [];
export async function openContext(browser) {
    const context = await browser.createBrowserContext();
    contexts.push(context);
    return context;
}
afterEach(async () => {
    while (contexts.length > 0) await contexts.pop().close();
});

// How pages look: `look` is { width, height, scheme }.
async function setLook(page, { width = 1280, height = 900, scheme = 'light' } = {}) {
    await page.setViewport({ width, height });
    await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
}

// A tab of a browser or context. Its waits end late: beside other tests, a machine may take long for one page.
export async function newTab(context) {
    const page = await context.newPage();
    page.setDefaultTimeout(120_000);
    return page;
}

// A tab that records what a page must not do: `troubles` contains errors of the console and requests to other addresses
// than those that begin with `origin`.
export async function openPage(browser, origin, look) {
    const page = await newTab(browser);
    await setLook(page, look);
    const troubles = [];
    page.on('console', (message) => ['error', 'warn'].includes(message.type()) && troubles.push(message.text()));
    page.on('pageerror', (error) => troubles.push(String(error)));
    page.on('request', (request) => request.url().startsWith(origin) || troubles.push(`request to ${request.url()}`));
    return { page, troubles };
}

// What axe-core finds wrong with the page, as sentences. Runs outside the page's own security policy.
export async function violations(page) {
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
    const found = await evaluate('axe.run(document).then((result) => result.violations)');
    await client.detach();
    return found.map(
        ({ id, nodes }) => `${id}: ${nodes.map((node) => `${node.target} ${node.failureSummary}`).join('; ')}`,
    );
}

export const isTooWide = (page) =>
    page.evaluate(() => document.documentElement.scrollWidth > document.documentElement.clientWidth);

// Keeps a picture in CONSENTRY_SCREENSHOTS, if that folder is set.
const screenshots = process.env.CONSENTRY_SCREENSHOTS;
export async function picture(page, name) {
    if (screenshots) await page.screenshot({ path: join(screenshots, `${name}.png`), fullPage: true });
}

// Looks at a page in narrow and wide windows and in both color schemes: axe-core finds nothing, and nothing is cut off.
// Each width and each scheme is checked once, as colors do not depend on the width; pictures show all four.
export async function assertAccessible(page, name) {
    const look = async (scheme, width) => {
        await setLook(page, { scheme, width });
        await picture(page, `${name}-${scheme}-${width}`);
    };
    for (const [scheme, width] of [
        ['light', 320],
        ['dark', 1280],
    ]) {
        await look(scheme, width);
        assert.deepEqual(await violations(page), [], `${name}, ${scheme}, ${width} px`);
        assert.equal(await isTooWide(page), false, `${name}, ${width} px`);
    }
    if (screenshots) {
        await look('dark', 320);
        await look('light', 1280);
    }
}
