#!/usr/bin/env python3
"""Two instances behind nginx with docs/deploy/nginx-fleet.conf: clients do not notice a rolling restart, and of an instance
that is killed only what it was doing.

    nginx_fleet_test.py PROGRAM    in the project's folder; PROGRAM is consentry. CONSENTRY_ENGINE_ADDRESSES names the
                                   file that tests/real/engines.sh writes
"""

import os
import sys
import unittest

from fleet import Fleet

PROGRAM = os.path.abspath(sys.argv.pop(1))


class NginxFleet(Fleet):
    program = PROGRAM

    def test_nobody_notices_a_rolling_restart(self):
        for instance in self.instances * 2:
            self.replace(instance, PROGRAM)
        self.load.end()
        self.assertEqual(self.load.failed, {"GET": [], "POST": []})
        self.assertEqual(int(self.engines.sql("SELECT count(*) FROM sessions")), self.load.logins)

    def test_of_a_killed_instance_only_open_posts_are_lost_and_none_is_sent_twice(self):
        for instance in self.instances * 2:
            instance.kill()
            self.load.wait_for(40)
            instance.start()
            self.load.wait_for(40)
        self.load.end()
        self.assertEqual(self.load.failed["GET"], [])
        # Nobody knows about a POST without an answer whether it was done. None was done twice.
        sessions = int(self.engines.sql("SELECT count(*) FROM sessions"))
        self.assertGreaterEqual(sessions, self.load.logins)
        self.assertLessEqual(sessions, self.load.logins + len(self.load.failed["POST"]))


if __name__ == "__main__":
    unittest.main()
