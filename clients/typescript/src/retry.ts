import type { ConsentryError } from './errors.js';

/** When a request is repeated. Only requests whose repetition cannot do something twice are. */
export interface RetryPolicy {
    /** How often a request is sent at most; 1 turns repetition off. Default: 3. */
    attempts: number;
    /** The longest wait before a repetition in milliseconds. If Consentry asks for more, the error is thrown at once,
     * and `retryAfter` tells the seconds. Default: 10,000. */
    longestWait: number;
}

export const defaultRetry: RetryPolicy = { attempts: 3, longestWait: 10_000 };

const firstPause = 250;

/** A delay of `setTimeout`, which takes whatever is longer than 24 days, and Infinity, for none at all. */
export const delayOf = (milliseconds: number): number => Math.min(milliseconds, 2 ** 31 - 1);

/**
 * What a repetition may do. `once`: anything, so only a request that surely did nothing is repeated. `safe`: nothing.
 * `urgent`: it gets the same answer as the first, but only for some seconds.
 */
export type Repeatability = 'once' | 'safe' | 'urgent';

/** Milliseconds to wait before the next attempt, counted from 1; undefined if there must be none. */
export function pauseAfter(
    error: ConsentryError,
    attempt: number,
    repeatability: Repeatability,
    policy: RetryPolicy,
): number | undefined {
    if (attempt >= policy.attempts) return undefined;
    // Clients that were refused together do not come back together.
    const spread = Math.random() * firstPause;
    let pause: number;
    switch (error.name) {
        case 'http.tooManyRequests': // counted before anything is done, so every request may be repeated
            pause = (error.retryAfter ?? 1) * 1000 + spread;
            break;
        case 'http.serviceUnavailable':
            if (repeatability === 'once' || error.retryAfter === undefined) return undefined;
            pause = error.retryAfter * 1000 + spread;
            break;
        case 'client.unreachable':
            if (repeatability === 'once') return undefined;
            pause = firstPause * 2 ** (attempt - 1) + spread;
            break;
        case 'client.timeout':
            if (repeatability !== 'urgent') return undefined;
            pause = 0;
            break;
        default:
            return undefined;
    }
    return pause <= policy.longestWait ? pause : undefined;
}

/** Rejects with the reason of the signal as soon as it aborts; otherwise does what the promise does. */
export async function orAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
    if (!signal) return promise;
    // A caller that has already left does not learn of a failure. Without a handler, Node would end the program.
    promise.catch(() => undefined);
    signal.throwIfAborted();
    let abort!: () => void;
    const aborted = new Promise<never>((_, reject) => {
        abort = () => reject(signal.reason);
        signal.addEventListener('abort', abort, { once: true });
    });
    try {
        return await Promise.race([promise, aborted]);
    } finally {
        signal.removeEventListener('abort', abort);
    }
}

export async function pauseFor(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    try {
        await orAborted(new Promise<void>((resolve) => (timer = setTimeout(resolve, delayOf(milliseconds)))), signal);
    } finally {
        clearTimeout(timer);
    }
}
