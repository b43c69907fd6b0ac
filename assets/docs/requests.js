// Requests to an operation: made of what somebody has entered, shown as code, and sent.

// { method, url, headers, body }. `values` maps the names of parameters to texts, `secrets` the names of security
// schemes to tokens. `body` is a text or a File.
export function requestTo(operation, { values = {}, body, secrets = {} }, origin) {
    let path = operation.path;
    const query = new URLSearchParams();
    const headers = {};
    for (const { name, in: place, 'x-rest-of-path': keepsSlashes } of operation.parameters) {
        const value = values[name] ?? '';
        const segments = keepsSlashes ? value.split('/') : [value];
        if (place === 'path' && value !== '')
            path = path.replace(`{${name}}`, segments.map(encodeURIComponent).join('/'));
        if (place === 'query' && value !== '') query.append(name, value);
        if (place === 'header' && value !== '') headers[name] = value;
    }
    for (const scheme of operation.schemes) {
        if (scheme === 'xApiKey') {
            if (secrets[scheme]) headers['x-api-key'] = secrets[scheme];
        } else if (secrets[scheme] || operation.needed.includes(scheme)) {
            headers.Authorization = `Bearer ${secrets[scheme] || 'TOKEN'}`;
        }
    }
    if (operation.body && body !== undefined && !isForm(operation)) headers['Content-Type'] = operation.body.mediaType;
    const search = query.size > 0 ? `?${query}` : '';
    return { method: operation.method, url: origin + path + search, headers, body };
}

export const isForm = (operation) => operation.body?.mediaType === 'multipart/form-data';
export const isFile = (operation) => isForm(operation) || operation.body?.mediaType === 'application/octet-stream';

const shellQuoted = (text) => `'${text.replaceAll("'", `'\\''`)}'`;
const codeQuoted = (text) => JSON.stringify(text);
const indented = (text, by) => text.replaceAll('\n', `\n${by}`);

// The body in a programming language: JSON as an object, anything else as a text.
function literal(body, constants) {
    try {
        const json = JSON.stringify(JSON.parse(body), null, 4);
        return [true, json.replace(/(?<=: |^ *|\[\n *)(true|false|null)(?=,?$)/gm, (word) => constants[word])];
    } catch {
        return [false, codeQuoted(body)];
    }
}

export const languages = {
    curl({ method, url, headers, body }, operation) {
        const lines = [`curl${method === 'GET' ? '' : ` -X ${method}`} ${shellQuoted(url)}`];
        for (const [name, value] of Object.entries(headers)) lines.push(`-H ${shellQuoted(`${name}: ${value}`)}`);
        if (isForm(operation)) lines.push("-F 'file=@FILE'");
        else if (isFile(operation)) lines.push("--data-binary '@FILE'");
        else if (operation.body && body !== undefined) lines.push(`-d ${shellQuoted(body)}`);
        return lines.join(' \\\n  ');
    },
    JavaScript({ method, url, headers, body }, operation) {
        const options = [];
        if (method !== 'GET') options.push(`method: '${method}'`);
        if (Object.keys(headers).length > 0)
            options.push(`headers: ${indented(JSON.stringify(headers, null, 4), '    ')}`);
        if (isForm(operation)) options.push('body: form');
        else if (isFile(operation)) options.push('body: file');
        else if (operation.body && body !== undefined) {
            const [isJson, text] = literal(body, { true: 'true', false: 'false', null: 'null' });
            options.push(`body: ${isJson ? `JSON.stringify(${indented(text, '    ')})` : text}`);
        }
        const form = isForm(operation) ? "const form = new FormData();\nform.append('file', file);\n" : '';
        const rest = options.length > 0 ? `, {\n    ${options.join(',\n    ')},\n}` : '';
        return `${form}const response = await fetch(${codeQuoted(url)}${rest});\nconsole.log(response.status, await response.text());`;
    },
    Python({ method, url, headers, body }, operation) {
        const options = [];
        const rest = { ...headers };
        if (isForm(operation)) options.push("files={'file': open('FILE', 'rb')}");
        else if (isFile(operation)) options.push("data=open('FILE', 'rb')");
        else if (operation.body && body !== undefined) {
            const [isJson, text] = literal(body, { true: 'True', false: 'False', null: 'None' });
            options.push(`${isJson ? 'json' : 'data'}=${indented(text, '    ')}`);
            if (isJson) delete rest['Content-Type'];
        }
        if (Object.keys(rest).length > 0) options.unshift(`headers=${indented(JSON.stringify(rest, null, 4), '    ')}`);
        const more = options.length > 0 ? `,\n    ${options.join(',\n    ')},\n` : '';
        return `import requests\n\nresponse = requests.request(${codeQuoted(method)}, ${codeQuoted(url)}${more})\nprint(response.status_code, response.text)`;
    },
};

// Sends the request and describes the answer. A request that fails is described as well.
export async function send({ method, url, headers, body }, operation) {
    const start = performance.now();
    let sent = operation.body ? body : undefined;
    if (isForm(operation)) {
        sent = new FormData();
        if (body) sent.append('file', body);
    }
    const own = { ...headers };
    if (own.Authorization === 'Bearer TOKEN') delete own.Authorization;
    try {
        const answer = await fetch(url, { method, headers: own, body: sent, credentials: 'omit', redirect: 'manual' });
        const text = await answer.text();
        return {
            title: `${answer.status} ${answer.statusText}`,
            detail: `${Math.round(performance.now() - start)} ms, ${text.length} characters`,
            headers: [...answer.headers].map(([name, value]) => `${name}: ${value}`).join('\n'),
            text: pretty(text),
        };
    } catch (error) {
        return { title: 'No answer', detail: String(error), headers: '', text: '' };
    }
}

function pretty(text) {
    try {
        return JSON.stringify(JSON.parse(text), null, 2);
    } catch {
        return text;
    }
}
