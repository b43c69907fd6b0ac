// Serves pages with the client to Chromium, and a service that admits them.
import { readFileSync } from 'node:fs';
import { join, normalize } from 'node:path';
import { Service, newTab, openBrowser } from '../browser/harness.mjs';
import { built, listen } from './client.mjs';

const types = { html: 'text/html', js: 'text/javascript', map: 'application/json' };

// Serves the single-page example with the client below `client/`, and an empty page that has the client as `kit`.
const serve = (service) => (request, response) => {
    const path = normalize(new URL(request.url, 'http://localhost').pathname);
    if (path === '/empty') {
        response.writeHead(200, { 'content-type': 'text/html' });
        return response.end(
            '<!doctype html><link rel="icon" href="data:," />' +
                '<script type="module">window.kit = await import("/client/index.js");</script>',
        );
    }
    const file = path.startsWith('/client/')
        ? join(built, 'dist', path.slice('/client/'.length))
        : join(built, 'examples/single-page', path === '/' ? 'index.html' : path);
    try {
        const text = readFileSync(file, 'utf8').replaceAll('http://localhost:3000', service.origin);
        response.writeHead(200, { 'content-type': types[file.split('.').pop()] ?? 'text/plain' });
        response.end(text);
    } catch {
        response.writeHead(404).end();
    }
};

export async function openSite(settings = {}) {
    const service = new Service(settings);
    const site = await listen(serve(service));
    service.environment.CORS_ALLOWED_ORIGIN = new URL(site).host;
    service.migrate();
    const [browser] = await Promise.all([openBrowser(), service.start()]);
    return { site, service, browser };
}

// A tab that counts the requests which reach Consentry; preflights are not counted.
export async function openTab(site, service, browser, path = '/empty') {
    const page = await newTab(browser);
    const sent = [];
    const troubles = [];
    page.on('pageerror', (error) => troubles.push(String(error)));
    page.on('request', (request) => {
        if (request.url().startsWith(service.origin) && request.method() !== 'OPTIONS')
            sent.push(`${request.method()} ${new URL(request.url()).pathname}`);
    });
    await page.goto(`${site}${path}`);
    return { page, sent, troubles, count: (part) => sent.filter((line) => line.includes(part)).length };
}
