import { ConsentryError, signedOut } from './errors.js';
import type { ErrorName } from './errors.js';
import { mayBeDone, orAborted } from './retry.js';
import type { TokenStorage, Tokens } from './storage.js';

/** What happened to the session. */
export interface SessionEvent {
    type: 'signedIn' | 'refreshed' | 'signedOut';
    /** Whether another tab, or another client with this storage, did it. */
    elsewhere: boolean;
    /** Why Consentry ended the session; absent if the user logged out, and in other tabs. */
    error?: ConsentryError;
}

export type SessionListener = (event: SessionEvent) => void;

/** Refusals of a refresh token after which it will never work again. Outages and limits are not among them. */
const endings: ReadonlySet<ErrorName> = new Set<ErrorName>([
    'auth.jwtRefreshTokenInvalid',
    'user.blockedForbidden',
    'user.inactiveForbidden',
    'user.emailNotVerified',
    'user.passwordExpired',
]);

/** What the storage had when other tokens were to replace it; null if it could not be read. */
type Former = Tokens | undefined | null;

/** The last work with each storage, where Web Locks are absent or not needed. */
const queues = new Map<string | TokenStorage, Promise<unknown>>();

/** Runs the work while no other work uses this storage: in this program, or in all tabs if tabs share it. */
async function exclusively<T>(storage: TokenStorage, work: () => Promise<T>): Promise<T> {
    const locks = (globalThis.navigator as Navigator | undefined)?.locks;
    if (locks && storage.name !== undefined) return (await locks.request(lockName(storage.name), work)) as T;
    const key = storage.name ?? storage;
    const mine = (queues.get(key) ?? Promise.resolve()).then(work, work);
    queues.set(key, mine);
    try {
        return await mine;
    } finally {
        if (queues.get(key) === mine) queues.delete(key);
    }
}

const lockName = (name: string): string => `consentry:${name}`;

/**
 * The tokens of one user. Refreshes happen one at a time over all tabs, because a refresh token works once: who comes
 * second takes the tokens that the first one stored.
 */
export class Session {
    readonly #storage: TokenStorage;
    readonly #refresh: (refreshToken: string) => Promise<Tokens>;
    #channel: BroadcastChannel | undefined;
    readonly #listeners = new Set<SessionListener>();
    /** Running refreshes, by session: a caller that waits for the tokens of one must never get those of another. */
    readonly #renewals = new Map<string, Promise<Tokens>>();
    /** Tokens that the storage refused to take, and what it had instead. */
    #unsaved: { tokens: Tokens; instead: Former } | undefined;
    /** Sessions that are over, but whose tokens the storage did not give up. */
    readonly #over = new Set<string>();

    constructor(storage: TokenStorage, refresh: (refreshToken: string) => Promise<Tokens>) {
        this.#storage = storage;
        this.#refresh = refresh;
        if (storage.name === undefined || typeof BroadcastChannel === 'undefined') return;
        this.#channel = new BroadcastChannel(lockName(storage.name));
        // The message names the event only. Tokens stay in the storage.
        this.#channel.onmessage = ({ data }: MessageEvent<SessionEvent['type']>) =>
            this.#tell({ type: data, elsewhere: true });
        // Node would otherwise run for as long as the channel is open.
        (this.#channel as { unref?: () => void }).unref?.();
    }

    listen(listener: SessionListener): () => void {
        this.#listeners.add(listener);
        return () => void this.#listeners.delete(listener);
    }

    close(): void {
        this.#channel?.close();
        this.#channel = undefined; // a closed one throws, and the client still works
        this.#listeners.clear();
    }

    /** The current tokens, whichever tab got them. */
    async tokens(): Promise<Tokens | undefined> {
        const unsaved = this.#unsaved;
        let kept: Tokens | undefined;
        try {
            kept = await this.#storage.read();
        } catch (error) {
            if (this.#unsaved) return this.#unsaved.tokens;
            throw error;
        }
        if (this.#unsaved?.tokens !== unsaved?.tokens) return this.tokens(); // what was read is out of date
        if (unsaved && this.#isStill(unsaved.instead, kept)) {
            await this.#save(unsaved.tokens, kept);
            return unsaved.tokens;
        }
        this.#unsaved = undefined; // Another tab has stored newer ones.
        if (!kept || !this.#over.has(sessionOf(kept))) return kept;
        this.#clearLater();
        return undefined;
    }

    /** Keeps the tokens of a new session, also if the caller aborts and does not wait for it. */
    begin(tokens: Tokens, signal?: AbortSignal): Promise<void> {
        const begun = exclusively(this.#storage, async () => {
            let former: Former = null;
            try {
                former = await this.#storage.read();
            } catch {
                // What cannot be read can still be replaced.
            }
            await this.#save(tokens, former);
            this.#announce({ type: 'signedIn', elsewhere: false });
        });
        return orAborted(begun, signal);
    }

    /**
     * Forgets the tokens, also if the caller aborts and does not wait for it. `ended` are those of the session that is
     * over; a newer session in another tab stays.
     */
    end(ended: Tokens | undefined, signal?: AbortSignal): Promise<void> {
        const forgotten = exclusively(this.#storage, async () => {
            let kept = ended;
            try {
                kept = await this.tokens();
                // A refusal, or another tab, has ended the session meanwhile and announced it.
                if (!kept) return;
                if (ended && sessionOf(kept) !== sessionOf(ended)) return;
            } catch {
                // What cannot be read is cleared, too: the user must not come back with it.
            }
            await this.#forget(kept);
        });
        return orAborted(forgotten, signal);
    }

    /** Tokens other than these, which Consentry refused or which are about to expire. */
    renew(refused: Tokens): Promise<Tokens> {
        const session = sessionOf(refused);
        let renewal = this.#renewals.get(session);
        if (!renewal) {
            renewal = exclusively(this.#storage, () => this.#renewed(refused)).finally(() =>
                this.#renewals.delete(session),
            );
            this.#renewals.set(session, renewal);
        }
        return renewal;
    }

    /**
     * Stores the tokens that `ask` gets for the present ones. No refresh happens meanwhile, in any tab: its refresh token
     * would be one that is already spent. Who aborts does not wait; what has been sent is still brought to its end.
     */
    exchange(ask: (tokens: Tokens) => Promise<Tokens>, signal?: AbortSignal): Promise<void> {
        const exchanged = exclusively(this.#storage, async () => {
            signal?.throwIfAborted();
            const kept = await this.tokens();
            if (!kept) throw signedOut();
            let used = isExpired(kept) ? await this.#renewed(kept) : kept;
            let next: Tokens;
            try {
                next = await this.#asked(ask, used, signal);
            } catch (error) {
                if (!isRefusedToken(error)) throw error;
                used = await this.#renewed(used);
                next = await this.#asked(ask, used, signal);
            }
            const stored = this.#unsaved ? this.#unsaved.instead : used;
            if (await this.#storedSince(stored, used)) return;
            await this.#save(next, stored);
            this.#announce({ type: 'refreshed', elsewhere: false });
        });
        return orAborted(exchanged, signal);
    }

    async #asked(ask: (tokens: Tokens) => Promise<Tokens>, used: Tokens, signal?: AbortSignal): Promise<Tokens> {
        signal?.throwIfAborted();
        try {
            return await ask(used);
        } catch (error) {
            // The answer may be lost, also by an abort, and with it the new tokens. For a few seconds the refresh token
            // gets them.
            if (!(error instanceof ConsentryError) || mayBeDone(error))
                await this.#renewed(used).catch(() => undefined);
            throw error;
        }
    }

    async #renewed(refused: Tokens): Promise<Tokens> {
        const kept = await this.tokens();
        if (!kept) throw signedOut();
        // A request is never repeated for another user, who logged in meanwhile.
        if (sessionOf(kept) !== sessionOf(refused)) throw signedOut();
        if (kept.accessToken !== refused.accessToken) return kept;
        const stored = this.#unsaved ? this.#unsaved.instead : kept;
        let next: Tokens;
        try {
            next = await this.#refresh(kept.refreshToken);
        } catch (error) {
            if (!(error instanceof ConsentryError) || !endings.has(error.name)) throw error;
            const newer = await this.#storedSince(stored, kept);
            if (newer) return newer;
            await this.#forget(kept, error);
            throw error;
        }
        const newer = await this.#storedSince(stored, kept);
        if (newer) return newer;
        await this.#save(next, stored);
        this.#announce({ type: 'refreshed', elsewhere: false });
        return next;
    }

    /**
     * What another tab has stored during a refresh, which only Web Locks prevent: newer tokens of the same session.
     * Whatever else it did, logging out or logging another user in, ends this session here.
     */
    async #storedSince(stored: Former, own: Tokens): Promise<Tokens | undefined> {
        let now: Tokens | undefined;
        try {
            now = await this.#storage.read();
        } catch {
            return undefined; // Consentry's answer counts although the storage fails.
        }
        if (this.#isStill(stored, now)) return undefined;
        this.#unsaved = undefined;
        if (!now || sessionOf(now) !== sessionOf(own)) throw signedOut();
        return now;
    }

    /** Whether the storage has nothing newer than it had. Tokens of a session that is over are nothing newer. */
    #isStill(former: Former, now: Tokens | undefined): boolean {
        if (former === null || (now && this.#over.has(sessionOf(now)))) return true;
        return now?.refreshToken === former?.refreshToken;
    }

    /** A full disk must not cost the session: the tokens stay in memory, and every use tries again to store them. */
    async #save(tokens: Tokens, instead: Former): Promise<void> {
        this.#unsaved = { tokens, instead };
        this.#over.delete(sessionOf(tokens));
        try {
            await this.#storage.write(tokens);
            this.#unsaved = undefined;
        } catch {
            // Kept in #unsaved. The session that a login replaced must not come back.
            if (instead && sessionOf(instead) !== sessionOf(tokens)) this.#over.add(sessionOf(instead));
        }
    }

    /** Nor must a storage that fails keep the user signed in: its tokens count as absent until a use can clear them. */
    async #forget(over: Tokens | undefined, error?: ConsentryError): Promise<void> {
        this.#unsaved = undefined;
        try {
            await this.#storage.clear();
        } catch {
            if (over) this.#over.add(sessionOf(over));
        }
        this.#announce({ type: 'signedOut', elsewhere: false, ...(error && { error }) });
    }

    /** In its turn, because another tab may just be storing the tokens of a new session. */
    #clearLater(): void {
        exclusively(this.#storage, async () => {
            const now = await this.#storage.read();
            if (now && this.#over.has(sessionOf(now))) await this.#storage.clear();
        }).catch(() => undefined);
    }

    #announce(event: SessionEvent): void {
        this.#channel?.postMessage(event.type);
        this.#tell(event);
    }

    /** What a listener throws must not reach the request that caused the event. */
    #tell(event: SessionEvent): void {
        for (const listener of this.#listeners) queueMicrotask(() => listener(event));
    }
}

/** Milliseconds before its expiry at which an access token is no longer worth sending. */
const margin = 5_000;

export function isExpired(tokens: Tokens): boolean {
    return tokens.expiresAt - margin < Date.now();
}

/** The guard refused the access token before anything was done, so the operation may be repeated. */
export function isRefusedToken(error: unknown): boolean {
    return error instanceof ConsentryError && error.name === 'auth.jwtAccessTokenInvalid';
}

const over: ReadonlySet<ErrorName> = new Set<ErrorName>([
    'client.signedOut',
    'auth.jwtAccessTokenInvalid',
    'auth.jwtRefreshTokenInvalid',
]);

/** Whether there is no session, or no more. Proxies and API keys have a 401 of their own, which says nothing of it. */
export function isOver(error: unknown): boolean {
    return error instanceof ConsentryError && over.has(error.name);
}

/** The session that the access token names. Read to compare sessions, not to trust it. */
function sessionOf({ accessToken }: Tokens): string {
    const claims = accessToken.split('.')[1] ?? '';
    try {
        const { sid } = JSON.parse(atob(claims.replaceAll('-', '+').replaceAll('_', '/'))) as { sid?: unknown };
        return typeof sid === 'string' ? sid : accessToken;
    } catch {
        return accessToken;
    }
}
