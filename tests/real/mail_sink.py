"""An SMTP server on 127.0.0.1 that keeps what it is sent and fails where it is told to; see mail.sh.

usage: mail_sink.py FOLDER none|starttls|implicit PORT [USER PASSWORD]

FOLDER/listens is there once it listens. FOLDER/mails.jsonl has a line for each mail that was taken, FOLDER/connections a dot
for each connection. FOLDER/fault.json, where it is there, is what happens to mails:
  {"step": "mail"|"rcpt"|"data", "answer": "450 4.2.0 Later"}   that answer at that step
  {"step": "idle", "answer": "421 4.4.2 Idle"}       the connection is closed at MAIL, after that answer or without one
  {"step": "drop"}    the connection is closed after the mail, unanswered
  {"step": "lost"}    the same, but the mail is kept
  {"step": "mute"}    no answer to the mail
  {"step": "hold"}    the mail is kept, but not answered before the fault is gone
  {"step": "deaf"}    no answer to MAIL
  {"step": "quit"}    no answer to the farewell
besides, "then": "quit" for no answer to the farewell either, "times": N for so many mails, "to": ADDRESS for mails to this one only,
"but": ADDRESS for mails to all others.
"""
import asyncio
import json
import os
import ssl
import sys

from aiosmtpd.smtp import SMTP, AuthResult

folder, tls, port, *login = sys.argv[1:]


def place(name):
    return os.path.join(folder, name)


def replace(name, text):
    with open(place(name + '.part'), 'w', encoding='utf-8') as file:
        file.write(text)
    os.replace(place(name + '.part'), place(name))


def append(name, text):
    with open(place(name), 'a', encoding='utf-8') as file:
        file.write(text)


def present_fault():
    try:
        with open(place('fault.json'), encoding='utf-8') as file:
            return json.load(file)
    except FileNotFoundError:
        return {'step': None}


def fault(steps, recipients):
    """The fault at one of these steps, used up by one."""
    asked = present_fault()
    if asked['step'] not in steps or ('to' in asked and asked['to'] not in recipients):
        return None
    if 'but' in asked and asked['but'] in recipients:
        return None
    if 'times' in asked:
        asked['times'] -= 1
        if asked['times'] > 0:
            replace('fault.json', json.dumps(asked))
        else:
            os.remove(place('fault.json'))
    return asked


class Sink:
    async def handle_MAIL(self, server, session, envelope, address, options):
        asked = fault({'mail', 'idle', 'deaf'}, []) or {'step': None}
        if asked['step'] == 'mail':
            return asked['answer']
        if asked['step'] == 'deaf':
            await asyncio.sleep(3600)
        if asked['step'] == 'idle':
            if 'answer' in asked:
                await server.push(asked['answer'])
            server.transport.close()
        envelope.mail_from = address
        return '250 OK'

    async def handle_RCPT(self, server, session, envelope, address, options):
        asked = fault({'rcpt'}, [address])
        if asked:
            return asked['answer']
        envelope.rcpt_tos.append(address)
        return '250 OK'

    async def handle_DATA(self, server, session, envelope):
        asked = fault({'data', 'drop', 'lost', 'mute', 'hold'}, envelope.rcpt_tos) or {'step': None}
        if asked['step'] == 'mute':
            await asyncio.sleep(3600)
        if asked['step'] == 'data':
            return asked['answer']
        if asked['step'] != 'drop':
            auth = getattr(session, 'auth_data', None)
            append('mails.jsonl', json.dumps({
                'from': envelope.mail_from, 'to': ' '.join(envelope.rcpt_tos),
                'tls': session.ssl is not None or tls == 'implicit', 'user': auth.login.decode() if auth else '',
                'raw': envelope.content.decode('utf-8')}) + '\n')
        while asked['step'] == 'hold' and os.path.exists(place('fault.json')):
            await asyncio.sleep(0.01)
        if asked['step'] in ('drop', 'lost'):
            server.transport.abort()
        return '250 OK'


    async def handle_QUIT(self, server, session, envelope):
        if fault({'quit'}, []) or present_fault().get('then') == 'quit':
            await asyncio.sleep(3600)
        return '221 Bye'


class Server(SMTP):
    def connection_made(self, transport):
        if self.transport is None:  # STARTTLS makes the same connection a second time
            append('connections', '.')
        super().connection_made(transport)


def authenticate(server, session, envelope, mechanism, data):
    good = [data.login.decode(), data.password.decode()] == login
    # handled: false, or a refusal is never answered (aiosmtpd 1.4.3)
    return AuthResult(success=good, handled=False, auth_data=data if good else None)


async def main():
    context = None
    if tls != 'none':
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(place('tls.crt'), place('tls.key'))

    def connection():
        return Server(Sink(), hostname='localhost', timeout=3600, tls_context=context if tls == 'starttls' else None,
                      require_starttls=tls == 'starttls', auth_required=bool(login), authenticator=authenticate,
                      auth_require_tls=tls == 'starttls')

    loop = asyncio.get_running_loop()
    server = await loop.create_server(connection, '127.0.0.1', int(port), ssl=context if tls == 'implicit' else None)
    append('listens', '')
    async with server:
        await server.serve_forever()

asyncio.run(main())
