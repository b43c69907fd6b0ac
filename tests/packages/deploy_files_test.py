#!/usr/bin/env python3
"""The files of docs/deploy that no test starts: the program accepts their settings, and their parts fit together. The
parts of a release name one version.

    deploy_files_test.py PROGRAM    in the project's folder; PROGRAM is consentry

Debian packages: jq, prometheus, python3-yaml
"""

import contextlib
import hashlib
import itertools
import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import unittest
import urllib.request
from pathlib import Path

import yaml

PROGRAM = os.path.abspath(sys.argv.pop(1))
DEPLOY = Path("docs/deploy")
SCENARIOS = Path("tests/packages/prometheus_alerts_scenarios.yml")
DATA = "/var/lib/consentry"  # of the image
SANITIZERS = {name: os.environ[name] for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS") if name in os.environ}


def documents(name):
    return list(yaml.safe_load_all((DEPLOY / name).read_text()))


def run(arguments, settings, folder):
    """Nothing but the settings and what sanitizers read is in the environment."""
    environment = {**SANITIZERS, **settings}
    return subprocess.run([PROGRAM, *arguments], cwd=folder, env=environment, capture_output=True, text=True, timeout=120)


def new_keys(folder):
    made = run(["keys", "generate"], {}, folder)
    return dict(line.split("=", 1) for line in made.stdout.splitlines() if re.match(r"[A-Z0-9_]+=", line))


def settings_of_a_pod():
    """What the ConfigMap and the secret of README.md say."""
    configured = next(one for one in documents("kubernetes/consentry.yaml") if one["kind"] == "ConfigMap")["data"]
    page = (DEPLOY / "kubernetes/README.md").read_text()
    secret = dict(re.findall(r"echo '([A-Z0-9_]+)=([^']*)' >> keys\.env", page))
    return {**secret, **configured}


def settings_of_compose():
    environment = documents("compose.yaml")[0]["services"]["consentry"]["environment"]
    return {name: re.sub(r"\$\{\w+:\?\}", "0123abcd", str(value)) for name, value in environment.items()}


def out_of_reach(value):
    """The same URL with a server that answers at once that it is not there."""
    return re.sub(r"^([a-z0-9]+://(?:[^@/]*@)?)[^@/:?]+(?::\d+)?", r"\g<1>127.0.0.1:1", value)


class Settings(unittest.TestCase):
    """Each environment that the files make is one with which the service starts, as soon as the servers answer."""

    def check(self, settings):
        with tempfile.TemporaryDirectory() as folder:
            known = {one["name"] for one in json.loads(run(["config", "print", "--json"], {}, folder).stdout)}
            self.assertLessEqual(settings.keys(), known, "there are no such settings")
            remote = {name for name in settings if name.endswith("_URL") and name != "PUBLIC_URL"}
            tried = {name: out_of_reach(value) if name in remote else value for name, value in settings.items()}
            tried["DATA_DIR"] = folder + settings.get("DATA_DIR", DATA).removeprefix(DATA)
            seen = run(["config", "check", "--running", "--json"], {**new_keys(folder), **tried}, folder)
            found = json.loads(seen.stdout)
            self.assertLessEqual({one["setting"] for one in found["problems"]}, {"DATABASE_URL"}, seen.stdout)
            # Compose is for a trial on one machine, without https.
            expected = remote | {"PUBLIC_URL"} if settings["PUBLIC_URL"].startswith("http://localhost") else remote
            self.assertLessEqual({one["setting"] for one in found["warnings"]}, expected, seen.stdout)
            misspelled = run(["config", "check"], {**new_keys(folder), **tried, "HTTP_PROT": "3000"}, folder)
            self.assertEqual(misspelled.returncode, 2)
            self.assertIn("HTTP_PROT", misspelled.stderr)

    def test_kubernetes(self):
        self.check(settings_of_a_pod())

    def test_compose(self):
        settings = settings_of_compose()
        self.check(settings)
        self.assertNotEqual(settings["APP_ENV"], "local", "a container must not generate its keys")


class Kubernetes(unittest.TestCase):
    def setUp(self):
        self.parts = {one["kind"]: one for one in documents("kubernetes/consentry.yaml")}
        self.deployment = self.parts["Deployment"]["spec"]
        self.pod = self.deployment["template"]["spec"]
        self.container = self.pod["containers"][0]

    def test_parts_select_each_other(self):
        labels = self.deployment["template"]["metadata"]["labels"]
        spread = self.pod["topologySpreadConstraints"][0]["labelSelector"]["matchLabels"]
        for selector in (
            self.deployment["selector"]["matchLabels"],
            self.parts["PodDisruptionBudget"]["spec"]["selector"]["matchLabels"],
            self.parts["Service"]["spec"]["selector"],
            spread,
        ):
            self.assertTrue(selector.items() <= labels.items(), selector)
        ports = {port["name"] for port in self.container["ports"]}
        self.assertLessEqual({port["targetPort"] for port in self.parts["Service"]["spec"]["ports"]}, ports)
        config = self.parts["ConfigMap"]["metadata"]["name"]
        volumes = {volume["name"] for volume in self.pod["volumes"]}
        for container in (*self.pod["initContainers"], self.container):
            self.assertIn({"configMapRef": {"name": config}}, container["envFrom"])
            self.assertLessEqual({mount["name"] for mount in container["volumeMounts"]}, volumes)
            self.assertEqual(container["image"], self.container["image"])
            self.assertEqual(container["securityContext"], self.container["securityContext"])

    def test_an_update_leaves_all_instances_and_a_disruption_leaves_one(self):
        self.assertEqual(self.deployment["strategy"]["rollingUpdate"]["maxUnavailable"], 0)
        self.assertGreater(self.deployment["strategy"]["rollingUpdate"]["maxSurge"], 0)
        budget = self.parts["PodDisruptionBudget"]["spec"]["minAvailable"]
        self.assertGreaterEqual(budget, 1)
        self.assertLess(budget, self.deployment["replicas"], "no machine could ever be emptied")
        pause = int(self.container["lifecycle"]["preStop"]["exec"]["command"][1])
        self.assertGreaterEqual(self.pod["terminationGracePeriodSeconds"], pause + 30, "open requests have 30 seconds")

    def test_nothing_is_root_or_writable_without_need(self):
        self.assertTrue(self.pod["securityContext"]["runAsNonRoot"])
        self.assertTrue(self.container["securityContext"]["readOnlyRootFilesystem"])
        self.assertFalse(self.container["securityContext"]["allowPrivilegeEscalation"])
        self.assertEqual(self.container["securityContext"]["capabilities"], {"drop": ["ALL"]})
        account = re.search(r"useradd .*--uid (\d+)", Path("packaging/container/Containerfile").read_text())
        self.assertEqual(self.pod["securityContext"]["runAsUser"], int(account[1]))

    def test_memory_suffices_on_a_machine_with_many_cores(self):
        settings = self.parts["ConfigMap"]["data"]
        self.assertIn("HTTP_THREADS", settings, "one for each core of the machine")
        self.assertIn("AUTH_PASSWORD_HASH_THREADS", settings, "one for each core of the machine")
        limit = re.fullmatch(r"(\d+)Mi", self.container["resources"]["limits"]["memory"])
        # docs/guides/capacity.md has both figures.
        self.assertLess(43 + 20 * int(settings["AUTH_PASSWORD_HASH_THREADS"]), int(limit[1]))

    def test_services_of_the_namespace_set_nothing(self):
        self.assertIs(self.pod["enableServiceLinks"], False, "a service called http would set HTTP_PORT")

    def test_probes_are_answered(self):
        with tempfile.TemporaryDirectory() as folder:
            service = subprocess.Popen(
                [PROGRAM, "serve"], cwd=folder, env={**SANITIZERS, "HTTP_HOST": "127.0.0.1", "HTTP_PORT": "0"},
                stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
            )
            try:
                origin = next(
                    found[1] for line in service.stderr if (found := re.search(r"listens on (http://\S+)", line))
                )
                for probe in ("startupProbe", "readinessProbe", "livenessProbe"):
                    path = self.container[probe]["httpGet"]["path"]
                    with urllib.request.urlopen(origin + path, timeout=20) as answer:
                        self.assertEqual(answer.status, 200, path)
            finally:
                service.terminate()
                service.communicate()

    def test_only_the_service_can_open_its_data(self):
        """Kubernetes makes the folder of a volume, and opens it to the group of the pod."""
        mount = self.container["volumeMounts"][0]["mountPath"]
        data = settings_of_a_pod()["DATA_DIR"]
        self.assertTrue(data.startswith(mount + "/"), f"DATA_DIR must be in a folder of {mount}, not the folder itself")
        self.assertEqual([one["args"] for one in self.pod["initContainers"]], [["config", "check"], ["migrate"]])
        with tempfile.TemporaryDirectory() as folder:
            volume = Path(folder, "volume")
            volume.mkdir()
            volume.chmod(0o2777)
            # On SQLite; who can open the folder does not depend on the database.
            settings = {**new_keys(folder), "APP_ENV": "production", "PUBLIC_URL": "https://login.example.com"}

            def errors(place):
                seen = run(["doctor", "--json"], {**settings, "DATA_DIR": str(place)}, folder)
                found = [one for one in json.loads(seen.stdout) if one["severity"] == "error"]
                return [one for one in found if one["subject"].startswith(str(place))]

            self.assertTrue(errors(volume), "doctor does not notice a folder that is open to all")
            place = Path(str(volume) + data.removeprefix(mount))
            made = run(["migrate"], {**settings, "DATA_DIR": str(place)}, folder)
            self.assertEqual(made.returncode, 0, made.stderr)
            self.assertEqual(place.stat().st_mode & 0o777, 0o700)
            self.assertEqual(errors(place), [])

    def test_settings_that_cannot_start_leave_the_schema(self):
        """With a newer schema, the former version could not start again either."""
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            for made in ("data", "pages", "tmp"):
                (folder / made).mkdir(mode=0o700)
            database = folder / "data/consentry.db"

            def version():
                with contextlib.closing(sqlite3.connect(database)) as opened:
                    return opened.execute("SELECT max(number) FROM schema_migrations").fetchone()[0]

            oldest = re.sub(r"-- Only for PostgreSQL[^;]*;", "", Path("migrations/0001_users.sql").read_text())
            with contextlib.closing(sqlite3.connect(database)) as opened:
                opened.executescript(
                    oldest + "CREATE TABLE schema_migrations (number INTEGER PRIMARY KEY, name TEXT, applied_at BIGINT);"
                    "INSERT INTO schema_migrations VALUES (1, '0001_users.sql', 0);"
                )
            settings = {
                **new_keys(folder), "APP_ENV": "production", "PUBLIC_URL": "https://login.example.com",
                "DATA_DIR": str(folder / "data"), "PAGES_DIR": str(folder / "pages"), "HTTP_PORT": "0",
            }

            def start_of_a_pod():
                for container in self.pod["initContainers"]:
                    # A container writes to its volumes only.
                    places = {mount["mountPath"] for mount in container["volumeMounts"]}
                    temporary = folder / ("tmp" if "/tmp" in places else "none")
                    done = run(container["args"], {**settings, "TMPDIR": str(temporary)}, folder)
                    if done.returncode != 0:
                        break
                return done

            (folder / "pages/login.html").write_text("{{@noSuchMessage}}")
            refused = start_of_a_pod()
            self.assertEqual(refused.returncode, 2, refused.stderr)
            self.assertIn("login.html", refused.stderr)
            self.assertEqual(version(), 1)
            (folder / "pages/login.html").unlink()
            upgraded = start_of_a_pod()
            self.assertEqual(upgraded.returncode, 0, upgraded.stderr)
            self.assertGreater(version(), 1)
            self.assertEqual(list((folder / "tmp").iterdir()), [])


class Compose(unittest.TestCase):
    def test_parts_exist(self):
        compose = documents("compose.yaml")[0]
        services = compose["services"]
        for name, service in services.items():
            for other, condition in service.get("depends_on", {}).items():
                self.assertEqual(condition["condition"], "service_healthy")
                self.assertIn("healthcheck", services[other], f"{name} would wait for {other} forever")
            for volume in service.get("volumes", []):
                self.assertIn(volume.split(":")[0], compose["volumes"])
            for port in service.get("ports", []):
                self.assertTrue(port.startswith("127.0.0.1:"), f"{name} is open to the network")
        urls = settings_of_compose()
        for setting in ("DATABASE_URL", "CACHE_URL", "MAIL_URL"):
            host = re.match(r"[a-z]+://(?:[^@/]*@)?([^:/?]+)", urls[setting])[1]
            self.assertIn(host, services, setting)
        grace = int(services["consentry"]["stop_grace_period"].removesuffix("s"))
        self.assertGreaterEqual(grace, 30, "open requests have 30 seconds")


class Proxies(unittest.TestCase):
    def test_traefik_names_what_it_defines(self):
        http = documents("traefik-dynamic.yml")[0]["http"]
        for name, router in http["routers"].items():
            self.assertIn(router["service"], http["services"], name)
            self.assertLessEqual(set(router.get("middlewares", [])), http["middlewares"].keys(), name)
            # Before a check can set them, each route to the application removes what a client says about the caller.
            if router["service"] == "application":
                self.assertEqual(router["middlewares"][0], "without-claims", name)

    def test_traefik_removes_each_spelling_of_a_claim(self):
        """CGI, WSGI and Rack hand X_User_Id to an application under the name of X-User-Id."""
        middlewares = documents("traefik-dynamic.yml")[0]["http"]["middlewares"]
        claims = middlewares["signed-in"]["forwardAuth"]["authResponseHeaders"]
        spellings = {
            "".join(parts) for one in claims for parts in itertools.product(*("-_" if c == "-" else c for c in one))
        }
        removed = middlewares["without-claims"]["headers"]["customRequestHeaders"]
        self.assertEqual(removed, dict.fromkeys(spellings, ""))

    def test_envoy_refuses_names_with_underscores(self):
        for listener in documents("envoy.yaml")[0]["static_resources"]["listeners"]:
            for chain in listener["filter_chains"]:
                options = chain["filters"][0]["typed_config"].get("common_http_protocol_options", {})
                self.assertEqual(options.get("headers_with_underscores_action"), "REJECT_REQUEST")

    def test_each_page_with_a_check_says_how_the_check_gets_a_key(self):
        pages = [page for page in DEPLOY.glob("*.md") if "guides/forward-auth" in page.read_text()]
        self.assertGreaterEqual(len(pages), 6)
        for page in pages:
            self.assertIn("AUTH_API_KEY_REQUIRED", page.read_text(), page)

    def test_the_parts_for_a_key_fit(self):
        """They are comments in the files, because most installations need no key."""

        def uncommented(name):
            commented = re.compile(r"^( *)# (?= *(?:[\w-]+:$|X-Api-Key: |- \{))", re.M)
            return yaml.safe_load(commented.sub(r"\1", (DEPLOY / name).read_text()))

        middlewares = uncommented("traefik-dynamic.yml")["http"]["middlewares"]
        sets = middlewares["with-key"]["headers"]["customRequestHeaders"]
        self.assertEqual(sets.keys(), {"X-Api-Key"})
        self.assertEqual(middlewares["without-token"]["headers"]["customRequestHeaders"]["X-Api-Key"], "")
        listener = uncommented("envoy.yaml")["static_resources"]["listeners"][0]
        filters = listener["filter_chains"][0]["filters"][0]["typed_config"]["http_filters"]
        added = filters[0]["typed_config"]["http_service"]["authorization_request"]["headers_to_add"]
        self.assertEqual([one["key"] for one in added], ["x-api-key"])

    def test_idle_connections_end_at_the_proxy_first(self):
        """A request fails that is sent while Consentry closes the connection. nginx closes after 60 seconds unless told
        otherwise, and HAProxy begins nothing on a connection that another client has used."""
        text = {name: (DEPLOY / name).read_text() for name in ("Caddyfile", "apache.conf")}
        ways = re.findall(r"127\.0\.0\.1:3000 \{\s+import idle|\S*127\.0\.0\.1:3000", text["Caddyfile"])
        self.assertTrue(all(way.endswith("import idle") for way in ways), ways)
        ways = re.findall(r"ProxyPass .*\$\{consentry\}.*", text["apache.conf"])
        self.assertTrue(all(way.endswith(" ${idle}") for way in ways), ways)
        traefik = documents("traefik-dynamic.yml")[0]["http"]
        transport = traefik["serversTransports"][traefik["services"]["consentry"]["loadBalancer"]["serversTransport"]]
        [envoy] = [one for one in documents("envoy.yaml")[0]["static_resources"]["clusters"] if one["name"] == "consentry"]
        [options] = envoy["typed_extension_protocol_options"].values()
        idle = {
            "Caddyfile": re.search(r"keepalive (\d+)s", text["Caddyfile"])[1],
            "apache.conf": re.search(r"Define idle ttl=(\d+)", text["apache.conf"])[1],
            "traefik-dynamic.yml": transport["forwardingTimeouts"]["idleConnTimeout"].removesuffix("s"),
            "envoy.yaml": options["common_http_protocol_options"]["idle_timeout"].removesuffix("s"),
        }
        settings = Path("docs/guides/configuration.md").read_text()
        limit = int(re.search(r"`HTTP_IDLE_TIMEOUT` \|[^|]*\| `(\d+)s`", settings)[1])
        for name, seconds in idle.items():
            self.assertLess(int(seconds), limit, name)

    def test_envoy_sets_no_limit_on_a_whole_response_of_consentry(self):
        """Its default of 15 seconds cuts off exports, and requests that Consentry still works on."""
        listener = documents("envoy.yaml")[0]["static_resources"]["listeners"][0]
        configuration = listener["filter_chains"][0]["filters"][0]["typed_config"]["route_config"]
        routes = [route["route"] for host in configuration["virtual_hosts"] for route in host["routes"] if "route" in route]
        limits = [route.get("timeout") for route in routes if route["cluster"] == "consentry"]
        self.assertEqual(limits, ["0s", "0s"])

    def test_all_files_are_yaml(self):
        for file in (*DEPLOY.glob("**/*.yaml"), *DEPLOY.glob("**/*.yml")):
            self.assertTrue(documents(file.relative_to(DEPLOY)), file)


class Alerts(unittest.TestCase):
    def test_each_alert_fires_when_it_should_and_only_then(self):
        """promtool takes the paths in its files from their folder."""
        for arguments in (["check", "rules", DEPLOY / "prometheus-alerts.yml"], ["test", "rules", SCENARIOS]):
            checked = subprocess.run(["promtool", *arguments], capture_output=True, text=True)
            self.assertEqual(checked.returncode, 0, checked.stdout + checked.stderr)

    def test_alerts_ask_for_documented_series(self):
        documented = Path("docs/guides/metrics.md").read_text()
        asked = set(re.findall(r"\bconsentry_\w+", (DEPLOY / "prometheus-alerts.yml").read_text()))
        self.assertEqual({name for name in asked if f"`{name.removesuffix('_bucket')}`" not in documented}, set())

    def test_each_alert_has_scenarios_in_which_it_fires_and_stays_silent(self):
        fires = {True: set(), False: set()}
        for scenario in yaml.safe_load(SCENARIOS.read_text())["tests"]:
            for one in scenario["alert_rule_test"]:
                fires[bool(one["exp_alerts"])].add(one["alertname"])
        rules = documents("prometheus-alerts.yml")[0]["groups"][0]["rules"]
        self.assertEqual(fires, {True: {rule["alert"] for rule in rules}, False: {rule["alert"] for rule in rules}})


class Package(unittest.TestCase):
    def test_the_image_is_made_of_the_release_for_which_the_package_is(self):
        """A package that another release of Debian has built needs libraries that the image does not have."""
        pages = [Path("packaging/container/Containerfile"), *Path("docs").rglob("*.md")]
        commands = [
            command
            for page in pages
            for command in re.findall(r"buildah build (?:.*\\\n)*.*", page.read_text())
            if "packaging/container/Containerfile" in command
        ]
        self.assertGreaterEqual(len(commands), 3)
        for command in commands:
            base = re.search(r'--build-arg (BASE="[^"]*")', re.sub(r"\\\n(#| )*", "", command))
            self.assertTrue(base, command)
            named = subprocess.run(["sh", "-euc", f"{base[1]}; echo $BASE"], capture_output=True, text=True, check=True)
            self.assertRegex(named.stdout, r"^docker\.io/library/debian:[a-z]+-slim\n$")

    def test_the_settings_file_stays_as_it_was_shipped(self):
        """Every operator has changed this file, as `consentry init` writes the settings to it. If a new version shipped
        another one, dpkg would stop each upgrade and ask which of the two to keep. consentry.env(5) is the place for news.
        """
        digest = hashlib.sha256(Path("packaging/debian/consentry.env").read_bytes()).hexdigest()
        self.assertEqual(digest, "eb48e035a83d6e3d6fa58cccfc440278065451d1ed8e0fb48e505ee0f22c310e")


class Release(unittest.TestCase):
    """script/release --check compares all places that name the version."""

    PLACES = (
        "CMakeLists.txt", "CHANGELOG.md", "README.md", "clients/typescript/package.json",
        "clients/typescript/package-lock.json", "docs/deploy/kubernetes/README.md", "docs/deploy/kubernetes/consentry.yaml",
        "docs/guides/install.md", "packaging/debian/changelog",
    )

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.tree = Path(folder.name)
        for name in ("script/release", *self.PLACES):
            (self.tree / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(name, self.tree / name)
        self.version = re.search(r"^project\(consentry VERSION ([0-9.]+)", Path("CMakeLists.txt").read_text(), re.M)[1]
        changelog = self.tree / "CHANGELOG.md"
        if f"## [{self.version}]" not in changelog.read_text():
            changelog.write_text(changelog.read_text().replace("## [Unreleased]", f"## [{self.version}] - 2026-01-31", 1))

    def check(self):
        return subprocess.run([self.tree / "script/release", "--check"], capture_output=True, text=True, timeout=60)

    def test_the_version_is_the_same_everywhere(self):
        done = self.check()
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(self.version, done.stdout)

    def test_a_place_with_another_version_is_named(self):
        for name in self.PLACES[1:]:
            with self.subTest(name):
                place = self.tree / name
                text = place.read_text()
                place.write_text(text.replace(self.version, "9.8.7"))
                done = self.check()
                place.write_text(text)
                self.assertEqual(done.returncode, 1)
                self.assertEqual(re.findall(r"^script/release: (\S+)", done.stderr, re.M), [name])


if __name__ == "__main__":
    unittest.main()
