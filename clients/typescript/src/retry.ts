import type { ConsentryError } from './errors.js';

/** When a request is repeated. Only requests whose repetition cannot do something twice are. */
export interface RetryPolicy {
    /** How often a request is sent at most; 1 turns repetition off. A refresh whose answer may be lost is repeated for
     * nine tenths of `refreshGrace` instead. Default: 3. */
    attempts: number;
    /** The longest wait before a repetition in milliseconds. If Consentry asks for more, the error is thrown at once,
     * and `retryAfter` tells the seconds. Default: 10,000. */
    longestWait: number;
}

export const defaultRetry: RetryPolicy = { attempts: 3, longestWait: 10_000 };

const firstPause = 250;

/** The default of AUTH_JWT_REFRESH_GRACE_IN_SECONDS in milliseconds: how long Consentry repeats its answer. */
export const defaultGrace = 10_000;

/**
 * Milliseconds after its first attempt in which an urgent request is repeated. The last repetition needs time to
 * arrive.
 */
const urgentFor = (grace: number): number => grace * 0.9;

/**
 * Milliseconds for an answer with new tokens: as long as possible for slow networks, and short enough that a second
 * attempt reaches Consentry while it repeats its answer. Half of the usual time is the least: if a second attempt would
 * then come too late, there is none.
 */
export const urgentTimeout = (grace: number): number => Math.min(Math.max(grace * 0.8, 4_000), 8_000);

/** A delay of `setTimeout`, which takes whatever is longer than 24 days, and Infinity, for none at all. */
export const delayOf = (milliseconds: number): number => Math.min(milliseconds, 2 ** 31 - 1);

/**
 * What a repetition may do. `once`: anything, so only a request that surely did nothing is repeated. `safe`: nothing.
 * `urgent`: it gets the same answer as the first, but only for some seconds.
 */
export type Repeatability = 'once' | 'safe' | 'urgent';

/**
 * Whether the operation may have been done although it failed: its answer may be lost, replaced by a proxy, or be the
 * 408 of a Consentry that answers before its work ends.
 */
export function mayBeDone(error: ConsentryError): boolean {
    if (error.name === 'client.signedOut') return false;
    const { name, status } = error;
    return status === 0 || status === 408 || status >= 500 || name === 'client.unreadable';
}

/** Decides about the repetitions of one request. */
export class Repetitions {
    readonly #repeatability: Repeatability;
    readonly #policy: RetryPolicy;
    readonly #grace: number;
    #attempts = 0;
    #begun = 0;
    /** When the first attempt of an urgent request began that may have been done. */
    #urgentSince = Infinity;

    constructor(repeatability: Repeatability, policy: RetryPolicy, grace: number) {
        this.#repeatability = repeatability;
        this.#policy = policy;
        this.#grace = grace;
    }

    /** An attempt begins. */
    begin(): void {
        ++this.#attempts;
        this.#begun = performance.now();
    }

    /** Milliseconds to wait before the next attempt; undefined if there must be none. */
    pauseAfter(error: ConsentryError): number | undefined {
        if (this.#policy.attempts <= 1) return undefined;
        // Clients that were refused together do not come back together.
        const spread = Math.random() * firstPause;
        const growing = firstPause * 2 ** (this.#attempts - 1);
        const asked = error.retryAfter === undefined ? undefined : error.retryAfter * 1000;
        return this.#repeatability === 'urgent' && mayBeDone(error)
            ? this.#urgentPause(growing, asked, spread)
            : this.#usualPause(error, growing, asked, spread);
    }

    #urgentPause(growing: number, asked: number | undefined, spread: number): number | undefined {
        this.#urgentSince = Math.min(this.#urgentSince, this.#begun);
        const left = this.#urgentLeft();
        if (left < firstPause || (asked ?? 0) > this.#policy.longestWait) return undefined;
        // An attempt that took long was a pause itself.
        const unspent = growing + spread - (performance.now() - this.#begun);
        const pause = Math.max(0, unspent, asked === undefined ? 0 : asked + spread);
        // The last attempt comes in time, even if Consentry asked for a little more.
        return Math.min(pause, left);
    }

    #usualPause(error: ConsentryError, growing: number, asked: number | undefined, spread: number): number | undefined {
        let pause: number;
        switch (error.name) {
            case 'http.tooManyRequests': // counted before anything is done, so every request may be repeated
                pause = asked ?? 1000;
                break;
            case 'http.serviceUnavailable':
                if (this.#repeatability === 'once' || asked === undefined) return undefined;
                pause = asked;
                break;
            case 'client.unreachable':
                if (this.#repeatability === 'once') return undefined;
                pause = growing;
                break;
            default:
                return undefined;
        }
        const { attempts, longestWait } = this.#policy;
        if (pause > longestWait) return undefined;
        pause += spread; // which the limit does not include: a wait of exactly its length is allowed
        const isInTime = this.#urgentSince < Infinity && pause <= this.#urgentLeft();
        return this.#attempts < attempts || isInTime ? pause : undefined;
    }

    #urgentLeft(): number {
        return this.#urgentSince + urgentFor(this.#grace) - performance.now();
    }
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
