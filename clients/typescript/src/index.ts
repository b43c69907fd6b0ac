export { Consentry } from './client.js';
export type { Challenge, ConsentryOptions, LoginStep, Proof, SetUp, SignedIn } from './client.js';
export { ConsentryError } from './errors.js';
export type {
    ErrorData,
    ErrorFacts,
    ErrorName,
    PolicyToAccept,
    RowViolation,
    StatusCode,
    Violation,
} from './errors.js';
export type { components, operations } from './generated/api.js';
export type { Body, CallOptions, Data, HttpOptions, OperationId, RequestOptions } from './http.js';
export type { Language } from './language.js';
export type { RetryPolicy } from './retry.js';
export type { SessionEvent, SessionListener } from './session.js';
export { browserStorage, memoryStorage } from './storage.js';
export type { TokenStorage, Tokens } from './storage.js';
