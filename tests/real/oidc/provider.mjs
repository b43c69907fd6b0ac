// A genuine OpenID provider (the npm package oidc-provider) over https, and a person who logs in there: a whole
// authorization code flow with PKCE by each order.
//
//   node provider.mjs FOLDER   wants FOLDER/tls.crt and tls.key, and NODE_EXTRA_CA_CERTS; FOLDER/ports has HTTPS_PORT and
//                              CONTROL_PORT once it listens
//
// control  POST /token  {client, subject, email, emailVerified?, nonce?} -> {token}
//
// Clients: `rsa` gets its tokens signed with RS256, `ec` with ES256. `google-web` and `apple-web` are for browsers,
// which the provider sends back to https://accounts.example.com with a form; anyone can log in there as NAME, whose
// address is NAME@example.org. Version 8 of the package: version 9 does not run on Debian 12's node 18.
import { createHash, generateKeyPairSync, randomBytes } from 'node:crypto';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createServer as createHttp } from 'node:http';
import { createServer as createHttps, request } from 'node:https';
import Provider from 'oidc-provider';

const [folder] = process.argv.slice(2);
const callback = 'https://client.example.org/callback';
const people = new Map();
const addressOf = (name) => ({ email: `${name}@example.org`, email_verified: true });

const jwkOf = (alg, pair) => ({ ...pair.privateKey.export({ format: 'jwk' }), alg, use: 'sig', kid: randomBytes(8).toString('hex') });
const clientOf = (id, alg) => ({
    client_id: id,
    redirect_uris: [callback],
    response_types: ['code'],
    grant_types: ['authorization_code'],
    token_endpoint_auth_method: 'none',
    id_token_signed_response_alg: alg,
});
const websiteOf = (name, alg, responseType, grants) => ({
    ...clientOf(`${name}-web`, alg),
    redirect_uris: [`https://accounts.example.com/login/${name}/callback`],
    response_types: [responseType],
    grant_types: grants,
});
const configuration = {
    clients: [
        clientOf('rsa', 'RS256'),
        clientOf('ec', 'ES256'),
        websiteOf('google', 'RS256', 'id_token', ['implicit']),
        websiteOf('apple', 'ES256', 'code id_token', ['authorization_code', 'implicit']),
    ],
    jwks: {
        keys: [
            jwkOf('RS256', generateKeyPairSync('rsa', { modulusLength: 2048 })),
            jwkOf('ES256', generateKeyPairSync('ec', { namedCurve: 'P-256' })),
        ],
    },
    pkce: { methods: ['S256'], required: (_, client) => client.clientId !== 'apple-web' },  // Apple knows no PKCE
    cookies: { keys: [randomBytes(16).toString('hex')] },
    claims: { openid: ['sub'], email: ['email', 'email_verified'] },
    conformIdTokenClaims: false,  // address and all, as Google does
    findAccount: (_, id) => ({ accountId: id, claims: () => ({ sub: id, ...(people.get(id) ?? addressOf(id)) }) }),
};

// Not fetch(): that of Debian 12 does not tell cookies apart.
function send(url, form, headers = {}) {
    return new Promise((resolve, reject) => {
        const type = form && { 'content-type': 'application/x-www-form-urlencoded' };
        const asked = request(url, { method: form ? 'POST' : 'GET', headers: { ...headers, ...type } }, async (response) => {
            let text = '';
            for await (const chunk of response) text += chunk;
            resolve({ headers: response.headers, text });
        });
        asked.on('error', reject).end(form && new URLSearchParams(form).toString());
    });
}

// What a browser does: follows redirects, keeps cookies.
function browser(origin) {
    const cookies = new Map();
    return async (address, form) => {
        let url = new URL(address, origin);
        let sent = form;
        for (;;) {
            const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
            const { headers, text } = await send(url, sent, { cookie });
            for (const line of headers['set-cookie'] ?? []) {
                const [, name, value] = /^([^=]+)=([^;]*)/.exec(line);
                if (value) cookies.set(name, value);
                else cookies.delete(name);
            }
            if (!headers.location) return { url, text };
            url = new URL(headers.location, url);
            sent = undefined;
            if (url.origin !== origin) return { url };
        }
    };
}

async function logIn(origin, { client, subject, email, emailVerified, nonce }) {
    people.set(subject, { email, email_verified: emailVerified ?? true });
    const visit = browser(origin);
    const verifier = randomBytes(32).toString('base64url');
    const query = new URLSearchParams({
        client_id: client,
        redirect_uri: callback,
        response_type: 'code',
        scope: 'openid email',
        code_challenge: createHash('sha256').update(verifier).digest('base64url'),
        code_challenge_method: 'S256',
        ...(nonce && { nonce }),
    });
    let page = await visit(`/auth?${query}`);
    for (const form of [{ prompt: 'login', login: subject, password: 'any' }, { prompt: 'consent' }])
        if (page.url.origin === origin) page = await visit(page.url, form);
    const code = page.url.searchParams.get('code');
    if (!code) throw new Error(`no code: ${page.url} ${page.text ?? ''}`);
    const answer = await send(new URL('/token', origin), {
        grant_type: 'authorization_code',
        client_id: client,
        code,
        redirect_uri: callback,
        code_verifier: verifier,
    });
    const tokens = JSON.parse(answer.text);
    if (!tokens.id_token) throw new Error(JSON.stringify(tokens));
    return tokens.id_token;
}

let listener = (_, response) => response.writeHead(503).end();
const https = createHttps({ cert: readFileSync(`${folder}/tls.crt`), key: readFileSync(`${folder}/tls.key`) }, (...exchange) =>
    listener(...exchange),
);
const listening = (server) => new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server.address().port)));
const port = await listening(https);
const origin = `https://127.0.0.1:${port}`;
listener = new Provider(origin, configuration).callback();

const http = createHttp(async (order, response) => {
    try {
        let text = '';
        for await (const chunk of order) text += chunk;
        const token = await logIn(origin, JSON.parse(text));
        response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ token }));
    } catch (error) {
        response.writeHead(500).end(String(error));
    }
});
const controlPort = await listening(http);
writeFileSync(`${folder}/ports.new`, `HTTPS_PORT=${port}\nCONTROL_PORT=${controlPort}\n`);
renameSync(`${folder}/ports.new`, `${folder}/ports`);
