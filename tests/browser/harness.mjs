// What the tests of pages share: the service in a folder of its own, and Chromium, which may speak to no other server.
// visitor.mjs has what people do at the browser, looks.mjs what a page must look like.
import { spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach } from 'node:test';
import { codeOf } from './totp.mjs';

const require = createRequire(`${process.env.CONSENTRY_NODE_MODULES}/`);
const puppeteer = require('puppeteer-core');

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

// What `look` returns once it throws no more.
async function until(what, look) {
    for (const deadline = Date.now() + 120_000; ; await new Promise((resume) => setTimeout(resume, 50))) {
        try {
            return await look();
        } catch (error) {
            if (Date.now() > deadline) throw new Error(`${what}: still ${error.message}`);
        }
    }
}

// Text that was quoted-printable.
const decoded = (text) =>
    text
        .replaceAll('=\r\n', '')
        .replaceAll(/=([0-9A-F]{2})/g, (_, digits) => String.fromCharCode(parseInt(digits, 16)));

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
        if (ended.error) throw ended.error;
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
            this.process.once('error', reject);
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

    // Publishes a version of each of the types with this text in English.
    publishPolicies(texts, version = 1) {
        for (const [type, text] of Object.entries(texts)) {
            const folder = join(this.folder, 'texts', type, String(version));
            mkdirSync(folder, { recursive: true });
            writeFileSync(join(folder, 'en.hbs'), text);
        }
        this.run(['policy', 'import', 'texts']);
        for (const type of Object.keys(texts)) this.run(['policy', 'publish', type, String(version)]);
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

    // Turns the second factor of an account on. Returns its secret and backup codes.
    async turnTwoFactorOn(email) {
        const token = await this.logIn(email);
        const { secret } = (await this.post('/api/user/2fa/setup', token, {})).data;
        const { backupCodes } = (await this.post('/api/user/2fa/confirm', token, { code: codeOf(secret) })).data;
        return { secret, backupCodes };
    }

    // Asks again until the answer is 200: the log publishes once a second.
    eventually(path, options) {
        return until(path, async () => {
            const answer = await this.fetch(path, options);
            if (answer.status !== 200) throw new Error(`${answer.status} ${answer.bytes}`);
            return answer.bytes.toString();
        });
    }

    // What `pattern` finds in the newest mail to an address that has it, once there is one.
    mailed(address, pattern) {
        const folder = join(this.folder, 'data/mail');
        return until(`a mail to ${address} with ${pattern}`, () => {
            const names = existsSync(folder) ? readdirSync(folder).sort().reverse() : [];
            for (const name of names) {
                const mail = readFileSync(join(folder, name), 'latin1');
                if (!mail.includes(`\nTo: ${address}\r\n`)) continue;
                const found = pattern.exec(decoded(mail));
                if (found) return found[1] ?? found[0];
            }
            throw new Error(`none among ${names.length}`);
        });
    }
    // The path and query of the link in it.
    async mailedLink(address, beginning) {
        const link = await this.mailed(address, new RegExp(`https?://[^/\\s]+${beginning}/[^\\s"<>]+`));
        return link.slice(link.indexOf(beginning));
    }

    // Rows of the database, by column.
    rows(select) {
        return JSON.parse(this.sqlite(['-readonly', '-json'], select) || '[]');
    }

    // Changes the database, as no request can.
    change(statement) {
        if (this.engines) this.engines.sql(statement);
        else this.sqlite([], statement);
    }

    sqlite(options, statement) {
        const args = ['-cmd', '.timeout 60000', ...options, join(this.folder, 'data/consentry.db'), statement];
        const ended = spawnSync('sqlite3', args, { encoding: 'utf8' });
        if (ended.status !== 0) throw new Error(ended.stderr);
        return ended.stdout;
    }

    // Locks the database against writers, as a program of the operator may. Returns what unlocks it.
    async lockDatabase() {
        const args = ['-bail', join(this.folder, 'data/consentry.db')];
        const holder = spawn('sqlite3', args, { stdio: ['pipe', 'pipe', 'inherit'] });
        endings.push(() => holder.kill());
        const ended = new Promise((resolve) => holder.once('exit', resolve));
        holder.stdin.write(".timeout 60000\nBEGIN IMMEDIATE;\nSELECT 'locked';\n");
        const [said] = await Promise.race([once(holder.stdout, 'data'), ended.then(() => [''])]);
        if (!String(said).includes('locked')) throw new Error('sqlite3 did not get the lock');
        return async () => {
            holder.stdin.end('ROLLBACK;\n');
            await ended;
        };
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
            '--renderer-process-limit=1', // makes no spare process; sites and profiles still have their own
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
export async function setLook(page, { width = 1280, height = 900, scheme = 'light' } = {}) {
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
// than those of `origins`. It may lead to `others`, whose own pages do as they please.
const records = new WeakMap();
export async function openPage(browser, origins, { others = [], ...look } = {}) {
    const page = await newTab(browser);
    await setLook(page, look);
    const record = { troubles: [], refusals: new Set(), expected: [], answer: undefined };
    records.set(page, record);
    const { troubles } = record;
    const isAt = (list, url) => [list].flat().some((origin) => url.startsWith(`${origin}/`));
    page.on('console', (message) => {
        if (!['error', 'warn'].includes(message.type()) || isAt(others, page.url())) return;
        troubles.push([message.text(), message.location().url].filter(Boolean).join(' '));
    });
    page.on('pageerror', (error) => troubles.push(String(error)));
    page.on('request', (request) => {
        const isTheirs = !request.isNavigationRequest() && isAt(others, request.frame()?.url() ?? '');
        if (!isTheirs && !isAt([origins, others].flat(), request.url())) troubles.push(`request to ${request.url()}`);
    });
    page.on('response', (answer) => {
        const request = answer.request();
        if (request.frame() !== page.mainFrame() || request.resourceType() !== 'document') return;
        const isRedirect = 'location' in answer.headers();
        if (isRedirect || answer.headers()['content-disposition']) return;
        record.answer = answer;
        if (answer.status() >= 400) record.refusals.add(answer.url());
    });
    return { page, troubles };
}

// What the server sent of a page that openPage() opened: its HTML, and the rules for what may run and load there.
export const sentHtml = (page) => records.get(page).answer.text();
export const sentPolicy = (page) => records.get(page).answer.headers()['content-security-policy'] ?? '';

// The troubles of such a page, without expected ones, and without the lines by which Chromium tells that the page is a
// refusal.
const refused = /^Failed to load resource: the server responded with a status of \d+ .*?(\S+)$/;
export function unexpectedTroubles(page) {
    const { troubles, refusals, expected } = records.get(page);
    const isExpected = (trouble) => expected.some((pattern) => pattern.test(trouble));
    return troubles.filter((trouble) => !isExpected(trouble) && !refusals.has(refused.exec(trouble)?.[1]));
}
export const expectTrouble = (page, pattern) => records.get(page).expected.push(pattern);
