// Two identity providers for tests, google and apple by name: each publishes its keys over https, and signs over plain http
// whatever it is asked to sign, forgeries included. Node's own modules and nothing else.
//
//   node idp.mjs FOLDER   wants FOLDER/tls.crt and tls.key; FOLDER/ports has HTTPS_PORT and CONTROL_PORT once it listens
//
// https    GET /google/keys, GET /apple/keys
// control  POST /token    {provider?, alg?, kid?, header?, headerText?, claims?, payload?, signer?, secret?, tamper?} -> {token}
//          POST /rotate   {provider?, keep?}   new RS256 and ES256 keys, with `keep` beside the old ones
//          POST /fault    {provider?, kind?, ...}   how keys are answered from now on; without kind, as they should be
//          POST /reset    no faults, and all counts at zero
//          GET  /stats    how often the keys of each were asked for, and anything else
import { createHmac, createPublicKey, generateKeyPairSync, randomBytes, sign, constants } from 'node:crypto';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createServer as createHttp } from 'node:http';
import { createServer as createHttps } from 'node:https';

const [folder] = process.argv.slice(2);
const curveOrder = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;  // of P-256

const keyOf = (alg) => ({
    kid: randomBytes(8).toString('hex'),
    alg,
    ...(alg === 'RS256' ? generateKeyPairSync('rsa', { modulusLength: 2048 }) : generateKeyPairSync('ec', { namedCurve: 'P-256' })),
});
const newKeys = () => [keyOf('RS256'), keyOf('ES256')];
const providerOf = () => ({ keys: newKeys(), fault: {} });
const providers = { google: providerOf(), apple: providerOf() };
const stranger = newKeys();  // these are not published
const stats = { google: 0, apple: 0, other: 0 };

const base64url = (value) => Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');
const pemOf = (key) => createPublicKey(key.privateKey).export({ type: 'spki', format: 'pem' });

function signatureOf(alg, key, input, secret) {
    const bytes = Buffer.from(input);
    if (alg === 'none') return Buffer.alloc(0);
    if (alg.startsWith('HS')) return createHmac(`sha${alg.slice(2)}`, secret ?? pemOf(key)).update(bytes).digest();
    if (key.alg === 'ES256') return sign('sha256', bytes, { key: key.privateKey, dsaEncoding: 'ieee-p1363' });
    const options = { key: key.privateKey };
    if (alg.startsWith('PS')) Object.assign(options, { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 });
    const bits = /^[A-Z]S(256|384|512)$/.exec(alg)?.[1] ?? '256';
    return sign(`sha${bits}`, bytes, options);
}

// ECDSA knows a second signature for each first one.
function secondSpelling(signature) {
    const s = curveOrder - BigInt('0x' + signature.subarray(32).toString('hex'));
    return Buffer.concat([signature.subarray(0, 32), Buffer.from(s.toString(16).padStart(64, '0'), 'hex')]);
}

function token({ provider = 'google', alg = 'RS256', kid, header = {}, headerText, claims = {}, payload, signer, secret, tamper }) {
    const kind = alg.startsWith('E') ? 'ES256' : 'RS256';
    const pick = (keys) => keys.find((key) => key.alg === kind);
    const named = pick(providers[provider].keys);
    const signing = signer === 'stranger' ? pick(stranger) : signer ? pick(providers[signer].keys) : named;
    const first = headerText ?? { alg, typ: 'JWT', kid: kid ?? named.kid, ...header };
    const input = `${base64url(first)}.${base64url(payload ?? claims)}`;
    let signature = signatureOf(alg, signing, input, secret);
    if (tamper === 'der') signature = sign('sha256', Buffer.from(input), signing.privateKey);
    if (tamper === 'signature') signature[8] ^= 1;
    if (tamper === 'short') signature = signature.subarray(1);
    if (tamper === 'second spelling') signature = secondSpelling(signature);
    const text = signature.toString('base64url');
    if (tamper === 'payload') return `${base64url(first)}.${base64url({ ...claims, sub: 'somebody-else' })}.${text}`;
    if (tamper === 'padding') return `${input}.${text}=`;
    if (tamper === 'four parts') return `${input}.${text}.`;
    return `${input}.${text}`;
}

function answerKeys(name, request, response) {
    const { keys, fault } = providers[name];
    stats[name] += 1;
    switch (fault.kind) {
        case 'status': return response.writeHead(fault.status).end('{}');
        case 'body': return response.writeHead(200).end(fault.body);
        case 'redirect': return response.writeHead(302, { location: fault.to }).end();
        case 'drop': return request.socket.destroy();
        case 'silence': return undefined;
        case 'drip': {
            response.writeHead(200);
            const timer = setInterval(() => response.write(' '), 50);
            return response.on('close', () => clearInterval(timer));
        }
        case 'flood': {
            response.writeHead(200, { 'content-length': 1 << 30 });
            const more = () => { while (!response.destroyed && response.write(Buffer.alloc(65536, ' '))); };
            response.on('drain', more);
            return more();
        }
    }
    const published = keys.map((key) => ({ ...createPublicKey(key.privateKey).export({ format: 'jwk' }), kid: key.kid, alg: key.alg, use: 'sig' }));
    response.writeHead(200, { 'cache-control': fault.cacheControl ?? 'public, max-age=3600', 'content-type': 'application/json' });
    return response.end(JSON.stringify({ keys: [...published, ...(fault.more ?? [])] }));
}

const providerIn = (path) => /^\/(google|apple)\/keys$/.exec(path)?.[1];

function publish(request, response) {
    const name = providerIn(request.url);
    if (name && request.method === 'GET') return answerKeys(name, request, response);
    stats.other += 1;
    return response.writeHead(404).end();
}

async function control(request, response) {
    let text = '';
    for await (const chunk of request) text += chunk;
    const body = text ? JSON.parse(text) : {};
    const provider = providers[body.provider ?? 'google'];
    const reply = (value) => response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value));
    switch (`${request.method} ${request.url}`) {
        case 'POST /token': return reply({ token: token(body) });
        case 'POST /rotate':
            provider.keys = [...newKeys(), ...(body.keep ? provider.keys : [])];
            return reply({});
        case 'POST /fault':
            provider.fault = body;
            return reply({});
        case 'POST /reset':
            for (const one of Object.values(providers)) one.fault = {};
            for (const name of Object.keys(stats)) stats[name] = 0;
            return reply({});
        case 'GET /stats': return reply(stats);
        default:
            stats.other += 1;
            return response.writeHead(404).end();
    }
}

const https = createHttps({ cert: readFileSync(`${folder}/tls.crt`), key: readFileSync(`${folder}/tls.key`) }, publish);
const http = createHttp((request, response) => control(request, response).catch((error) => response.writeHead(400).end(String(error))));
const listening = (server) => new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server.address().port)));
const ports = [await listening(https), await listening(http)];
writeFileSync(`${folder}/ports.new`, `HTTPS_PORT=${ports[0]}\nCONTROL_PORT=${ports[1]}\n`);
renameSync(`${folder}/ports.new`, `${folder}/ports`);
