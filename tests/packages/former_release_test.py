#!/usr/bin/env python3
"""A rolling update: the program of the former release and this one serve from one PostgreSQL and one Redis, behind nginx.

    former_release_test.py PROGRAM    in the project's folder; PROGRAM is consentry. CONSENTRY_FORMER_PROGRAM is the one of
                                      the former release; without it, the program is its own former release.
                                      CONSENTRY_ENGINE_ADDRESSES names the file that tests/real/engines.sh writes
"""

import json
import os
import subprocess
import sys
import unittest

from fleet import Fleet, ask, log_in

PROGRAM = os.path.abspath(sys.argv.pop(1))
FORMER = os.path.abspath(os.environ.get("CONSENTRY_FORMER_PROGRAM", PROGRAM))


class FormerRelease(Fleet):
    program = FORMER

    def test_nobody_notices_a_rolling_update(self):
        for program in (FORMER, PROGRAM):
            subprocess.run([program, "--version"], check=True)
        users = ["first@example.org", "second@example.org"]
        for email in users:
            self.create_user(email)
        texts = self.work / "texts" / "marketing" / "1"
        texts.mkdir(parents=True)
        (texts / "en.hbs").write_text("# News\n\nOnce a month.\n")
        self.command(["policy", "import", "texts"])
        self.command(["policy", "publish", "marketing", "1"])

        self.command(["migrate"], program=PROGRAM)
        self.load.wait_for(50)  # the former release, with the new schema
        former, new = self.instances
        self.replace(new, PROGRAM)
        self.load.wait_for(50)
        self.use(users[0], former.port, new.port)
        self.use(users[1], new.port, former.port)
        self.replace(former, PROGRAM)
        self.load.end()
        self.assertEqual(self.load.failed, {"GET": [], "POST": []})
        self.assertEqual(int(self.engines.sql("SELECT count(*) FROM sessions")), self.load.logins + len(users))
        # What the former release accepted meanwhile is in the log as well.
        self.command(["clean-up"], program=PROGRAM)
        self.command(["verify", "database"], program=PROGRAM)

    def use(self, email, one, other):
        """What one version begins, the other one goes on with."""
        tokens = self.data(log_in(one, email))["tokens"]
        self.assertEqual(self.profile(other, tokens), 200)
        tokens = self.data(ask(other, "POST", "/api/shared/user/refresh", token=tokens["refreshToken"]))
        self.assertEqual(self.profile(one, tokens), 200)
        accepted = {"type": "marketing", "version": 1}
        self.data(ask(one, "POST", "/api/user/term-policy/accept", accepted, tokens["accessToken"]))
        listed = self.data(ask(other, "GET", "/api/user/term-policy/list/accepted", token=tokens["accessToken"]))
        policies = [(item["termPolicy"]["type"], item["termPolicy"]["version"]) for item in listed]
        self.assertEqual(policies, [("marketing", 1)])
        self.data(ask(other, "POST", "/api/shared/user/logout", token=tokens["accessToken"]))
        self.assertEqual(self.profile(one, tokens), 401)

    def profile(self, port, tokens):
        return ask(port, "GET", "/api/shared/user/profile", token=tokens["accessToken"])[0]

    def data(self, answer):
        status, body = answer
        self.assertEqual(status, 200, body)
        return json.loads(body).get("data")


if __name__ == "__main__":
    unittest.main()
