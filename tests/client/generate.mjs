// Writes the generated sources of the client to a folder, from the API document of the program. For the program itself
// see run.sh.
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Service, root } from '../browser/harness.mjs';

// The service must run. `package_` is where the client was built.
export async function generate(service, package_, folder) {
    const file = join(service.folder, 'document.json');
    writeFileSync(file, await service.text('/docs/json'));
    const script = join(package_, 'script/generate.mjs');
    const ended = spawnSync('node', [script, file, join(root, 'src/base/errors.hpp'), folder], { encoding: 'utf8' });
    if (ended.status !== 0) throw new Error(ended.stdout + ended.stderr);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
    const service = new Service();
    service.migrate();
    await service.start();
    await generate(service, process.env.CONSENTRY_CLIENT, process.argv[2]);
    await service.end();
}
