// What the tests of the TypeScript client share, beside the harness of the tests of pages.
import { spawnSync } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { chmodSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after } from 'node:test';
import { pathToFileURL } from 'node:url';
import { root } from '../browser/harness.mjs';

export const built = process.env.CONSENTRY_CLIENT;
export const { Consentry, ConsentryError, browserStorage, memoryStorage } = await import(
    pathToFileURL(join(built, 'dist/index.js'))
);
export const password = 'Velvet-Harbor-42';

// The code of an authenticator app, `ahead` steps of 30 seconds from now. Consentry takes each step once, in ascending
// order, from the previous to the next. Tests take 0, then 1, which time cannot make invalid while they run.
export function totp(secret, ahead = 0) {
    const bits = [...secret].map((letter) =>
        'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(letter).toString(2).padStart(5, '0'),
    );
    const key = Buffer.from(
        bits
            .join('')
            .match(/.{8}/g)
            .map((byte) => parseInt(byte, 2)),
    );
    const counter = Buffer.alloc(8);
    counter.writeBigUInt64BE(BigInt(Math.floor(Date.now() / 30_000) + ahead));
    const digest = createHmac('sha1', key).update(counter).digest();
    const number = digest.readUInt32BE(digest[19] & 15) & 0x7fffffff;
    return String(number % 1_000_000).padStart(6, '0');
}

// The token of the newest mail with a link to this page. Mails are written shortly after the answer.
export async function mailedToken(service, page) {
    const folder = join(service.folder, 'data/mail');
    for (
        const deadline = Date.now() + 30_000;
        Date.now() < deadline;
        await new Promise((resume) => setTimeout(resume, 20))
    ) {
        let names = [];
        try {
            names = readdirSync(folder).filter((name) => name.endsWith('.eml'));
        } catch {
            continue; // not made yet
        }
        for (const name of names.sort().reverse()) {
            const token = new RegExp(`/${page}/([A-Za-z0-9]+)`).exec(readFileSync(join(folder, name), 'utf8'));
            if (token) return token[1];
        }
    }
    throw new Error(`no mail with a link to ${page}`);
}

const endings = [];
after(() => {
    for (const end of endings) end();
});

// A web server on a port of its own, until the tests end. Returns its origin.
export async function listen(handler) {
    const server = createServer(handler);
    await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
    endings.push(() => {
        server.close();
        server.closeAllConnections();
    });
    return `http://127.0.0.1:${server.address().port}`;
}

// Identity providers that sign any claims; see tests/real/idp.mjs.
export async function startProviders() {
    const script = join(root, 'tests/real/idp.sh');
    const folder = join(mkdtempSync(join(tmpdir(), 'consentry-idp-')), 'idp');
    chmodSync(dirname(folder), 0o755); // the providers run as another user
    const call = (...args) => {
        const ended = spawnSync(script, args, { encoding: 'utf8' });
        if (ended.status !== 0) throw new Error(ended.stdout + ended.stderr);
        return ended.stdout;
    };
    const ports = Object.fromEntries(
        [...call('start', '--owner', String(process.pid), folder).matchAll(/(\w+)_PORT=(\d+)/g)].map((one) =>
            one.slice(1),
        ),
    );
    endings.push(() => {
        call('stop', folder);
        rmSync(dirname(folder), { recursive: true });
    });
    const now = Math.floor(Date.now() / 1000);
    return {
        https: `https://127.0.0.1:${ports.HTTPS}`,
        authority: join(folder, 'ca.crt'),
        token: async (provider, claims) => {
            const common = { sub: claims.email, email_verified: true, iat: now, exp: now + 300 };
            const answer = await fetch(`http://127.0.0.1:${ports.CONTROL}/token`, {
                method: 'POST',
                body: JSON.stringify({ provider, claims: { ...common, ...claims } }),
            });
            return (await answer.json()).token;
        },
    };
}

// A client that records what it sends, as "METHOD /path". `intercept(send, line, signal)` may replace an answer.
export function recorded(service, { intercept, ...options } = {}) {
    const sent = [];
    const client = new Consentry({
        baseUrl: service.origin,
        ...options,
        fetch: (url, init) => {
            const line = `${init.method} ${new URL(url).pathname}`;
            sent.push(line);
            const send = () => fetch(url, init);
            return intercept ? intercept(send, line, init.signal) : send();
        },
    });
    return { client, sent, count: (part) => sent.filter((line) => line.includes(part)).length };
}

// Resolves with the next event of this type.
export const next = (client, type) =>
    new Promise((resolve) => {
        const stop = client.on(type, (event) => {
            stop();
            resolve(event);
        });
    });

export const named = (name) => (error) => {
    if (!(error instanceof ConsentryError)) throw error;
    if (error.name !== name) throw new Error(`expected ${name}, got ${error.name}: ${error.message}`, { cause: error });
    return true;
};

// Tokens that no service made, and answers that arrive at once.
export const madeUp = (sid, n, expiresAt = Date.now() + 600_000) => ({
    accessToken: `x.${btoa(JSON.stringify({ sid, n }))}.x`,
    refreshToken: `${sid}-${n}`,
    expiresAt,
    roleType: 'user',
});
export const answered = (status, body) => ({
    ok: status < 400,
    status,
    headers: new Headers({ 'content-type': 'application/json' }),
    json: async () => body,
    text: async () => JSON.stringify(body),
});
