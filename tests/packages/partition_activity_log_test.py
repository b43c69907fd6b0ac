#!/usr/bin/env python3
"""docs/deploy/partition-activity-log.sql beside a service that runs.

    partition_activity_log_test.py PROGRAM    in the project's folder; PROGRAM is consentry
"""

import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from fleet import PASSWORD, SANITIZERS, Engines, Instance, OpenTransaction, log_in, with_role_timeouts

PROGRAM = os.path.abspath(sys.argv.pop(1))
SCRIPT = Path("docs/deploy/partition-activity-log.sql").resolve()
EMAIL = "ada@example.org"
WRITE = "UPDATE users SET email = email"  # the script creates foreign keys to `users`


class PartitionActivityLog(unittest.TestCase):
    def setUp(self):
        self.engines = Engines()
        self.addCleanup(self.engines.drop)
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.settings = {
            **SANITIZERS,
            "HTTP_HOST": "127.0.0.1",
            "AUTH_PASSWORD_ARGON2_MEMORY_IN_KIB": "8192",
            "AUTH_PASSWORD_ARGON2_PASSES": "1",
            "DATABASE_URL": self.engines.url,
            "DATABASE_TIMEOUT": "25s",
        }
        create = [PROGRAM, "user", "create", "--email", EMAIL, "--role", "user"]
        subprocess.run([PROGRAM, "migrate"], cwd=folder.name, env=self.settings, capture_output=True, check=True)
        subprocess.run(
            create, cwd=folder.name, env=self.settings, input=PASSWORD + "\n", capture_output=True, text=True, check=True
        )

    def start(self, settings):
        service = Instance(PROGRAM, settings, self.folder)
        self.addCleanup(service.kill)
        service.start()
        return service

    def open_transaction(self, statement):
        transaction = OpenTransaction(self.engines.url, statement)
        self.addCleanup(transaction.end)
        return transaction

    def run_script(self):
        command = ["psql", "--no-psqlrc", self.engines.url, "-f", str(SCRIPT)]
        return subprocess.run(command, capture_output=True, text=True, timeout=60)

    def partitions(self):
        return int(self.engines.sql("SELECT count(*) FROM pg_inherits WHERE inhparent = 'activity_log'::regclass"))

    def entries(self):
        return int(self.engines.sql("SELECT count(*) FROM activity_log"))

    def test_a_run_that_a_writer_stopped_can_be_repeated_even_in_the_next_month(self):
        service = self.start(self.settings)
        self.assertEqual(log_in(service.port, EMAIL)[0], 200)
        before = self.entries()
        writer = self.open_transaction(WRITE)
        stopped = self.run_script()
        writer.end()
        self.assertNotEqual(stopped.returncode, 0)
        self.assertIn("lock timeout", stopped.stderr)
        self.assertEqual(self.partitions(), 0)
        self.assertEqual(log_in(service.port, EMAIL)[0], 200)

        # What the stopped run left, after the end of its month; and an index as one leaves it that did not get ready.
        self.engines.sql(
            "ALTER TABLE activity_log DROP CONSTRAINT activity_log_past_end, "
            "ADD CONSTRAINT activity_log_past_end CHECK (created_at < 1000) NOT VALID"
        )
        self.engines.sql("UPDATE pg_index SET indisvalid = FALSE WHERE indexrelid = 'activity_log_past_key'::regclass")
        self.assertEqual(log_in(service.port, EMAIL)[0], 503, "no login can be recorded")
        repeated = self.run_script()
        self.assertEqual(repeated.returncode, 0, repeated.stderr)
        self.assertEqual(self.partitions(), 14)
        self.assertEqual(log_in(service.port, EMAIL)[0], 200)
        self.assertEqual(self.entries(), before + 2)

        again = self.run_script()
        self.assertEqual(again.returncode, 0, again.stderr)
        self.assertIn("partitioned already", again.stdout)
        self.assertEqual(self.partitions(), 14)

    def test_a_role_that_only_serves_keeps_its_rights(self):
        role = f"serving_{self.engines.name}"
        self.engines.sql(
            f"CREATE ROLE {role} LOGIN PASSWORD '{PASSWORD}'; GRANT USAGE ON SCHEMA {self.engines.name} TO {role}; "
            f"GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA {self.engines.name} TO {role}; "
            f"REVOKE DELETE ON activity_log FROM {role}; "
            f"ALTER DEFAULT PRIVILEGES IN SCHEMA {self.engines.name} GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO {role}"
        )
        self.addCleanup(self.engines.sql, f"DROP OWNED BY {role}; DROP ROLE {role}")
        url = re.sub(r"//[^@]*@", f"//{role}:{PASSWORD}@", self.engines.url)
        service = self.start({**self.settings, "DATABASE_URL": url})
        self.assertEqual(log_in(service.port, EMAIL)[0], 200)
        done = self.run_script()
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(log_in(service.port, EMAIL)[0], 200)
        may_delete = self.engines.sql(
            "SELECT relname FROM pg_class WHERE relname LIKE 'activity_log%' AND relkind IN ('r', 'p') AND "
            f"has_table_privilege('{role}', oid, 'DELETE') AND relnamespace = current_schema()::regnamespace"
        )
        self.assertEqual(may_delete, "", "what was withheld stays withheld")

    def test_its_statements_for_those_who_give_up_leave_nothing_behind(self):
        facts = (
            "SELECT conname FROM pg_constraint WHERE conrelid = 'activity_log'::regclass UNION ALL "
            "SELECT relname FROM pg_index, pg_class WHERE indrelid = 'activity_log'::regclass AND oid = indexrelid ORDER BY 1"
        )
        before = self.engines.sql(facts)
        writer = self.open_transaction(WRITE)
        self.assertNotEqual(self.run_script().returncode, 0)
        writer.end()
        self.assertNotEqual(self.engines.sql(facts), before)
        statements = re.findall(r"^--     ((?:SET|ALTER|DROP) .*;)$", SCRIPT.read_text(), re.MULTILINE)
        for statement in statements:
            self.engines.sql(statement)
        self.assertEqual(self.engines.sql(facts), before)

    def test_it_outlasts_the_timeouts_of_a_role_behind_pgbouncer(self):
        writer = self.open_transaction("LOCK TABLE activity_log IN ROW EXCLUSIVE MODE")
        command = ["psql", "--no-psqlrc", with_role_timeouts(self.engines.url), "-f", str(SCRIPT)]
        script = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(script.kill)
        self.engines.wait_until_it_has_waited("CREATE UNIQUE INDEX CONCURRENTLY", script)
        writer.end()
        _, errors = script.communicate(timeout=60)
        self.assertEqual(script.returncode, 0, errors)
        self.assertEqual(self.partitions(), 14)

    def test_waits_two_seconds_at_most_for_the_readers_of_the_log(self):
        reader = self.open_transaction("SELECT count(*) FROM activity_log")
        stopped = self.run_script()
        reader.end()
        self.assertIn("lock timeout", stopped.stderr)
        self.assertEqual(self.run_script().returncode, 0)


if __name__ == "__main__":
    unittest.main()
