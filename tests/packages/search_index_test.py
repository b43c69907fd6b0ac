#!/usr/bin/env python3
"""docs/deploy/search-index.sql beside writers.

    search_index_test.py PROGRAM    in the project's folder; PROGRAM is consentry
"""

import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from urllib.parse import urlsplit

from fleet import SANITIZERS, Engines, OpenTransaction, with_role_timeouts

PROGRAM = os.path.abspath(sys.argv.pop(1))
SCRIPT = Path("docs/deploy/search-index.sql").resolve()
VALIDITY = "SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass('users_search')"


class OwnDatabase(Engines):
    """A database in the server of the other tests. Its extensions and waits are its own."""

    def __init__(self):
        super().__init__()
        self.sql(f"CREATE DATABASE {self.name}")
        self.shared = self.url
        self.url = urlsplit(self.shared)._replace(path=f"/{self.name}", query="options=-c%20search_path%3Dpublic").geturl()

    def drop(self):
        self.url = self.shared
        self.sql(f"DROP DATABASE {self.name} WITH (FORCE)")
        super().drop()


class SearchIndex(unittest.TestCase):
    def setUp(self):
        self.database = OwnDatabase()
        self.addCleanup(self.database.drop)
        with tempfile.TemporaryDirectory() as folder:
            settings = {**SANITIZERS, "DATABASE_URL": self.database.url, "DATABASE_TIMEOUT": "25s"}
            subprocess.run([PROGRAM, "migrate"], cwd=folder, env=settings, capture_output=True, check=True)

    def start_script(self, url):
        command = ["psql", "--no-psqlrc", url, "-f", str(SCRIPT)]
        script = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(script.communicate)
        self.addCleanup(script.kill)
        return script

    def assert_made(self, script):
        _, errors = script.communicate(timeout=60)
        self.assertEqual(script.returncode, 0, errors)
        self.assertEqual(self.database.sql(VALIDITY), "t")

    def test_a_run_that_stopped_says_so_and_can_be_repeated(self):
        writer = OpenTransaction(self.database.url, "LOCK TABLE users IN ROW EXCLUSIVE MODE")
        self.addCleanup(writer.end)
        script = self.start_script(self.database.url)
        self.database.wait_until_it_has_waited("CREATE INDEX CONCURRENTLY", script)
        self.database.sql(
            "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE query LIKE 'CREATE INDEX%' AND pid <> pg_backend_pid()"
        )
        script.communicate(timeout=60)
        writer.end()
        self.assertNotEqual(script.returncode, 0)
        self.assertEqual(self.database.sql(VALIDITY), "f")
        self.assert_made(self.start_script(self.database.url))
        self.assert_made(self.start_script(self.database.url))

    def test_it_outlasts_the_timeouts_of_a_role_behind_pgbouncer(self):
        writer = OpenTransaction(self.database.url, "LOCK TABLE users IN ROW EXCLUSIVE MODE")
        self.addCleanup(writer.end)
        script = self.start_script(with_role_timeouts(self.database.url))
        self.database.wait_until_it_has_waited("CREATE INDEX CONCURRENTLY", script)
        writer.end()
        self.assert_made(script)


if __name__ == "__main__":
    unittest.main()
