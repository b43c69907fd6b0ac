// Compiled, never run. A line below @ts-expect-error must not compile.
import { Consentry, ConsentryError, browserStorage } from '@consentry/client';
import type {
    Body,
    ErrorName,
    LoginStep,
    RowViolation,
    StatusCode,
    Tokens,
    Violation,
    components,
} from '@consentry/client';

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const isTrue = <T extends true>(_?: T): void => {};
const never = (value: never): never => {
    throw new Error(String(value));
};

const consentry = new Consentry({ baseUrl: 'https://login.example.com', storage: browserStorage(), language: 'de' });
// @ts-expect-error
new Consentry({ baseUrl: 'https://login.example.com', language: 'xx' });
// @ts-expect-error
new Consentry({});

// The steps of a login exclude each other.
export function view(step: LoginStep): string {
    switch (step.state) {
        case 'signedIn':
            // @ts-expect-error
            step.challengeToken;
            return step.roleType;
        case 'challenge':
            // @ts-expect-error
            step.secret;
            return step.challengeToken;
        case 'setUp':
            return step.secret;
        default:
            return never(step);
    }
}
consentry.login({ email: 'ada@example.org', password: 'secret' });
// @ts-expect-error
consentry.login({ email: 'ada@example.org' });
consentry.verifyLogin({ challengeToken: '' }, { code: '123456' });
consentry.verifyLogin({ challengeToken: '' }, { backupCode: 'ABCDEFGHIJ' });
// @ts-expect-error
consentry.verifyLogin({ challengeToken: '' }, {});

// Errors narrow by name and by number.
export async function explained(): Promise<string> {
    try {
        await consentry.account.profile();
        return '';
    } catch (error) {
        if (!(error instanceof ConsentryError)) throw error;
        isTrue<Same<typeof error.name, ErrorName>>();
        isTrue<Same<typeof error.statusCode, StatusCode>>();
        switch (error.name) {
            case 'termPolicy.requiredInvalid':
                isTrue<Same<typeof error.statusCode, 6104>>();
                isTrue<Same<typeof error.status, 403>>();
                return (error.data.policies ?? []).map(({ type, version }) => `${type} ${version}`).join();
            case 'auth.twoFactorAttemptTemporaryLock':
                isTrue<Same<typeof error.module, 'auth'>>();
                return `wait ${error.retryAfter ?? 0} s`;
            // @ts-expect-error: there is no such error
            case 'auth.twoFactorInvlaid':
                return '';
        }
        if (error.statusCode === 5137) isTrue<Same<typeof error.name, 'auth.freshLoginRequired'>>();
        return error.message;
    }
}

// Of a file, the rules are those of its rows.
export function violated(error: ConsentryError): string {
    switch (error.name) {
        case 'request.validation':
            isTrue<Same<typeof error.errors, readonly Violation[]>>();
            return error.errors.map(({ property, message }) => `${property}: ${message}`).join();
        case 'file.validation':
            isTrue<Same<typeof error.errors, readonly RowViolation[]>>();
            // @ts-expect-error: a row has errors of its own
            error.errors.map(({ property }) => property.length);
            return error.errors
                .flatMap(({ row, errors }) => errors.map(({ property, message }) => `${row} ${property}: ${message}`))
                .join();
    }
    // Who does not ask for the name sees both.
    for (const one of error.errors) if (one.row === undefined) isTrue<Same<typeof one, Violation>>();
    return error.errors.find(({ property }) => property === 'email')?.message ?? '';
}

// A switch over the errors that a view can show is exhaustive, and stays so.
type Refusal = Extract<ConsentryError, { name: `user.password${string}` | 'user.emailNotVerified' }>;
export function sentence(error: Refusal): string {
    switch (error.name) {
        case 'user.emailNotVerified':
            return 'Open the link that we sent you.';
        case 'user.passwordNotMatch':
            return 'Address or password is wrong.';
        case 'user.passwordAttemptMax':
            return 'Too many attempts.';
        case 'user.passwordExpired':
            return 'Choose a new password.';
        case 'user.passwordMustNew':
            return 'Choose another password.';
        case 'user.passwordNotSet':
            return 'You have no password yet.';
        default:
            return never(error);
    }
}
export function incomplete(error: Refusal): string {
    switch (error.name) {
        case 'user.emailNotVerified':
            return '';
        default:
            // @ts-expect-error: the others are left
            return never(error);
    }
}

// Operations take what the document says, and return it.
export async function operations(): Promise<void> {
    const { data, metadata } = await consentry.request('listSessions', { query: { perPage: 5 } });
    isTrue<Same<(typeof data)[number]['isCurrent'], boolean>>();
    const cursor: string | undefined = metadata.nextCursor;
    void cursor;
    // @ts-expect-error: a number
    await consentry.request('listSessions', { query: { perPage: 'five' } });
    await consentry.request('revokeSession', { path: { sessionId: 'x' } });
    await consentry.request('fileUpload', { path: { key: 'a/b' }, body: new Blob(['text']) });
    // @ts-expect-error: path is missing
    await consentry.request('revokeSession');
    // @ts-expect-error: no such operation
    await consentry.request('revokeSessions');
    // @ts-expect-error: body is incomplete
    await consentry.request('signUp', { body: { email: '' } });
    isTrue<Same<Body<'revokeSession'>, undefined>>();
    isTrue<Same<Body<'getConsentProof'>, string>>();
    const archive: Blob = await consentry.request('exportConsentLog');
    void archive;
    const profile: components['schemas']['UserProfileResponseDto'] = await consentry.account.profile();
    void profile;
    // Objects whose members the document does not name have some.
    const { data: flags } = await consentry.request('listFeatureFlags');
    isTrue<Same<(typeof flags)[number]['metadata'], Record<string, string | number | boolean> | undefined>>();
    const body = { metadata: { signUpAllowed: true, note: 'text', most: 5 } };
    const path = { featureFlagId: 'x' };
    await consentry.request('updateFeatureFlagMetadata', { path, body });
    // @ts-expect-error: no such value
    await consentry.request('updateFeatureFlagMetadata', { path, body: { metadata: { a: [] } } });
    const published = await consentry.request('jwks');
    isTrue<Same<(typeof published)['keys'], unknown>>();
    const archived = await consentry.account.export();
    isTrue<Same<(typeof archived)['data'], unknown>>();
    await consentry.account.update({ name: 'x' });
    // @ts-expect-error: no such member
    await consentry.account.update({ nme: 'x' });
    // @ts-expect-error: no text
    await consentry.account.update({ name: 1 });
    await consentry.policies.accept({ type: 'privacy', version: 3 });
    // @ts-expect-error: no such document
    await consentry.policies.accept({ type: 'imprint' });
}

// A storage of one's own.
export const storage = {
    name: 'mine',
    read: async (): Promise<Tokens | undefined> => undefined,
    write: async (_: Tokens): Promise<void> => {},
    clear: async (): Promise<void> => {},
};
new Consentry({ baseUrl: 'https://login.example.com', storage });
