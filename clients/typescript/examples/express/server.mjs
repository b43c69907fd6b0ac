// An API that only users of Consentry may call.
//
//   CONSENTRY_URL=http://localhost:3000 PORT=8080 node server.mjs
//
// With AUTH_API_KEY_REQUIRED, CONSENTRY_API_KEY is the API key of this server.
import { existsSync, realpathSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import express from 'express';
import { Consentry, ConsentryError } from '@consentry/client';

/**
 * Admits requests whose access token belongs to a live session. Asks Consentry each time, so a logout, a blocked
 * account or a withdrawn role takes effect at the next request. Whatever is not a clear yes is a refusal.
 */
export function requireUser(consentry, { roles = [], policies = [] } = {}) {
    const query = {
        ...(roles.length > 0 && { roles: roles.join() }),
        ...(policies.length > 0 && { policies: policies.join() }),
    };
    return async (request, response, next) => {
        const token = /^Bearer ([\w-]+\.[\w-]+\.[\w-]+)$/i.exec(request.get('authorization') ?? '')?.[1];
        if (!token) return response.status(401).set('WWW-Authenticate', 'Bearer').json({ message: 'Log in first' });
        try {
            // Consentry limits requests per client, so tell it who that is: see HTTP_TRUSTED_PROXIES.
            const headers = { 'X-Forwarded-For': request.ip };
            const answer = await consentry.send('forwardAuth', { token, query, headers });
            await answer.body?.cancel();
            request.user = { id: answer.headers.get('x-user-id'), role: answer.headers.get('x-user-role') };
            // Another server, to which a wrong address leads, may say yes to everything.
            if (!request.user.id) return response.status(503).json({ message: 'Try again later' });
        } catch (error) {
            if (!(error instanceof ConsentryError)) return next(error);
            const { name, module, status, message, data, retryAfter } = error;
            // A wrong API key, or a proxy in the way, is no fault of the user, who would log in again in vain.
            const isOfUser = module !== 'apiKey' && module !== 'client';
            const isRefusal = isOfUser && (status === 401 || status === 403 || status === 429);
            if (retryAfter !== undefined) response.set('Retry-After', String(retryAfter));
            if (!isRefusal) return response.status(503).json({ message: 'Try again later' });
            return response.status(status).json({ name, message, data });
        }
        next();
    };
}

export function makeApp(consentryUrl, apiKey) {
    const consentry = new Consentry({ baseUrl: consentryUrl, apiKey, timeout: 5_000, retry: { longestWait: 1_000 } });
    const app = express();
    app.disable('x-powered-by');
    // Behind a proxy of yours: app.set('trust proxy', 'loopback'), so that request.ip is the user's address.
    app.get('/hello', requireUser(consentry), (request, response) => response.json({ user: request.user }));
    app.get('/admin', requireUser(consentry, { roles: ['admin'] }), (request, response) => response.json({}));
    app.get('/terms', requireUser(consentry, { policies: ['privacy'] }), (request, response) => response.json({}));
    return app;
}

// Whether Node runs this file, perhaps through a symbolic link, or another module imports it.
const program = process.argv[1] ?? '';
if (existsSync(program) && realpathSync(program) === fileURLToPath(import.meta.url)) {
    const { CONSENTRY_URL = 'http://localhost:3000', CONSENTRY_API_KEY, PORT = '8080' } = process.env;
    const app = makeApp(CONSENTRY_URL, CONSENTRY_API_KEY);
    app.listen(Number(PORT), () => console.log(`listens on http://localhost:${PORT}`));
}
