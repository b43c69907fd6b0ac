#!/usr/bin/env python3
"""The proxies of docs/deploy after changes that operators make: a key for the check, more rules. In front of stand-ins
for Consentry and the application. tests/browser runs the files as they are, in front of the program.

    forward_auth_proxies_test.py PROGRAM    in the project's folder; does not use PROGRAM

Debian packages: nginx-light, caddy, haproxy, apache2, lua-socket
"""

import http.client
import json
import os
import re
import shutil
import ssl
import subprocess
import sys
import tempfile
import threading
import unittest
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

sys.argv.pop(1)
KEY = "local_abc:0123"
# The line of each file that gives the check a key, before and after the change that its page describes.
KEYS = {
    "nginx": ("nginx.conf", r'proxy_set_header X-Api-Key "";', f'proxy_set_header X-Api-Key "{KEY}";'),
    "caddy": ("Caddyfile", r"header_up -X-Api-Key", f'header_up X-Api-Key "{KEY}"'),
    "haproxy": ("haproxy-consentry.lua", r'-- (headers\["x-api-key"\].*)KEY:SECRET', rf"\g<1>{KEY}"),
    "apache": ("apache-consentry.lua", r'-- (headers\["X-Api-Key"\].*)KEY:SECRET', rf"\g<1>{KEY}"),
}


class StandIn(ThreadingHTTPServer):
    """Answers each request with its headers, and notes its path and its key."""

    def __init__(self, admits=lambda key: True):
        super().__init__(("127.0.0.1", 0), Answers)
        self.admits = admits
        self.seen = []
        threading.Thread(target=self.serve_forever, daemon=True).start()


class Answers(BaseHTTPRequestHandler):
    def do_GET(self):
        key = self.headers.get("X-Api-Key")
        self.server.seen.append((self.path, key))
        body = json.dumps(self.headers.items()).encode()
        self.send_response(200 if self.server.admits(key) else 401)
        self.send_header("X-User-Email", "ada@example.com")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class Proxies(unittest.TestCase):
    def start(self, proxy, changes, admits=lambda key: True):
        """Changes are files of docs/deploy, each with a pattern that occurs once in it, and what replaces it."""
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        tree = Path(folder.name)
        tree.chmod(0o755)  # the proxy may run as another user
        shutil.copytree("tests/real", tree / "tests/real")
        shutil.copytree("docs/deploy", tree / "docs/deploy")
        for name, pattern, replacement in changes:
            file = tree / "docs/deploy" / name
            text, count = re.subn(pattern, replacement, file.read_text())
            self.assertEqual(count, 1, f"{pattern} in {name}")
            file.write_text(text)
        self.consentry = StandIn(admits)
        self.application = StandIn()
        for server in (self.consentry, self.application):
            self.addCleanup(server.server_close)
            self.addCleanup(server.shutdown)
        script, place = tree / "tests/real/forward_auth_proxy.sh", tree / "proxy"
        ports = [str(server.server_address[1]) for server in (self.consentry, self.application)]
        command = [script, "start", "--owner", str(os.getpid()), place, proxy, *ports]
        started = subprocess.run(command, capture_output=True, text=True, timeout=60)
        self.assertEqual(started.returncode, 0, started.stderr)
        self.addCleanup(subprocess.run, [script, "stop", place], timeout=60)
        self.port = int(re.search(r"PORT=(\d+)", started.stdout)[1])

    def get(self, path, headers={}):
        context = ssl.create_default_context()
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
        connection = http.client.HTTPSConnection("127.0.0.1", self.port, context=context, timeout=20)
        try:
            connection.request("GET", path, headers={"Host": "app.example.com", **headers})
            answer = connection.getresponse()
            return answer.status, answer.read()
        finally:
            connection.close()

    def test_a_key_of_the_proxy_opens_the_check_and_goes_no_further(self):
        for proxy, change in KEYS.items():
            with self.subTest(proxy):
                self.start(proxy, [change], admits=lambda key: key == KEY)
                status, body = self.get("/orders", {"X-Api-Key": "of-the-application"})
                self.assertEqual(status, 200)
                self.assertEqual([key for _, key in self.consentry.seen], [KEY])
                received = dict((name.lower(), value) for name, value in json.loads(body))
                self.assertEqual(received["x-api-key"], "of-the-application")
                self.assertEqual(received["x-user-email"], "ada@example.com")

    def test_of_overlapping_rules_for_apache_the_longest_applies(self):
        """Lua orders the table anew in each state; here, each request gets one of its own."""
        first = '\\g<0>    ["/admin/billing"] = "roles=superAdmin",\n'
        more = ("apache-consentry.lua", r"\nlocal demands = \{\n", first)
        self.start("apache", [more, ("apache.conf", "LuaScope thread", "LuaScope once")])
        for path, role in (("/admin/billing/1", "superAdmin"), ("/Admin/Billing", "superAdmin"), ("/admin/1", "admin")):
            self.consentry.seen.clear()
            for _ in range(20):
                self.assertEqual(self.get(path)[0], 200)
            self.assertEqual({asked for asked, _ in self.consentry.seen}, {"/api/forward-auth?roles=" + role})


if __name__ == "__main__":
    unittest.main()
