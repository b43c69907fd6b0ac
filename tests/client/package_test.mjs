// What is published: generated code that is up to date, types that help, a package that every tool can read, its size.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { Service, root } from '../browser/harness.mjs';
import { built } from './client.mjs';
import { generate } from './generate.mjs';

const scratch = mkdtempSync(join(tmpdir(), 'consentry-client-'));
after(() => rmSync(scratch, { recursive: true, force: true }));
const run = (command, args, cwd = built) => {
    const ended = spawnSync(command, args, { cwd, encoding: 'utf8' });
    assert.equal(ended.status, 0, `${command} ${args.join(' ')}: ${ended.error ?? ''}${ended.stdout}${ended.stderr}`);
    return ended.stdout;
};
const tool = (name, args, cwd) => run(join(built, 'node_modules/.bin', name), args, cwd);

// What npm would publish.
const pack = ['pack', '--json', '--ignore-scripts', '--pack-destination', scratch];
const [{ filename, files, version }] = JSON.parse(run('npm', pack));
const archive = join(scratch, filename);

test('src/generated is what the program says', async () => {
    const service = new Service();
    service.migrate();
    await service.start();
    const folder = join(scratch, 'generated');
    mkdirSync(folder);
    await generate(service, built, folder);
    for (const name of readdirSync(folder))
        assert.equal(
            readFileSync(join(folder, name), 'utf8'),
            readFileSync(join(root, 'clients/typescript/src/generated', name), 'utf8'),
            `${name} is out of date: run tests/client/run.sh generate build/dev/consentry`,
        );
});

test('types accept what is right and refuse what is wrong', () => {
    const folder = join(built, 'types');
    cpSync(join(root, 'tests/client/types'), folder, { recursive: true });
    tool('tsc', ['--project', folder]);
});

test('the package has the compiled files, their types and maps, the examples, and nothing else', () => {
    const modules = ['client', 'errors', 'generated/api', 'generated/errors', 'generated/operations', 'http', 'index'];
    modules.push('language', 'retry', 'session', 'storage');
    const expected = ['LICENSE', 'README.md', 'package.json', 'examples/express/server.mjs'];
    expected.push('examples/single-page/app.js', 'examples/single-page/index.html');
    for (const name of modules) for (const end of ['.d.ts', '.js', '.js.map']) expected.push(`dist/${name}${end}`);
    assert.deepEqual(files.map(({ path }) => path).sort(), expected.sort());
    const [, program] = /VERSION (\d+\.\d+\.\d+)/.exec(readFileSync(join(root, 'CMakeLists.txt'), 'utf8'));
    assert.equal(version, program, 'the package and the program have one version');
    const manifest = JSON.parse(readFileSync(join(built, 'package.json'), 'utf8'));
    assert.deepEqual(manifest.dependencies ?? {}, {});
});

test('every link of its README leads to a file in it', () => {
    const readme = readFileSync(join(built, 'README.md'), 'utf8');
    const links = [...readme.matchAll(/\]\(([^)#:\s]+)/g)].map(([, link]) => link);
    assert.ok(links.length > 1);
    for (const link of links)
        assert.ok(
            files.some(({ path }) => `${path}/`.startsWith(`${link}/`)),
            link,
        );
});

test('publint and attw find nothing', () => {
    tool('publint', ['run', archive, '--strict']);
    tool('attw', [archive, '--profile', 'esm-only', '--no-color', '--no-emoji']);
});

test('minified and compressed, it has at most 8 KB', () => {
    const bundle = join(scratch, 'bundle.js');
    tool('esbuild', [
        'dist/index.js',
        '--bundle',
        '--minify',
        '--format=esm',
        `--outfile=${bundle}`,
        '--log-level=warning',
    ]);
    const bytes = readFileSync(bundle);
    const compressed = gzipSync(bytes, { level: 9 }).length;
    console.log(`${bytes.length} bytes minified, ${compressed} compressed`);
    assert.ok(compressed <= 8192, `${compressed} bytes`);
});

test('the license is that of the project, and the lock file names no host', () => {
    const license = (folder) => readFileSync(join(root, folder, 'LICENSE'), 'utf8');
    assert.equal(license('clients/typescript'), license('.'));
    const lock = readFileSync(join(root, 'clients/typescript/package-lock.json'), 'utf8');
    assert.doesNotMatch(lock, /"resolved"/);
});
