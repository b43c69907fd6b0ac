"""Instances of the service behind nginx with docs/deploy/nginx-fleet.conf, on a PostgreSQL and a Redis, and clients that
use them all the time. CONSENTRY_ENGINE_ADDRESSES names the file that tests/real/engines.sh writes.
"""

import http.client
import json
import os
import random
import re
import secrets
import socket
import subprocess
import tempfile
import threading
import time
import unittest
from pathlib import Path

NGINX = os.path.abspath("tests/real/nginx_fleet.sh")
PASSWORD = "Velvet-Harbor-42"
CLIENTS = 4
PATIENCE = 120  # seconds until a wait fails; other tests may occupy the machine
SANITIZERS = {name: os.environ[name] for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS") if name in os.environ}


def free_port():
    """Below the ports of outgoing connections, so that an instance finds its port free when it starts again."""
    while True:
        port = random.randrange(12000, 22000)
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) != 0:
                return port


def ask(port, method, path, body=None, token=None):
    """A connection of its own. Returns status and body."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    try:
        headers = {"Host": "accounts.example.com", "Connection": "close"}
        if body is not None:
            headers["Content-Type"] = "application/json"
        if token is not None:
            headers["Authorization"] = f"Bearer {token}"
        connection.request(method, path, body=None if body is None else json.dumps(body), headers=headers)
        answer = connection.getresponse()
        return answer.status, answer.read().decode()
    finally:
        connection.close()


class Engines:
    """A schema and a name space in the servers that CTest's fixture "engines" starts."""

    def __init__(self):
        lines = Path(os.environ["CONSENTRY_ENGINE_ADDRESSES"]).read_text().splitlines()
        addresses = dict(line.split("=", 1) for line in lines)
        self.name = "t" + secrets.token_hex(8)
        self.url = f"{addresses['POSTGRES_URL']}?options=-c%20search_path%3D{self.name}"
        self.cache = addresses["REDIS_URL"]
        self.sql(f"CREATE SCHEMA {self.name}")

    def sql(self, statement):
        options = ["--quiet", "--no-align", "--tuples-only", "--command", statement]
        done = subprocess.run(["psql", *options, self.url], capture_output=True, text=True, check=True)
        return done.stdout.strip()

    def wait_until_it_has_waited(self, statement, script):
        """Until this statement has waited for a lock for longer than a role behind PgBouncer may, or the script ends."""
        waits = (
            "SELECT COUNT(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database() AND "
            f"query LIKE '%{statement}%' AND now() - query_start > INTERVAL '1 second'"
        )
        deadline = time.monotonic() + PATIENCE
        while script.poll() is None and self.sql(waits) == "0":
            if time.monotonic() > deadline:
                raise RuntimeError(f"{statement} does not wait")
            time.sleep(0.05)

    def drop(self):
        self.sql(f"SET client_min_messages = warning; DROP SCHEMA {self.name} CASCADE")


class OpenTransaction:
    """A transaction that has run `statement` and stays open."""

    def __init__(self, url, statement):
        self.psql = subprocess.Popen(
            ["psql", "--quiet", "--no-psqlrc", "--output=/dev/null", url], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self.psql.stdin.write(f"BEGIN; {statement};\n\\echo open\n")
        self.psql.stdin.flush()
        if self.psql.stdout.readline() != "open\n":
            raise RuntimeError("the transaction did not open")

    def end(self):
        if self.psql.returncode is None:
            self.psql.communicate("ROLLBACK;\n")


def with_role_timeouts(url):
    """`url`, which has options, for sessions with the timeouts that the guide sets on the role behind PgBouncer."""
    guide = Path("docs/deploy/postgresql-and-redis.md").read_text()
    timeouts = re.findall(r"^ALTER ROLE consentry SET (\w+_timeout) = '(\w+)';$", guide, re.MULTILINE)
    if len(timeouts) != 2:
        raise RuntimeError(f"the guide has {timeouts}")
    return url + "".join(f"%20-c%20{name}%3D{value}" for name, value in timeouts)


class Instance:
    def __init__(self, program, settings, folder):
        self.program = program
        self.process = None
        self.port = free_port()
        self.settings = {**settings, "HTTP_PORT": str(self.port)}
        self.folder = folder
        self.log = Path(folder, f"{self.port}.log")

    def start(self):
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                [self.program, "serve"], cwd=self.folder, env=self.settings, stdout=log, stderr=log
            )
        deadline = time.monotonic() + PATIENCE
        while True:
            if self.process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"an instance does not start: {self.log.read_text()[-2000:]}")
            try:
                if ask(self.port, "GET", "/api/health/ready")[0] == 200:
                    return
            except OSError:
                pass
            time.sleep(0.02)

    def end(self):
        self.process.terminate()
        return self.process.wait(PATIENCE)

    def kill(self):
        if self.process is not None:
            self.process.kill()
            self.process.wait(PATIENCE)


def log_in(port, email):
    return ask(port, "POST", "/api/user/login/credential", {"email": email, "password": PASSWORD, "from": "website"})


class Load:
    """Clients that log in (POST) and read their profiles (GET), one request after the other, as fast as they are answered."""

    def __init__(self, port, emails):
        self.port = port
        self.changed = threading.Condition()
        self.answered = 0
        self.logins = 0
        self.failed = {"GET": [], "POST": []}
        self.ends = False
        self.threads = [threading.Thread(target=self.work, args=(email,), daemon=True) for email in emails]
        for thread in self.threads:
            thread.start()

    def request(self, method, *arguments):
        try:
            status, body = ask(self.port, method, *arguments)
        except (OSError, http.client.HTTPException) as error:
            status, body = None, repr(error)
        with self.changed:
            if status == 200:
                self.answered += 1
                self.logins += method == "POST"
            else:
                self.failed[method].append((status, body[:300]))
            self.changed.notify_all()
        return json.loads(body) if status == 200 else None

    def work(self, email):
        credential = {"email": email, "password": PASSWORD, "from": "website"}
        while not self.ends:
            answer = self.request("POST", "/api/user/login/credential", credential)
            for _ in range(3 if answer else 0):
                self.request("GET", "/api/shared/user/profile", None, answer["data"]["tokens"]["accessToken"])

    def wait_for(self, more):
        """Returns when this many further requests have been answered."""
        with self.changed:
            wanted = self.answered + more
            if not self.changed.wait_for(lambda: self.answered >= wanted, PATIENCE):
                raise RuntimeError(f"{self.answered} of {wanted} requests are answered; failed: {self.failed}")

    def end(self):
        self.ends = True
        for thread in self.threads:
            thread.join(PATIENCE)


class Fleet(unittest.TestCase):
    """Two instances of `program` behind nginx, which clients use."""

    program: str

    def setUp(self):
        self.engines = Engines()
        self.addCleanup(self.engines.drop)
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        os.chmod(folder.name, 0o755)  # nginx may run as another user
        self.settings = {
            **SANITIZERS,
            "HTTP_HOST": "127.0.0.1",
            "HTTP_THREADS": "2",
            "HTTP_TRUSTED_PROXIES": "127.0.0.1",
            "AUTH_PASSWORD_ARGON2_MEMORY_IN_KIB": "8192",
            "AUTH_PASSWORD_ARGON2_PASSES": "1",
            "THROTTLE_LIMIT": "0",
            "DATABASE_URL": self.engines.url,
            "DATABASE_TIMEOUT": "25s",
            "CACHE_URL": self.engines.cache,
            "CACHE_NAMESPACE": self.engines.name,
            "CACHE_TIMEOUT": "10s",
        }
        self.work = Path(folder.name, "instances")
        self.work.mkdir()
        self.command(["migrate"])
        emails = [f"person{number}@example.org" for number in range(CLIENTS)]
        for email in emails:
            self.create_user(email)
        self.instances = [Instance(self.program, self.settings, self.work) for _ in range(2)]
        for instance in self.instances:
            self.addCleanup(instance.kill)
            instance.start()
        self.place = str(Path(folder.name, "nginx"))
        ports = [str(instance.port) for instance in self.instances]
        self.addCleanup(subprocess.run, [NGINX, "stop", self.place], check=True)
        started = subprocess.run(
            [NGINX, "start", "--owner", str(os.getpid()), self.place, *ports], stdout=subprocess.PIPE, text=True, check=True
        )
        self.load = Load(int(started.stdout.strip().removeprefix("PORT=")), emails)
        self.addCleanup(self.load.end)
        self.load.wait_for(50)

    def command(self, arguments, words="", program=None):
        done = subprocess.run(
            [program or self.program, *arguments], cwd=self.work, env=self.settings, input=words, capture_output=True, text=True
        )
        self.assertEqual(done.returncode, 0, done.stderr)

    def create_user(self, email):
        self.command(["user", "create", "--email", email, "--role", "user"], PASSWORD + "\n")

    def nginx(self, action, instance):
        subprocess.run([NGINX, action, self.place, str(instance.port)], check=True)

    def replace(self, instance, program):
        """As an operator does it: nginx sends nothing more, the instance ends, another one starts."""
        self.nginx("take-out", instance)
        self.load.wait_for(20)
        self.assertEqual(instance.end(), 0)
        self.load.wait_for(20)
        instance.program = program
        instance.start()
        self.nginx("put-back", instance)
        self.load.wait_for(20)
