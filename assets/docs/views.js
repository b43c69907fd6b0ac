// What the page shows: the introduction, an operation, a schema. Builds elements only, never markup from text.
import { isFile, languages, requestTo, send } from './requests.js';

// make('p', { class: 'x', onclick: f }, 'text', element, ...)
export function make(name, attributes = {}, ...content) {
    const element = document.createElement(name);
    for (const [key, value] of Object.entries(attributes))
        if (key.startsWith('on')) element.addEventListener(key.slice(2), value);
        else if (value === true) element.setAttribute(key, '');
        else if (value !== false && value !== undefined) element.setAttribute(key, value);
    element.append(...content.flat(Infinity).filter((one) => one !== undefined && one !== false && one !== ''));
    return element;
}

// Descriptions contain `code`, **strong text** and paragraphs.
function inline(text = '') {
    return text.split(/(`[^`]+`|\*\*[^*]+\*\*)/).map((part) => {
        if (part.startsWith('`') && part.endsWith('`') && part.length > 2) return make('code', {}, part.slice(1, -1));
        if (part.startsWith('**') && part.length > 4) return make('strong', {}, part.slice(2, -2));
        return part;
    });
}
const prose = (text = '') =>
    text
        .split('\n\n')
        .filter(Boolean)
        .map((part) => make('p', {}, inline(part)));

export const badge = (method) => make('span', { class: `method ${method.toLowerCase()}` }, method);

const codeBlock = (text, label) =>
    make('pre', { tabindex: '0', role: 'group', 'aria-label': label }, make('code', {}, text));

export function introduction(api) {
    const { title, version, description } = api.json.info;
    return [
        make('h1', {}, title),
        make(
            'p',
            { class: 'quiet' },
            `Version ${version}, OpenAPI ${api.json.openapi}: `,
            make('a', { href: '/docs/json' }, '/docs/json'),
        ),
        prose(description),
        make('h2', {}, 'Groups'),
        make(
            'dl',
            { class: 'fields' },
            api.tags.map(({ name, description }) => [
                make('dt', {}, make('a', { href: `#/tag/${name}` }, name)),
                make('dd', {}, inline(description)),
            ]),
        ),
    ];
}

export function group(api, name) {
    const tag = api.tags.find((one) => one.name === name);
    if (!tag) return undefined;
    return [
        make('h1', {}, name),
        prose(tag.description),
        make(
            'ul',
            { class: 'plain' },
            api.operations
                .filter((one) => one.tag === name)
                .map((one) =>
                    make(
                        'li',
                        {},
                        make('a', { href: `#/operation/${one.id}` }, one.summary),
                        make('br'),
                        badge(one.method),
                        ' ',
                        path(one.path),
                    ),
                ),
        ),
    ];
}

export function schema(api, name) {
    if (!api.schemas.includes(name)) return undefined;
    const users = api.operations.filter((one) =>
        JSON.stringify([one.body, one.responses]).includes(`"#/components/schemas/${name}"`),
    );
    const content = { $ref: `#/components/schemas/${name}` };
    return [
        make('h1', {}, name),
        fields(api, content),
        make('h2', {}, 'Example'),
        codeBlock(JSON.stringify(api.example(content), null, 2), 'Example'),
        users.length > 0 && [
            make('h2', {}, 'Used by'),
            make(
                'ul',
                {},
                users.map((one) => make('li', {}, make('a', { href: `#/operation/${one.id}` }, one.summary))),
            ),
        ],
    ];
}

// Long paths may break after a slash.
function path(text) {
    return make(
        'code',
        { class: 'path' },
        text.split(/(?<=\/)/).flatMap((part) => [part, make('wbr')]),
    );
}

// -- schemas --

function typeOf(api, schema) {
    const all = api.merged(schema);
    const either = all.oneOf ?? all.anyOf;
    if (either) return either.map((one) => typeOf(api, one)).join(' or ');
    if (all.const !== undefined) return JSON.stringify(all.const);
    const type = Array.isArray(all.type)
        ? all.type.join(' or ')
        : (all.type ?? (all.properties ? 'object' : 'any value'));
    if (type === 'array') return `list of ${typeOf(api, all.items ?? {})}`;
    return all.format ? `${type} (${all.format})` : type;
}

const limitNames = {
    minLength: 'at least # characters',
    maxLength: 'at most # characters',
    minItems: 'at least # entries',
    maxItems: 'at most # entries',
    minimum: 'at least #',
    maximum: 'at most #',
    default: '# by default',
    pattern: 'matches #',
};
function limits(schema) {
    const said = Object.entries(limitNames)
        .filter(([key]) => schema[key] !== undefined)
        .map(([key, text]) =>
            text.replace('#', () => (typeof schema[key] === 'string' ? schema[key] : JSON.stringify(schema[key]))),
        );
    if (schema.enum) said.unshift(`one of ${schema.enum.join(', ')}`);
    return said.join('; ');
}

function field(api, name, schema, { required, description, depth }) {
    const all = api.merged(schema);
    const rules = limits(all);
    return [
        make(
            'dt',
            {},
            make('code', {}, name),
            ' ',
            make('span', { class: 'type' }, typeOf(api, schema)),
            required && make('span', { class: 'required' }, ' required'),
        ),
        make(
            'dd',
            {},
            inline(description ?? all.description),
            rules && make('p', { class: 'rules' }, rules),
            depth < 6 && nested(api, all, depth),
        ),
    ];
}

// The fields below a field, closed at first.
function nested(api, all, depth) {
    const inside = all.type === 'array' ? api.merged(all.items) : all;
    if (!inside.properties && !inside.oneOf && !inside.anyOf) return undefined;
    const details = make('details', {}, make('summary', {}, 'Fields'));
    details.addEventListener('toggle', () => details.append(fields(api, inside, depth + 1)), { once: true });
    return details;
}

function fields(api, schema, depth = 0) {
    const all = api.merged(schema);
    const either = all.oneOf ?? all.anyOf;
    if (either && !all.properties)
        return make(
            'div',
            {},
            make('p', {}, 'One of:'),
            make(
                'ol',
                {},
                either.map((one) => make('li', {}, fields(api, one, depth))),
            ),
        );
    if (all.type === 'array') return make('div', {}, make('p', {}, 'A list of:'), fields(api, all.items, depth));
    if (!all.properties) return make('p', {}, typeOf(api, all), ' ', inline(all.description));
    return make(
        'dl',
        { class: 'fields' },
        Object.entries(all.properties).map(([name, property]) =>
            field(api, name, property, { required: all.required?.includes(name), depth }),
        ),
    );
}

// -- an operation --

export function operation(api, one, state) {
    const form = requestForm(api, one, state);
    return [
        make('h1', {}, one.summary),
        make('p', { class: 'address' }, badge(one.method), ' ', path(one.path)),
        one.aliases.length > 0 &&
            make(
                'details',
                {},
                make('summary', {}, 'Other paths'),
                make(
                    'ul',
                    { class: 'plain' },
                    one.aliases.map((alias) => make('li', {}, path(alias))),
                ),
            ),
        prose(one.description),
        make('p', { class: 'quiet' }, access(api, one)),
        one.parameters.length > 0 && [
            make('h2', {}, 'Parameters'),
            make(
                'dl',
                { class: 'fields' },
                one.parameters.map(({ name, in: place, required, description, schema }) =>
                    field(
                        api,
                        name,
                        { ...schema, description: undefined },
                        { required, description: `${description ?? ''} (${place})`, depth: 0 },
                    ),
                ),
            ),
        ],
        one.body && [
            make('h2', {}, 'Body'),
            make('p', { class: 'quiet' }, one.body.mediaType, one.body.required ? '' : ', optional'),
            fields(api, one.body.schema ?? {}),
        ],
        form,
        make('h2', {}, 'Responses'),
        one.responses.map((response) => responseOf(api, response)),
    ];
}

function access(api, one) {
    if (one.schemes.length === 0) return 'Open to everyone; requires no credentials.';
    const names = one.schemes.map((name) => api.json.components.securitySchemes[name].description);
    const takesToken = one.schemes.some((name) => name !== 'xApiKey');
    const when = takesToken ? 'optional unless the installation asks for them' : 'if the installation asks for them';
    return `Credentials${one.needed.length > 0 ? '' : `, ${when}`}: ${names.join('; ')}.`;
}

function responseOf(api, { status, description, content, headers }) {
    const details = make(
        'details',
        { class: 'response' },
        make(
            'summary',
            {},
            make('strong', { class: status < '300' ? 'good' : 'bad' }, status),
            ' ',
            inline(description),
        ),
    );
    details.addEventListener(
        'toggle',
        () => {
            for (const [mediaType, body] of Object.entries(content ?? {}).slice(0, 1)) {
                details.append(make('p', { class: 'quiet' }, mediaType), fields(api, body.schema ?? {}));
                const examples = Object.entries(body.examples ?? {});
                for (const [name, value] of examples.length > 0 ? examples : [['', { value: api.exampleOf(body) }]]) {
                    const label = `Example ${/^\d*$/.test(name) ? '' : name}`.trim();
                    const shown = api.resolve(value).value;
                    details.append(
                        make('p', {}, label),
                        codeBlock(typeof shown === 'string' ? shown : JSON.stringify(shown, null, 2), label),
                    );
                }
            }
            if (headers) details.append(make('p', {}, 'Headers: ', Object.keys(headers).join(', ')));
        },
        { once: true },
    );
    return details;
}

// The samples, and a form that sends the same request.
function requestForm(api, one, state) {
    const values = {};
    let body = isFile(one) || !one.body ? undefined : text(api.exampleOf(one.body));
    const sample = make('code');
    const show = () => {
        const request = requestTo(one, { values, body, secrets: state.secrets }, location.origin);
        // Tokens stay out of what people copy. An optional one has its place there once it is entered.
        const entered = one.schemes.filter((name) => name !== 'xApiKey' && state.secrets[name]);
        const secrets = Object.fromEntries(entered.map((name) => [name, 'TOKEN']));
        const shown = requestTo(one, { values, body, secrets }, location.origin);
        sample.textContent = languages[state.language](shown, one);
        return request;
    };
    const pick = Object.keys(languages).map((name) =>
        make(
            'button',
            {
                type: 'button',
                'aria-pressed': String(name === state.language),
                onclick() {
                    state.language = name;
                    for (const button of pick) button.setAttribute('aria-pressed', String(button.textContent === name));
                    show();
                },
            },
            name,
        ),
    );
    const copied = make('span', { role: 'status', class: 'quiet' });
    const copy = make(
        'button',
        {
            type: 'button',
            async onclick() {
                await navigator.clipboard.writeText(sample.textContent);
                copied.textContent = 'Copied';
            },
        },
        'Copy',
    );
    const result = make('div', { role: 'status' });
    const input = (label, attributes, onchange) =>
        make(
            'label',
            {},
            make('span', {}, label),
            make('input', {
                autocomplete: 'off',
                spellcheck: 'false',
                ...attributes,
                oninput: (event) => (onchange(event.target), show()),
            }),
        );
    const form = make(
        'form',
        {
            class: 'try',
            async onsubmit(event) {
                event.preventDefault();
                result.replaceChildren(make('p', {}, 'Sending …'));
                const { title, detail, headers, text } = await send(show(), one);
                result.replaceChildren(
                    make('h3', {}, title),
                    make('p', { class: 'quiet' }, detail),
                    text && codeBlock(text, 'Body of the response'),
                    headers &&
                        make(
                            'details',
                            {},
                            make('summary', {}, 'Headers'),
                            codeBlock(headers, 'Headers of the response'),
                        ),
                );
            },
        },
        one.schemes.map((name) =>
            input(
                api.json.components.securitySchemes[name].description,
                { type: 'password', value: state.secrets[name] ?? '' },
                (field) => (state.secrets[name] = field.value),
            ),
        ),
        one.parameters
            .filter(({ in: place }) => place !== 'header')
            .map(({ name, required, schema }) =>
                input(
                    name,
                    { required, placeholder: schema?.default === undefined ? undefined : String(schema.default) },
                    (field) => (values[name] = field.value),
                ),
            ),
        isFile(one)
            ? input('File', { type: 'file' }, (field) => (body = field.files[0]))
            : one.body &&
                  make(
                      'label',
                      {},
                      make('span', {}, 'Body'),
                      make(
                          'textarea',
                          {
                              rows: String(Math.min(16, body.split('\n').length + 1)),
                              spellcheck: 'false',
                              oninput: (event) => ((body = event.target.value), show()),
                          },
                          body,
                      ),
                  ),
        make('button', { type: 'submit' }, 'Send request'),
        result,
    );
    show();
    return [
        make('h2', {}, 'Code samples'),
        make('div', { class: 'row', role: 'group', 'aria-label': 'Language of the sample' }, pick, copy, copied),
        make('pre', { tabindex: '0', role: 'group', 'aria-label': 'Code sample' }, sample),
        make(
            'details',
            { class: 'box' },
            make('summary', {}, 'Try it'),
            make(
                'p',
                { class: 'quiet' },
                'Sends a real request to this service. The page forgets tokens when you close it.',
            ),
            form,
        ),
    ];
}

const text = (value) => (typeof value === 'string' ? value : JSON.stringify(value, null, 2));
