import { ConsentryError, errorOf, isEnvelope, unreadable } from './errors.js';
import type { operations as Documented } from './generated/api.js';
import { operations } from './generated/operations.js';
import type { Language } from './language.js';
import { Repetitions, defaultGrace, defaultRetry, delayOf, pauseFor } from './retry.js';
import type { Repeatability, RetryPolicy } from './retry.js';

/** Name of an operation in the API document. */
export type OperationId = keyof typeof operations & keyof Documented;

/** What every call can state. */
export interface CallOptions {
    /** Ends the call: it rejects with the signal's reason. Whether Consentry did its work is then unknown. */
    signal?: AbortSignal | undefined;
    /** Milliseconds until an attempt fails with `client.timeout`. */
    timeout?: number | undefined;
    /** Language of messages and mails. */
    language?: Language | undefined;
}

type BodyFor<Content> = Content extends { 'application/json': infer Json }
    ? Json
    : Content extends { 'multipart/form-data': unknown }
      ? FormData | Blob
      : Content extends { 'application/octet-stream': unknown }
        ? Blob
        : never;

type PathPart<O> = O extends { parameters: { path: infer Path } } ? { path: Path } : { path?: never };
type QueryPart<O> = O extends { parameters: { query: infer Query } }
    ? { query: Query }
    : O extends { parameters: { query?: infer Query } }
      ? { query?: Query }
      : { query?: never };
type BodyPart<O> = O extends { requestBody: { content: infer Content } }
    ? { body: BodyFor<Content> }
    : O extends { requestBody?: { content: infer Content } }
      ? { body?: BodyFor<Content> }
      : { body?: never };

/** What a call of this operation can state. What the document requires is required. */
export type RequestOptions<O extends OperationId> = CallOptions &
    PathPart<Documented[O]> &
    QueryPart<Documented[O]> &
    BodyPart<Documented[O]> & {
        /** Sent instead of the session's access token, for example that of the caller of a server. */
        token?: string | undefined;
        /** Further headers. */
        headers?: Readonly<Record<string, string>> | undefined;
    };

type Contained<Content> = Content extends { 'application/json': infer Json }
    ? Json
    : keyof Content extends `application/${string}+json`
      ? Content[keyof Content]
      : keyof Content extends `text/${string}`
        ? string
        : Blob;
type Succeeded<Responses> = {
    [Status in keyof Responses & (200 | 201 | 204)]: Responses[Status] extends { content: infer Content }
        ? Contained<Content>
        : undefined;
}[keyof Responses & (200 | 201 | 204)];

/** What a successful call of this operation returns: the body as the API document describes it. */
export type Body<O extends OperationId> = Succeeded<Documented[O]['responses']>;

/** `data` of that body. */
export type Data<O extends OperationId> = Body<O> extends { data?: infer D } ? D : undefined;

/** All options of a call, required or not: what the functions below read. */
export interface AnyOptions extends CallOptions {
    path?: object | undefined;
    query?: object | undefined;
    body?: unknown;
    token?: string | undefined;
    headers?: Readonly<Record<string, string>> | undefined;
}

export interface HttpOptions {
    /** Address of Consentry, such as `https://login.example.com`; may contain a path. */
    baseUrl: string | URL;
    /**
     * Where the API is below `baseUrl`: the HTTP_GLOBAL_PREFIX of Consentry and the version, such as `/auth/v1`, or the
     * prefix alone without URL_VERSIONING_ENABLE. Default: `/api/v1`.
     */
    apiPath?: string | undefined;
    /** An API key, `<key>:<secret>`. For servers: whatever a page contains is public. */
    apiKey?: string | undefined;
    /** Milliseconds until an attempt fails. Default: 30,000, after which Consentry itself gives up. */
    timeout?: number | undefined;
    retry?: Partial<RetryPolicy> | undefined;
    /**
     * Milliseconds for which Consentry repeats its answer to a refresh: AUTH_JWT_REFRESH_GRACE_IN_SECONDS. A later
     * repetition would count as theft. Default: 10,000.
     */
    refreshGrace?: number | undefined;
    /** Replaces the platform's `fetch`. */
    fetch?: typeof fetch | undefined;
}

/** What src/generated/operations.ts says of each. */
type Operation = readonly [method: string, path: string, token: string, answer?: string, fileType?: string];

function repeatabilityOf(operation: OperationId): Repeatability {
    if (operation === 'refreshTokens') return 'urgent';
    return operations[operation][0] === 'GET' ? 'safe' : 'once';
}

function baseOf(baseUrl: string | URL): string {
    const url = new URL(baseUrl);
    if (!/^https?:$/.test(url.protocol) || url.username || url.password || url.search || url.hash)
        throw new TypeError('baseUrl must be an http or https address without user, query and fragment');
    return url.href.replace(/\/+$/, '');
}

function apiPathOf(apiPath: string): string {
    if (!/^(\/(?!\.\.?(\/|$))[\w.~-]+)*$/.test(apiPath))
        throw new TypeError('apiPath must be empty, or a path such as /api/v1 without a slash at its end');
    return apiPath;
}

function segmentOf(name: string, value: string): string {
    // Browsers resolve these, and the request would reach another operation.
    if (value === '' || value === '.' || value === '..') throw new TypeError(`path.${name} is missing or invalid`);
    return encodeURIComponent(value);
}

function pathOf(template: string, values: object | undefined): string {
    const given = (values ?? {}) as Record<string, unknown>;
    return template.replace(/\{(\+?)(\w+)\}/g, (_, keepsSlashes: string, name: string) => {
        const value = String(given[name] ?? '');
        const segments = keepsSlashes ? value.split('/') : [value];
        return segments.map((segment) => segmentOf(name, segment)).join('/');
    });
}

function queryOf(values: object | undefined): string {
    const query = new URLSearchParams();
    for (const [name, value] of Object.entries(values ?? {}))
        for (const one of Array.isArray(value) ? value : [value])
            if (one !== undefined && one !== null) query.append(name, String(one));
    const text = query.toString();
    return text && `?${text}`;
}

/**
 * Returns the body that the operation promises: JSON, text, a Blob, or nothing. Whatever else comes with a 2xx, such as
 * the page that an application shows at every address, is no success.
 */
export async function bodyOf<O extends OperationId>(operation: O, response: Response): Promise<Body<O>> {
    const [, , , promised]: Operation = operations[operation];
    const type = response.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase();
    const given = response.status === 204 ? 'nothing' : type;
    if (given !== (promised || 'application/json')) {
        await response.body?.cancel();
        throw unreadable(response.status);
    }
    const body = await contentOf(response, given);
    if (!promised && !isEnvelope(body)) throw unreadable(response.status);
    return body as Body<O>;
}

async function contentOf(response: Response, type: string): Promise<unknown> {
    if (type === 'nothing') return undefined;
    if (type.startsWith('text/')) return response.text();
    return /[/+]json$/.test(type) ? response.json() : response.blob();
}

/** Sends operations, and repeats them where that is safe. Knows no session. */
export class Http {
    readonly #base: string;
    readonly #apiPath: string | undefined;
    readonly #apiKey: string | undefined;
    readonly #timeout: number;
    readonly #retry: RetryPolicy;
    readonly #grace: number;
    readonly #fetch: typeof fetch;
    readonly #language: () => Language | undefined;

    /** `language` says which one a request has that names none. */
    constructor(options: HttpOptions, language: () => Language | undefined) {
        this.#language = language;
        this.#base = baseOf(options.baseUrl);
        this.#apiPath = options.apiPath === undefined ? undefined : apiPathOf(options.apiPath);
        this.#apiKey = options.apiKey;
        this.#timeout = options.timeout ?? 30_000;
        const { attempts = defaultRetry.attempts, longestWait = defaultRetry.longestWait } = options.retry ?? {};
        this.#retry = { attempts, longestWait };
        this.#grace = options.refreshGrace ?? defaultGrace;
        this.#fetch = options.fetch ?? ((input, init) => globalThis.fetch(input, init));
    }

    /** `read` takes what it needs of a 2xx answer; the timeout includes it. */
    async send<T>(operation: OperationId, options: AnyOptions, read: (response: Response) => Promise<T>): Promise<T> {
        const [method, template, , , fileType]: Operation = operations[operation];
        const url = this.#base + pathOf(this.#placed(template), options.path) + queryOf(options.query);
        const headers = new Headers(options.headers);
        headers.set('accept', 'application/json, */*;q=0.5');
        if (options.token !== undefined) headers.set('authorization', `Bearer ${options.token}`);
        if (this.#apiKey !== undefined) headers.set('x-api-key', this.#apiKey);
        const language = options.language ?? this.#language();
        if (language !== undefined) headers.set('x-custom-lang', language);
        let body: BodyInit | undefined;
        if (options.body instanceof FormData || options.body instanceof Blob) {
            body = options.body;
            // Otherwise fetch sends the type that the platform gave the file, if any.
            if (fileType !== undefined && body instanceof Blob && !headers.has('content-type'))
                headers.set('content-type', fileType);
        } else if (options.body !== undefined) {
            headers.set('content-type', 'application/json');
            body = JSON.stringify(options.body);
        }
        // Tokens go to this address only, and nowhere with the page's cookies.
        const init: RequestInit = {
            method,
            headers,
            credentials: 'omit',
            redirect: 'error',
            cache: 'no-store',
            referrerPolicy: 'no-referrer',
            ...(body !== undefined && { body }),
        };
        const repetitions = new Repetitions(repeatabilityOf(operation), this.#retry, this.#grace);
        for (;;) {
            repetitions.begin();
            try {
                return await this.#attempt(url, init, options, read);
            } catch (error) {
                if (!(error instanceof ConsentryError)) throw error;
                const pause = repetitions.pauseAfter(error);
                if (pause === undefined) throw error;
                await pauseFor(pause, options.signal);
            }
        }
    }

    /** Operations that are documented without a version answer with it, too; those outside the API stay. */
    #placed(template: string): string {
        return this.#apiPath === undefined ? template : template.replace(/^\/api(\/v1)?(?=\/)/, this.#apiPath);
    }

    async #attempt<T>(
        url: string,
        init: RequestInit,
        { signal, timeout = this.#timeout }: CallOptions,
        read: (response: Response) => Promise<T>,
    ): Promise<T> {
        const late = new AbortController();
        const timer = setTimeout(() => late.abort(), delayOf(timeout));
        try {
            const either = signal ? AbortSignal.any([signal, late.signal]) : late.signal;
            const response = await this.#fetch(url, { ...init, signal: either });
            if (!response.ok) throw await errorOf(response);
            return await read(response);
        } catch (error) {
            if (error instanceof ConsentryError) throw error;
            signal?.throwIfAborted();
            const facts = { status: 0, statusCode: 0, cause: error };
            if (late.signal.aborted)
                throw new ConsentryError({ ...facts, name: 'client.timeout', message: `No answer in ${timeout} ms` });
            if (error instanceof SyntaxError)
                throw new ConsentryError({ ...facts, name: 'client.unreadable', message: 'The answer is not JSON' });
            const message = `${new URL(url).origin} does not answer: offline, wrong baseUrl, or refused by CORS`;
            throw new ConsentryError({ ...facts, name: 'client.unreachable', message });
        } finally {
            clearTimeout(timer);
        }
    }
}
