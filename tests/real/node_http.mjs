// Answers 200 to every request that node has read whole and tells in x-seen its method and the length of its body.
// Nothing about the parser is set; slow requests end soon.
import { createServer } from 'node:http';

const options = { headersTimeout: 2000, requestTimeout: 2000, keepAliveTimeout: 2000, connectionsCheckingInterval: 200 };
const server = createServer(options, (request, response) => {
    let length = 0;
    request.on('data', (bytes) => (length += bytes.length));
    request.on('end', () =>
        response.writeHead(200, { 'x-seen': `${request.method} ${length}`, 'content-length': 0 }).end(),
    );
});
// What it does without these, but not before the requests that it has read already are answered.
const later = (work) => setTimeout(work, 200);
server.on('clientError', (_, socket) => later(() => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')));
server.on('connect', (_, socket) => later(() => socket.destroy()));
server.listen(process.argv[2]);
