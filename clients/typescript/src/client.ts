import { ConsentryError, signedOut } from './errors.js';
import { operations } from './generated/operations.js';
import { Http, bodyOf } from './http.js';
import type {
    AnyOptions,
    Body,
    CallOptions,
    Data,
    HttpOptions,
    OperationId,
    RequestOptions,
} from './http.js';
import type { Language } from './language.js';
import { defaultGrace, orAborted, urgentTimeout } from './retry.js';
import { isExpired, isOver, isRefusedToken, Session } from './session.js';
import type { SessionEvent, SessionListener } from './session.js';
import { memoryStorage } from './storage.js';
import type { TokenStorage, Tokens } from './storage.js';

export interface ConsentryOptions extends HttpOptions {
    /** Where the tokens are kept. Default: in memory. */
    storage?: TokenStorage | undefined;
    /** Language of messages and mails, if a call names none. */
    language?: Language | undefined;
    /** Kind of client, which Consentry records with logins and sign-ups. Default: `website`. */
    from?: 'website' | 'mobile' | undefined;
}

/** A second factor: a code of the authenticator app, or a backup code. */
export type Proof = { code: string } | { backupCode: string };

/** The login is complete. */
export interface SignedIn {
    state: 'signedIn';
    roleType: Tokens['roleType'];
    /** The password is temporary: the session can only change it and log out. */
    mustChangePassword: boolean;
}

/** The login needs a second factor: ask for a code and call `verifyLogin`. */
export interface Challenge {
    state: 'challenge';
    challengeToken: string;
    /** In milliseconds since 1970 on this machine's clock. */
    expiresAt: number;
    backupCodesRemaining: number;
}

/** The user must set up a second factor: show the secret, ask for a code and call `setUpAtLogin`. */
export interface SetUp {
    state: 'setUp';
    challengeToken: string;
    /** In milliseconds since 1970 on this machine's clock. */
    expiresAt: number;
    secret: string;
    /** The secret as an address that authenticator apps read from a QR code. */
    otpauthUrl: string;
}

export type LoginStep = SignedIn | Challenge | SetUp;

type JsonOf<O extends OperationId> = RequestOptions<O> extends { body?: infer B } ? Exclude<B, undefined> : never;
type QueryOf<O extends OperationId> = RequestOptions<O> extends { query?: infer Q } ? Q : never;
type WithoutFrom<B> = Omit<B, 'from'>;
type Arguments<O extends OperationId> =
    Record<never, never> extends RequestOptions<O> ? [options?: RequestOptions<O>] : [options: RequestOptions<O>];

const renewalsAtMost = 2;

function tokensOf(answer: Data<'refreshTokens'>): Tokens {
    return {
        accessToken: answer.accessToken,
        refreshToken: answer.refreshToken,
        expiresAt: Date.now() + answer.expiresIn * 1000,
        roleType: answer.roleType,
    };
}

/**
 * Consentry for one user: logs in, keeps the session, and sends operations with its access token. A server that answers
 * many users gives `request` and `send` the `token` of each caller instead.
 */
export class Consentry {
    /** Language of messages and mails, if a call names none. */
    language: Language | undefined;

    readonly #http: Http;
    readonly #session: Session;
    readonly #from: 'website' | 'mobile';
    readonly #refreshTimeoutMax: number;
    readonly #refreshTimeout: number;

    constructor(options: ConsentryOptions) {
        this.language = options.language;
        this.#from = options.from ?? 'website';
        this.#refreshTimeoutMax = urgentTimeout(options.refreshGrace ?? defaultGrace);
        this.#refreshTimeout = Math.min(options.timeout ?? Infinity, this.#refreshTimeoutMax);
        this.#http = new Http(options, () => this.language);
        this.#session = new Session(options.storage ?? memoryStorage(), (token) => this.#refresh(token));
    }

    /** Calls the listener after each such event, in this tab and others. Returns a function that stops this. */
    on(type: SessionEvent['type'], listener: SessionListener): () => void {
        return this.#session.listen((event) => {
            if (event.type === type) listener(event);
        });
    }

    /** Frees what events of other tabs need. */
    close(): void {
        this.#session.close();
    }

    /** Whether there are tokens. Consentry may have ended their session meanwhile. */
    async isSignedIn(): Promise<boolean> {
        return (await this.#session.tokens()) !== undefined;
    }

    /** Sends an operation and returns the body of the answer, as the API document describes it. */
    request<O extends OperationId>(operation: O, ...given: Arguments<O>): Promise<Body<O>> {
        const [options] = given as [AnyOptions?];
        return this.#body(operation, options ?? {});
    }

    /**
     * Sends an operation and returns the answer itself, for its headers or as a stream. Throws if it is not 2xx. Does
     * not check that the answer is one of Consentry.
     */
    send<O extends OperationId>(operation: O, ...given: Arguments<O>): Promise<Response> {
        const [options] = given as [AnyOptions?];
        return this.#call(operation, options ?? {}, async (response) => response);
    }

    // Login

    async login(credentials: WithoutFrom<JsonOf<'loginWithCredential'>>, options?: CallOptions): Promise<LoginStep> {
        const body = { from: this.#from, ...credentials };
        return this.#step(await this.#data('loginWithCredential', { ...options, body }), options);
    }

    /** `token` is the identity token that Google gave to the page. It works once. */
    async loginWithGoogle(
        { token, ...more }: { token: string } & Partial<JsonOf<'loginWithGoogle'>>,
        options?: CallOptions,
    ): Promise<LoginStep> {
        const body = { ...more, from: more.from ?? this.#from };
        return this.#step(await this.#data('loginWithGoogle', { ...options, token, body }), options);
    }

    /** `token` is the identity token that Apple gave to the page. It works once. */
    async loginWithApple(
        { token, ...more }: { token: string } & Partial<JsonOf<'loginWithApple'>>,
        options?: CallOptions,
    ): Promise<LoginStep> {
        const body = { ...more, from: more.from ?? this.#from };
        return this.#step(await this.#data('loginWithApple', { ...options, token, body }), options);
    }

    /** Completes a login with a second factor. A challenge works until it expires or a code is right. */
    async verifyLogin(
        { challengeToken }: Pick<Challenge, 'challengeToken'>,
        proof: Proof,
        options?: CallOptions,
    ): Promise<SignedIn> {
        const step = await this.#step(
            await this.#data('verifyLogin', { ...options, body: { challengeToken, ...proof } }),
            options,
        );
        if (step.state !== 'signedIn') throw new TypeError('Consentry asks for a second factor again');
        return step;
    }

    /**
     * Confirms the set-up that a login requires. Show the backup codes: this is the only time. The login then continues
     * with `verifyLogin`, which takes a backup code or the app's next code.
     */
    setUpAtLogin(
        { challengeToken }: Pick<SetUp, 'challengeToken'>,
        code: string,
        options?: CallOptions,
    ): Promise<Data<'enableTwoFactorAtLogin'>> {
        return this.#data('enableTwoFactorAtLogin', { ...options, body: { challengeToken, code } });
    }

    /**
     * Ends the session. This client forgets the tokens in any case; if Consentry could not be told, the call throws
     * afterwards, and the session lives on there until it expires.
     */
    async logout(options?: CallOptions): Promise<void> {
        let tokens: Tokens | undefined;
        try {
            tokens = await this.#session.tokens();
        } catch (error) {
            await this.#session.end(undefined, options?.signal);
            throw error;
        }
        if (!tokens) return;
        try {
            await this.#data('logout', { ...options });
        } catch (error) {
            if (!isOver(error)) throw error;
        } finally {
            await this.#session.end(tokens, options?.signal);
        }
    }

    /**
     * Proves who uses the session, which some changes require (`auth.freshLoginRequired`). Replaces the tokens of the
     * session. If it fails because the answer is lost, call it again.
     */
    async confirmSession(proof: Proof | { password: string }, options?: CallOptions): Promise<void> {
        const timeout = Math.min(options?.timeout ?? this.#refreshTimeout, this.#refreshTimeoutMax);
        const asked = { ...options, body: proof, timeout };
        const read = (response: Response) => bodyOf('confirmSession', response);
        await this.#session.exchange(
            async ({ accessToken }) =>
                tokensOf((await this.#http.send('confirmSession', { ...asked, token: accessToken }, read)).data),
            options?.signal,
        );
    }

    /** The sessions of this user. */
    readonly sessions = {
        list: (query?: QueryOf<'listSessions'>, options?: CallOptions): Promise<Body<'listSessions'>> =>
            this.#body('listSessions', { ...options, query }),
        revoke: async (sessionId: string, options?: CallOptions): Promise<void> => {
            await this.#body('revokeSession', { ...options, path: { sessionId } });
        },
    };

    // Accounts

    /** Creates an account. The user can log in after `verifyEmail`. */
    async signUp(account: WithoutFrom<JsonOf<'signUp'>>, options?: CallOptions): Promise<void> {
        await this.#body('signUp', { ...options, body: { from: this.#from, ...account } });
    }

    /** `token` is the last part of the link in the mail. */
    async verifyEmail(token: string, options?: CallOptions): Promise<void> {
        await this.#body('verifyEmail', { ...options, body: { token } });
    }

    async resendVerification(email: string, options?: CallOptions): Promise<void> {
        await this.#body('sendVerificationEmail', { ...options, body: { email } });
    }

    /** Succeeds whether or not there is such an account. */
    async forgotPassword(email: string, options?: CallOptions): Promise<void> {
        await this.#body('forgotPassword', { ...options, body: { email } });
    }

    /** `token` is the last part of the link in the mail. Accounts with a second factor need a proof too. */
    async resetPassword(reset: JsonOf<'resetPassword'>, options?: CallOptions): Promise<void> {
        await this.#body('resetPassword', { ...options, body: reset });
    }

    /** Ends all sessions of the user, this one included. */
    async changePassword(change: JsonOf<'changePassword'>, options?: CallOptions): Promise<void> {
        await this.#last('changePassword', { ...options, body: change });
    }

    /** The account of this user. */
    readonly account = {
        profile: (options?: CallOptions): Promise<Data<'getProfile'>> => this.#data('getProfile', { ...options }),
        update: async (change: JsonOf<'updateProfile'>, options?: CallOptions): Promise<void> => {
            await this.#body('updateProfile', { ...options, body: change });
        },
        /** All data of the account. `send('exportAccount')` streams it. */
        export: (options?: CallOptions): Promise<Body<'exportAccount'>> =>
            this.#body('exportAccount', { ...options }),
        /** Deletes the account at once. Needs a proof if two-factor authentication is on. */
        delete: async (proof?: Proof, options?: CallOptions): Promise<void> => {
            await this.#last('deleteSelf', { ...options, body: proof ?? {} });
        },
    };

    /** The second factor of this user. */
    readonly twoFactor = {
        status: (options?: CallOptions): Promise<Data<'twoFactorStatus'>> =>
            this.#data('twoFactorStatus', { ...options }),
        /** Needs a session of the last five minutes, or `confirmSession`. */
        setUp: (options?: CallOptions): Promise<Data<'setUpTwoFactor'>> => this.#data('setUpTwoFactor', { ...options }),
        /** Returns the backup codes, this once. Ends the other sessions of the user. */
        enable: (code: string, options?: CallOptions): Promise<Data<'enableTwoFactor'>> =>
            this.#data('enableTwoFactor', { ...options, body: { code } }),
        disable: async (proof: Proof, options?: CallOptions): Promise<void> => {
            await this.#body('disableTwoFactor', { ...options, body: proof });
        },
        /** Earlier codes stop working. */
        newBackupCodes: (options?: CallOptions): Promise<Data<'regenerateBackupCodes'>> =>
            this.#data('regenerateBackupCodes', { ...options }),
    };

    /** The documents that users accept, and what this user accepted. */
    readonly policies = {
        /** The published documents; for an administrator who may read them, drafts too. */
        list: (query?: QueryOf<'listTermPolicies'>, options?: CallOptions): Promise<Body<'listTermPolicies'>> =>
            this.#body('listTermPolicies', { ...options, query }),
        /** Acceptances and withdrawals of this user. */
        accepted: (
            query?: QueryOf<'listAcceptedTermPolicies'>,
            options?: CallOptions,
        ): Promise<Body<'listAcceptedTermPolicies'>> => this.#body('listAcceptedTermPolicies', { ...options, query }),
        /** Returns a signed receipt, if the consent log is on. State which version was shown. */
        accept: (shown: JsonOf<'acceptTermPolicy'>, options?: CallOptions): Promise<string | undefined> =>
            this.#data('acceptTermPolicy', { ...options, body: shown }).then(receiptOf),
        withdraw: (type: JsonOf<'withdrawTermPolicy'>['type'], options?: CallOptions): Promise<string | undefined> =>
            this.#data('withdrawTermPolicy', { ...options, body: { type } }).then(receiptOf),
        receipt: (acceptanceId: string, options?: CallOptions): Promise<string | undefined> =>
            this.#data('getConsentReceipt', { ...options, path: { acceptanceId } }).then(receiptOf),
        /** The proof that the log contains it, for `consentry verify`. For a second or so, `termPolicy.logPending`. */
        proof: (acceptanceId: string, options?: CallOptions): Promise<string> =>
            this.#body('getConsentProof', { ...options, path: { acceptanceId } }),
        /** The record in the terms of ISO/IEC TS 27560. */
        record: (acceptanceId: string, options?: CallOptions): Promise<Body<'getConsentRecord'>> =>
            this.#body('getConsentRecord', { ...options, path: { acceptanceId } }),
    };

    #body<O extends OperationId>(operation: O, options: AnyOptions): Promise<Body<O>> {
        return this.#call(operation, options, (response) => bodyOf(operation, response));
    }

    async #data<O extends OperationId>(operation: O, options: AnyOptions): Promise<Data<O>> {
        return ((await this.#body(operation, options)) as unknown as { data: Data<O> }).data;
    }

    /** An operation that ends the session. */
    async #last(operation: OperationId, options: AnyOptions): Promise<void> {
        const tokens = await this.#session.tokens();
        await this.#body(operation, options);
        await this.#session.end(tokens, options.signal);
    }

    async #call<T>(operation: OperationId, options: AnyOptions, read: (response: Response) => Promise<T>): Promise<T> {
        const needed: string = operations[operation][2];
        if (options.token !== undefined) return this.#http.send(operation, options, read);
        if (needed === 'accessToken') return this.#signedIn(operation, options, read);
        if (needed === 'accessToken?') {
            try {
                // Without a readable storage there is no session, which this operation does not need.
                if (await this.isSignedIn().catch(() => false)) return await this.#signedIn(operation, options, read);
            } catch (error) {
                // Whom Consentry does not admit, for example with a temporary password, gets what everybody gets.
                if (!isNotAdmitted(error)) throw error;
            }
        } else if (needed !== '') {
            throw new TypeError(`${operation} needs options.token`);
        }
        return this.#http.send(operation, options, read);
    }

    async #signedIn<T>(
        operation: OperationId,
        options: AnyOptions,
        read: (response: Response) => Promise<T>,
    ): Promise<T> {
        let tokens = await this.#session.tokens();
        if (!tokens) throw signedOut();
        if (isExpired(tokens))
            tokens = await orAborted(this.#session.renew(tokens), options.signal);
        // Another tab may refresh again meanwhile, hence not only once.
        for (let renewals = 0; ; ++renewals) {
            try {
                return await this.#http.send(operation, { ...options, token: tokens.accessToken }, read);
            } catch (error) {
                if (!isRefusedToken(error) || renewals === renewalsAtMost) throw error;
                tokens = await orAborted(this.#session.renew(tokens), options.signal);
            }
        }
    }

    async #refresh(token: string): Promise<Tokens> {
        const read = (response: Response) => bodyOf('refreshTokens', response);
        return tokensOf((await this.#http.send('refreshTokens', { token, timeout: this.#refreshTimeout }, read)).data);
    }

    async #step(answer: Data<'loginWithCredential'>, options?: CallOptions): Promise<LoginStep> {
        if (!answer.isTwoFactorRequired) {
            await this.#session.begin(tokensOf(answer.tokens), options?.signal);
            const mustChangePassword = answer.mustChangePassword ?? false;
            return { state: 'signedIn', roleType: answer.tokens.roleType, mustChangePassword };
        }
        const { challengeToken } = answer;
        const expiresAt = Date.now() + answer.challengeExpiresIn;
        if (answer.isRequiredSetup) {
            const { secret, otpauthUrl } = answer;
            return { state: 'setUp', challengeToken, expiresAt, secret, otpauthUrl };
        }
        return { state: 'challenge', challengeToken, expiresAt, backupCodesRemaining: answer.backupCodesRemaining };
    }
}

const isNotAdmitted = (error: unknown): boolean =>
    isOver(error) || (error instanceof ConsentryError && error.status === 403);

const receiptOf = (data: { receipt?: string } | undefined): string | undefined => data?.receipt;
