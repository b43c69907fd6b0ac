import type { ServiceErrors } from './generated/errors.js';
import type { Language } from './language.js';

/** What goes wrong without an answer of Consentry. Their `statusCode` is 0. */
interface ClientErrors {
    /** No answer came: offline, a wrong address, or a page whose origin Consentry does not allow (CORS). */
    'client.unreachable': { module: 'client'; key: 'unreachable'; status: 0; statusCode: 0 };
    /** No answer came within the timeout. Whether the request had an effect is unknown. */
    'client.timeout': { module: 'client'; key: 'timeout'; status: 0; statusCode: 0 };
    /** The answer is not one of Consentry, for example a page of a proxy. `status` is its HTTP status. */
    'client.unreadable': { module: 'client'; key: 'unreadable'; status: number; statusCode: 0 };
    /** The operation needs a session and there is none. Nothing was sent. */
    'client.signedOut': { module: 'client'; key: 'signedOut'; status: 0; statusCode: 0 };
}

type Errors = ServiceErrors & ClientErrors;

/** Module and key of an error, such as `auth.twoFactorInvalid`. */
export type ErrorName = keyof Errors;

/** Number of an error. Some errors share one, so compare names. */
export type StatusCode = Errors[ErrorName]['statusCode'];

/** A rule that a field of the request violates. */
export interface Violation {
    /** Name of the rule, such as `isEmail`. */
    key: string;
    /** Path of the field, such as `contents.0.language`. */
    property: string;
    /** What is wrong, in the language of the request. */
    message: string;
    row?: undefined;
    errors?: undefined;
}

/** A row of a file that violates rules. `file.validation` has these instead of violations of the request. */
export interface RowViolation {
    /** Number of the row, from 0. */
    row: number;
    errors: readonly Violation[];
    key?: undefined;
    property?: undefined;
    message?: undefined;
}

type ViolationsOf<N extends ErrorName> = N extends 'file.validation' ? readonly RowViolation[] : readonly Violation[];

/** A document that the user must accept, in `error.data.policies` of `termPolicy.requiredInvalid` and others. */
export interface PolicyToAccept {
    type: 'termsOfService' | 'privacy' | 'marketing' | 'cookies';
    version: number;
    /** Its text in each language: where it is, and its SHA-256 in hexadecimal. */
    contents: { language: Language; url: string; contentHash: string }[];
}

/** Details that some errors have. */
export interface ErrorData {
    retryAfterSeconds?: number;
    policies?: PolicyToAccept[];
    [more: string]: unknown;
}

/** What an error is made of. */
export interface ErrorFacts<N extends ErrorName = ErrorName> {
    name: N;
    status: number;
    statusCode: number;
    message: string;
    errors?: ViolationsOf<N> | undefined;
    data?: ErrorData | undefined;
    retryAfter?: number | undefined;
    requestId?: string | undefined;
    cause?: unknown;
}

class Failure<N extends ErrorName> extends Error {
    /** Module and key of the error. */
    override readonly name: N;
    readonly module: Errors[N]['module'];
    readonly key: Errors[N]['key'];
    /** HTTP status; 0 without an answer. */
    readonly status: Errors[N]['status'];
    /** Number of the error; 0 without an answer of Consentry. */
    readonly statusCode: Errors[N]['statusCode'];
    /** All rules that the request violates, if the error is `request.validation`; of a file, row by row. */
    readonly errors: ViolationsOf<N>;
    readonly data: ErrorData;
    /** Seconds after which the request may succeed, if Consentry said so. */
    readonly retryAfter: number | undefined;
    /** What Consentry's log calls this request. */
    readonly requestId: string | undefined;

    constructor(facts: ErrorFacts<N>) {
        super(facts.message, facts.cause === undefined ? undefined : { cause: facts.cause });
        const dot = facts.name.indexOf('.');
        this.name = facts.name;
        this.module = facts.name.slice(0, dot) as Errors[N]['module'];
        this.key = facts.name.slice(dot + 1) as Errors[N]['key'];
        this.status = facts.status as Errors[N]['status'];
        this.statusCode = facts.statusCode as Errors[N]['statusCode'];
        this.errors = facts.errors ?? ([] as unknown as ViolationsOf<N>);
        this.data = facts.data ?? {};
        this.retryAfter = facts.retryAfter;
        this.requestId = facts.requestId;
    }
}

/**
 * What every method of this package throws, except for the reason of an abort. The union of all errors: a `switch` over
 * `name` or `statusCode` narrows it. A newer Consentry may have names that this type lacks, so give the `switch` a
 * `default`.
 */
export type ConsentryError<N extends ErrorName = ErrorName> = { [Name in N]: Failure<Name> }[N];

/** The class of all errors, for `instanceof`. */
export const ConsentryError = Failure as unknown as {
    new <N extends ErrorName>(facts: ErrorFacts<N>): ConsentryError<N>;
    readonly prototype: ConsentryError;
};

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

/** Whole seconds of a Retry-After header. Consentry sends no dates. */
function secondsOf(header: string | null): number | undefined {
    return header !== null && /^\d{1,9}$/.test(header) ? Number(header) : undefined;
}

/** Whether it is a body in the form of Consentry's answers, which a page of a proxy is not. */
export const isEnvelope = (body: unknown): body is Record<string, unknown> & { statusCode: number } =>
    isObject(body) && typeof body['statusCode'] === 'number';

/** The error of an answer that is not one of Consentry. */
export const unreadable = (status: number, retryAfter?: number): ConsentryError =>
    new ConsentryError({
        name: 'client.unreadable',
        status,
        statusCode: 0,
        message: `The answer with status ${status} is not one of Consentry; check baseUrl and proxies`,
        retryAfter,
    });

/** The error that an answer other than 2xx is. Reads its body. */
export async function errorOf(response: Response): Promise<ConsentryError> {
    const retryAfter = secondsOf(response.headers.get('retry-after'));
    const text = await response.text();
    let body: unknown;
    try {
        body = JSON.parse(text);
    } catch {
        body = undefined;
    }
    if (!isEnvelope(body) || typeof body['statusCodeKey'] !== 'string' || typeof body['module'] !== 'string')
        return unreadable(response.status, retryAfter);
    const metadata = isObject(body['metadata']) ? body['metadata'] : {};
    return new ConsentryError({
        name: `${body['module']}.${body['statusCodeKey']}` as ErrorName,
        status: response.status,
        statusCode: body.statusCode,
        message: String(body['message']),
        errors: Array.isArray(body['errors']) ? (body['errors'] as ViolationsOf<ErrorName>) : undefined,
        data: isObject(body['data']) ? body['data'] : undefined,
        retryAfter,
        requestId: typeof metadata['requestId'] === 'string' ? metadata['requestId'] : undefined,
    });
}

/** The error of an operation that needs a session, without one. */
export const signedOut = (): ConsentryError =>
    new ConsentryError({
        name: 'client.signedOut',
        status: 0,
        statusCode: 0,
        message: 'There is no session; log in first',
    });
