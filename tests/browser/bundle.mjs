// Builds auditors' bundles and the parts of a log, independently of the program: for tests of the verifier page.
import { execFileSync } from 'node:child_process';
import { createHash, createPrivateKey, createPublicKey, sign } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';

export const sha256 = (...parts) => parts.reduce((hash, part) => hash.update(part), createHash('sha256')).digest();
const byte = (value) => Buffer.from([value]);
export const leafHash = (entry) => sha256(byte(0), entry);
const nodeHash = (left, right) => sha256(byte(1), left, right);

// RFC 9162 section 2.1, as it is written: MTH(D[begin:end]) and PATH(m, D[begin:end]).
const split = (count) => 2 ** (31 - Math.clz32(count - 1));
export function rootOf(leaves, begin = 0, end = leaves.length) {
    if (end === begin) return sha256();
    if (end - begin === 1) return leaves[begin];
    const middle = begin + split(end - begin);
    return nodeHash(rootOf(leaves, begin, middle), rootOf(leaves, middle, end));
}
export function pathOf(index, leaves, begin = 0, end = leaves.length) {
    if (end - begin === 1) return [];
    const middle = begin + split(end - begin);
    return index < middle
        ? [...pathOf(index, leaves, begin, middle), rootOf(leaves, middle, end)]
        : [...pathOf(index, leaves, middle, end), rootOf(leaves, begin, middle)];
}

// RFC 9162 section 2.1.4.1, as it is written: PROOF(size, D[0:n]).
function subproof(size, leaves, begin, end, isWhole) {
    if (size === end - begin) return isWhole ? [] : [rootOf(leaves, begin, end)];
    const half = split(end - begin);
    return size <= half
        ? [...subproof(size, leaves, begin, begin + half, isWhole), rootOf(leaves, begin + half, end)]
        : [...subproof(size - half, leaves, begin + half, end, false), rootOf(leaves, begin, begin + half)];
}
export const consistencyOf = (size, leaves) => subproof(size, leaves, 0, leaves.length, true);
export const hashLines = (hashes) => hashes.map((hash) => `${hash.toString('base64')}\n`).join('');

// A timestamp authority: OpenSSL's command line. stamp(text) returns its answer (RFC 3161).
export class Authority {
    folder = mkdtempSync(`${tmpdir()}/consentry-tsa-`);
    constructor() {
        writeFileSync(
            `${this.folder}/tsa.cnf`,
            '[tsa]\ndefault_tsa = one\n[one]\nserial = serial\nsigner_cert = tsa.crt\nsigner_key = tsa.key\n' +
                'signer_digest = sha256\ndefault_policy = 1.2.3.4\ndigests = sha256\ness_cert_id_alg = sha256\n',
        );
        this.openssl(
            'req -x509 -newkey rsa:2048 -nodes -keyout tsa.key -out tsa.crt -days 30 -subj /CN=tsa -addext ' +
                'extendedKeyUsage=critical,timeStamping',
        );
    }
    openssl(line) {
        execFileSync('openssl', line.split(' '), { cwd: this.folder, stdio: 'ignore' });
    }
    stamp(text) {
        writeFileSync(`${this.folder}/text`, text);
        this.openssl('ts -query -data text -sha256 -cert -out query');
        this.openssl('ts -reply -config tsa.cnf -queryfile query -out answer');
        return readFileSync(`${this.folder}/answer`);
    }
    close() {
        rmSync(this.folder, { recursive: true });
    }
}
// The members of a stamp on the first `size` entries of a log.
export function stampMembers(authority, log, size) {
    const leaves = log.entries.map(leafHash);
    const text = checkpointText(log.origin, leaves.slice(0, size));
    const members = { [`timestamps/${size}.txt`]: text, [`timestamps/${size}.tsr`]: authority.stamp(text) };
    if (size < leaves.length) members[`timestamps/${size}.consistency`] = hashLines(consistencyOf(size, leaves));
    return members;
}

// An Ed25519 key from a seed of 32 bytes.
export const pkcs8 = (seed) => Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), seed]);

// A key of a log (type 1) or of a witness (type 4) from a seed of 32 bytes.
export class NoteKey {
    constructor(name, seed, type = 1) {
        this.key = createPrivateKey({ key: pkcs8(seed), format: 'der', type: 'pkcs8' });
        const point = createPublicKey(this.key).export({ format: 'der', type: 'spki' }).subarray(-32);
        const typed = Buffer.concat([byte(type), point]);
        this.id = sha256(`${name}\n`, typed).subarray(0, 4);
        Object.assign(this, { name, type, vkey: `${name}+${this.id.toString('hex')}+${typed.toString('base64')}` });
    }
    // A signature line.
    line(text, time = 1764000000) {
        const stamp = Buffer.alloc(this.type === 4 ? 8 : 0);
        if (this.type === 4) stamp.writeBigUInt64BE(BigInt(time));
        const signed = this.type === 4 ? `cosignature/v1\ntime ${time}\n${text}` : text;
        return `\u2014 ${this.name} ${Buffer.concat([this.id, stamp, sign(null, Buffer.from(signed), this.key)]).toString('base64')}\n`;
    }
    note(text) {
        return `${text}\n${this.line(text)}`;
    }
}

export function checkpointText(origin, leaves) {
    return `${origin}\n${leaves.length}\n${rootOf(leaves).toString('base64')}\n`;
}
export function proofFile(index, entries, leaves, checkpoint) {
    const hashes = pathOf(index, leaves)
        .map((hash) => `${hash.toString('base64')}\n`)
        .join('');
    return `c2sp.org/tlog-proof@v1\nextra ${entries[index].toString('base64')}\nindex ${index}\n${hashes}\n${checkpoint}`;
}

export function tilePath(index, width) {
    const groups = [];
    for (let rest = index; groups.length === 0 || rest > 0; rest = Math.floor(rest / 1000))
        groups.unshift(String(rest % 1000).padStart(3, '0'));
    return `tile/entries/${groups.map((group, i) => (i < groups.length - 1 ? `x${group}` : group)).join('/')}${width < 256 ? `.p/${width}` : ''}`;
}
// The entry bundles of a whole log: [[name, bytes]].
export function entryTiles(entries) {
    const tiles = [];
    for (let begin = 0; begin < entries.length; begin += 256) {
        const some = entries.slice(begin, begin + 256);
        const parts = some.flatMap((entry) => [Buffer.from([entry.length >> 8, entry.length & 255]), entry]);
        tiles.push([tilePath(begin / 256, some.length), Buffer.concat(parts)]);
    }
    return tiles;
}
export function addendaLines(addenda) {
    return [...addenda]
        .sort(([a], [b]) => a - b)
        .map(([index, text]) => `{"index":${index},"addendum":${text}}\n`)
        .join('');
}

const compare = (a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b));
export const everything = { from: '2000-01-01T00:00:00.000Z' }; // a filter that takes all entries
// Adds SHA256SUMS and the manifest to members {name: bytes or text} of a bundle of the log, whose key is known, and sorts
// them: [[name, bytes]].
export function withSums(log, members, { filter = {}, entries = log.entries.length, edit = (sums) => sums } = {}) {
    const sorted = Object.entries(members)
        .map(([name, content]) => [name, Buffer.from(content)])
        .sort(([a], [b]) => compare(a, b));
    const sums = edit(sorted.map(([name, bytes]) => `${sha256(bytes).toString('hex')}  ${name}\n`).join(''));
    const facts = {
        addenda: 'addenda.ndjson' in members,
        checkpoint: sha256(members.checkpoint ?? '').toString('hex'),
        entries,
        filter,
        sums: sha256(sums).toString('hex'),
    };
    const manifest = log.key.note(`bundle of a consent log\n${JSON.stringify(facts)}\n`);
    const both = [
        ['SHA256SUMS', Buffer.from(sums)],
        ['manifest.note', Buffer.from(manifest)],
    ];
    return [...sorted, ...both].sort(([a], [b]) => compare(a, b));
}

// CRC-32 of ZIP; node:zlib has it only since version 22.
const crcTable = Uint32Array.from({ length: 256 }, (_, n) => {
    for (let k = 0; k < 8; ++k) n = n & 1 ? 0xedb88320 ^ (n >>> 1) : n >>> 1;
    return n;
});
function crc32(bytes) {
    let crc = ~0;
    for (const one of bytes) crc = crcTable[(crc ^ one) & 0xff] ^ (crc >>> 8);
    return ~crc >>> 0;
}

function fields(...pairs) {
    const out = Buffer.alloc(pairs.reduce((sum, [bytes]) => sum + bytes, 0));
    let at = 0;
    for (const [bytes, value] of pairs) {
        if (bytes === 8) out.writeBigUInt64LE(BigInt(value), at);
        else out.writeUIntLE(value, at, bytes);
        at += bytes;
    }
    return out;
}
// Stored, in the order given, dated 1980-01-01; zip64 only where more than 65,534 members need it.
export function zip(members, crcOf = crc32) {
    const [parts, directory] = [[], []];
    let offset = 0;
    for (const [name, bytes] of members) {
        const common = [
            [2, 0x0800],
            [2, 0],
            [2, 0],
            [2, 0x21],
            [4, crcOf(bytes)],
            [4, bytes.length],
            [4, bytes.length],
            [2, name.length],
            [2, 0],
        ];
        const header = Buffer.concat([fields([4, 0x04034b50], [2, 10], ...common), Buffer.from(name)]);
        directory.push(
            fields([4, 0x02014b50], [2, 10], [2, 10], ...common, [2, 0], [2, 0], [2, 0], [4, 0], [4, offset]),
            Buffer.from(name),
        );
        parts.push(header, bytes);
        offset += header.length + bytes.length;
    }
    const list = Buffer.concat(directory);
    const isWide = members.length >= 0xffff;
    const count = isWide ? 0xffff : members.length;
    if (isWide)
        parts.push(
            list,
            fields(
                [4, 0x06064b50],
                [8, 44],
                [2, 45],
                [2, 45],
                [4, 0],
                [4, 0],
                [8, members.length],
                [8, members.length],
                [8, list.length],
                [8, offset],
                [4, 0x07064b50],
                [4, 0],
                [8, offset + list.length],
                [4, 1],
            ),
        );
    else parts.push(list);
    parts.push(fields([4, 0x06054b50], [2, 0], [2, 0], [2, count], [2, count], [4, list.length], [4, offset], [2, 0]));
    return Buffer.concat(parts);
}

// A bundle of a log: `log` is {key, checkpoint, descriptionNote, entries, addenda: Map, documents: [text]}; with `chosen`, the
// indices of the entries, it is a filtered one.
export function bundleMembers(log, chosen = null) {
    const members = {
        'README.txt': 'How to verify this bundle.\n',
        checkpoint: log.checkpoint,
        'description.note': log.descriptionNote,
        'policy.txt': `log ${log.vkey}\nquorum none\n`,
        'verify.html': log.page ?? '<!doctype html>\n',
    };
    const addenda = [...log.addenda].filter(([index]) => !chosen || chosen.includes(index));
    if (log.addenda.size > 0) members['addenda.ndjson'] = addendaLines(addenda);
    for (const text of log.documents) members[`documents/${sha256(text).toString('hex')}`] = text;
    if (!chosen) return Object.assign(members, Object.fromEntries(entryTiles(log.entries)));
    const leaves = log.entries.map(leafHash);
    for (const index of chosen)
        members[`proofs/${String(index).padStart(12, '0')}.tlog-proof`] = proofFile(
            index,
            log.entries,
            leaves,
            log.checkpoint,
        );
    return members;
}
export function bundle(log, chosen = null, filter = everything) {
    return zip(withSums(log, bundleMembers(log, chosen), chosen ? { filter, entries: chosen.length } : {}));
}
