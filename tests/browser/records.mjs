// A log of the real service with a few records, and what a verifier gets to see of it.
import { randomBytes } from 'node:crypto';
import { NoteKey, pkcs8, sha256 } from './bundle.mjs';
import { Service } from './harness.mjs';

export const texts = {
    termsOfService: 'Terms of Example\n1. Be kind.\n',
    // The first line has the form of a receipt: three words with dots between them.
    privacy: 'www.example.com\nPrivacy at Example\n1. We keep little.\n',
    marketing: 'Mails from Example\n1. One a month.\n',
};

function splitEntries(bundle) {
    const entries = [];
    for (let at = 0; at < bundle.length;) {
        const end = at + 2 + bundle.readUInt16BE(at);
        entries.push(bundle.subarray(at + 2, end));
        at = end;
    }
    return entries;
}

// By the layout of an entry.
export const isConsent = (entry) => entry[0] === 1;
export const isPublication = (entry) => entry[0] === 3;

// The texts that the entries of publications name by their digests, in the order of `texts`: each must be in the log.
function publicationsOf(service, entries) {
    const rows = service.rows("SELECT * FROM term_policies WHERE status = 'published'");
    const named = entries.filter(isPublication).map((entry) => entry.subarray(15).toString('hex'));
    return Object.entries(texts).map(([type, text]) => {
        const row = rows.find((one) => one.type === type);
        const record = JSON.stringify({
            contentHashes: { en: sha256(text).toString('hex') },
            graceInDays: row.grace_in_days,
            isMaterial: true,
            materialReason: null,
            processingHash: null,
            publishedAt: new Date(row.published_at).toISOString(),
            type,
            version: 1,
        });
        if (!named.includes(sha256(record).toString('hex'))) throw new Error(`the log does not name ${record}`);
        return record;
    });
}

// What an entry names by its digest, from the database.
function addendaOf(service) {
    const rows =
        service.rows(`SELECT e.position, hex(e.salt) AS salt, a.id, a.user_id, a.session_id, a.ip_address, a.user_agent
                               FROM log_entries e JOIN term_policy_acceptances a ON a.id = e.id ORDER BY e.position`);
    return new Map(
        rows.map((row) => [
            row.position,
            JSON.stringify({
                acceptanceId: row.id,
                ipAddress: row.ip_address,
                salt: Buffer.from(row.salt, 'hex').toString('base64'),
                sessionId: row.session_id,
                userAgent: row.user_agent,
                userId: row.user_id,
            }),
        ]),
    );
}

// Two users accept three documents each, and one of them withdraws one. `records` contains the receipts and proofs of the
// first user: [{receipt, proof, claims}].
export async function recordedLog(settings) {
    const seed = randomBytes(32);
    const service = new Service({ CONSENT_LOG_PRIVATE_KEY: pkcs8(seed).toString('base64'), ...settings });
    service.migrate();
    service.createUser('ada@example.org');
    service.createUser('bob@example.org');
    service.publishPolicies(texts);
    await service.start();
    const accept = (token, type) => service.post('/api/shared/user/term-policy/accept', token, { type });
    const [ada, bob] = [await service.logIn('ada@example.org'), await service.logIn('bob@example.org')];
    const receipts = [];
    for (const type of Object.keys(texts)) {
        receipts.push((await accept(ada, type)).data.receipt);
        await accept(bob, type);
    }
    receipts.push(
        (await service.post('/api/shared/user/term-policy/withdraw', ada, { type: 'marketing' })).data.receipt,
    );

    const records = [];
    const claimsOf = (receipt) => JSON.parse(Buffer.from(receipt.split('.')[1], 'base64url'));
    const pathOf = (claims) => `/api/shared/user/term-policy/receipt/${claims.jti}/proof`;
    await service.eventually(pathOf(claimsOf(receipts.at(-1))), { token: ada }); // the last one to be published
    for (const receipt of receipts) {
        const claims = claimsOf(receipt);
        records.push({ receipt, claims, proof: await service.text(pathOf(claims), { token: ada }) });
    }
    const facts = await service.json('/.well-known/consent-log');
    const checkpoint = await service.text('/consent-log/checkpoint');
    const size = Number(checkpoint.split('\n')[1]);
    const bundle = await service.fetch(`/consent-log/tile/entries/000.p/${size}`);
    const entries = splitEntries(bundle.bytes);
    const publications = publicationsOf(service, entries);
    return {
        service,
        records,
        key: new NoteKey(facts.origin, seed),
        vkey: facts.verifierKey,
        origin: facts.origin,
        descriptionNote: await service.text('/.well-known/consent-log.note'),
        checkpoint,
        entries,
        addenda: addendaOf(service),
        publications,
        documents: [...Object.values(texts), ...publications],
    };
}

// Runs the page's own verification. `files` are [{name, content}]. Returns [{name, good, sentence, facts}], or the
// sentence of a refusal of everything.
export function verify(page, trust, files, description = '') {
    const inputs = files.map(({ name, content }) => ({ name, base64: Buffer.from(content).toString('base64') }));
    return page.evaluate(
        async (trust, inputs, description) => {
            const blobs = inputs.map(({ name, base64 }) => ({
                name,
                blob: new Blob([Uint8Array.from(atob(base64), (c) => c.charCodeAt(0))]),
            }));
            try {
                return await verifyAll(trust, description, blobs, new Work(() => {}));
            } catch (error) {
                if (error instanceof Refusal) return error.message;
                throw error;
            }
        },
        trust,
        inputs,
        description,
    );
}
