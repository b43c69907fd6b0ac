import { Consentry, ConsentryError, browserStorage } from './client/index.js';

const baseUrl = document.querySelector('meta[name=consentry]').content;
const consentry = new Consentry({ baseUrl, storage: browserStorage() });
const main = document.querySelector('main');
const message = document.querySelector('#message');
// Shows a form. What `submit` throws becomes the message.
function form(title, fields, submit) {
    const one = document.createElement('form');
    for (const [name, type, autocomplete] of fields) {
        const label = Object.assign(document.createElement('label'), { textContent: `${name} ` });
        label.append(Object.assign(document.createElement('input'), { name, type, autocomplete, required: true }));
        one.append(label);
    }
    one.append(Object.assign(document.createElement('button'), { textContent: title }));
    one.addEventListener('submit', (event) => {
        event.preventDefault();
        run(() => submit(Object.fromEntries(new FormData(one))));
    });
    main.append(one);
}

async function run(act) {
    message.textContent = '';
    try {
        await act();
    } catch (error) {
        if (!(error instanceof ConsentryError)) throw error;
        message.textContent = error.message;
    }
}

const email = ['email', 'email', 'username'];
const password = ['password', 'password', 'current-password'];
function showLogin() {
    main.replaceChildren();
    form('Log in', [email, password], async (credentials) => {
        const step = await consentry.login(credentials);
        if (step.state === 'signedIn') return; // the listener below shows the account
        main.replaceChildren();
        if (step.state === 'setUp') main.append(`Enter this secret into your authenticator app: ${step.secret}`);
        form('Continue', [['code', 'text', 'one-time-code']], async ({ code }) => {
            if (step.state === 'challenge') return consentry.verifyLogin(step, { code });
            const { backupCodes } = await consentry.setUpAtLogin(step, code);
            main.replaceChildren(`Keep these codes: ${backupCodes.join(' ')}`);
            form('Continue', [['backupCode', 'text', 'off']], (proof) => consentry.verifyLogin(step, proof));
        });
    });
}

async function showAccount() {
    const { data } = await consentry.sessions.list();
    const button = Object.assign(document.createElement('button'), { textContent: 'Log out' });
    button.addEventListener('click', () => run(() => consentry.logout()));
    main.replaceChildren(`You have ${data.length} session(s). `, button);
}

consentry.on('signedIn', () => run(showAccount));
consentry.on('signedOut', showLogin);
run(async () => ((await consentry.isSignedIn()) ? showAccount() : showLogin()));
