/** The tokens of a session. Secrets: anyone who has them is signed in. */
export interface Tokens {
    accessToken: string;
    /** Works once. Only this package may use it, or the session ends. */
    refreshToken: string;
    /** When the access token expires, in milliseconds since 1970 on this machine's clock. */
    expiresAt: number;
    /** Type of the account's role. */
    roleType: 'user' | 'admin' | 'superAdmin';
}

/**
 * Keeps the tokens of one session. If `read` rejects, the call that needs the tokens rejects with the same error. If
 * `write` or `clear` rejects, the client goes on with what it has in memory, and tries again at the next use.
 *
 * A refresh token works once, so two rules hold: after `write`, no reader may get older tokens, in whichever tab or
 * process; and whatever copies the tokens must share the storage. `localStorage` breaks the first rule between tabs,
 * and `sessionStorage` the second when a tab is duplicated.
 */
export interface TokenStorage {
    /** Clients whose storages have the same name share the tokens, over all tabs of an origin. Absent: not shared. */
    readonly name?: string | undefined;
    read(): Promise<Tokens | undefined> | Tokens | undefined;
    write(tokens: Tokens): Promise<void> | void;
    clear(): Promise<void> | void;
}

/** Keeps the tokens in memory: the session is gone when the page or program is. */
export function memoryStorage(): TokenStorage {
    let kept: Tokens | undefined;
    return {
        read: () => kept,
        write: (tokens) => {
            kept = tokens;
        },
        clear: () => {
            kept = undefined;
        },
    };
}

const store = 'tokens';
const key = 'current';

function settled<T>(request: IDBRequest<T>): Promise<T> {
    return new Promise((resolve, reject) => {
        request.onsuccess = () => resolve(request.result);
        request.onerror = () => reject(request.error);
    });
}

/**
 * Keeps the tokens in IndexedDB, for all tabs of the origin and beyond restarts of the browser. Every script of the
 * origin can read them. `name` tells apart several applications of one origin.
 */
export function browserStorage(name = 'consentry'): TokenStorage {
    let opened: Promise<IDBDatabase> | undefined;
    const forget = (): void => {
        opened = undefined;
    };
    function open(): Promise<IDBDatabase> {
        if (opened) return opened;
        const request = indexedDB.open(name, 1);
        request.onupgradeneeded = () => request.result.createObjectStore(store);
        opened = settled(request).then((database) => {
            // Clearing the data of the site must not wait for this tab.
            database.onversionchange = () => {
                database.close();
                forget();
            };
            database.onclose = forget;
            return database;
        });
        opened.catch(forget);
        return opened;
    }
    async function change(act: (tokens: IDBObjectStore) => void): Promise<void> {
        const transaction = (await open()).transaction(store, 'readwrite', { durability: 'strict' });
        act(transaction.objectStore(store));
        await new Promise<void>((resolve, reject) => {
            transaction.oncomplete = () => resolve();
            transaction.onabort = () => reject(transaction.error);
        });
    }
    return {
        name,
        read: async () => {
            const tokens = (await open()).transaction(store).objectStore(store);
            return settled(tokens.get(key) as IDBRequest<Tokens | undefined>);
        },
        write: (tokens) => change((kept) => kept.put(tokens, key)),
        clear: () => change((kept) => kept.delete(key)),
    };
}
