// What html-validate finds wrong with a page.
import { createRequire } from 'node:module';

const require = createRequire(`${process.env.CONSENTRY_NODE_MODULES}/`);
const { HtmlValidate } = require('html-validate');

const validator = new HtmlValidate({
    extends: ['html-validate:recommended'],
    rules: {
        // A matter of taste, on which our templates decide otherwise.
        'void-style': 'off',
        'no-trailing-whitespace': 'off',
        'long-title': 'off',
        'doctype-style': 'off',
    },
});

export async function faultsOf(html) {
    const report = await validator.validateString(html);
    return report.results.flatMap(({ messages }) =>
        messages.map(({ ruleId, message, line, column }) => `${line}:${column} ${ruleId}: ${message}`),
    );
}
