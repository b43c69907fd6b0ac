// The API document: operations with their references resolved, and the search over all that it says.

const methods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'];

export class ApiDocument {
    constructor(json) {
        this.json = json;
        this.tags = json.tags;
        this.schemas = Object.keys(json.components.schemas);
        this.operations = Object.entries(json.paths).flatMap(([path, item]) =>
            methods.filter((method) => item[method]).map((method) => this.#operation(path, method, item[method])),
        );
        this.byId = new Map(this.operations.map((operation) => [operation.id, operation]));
    }

    #operation(path, method, { operationId, tags, summary, description, security = [], ...rest }) {
        const body = this.resolve(rest.requestBody);
        const schemes = [...new Set(security.flatMap((all) => Object.keys(all)))];
        const [mediaType, content] = Object.entries(body?.content ?? {})[0] ?? [];
        return {
            id: operationId,
            path,
            method: method.toUpperCase(),
            tag: tags[0],
            summary,
            description: description ?? '',
            aliases: rest['x-aliases'] ?? [],
            schemes,
            needed: schemes.filter((scheme) => security.every((all) => scheme in all)),
            parameters: (rest.parameters ?? []).map((parameter) => this.resolve(parameter)),
            body: mediaType && { mediaType, required: body.required === true, ...content },
            responses: Object.entries(rest.responses).map(([status, response]) => ({
                status,
                ...this.resolve(response),
            })),
        };
    }

    resolve(node) {
        for (; node?.$ref;) node = this.#at(node.$ref);
        return node;
    }
    #at(reference) {
        return reference
            .slice(2)
            .split('/')
            .reduce((node, name) => node[name.replaceAll('~1', '/').replaceAll('~0', '~')], this.json);
    }

    // The parts of a schema as one: what `allOf` says together.
    merged(schema) {
        schema = this.resolve(schema) ?? {};
        if (!schema.allOf) return schema;
        const out = { ...schema };
        delete out.allOf;
        for (const part of schema.allOf.map((one) => this.merged(one)))
            for (const [key, value] of Object.entries(part))
                if (key === 'required') out.required = [...(out.required ?? []), ...value];
                else if (key === 'properties') out.properties = mergedProperties(out.properties, value);
                else out[key] = value;
        return out;
    }

    // A value that the schema allows: its own example, or one made of its parts.
    example(schema, depth = 0) {
        schema = this.merged(schema);
        for (const given of [schema.examples?.[0], schema.example, schema.const, schema.default, schema.enum?.[0]])
            if (given !== undefined) return given;
        const either = schema.oneOf ?? schema.anyOf;
        if (either) return this.example(either[0], depth);
        const type = Array.isArray(schema.type) ? schema.type[0] : schema.type;
        if (type === 'object' || schema.properties)
            return Object.fromEntries(
                Object.entries(depth > 5 ? {} : (schema.properties ?? {})).map(([name, property]) => [
                    name,
                    this.example(property, depth + 1),
                ]),
            );
        if (type === 'array') return depth > 5 ? [] : [this.example(schema.items, depth + 1)];
        if (type === 'integer' || type === 'number') return schema.minimum ?? 0;
        if (type === 'boolean') return true;
        return type === 'null' ? null : 'string';
    }

    exampleOf(content) {
        const named = this.resolve(Object.values(content.examples ?? {})[0]);
        return named?.value ?? content.example ?? this.example(content.schema ?? {});
    }

    // Entries that contain every word, the best first: { href, title, detail, operation? }.
    search(text) {
        const words = text.toLowerCase().split(/\s+/).filter(Boolean);
        if (words.length === 0) return [];
        this.#index ??= this.#entries();
        return this.#index
            .flatMap((entry) => {
                const hits = words.map((word) => entry.fields.find((field) => field.lower.includes(word)));
                if (hits.includes(undefined)) return [];
                const worst = hits.reduce((a, b) => (b.rank > a.rank ? b : a));
                return [{ ...entry, rank: hits.reduce((sum, hit) => sum + hit.rank, 0), detail: worst.detail }];
            })
            .sort((a, b) => a.rank - b.rank);
    }

    #index;
    #entries() {
        const field = (rank, detail, ...texts) => ({ rank, detail, lower: texts.join(' ').toLowerCase() });
        const operations = this.operations.map((operation) => ({
            href: `#/operation/${operation.id}`,
            title: operation.summary,
            operation,
            fields: [
                field(0, '', operation.summary, operation.id, `${operation.method} ${operation.path}`),
                field(1, '', operation.tag, operation.description),
                ...operation.aliases.map((alias) => field(2, `also ${alias}`, alias)),
                ...operation.parameters.map((parameter) =>
                    field(3, `parameter ${parameter.name}`, parameter.name, parameter.description),
                ),
                ...this.#properties(operation.body?.schema).map(([name, text]) =>
                    field(3, `field ${name}`, name, text),
                ),
                ...operation.responses.flatMap(({ status, description, content, headers }) => [
                    field(4, `response ${status}`, status, description),
                    ...Object.keys(headers ?? {}).map((name) => field(6, `header ${name}`, name)),
                    ...this.#properties(Object.values(content ?? {})[0]?.schema).map(([name, text]) =>
                        field(5, `response ${status}, field ${name}`, name, text),
                    ),
                ]),
            ],
        }));
        const schemas = this.schemas.map((name) => ({
            href: `#/schema/${name}`,
            title: name,
            fields: [
                field(2, 'schema', name),
                ...this.#properties({ $ref: `#/components/schemas/${name}` }).map(([property, text]) =>
                    field(7, `schema, field ${property}`, property, text),
                ),
            ],
        }));
        const introduction = { href: '#/', title: 'Introduction', fields: [field(3, '', this.json.info.description)] };
        return [introduction, ...operations, ...schemas];
    }

    // Names of all fields, and what is said about them.
    #properties(schema, prefix = '', seen = new Set()) {
        schema = this.merged(schema);
        if (seen.has(schema) || seen.size > 40) return [];
        const below = new Set(seen).add(schema);
        const parts = [...(schema.oneOf ?? []), ...(schema.anyOf ?? []), ...(schema.items ? [schema.items] : [])];
        return [
            ...Object.entries(schema.properties ?? {}).flatMap(([name, property]) => {
                const { description = '', enum: values = [] } = this.merged(property);
                return [
                    [prefix + name, `${description} ${values.join(' ')}`],
                    ...this.#properties(property, `${prefix}${name}.`, below),
                ];
            }),
            ...parts.flatMap((part) => this.#properties(part, prefix, below)),
        ];
    }
}

function mergedProperties(first = {}, second) {
    const out = { ...first };
    for (const [name, property] of Object.entries(second)) out[name] = { ...out[name], ...property };
    return out;
}
