// The page /docs: loads the document, shows what the address names, and searches.
import { ApiDocument } from './document.js';
import { badge, group, introduction, make, operation, schema } from './views.js';

const at = (id) => document.getElementById(id);
const main = at('main');
const list = at('list');
const search = at('search');
const state = { language: 'curl', secrets: {} }; // tokens live as long as the page
let api;

function followColors() {
    const stored = localStorage.getItem('colors') ?? 'light dark';
    document.documentElement.dataset.colors = at('colors').value = stored;
}
at('colors').addEventListener('change', ({ target }) => {
    localStorage.setItem('colors', target.value);
    followColors();
});
followColors();

function setMenu(open) {
    at('menu').setAttribute('aria-expanded', String(open));
    at('sidebar').classList.toggle('open', open);
}
at('menu').addEventListener('click', () => setMenu(at('menu').getAttribute('aria-expanded') !== 'true'));

const entry = ({ href, title, detail, operation }) =>
    make(
        'li',
        {},
        make(
            'a',
            { href, 'aria-current': href === location.hash && 'page' },
            operation && badge(operation.method),
            make('span', {}, title, detail && make('small', {}, detail)),
        ),
    );

function showAll() {
    at('found').textContent = '';
    const open = api.byId.get(location.hash.split('/')[2])?.tag;
    list.replaceChildren(
        make('ul', { class: 'entries' }, entry({ href: '#/', title: 'Introduction' })),
        ...api.tags.map(({ name }) =>
            make(
                'details',
                { open: name === open || location.hash === `#/tag/${name}` },
                make('summary', {}, name),
                make(
                    'ul',
                    { class: 'entries' },
                    api.operations
                        .filter((one) => one.tag === name)
                        .map((one) => entry({ href: `#/operation/${one.id}`, title: one.summary, operation: one })),
                ),
            ),
        ),
        make(
            'details',
            { open: location.hash.startsWith('#/schema/') },
            make('summary', {}, 'Schemas'),
            make(
                'ul',
                { class: 'entries' },
                api.schemas.map((name) => entry({ href: `#/schema/${name}`, title: name })),
            ),
        ),
    );
}

function showFound() {
    if (search.value.trim() === '') return showAll();
    const found = api.search(search.value);
    const shown = found.slice(0, 100);
    at('found').textContent =
        found.length === 0
            ? 'Nothing found'
            : `${found.length} found${shown.length < found.length ? `, the first ${shown.length} shown` : ''}`;
    list.replaceChildren(make('ul', { class: 'entries' }, shown.map(entry)));
}

function view() {
    const [, kind, name] = location.hash.split('/');
    if (kind === 'operation' && api.byId.has(name)) return operation(api, api.byId.get(name), state);
    if (kind === 'tag') return group(api, name);
    if (kind === 'schema') return schema(api, name);
    return kind ? undefined : introduction(api);
}

function show() {
    const content = view() ?? [make('h1', {}, 'Not found'), make('p', {}, 'The document has no such entry.')];
    main.replaceChildren(...content.flat(Infinity).filter(Boolean));
    const title = main.querySelector('h1').textContent;
    document.title = title === api.json.info.title ? title : `${title} – ${api.json.info.title}`;
    setMenu(false);
    showFound();
}

search.addEventListener('input', showFound);
addEventListener('hashchange', () => {
    if (location.hash !== '' && !location.hash.startsWith('#/')) return; // the link to the content
    show();
    main.focus();
    scrollTo(0, 0);
});

const isTyping = ({ target }) => target.matches('input, textarea, select');
addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const links = [...list.querySelectorAll('a')].filter((one) => one.checkVisibility());
    const place = links.indexOf(document.activeElement);
    if (event.key === '/' && !isTyping(event)) {
        setMenu(true);
        search.focus();
    } else if (event.key === 'Enter' && event.target === search) {
        links[0]?.click();
    } else if (event.key === 'Escape' && (event.target === search || place >= 0)) {
        search.value = '';
        showFound();
        search.focus();
    } else if (event.key === 'ArrowDown' && (event.target === search || place >= 0)) {
        links[place + 1]?.focus();
    } else if (event.key === 'ArrowUp' && place >= 0) {
        (links[place - 1] ?? search).focus();
    } else {
        return;
    }
    event.preventDefault();
});

try {
    const answer = await fetch('/docs/json');
    if (!answer.ok) throw new Error(`/docs/json answered with status ${answer.status}`);
    api = new ApiDocument(await answer.json());
    show();
} catch (error) {
    main.replaceChildren(
        make('h1', {}, 'The document cannot be loaded'),
        make('p', {}, `${error.message}. Reload the page.`),
    );
}
