#!/usr/bin/env python3
"""Two instances behind nginx with docs/deploy/nginx-fleet.conf: clients do not notice a rolling restart, and of an instance
that is killed only what it was doing.

    nginx_fleet_test.py PROGRAM    in the project's folder; PROGRAM is consentry. CONSENTRY_ENGINE_ADDRESSES names the
                                   file that tests/real/engines.sh writes
"""

import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from fleet import Fleet, free_port

PROGRAM = os.path.abspath(sys.argv.pop(1))


class GuardedApplications(unittest.TestCase):
    """What the first comment of nginx-fleet.conf says about applications gives a configuration that nginx takes."""

    def test_nginx_takes_the_parts_of_both_files(self):
        fleet = Path("docs/deploy/nginx-fleet.conf").read_text()
        single = Path("docs/deploy/nginx.conf").read_text()
        said = re.search(r"To guard applications as well, add(.*?)\.\n", fleet.replace("\n# ", " "), re.DOTALL)[1]
        named = re.findall(r"`([^`]+)`", said)
        self.assertIn("server", named)
        parts = [re.search(rf"^{part} \{{.*?^\}}", single, re.MULTILINE | re.DOTALL)[0] for part in named]
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run(
                ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj",
                 "/CN=test", "-keyout", f"{folder}/tls.key", "-out", f"{folder}/tls.crt"],
                capture_output=True, check=True,
            )
            site = "\n".join([fleet, *parts]).replace("listen 443 ssl", f"listen 127.0.0.1:{free_port()} ssl")
            site = re.sub(r"/etc/ssl/[a-z.]+\.(crt|key);", rf"{folder}/tls.\1;", site)
            places = "".join(f"{what}_temp_path {folder}/{what}; " for what in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
            Path(folder, "nginx.conf").write_text(
                f"pid {folder}/pid; error_log {folder}/error.log; events {{}} http {{ access_log off; {places}\n{site} }}"
            )
            tried = subprocess.run(
                ["nginx", "-t", "-e", f"{folder}/error.log", "-p", folder, "-c", f"{folder}/nginx.conf"],
                env={**os.environ, "PATH": f"{os.environ['PATH']}:/usr/sbin"}, capture_output=True, text=True,
            )
            self.assertEqual(tried.returncode, 0, tried.stderr)


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
        # It is unknown whether a POST without an answer was done. None was done twice.
        sessions = int(self.engines.sql("SELECT count(*) FROM sessions"))
        self.assertGreaterEqual(sessions, self.load.logins)
        self.assertLessEqual(sessions, self.load.logins + len(self.load.failed["POST"]))


if __name__ == "__main__":
    unittest.main()
