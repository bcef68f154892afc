"""The Helm chart: linted, its manifests by the schemas of Kubernetes, our settings (O22)."""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from config.version import VERSION
from tests.databases import database_url
from tests.operations.deployment.chart import (
    CHART,
    ROOT,
    SETS,
    SMALLEST,
    containers,
    environment,
    find,
    helm,
    pods,
    render,
    values_of,
)
from tools.chart_tools import VERSIONS, KubernetesSchemas

pytestmark = pytest.mark.conformance("O22")
PARTS = {"web", "worker", "jobs", "indexes", "beat", "migrations"}
# Read by prometheus_client, and by the SDK of OpenTelemetry.
THEIRS = {"PROMETHEUS_MULTIPROC_DIR", "OTEL_EXPORTER_OTLP_HEADERS"}
THEIRS |= {"OTEL_TRACES_SAMPLER", "OTEL_TRACES_SAMPLER_ARG"}
SECRETS = {
    *("SECRET_KEY", "DATABASE_URL", "DATABASE_WORKER_URL", "DATABASE_SUPPORT_URL", "REDIS_URL"),
    *(
        "DATABASE_OWNER_URL",
        "DATABASE_ADMIN_URL",
        "DATABASE_REPLICA_URL",
        "DATABASE_SERVERS",
        "METRICS_TOKEN",
        "ENCRYPTION_KEYS",
        "LLM_KEY",
    ),
    *("OIDC_CLIENT_SECRET", "SMTP_PASSWORD", "OTEL_EXPORTER_OTLP_HEADERS"),
    *("COMMONMIND_OWNER_PASSWORD", "COMMONMIND_APP_PASSWORD", "COMMONMIND_WORKER_PASSWORD"),
    "COMMONMIND_SUPPORT_PASSWORD",
}
# The role of DATABASE_URL on a standby; and further servers, of which each part has its roles.
OPTIONAL = {"DATABASE_REPLICA_URL", "DATABASE_SERVERS"}
# Kinds of the operator of Prometheus, for which Kubernetes has no schemas.
MONITORS = {"ServiceMonitor": "endpoints", "PodMonitor": "podMetricsEndpoints"}


def compose() -> dict[str, Any]:
    parsed: dict[str, Any] = yaml.safe_load((ROOT / "docker-compose.yml").read_text())
    return parsed


@pytest.mark.parametrize("name", SETS)
def test_helm_finds_nothing_to_mend(name: str) -> None:
    done = helm("lint", "--strict", "--quiet", str(CHART), "--values", values_of(name))
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("name", SETS)
def test_kubernetes_knows_every_field(name: str, version: str) -> None:
    manifests = render(name)
    schemas = KubernetesSchemas(version)
    faults = [
        (one["kind"], one["metadata"]["name"], schemas.faults(one))
        for one in manifests
        if one["kind"] not in MONITORS
    ]
    assert len(faults) >= 7
    assert [one for one in faults if one[2]] == []


def test_a_wrong_field_would_be_found() -> None:
    wrong = json.loads(json.dumps(find(render(SMALLEST), "Deployment", "-web")))
    wrong["spec"]["template"]["spec"]["containers"][0]["livenesProbe"] = {}
    assert len(KubernetesSchemas(VERSIONS[0]).faults(wrong)) == 1


def test_monitors_ask_with_the_token_and_find_every_pod() -> None:
    """By hand: a narrow reading of what the operator of Prometheus takes."""
    manifests = render("everything")
    for kind, endpoints in MONITORS.items():
        monitor = find(manifests, kind)
        assert monitor["apiVersion"] == "monitoring.coreos.com/v1"
        assert monitor["metadata"]["labels"]["release"] == "prometheus"
        assert set(monitor["spec"]) == {"selector", endpoints}
        [endpoint] = monitor["spec"][endpoints]
        credentials = endpoint["authorization"]["credentials"]
        assert credentials == {"name": "commonmind", "key": "METRICS_TOKEN"}
    ports = {"web": "http", "worker": "metrics", "jobs": "metrics", "indexes": "metrics"}
    for part, port in ports.items():
        [container] = pods(manifests)[part]["spec"]["containers"]
        assert port in [one["name"] for one in container["ports"]]
    assert not [one for one in render(SMALLEST) if one["kind"] in MONITORS]


@pytest.mark.parametrize("name", SETS)
def test_every_process_of_the_compose_file_is_there(name: str) -> None:
    found = pods(render(name))
    assert set(found) == PARTS
    services = compose()["services"]
    for part in ("worker", "jobs", "indexes"):
        [container] = found[part]["spec"]["containers"]
        words = services[part]["command"]
        queue = words[words.index("--queues") + 1]
        assert f"--queues={queue}" in container["command"]
    assert find(render(name), "Deployment", "-beat")["spec"]["replicas"] == 1
    assert find(render(name), "Deployment", "-beat")["spec"]["strategy"] == {"type": "Recreate"}


@pytest.mark.parametrize("name", SETS)
def test_no_pod_may_more_than_it_needs(name: str) -> None:
    for part, pod in pods(render(name)).items():
        spec = pod["spec"]
        assert spec["automountServiceAccountToken"] is False, part
        assert spec["enableServiceLinks"] is False, part
        context = spec["securityContext"]
        assert context["runAsNonRoot"] is True
        assert context["seccompProfile"] == {"type": "RuntimeDefault"}
        user = re.search(r"--uid (\d+)", (ROOT / "Dockerfile").read_text())
        assert user
        assert {context[field] for field in ("runAsUser", "fsGroup")} == {int(user[1])}
        for container in containers(pod):
            assert container["securityContext"] == {
                "allowPrivilegeEscalation": False,
                "readOnlyRootFilesystem": True,
                "capabilities": {"drop": ["ALL"]},
            }, (part, container["name"])
            assert container["resources"]["limits"]["memory"], part
            assert container["resources"]["requests"]["cpu"], part
            # What is read-only has a place to write.
            assert {"/tmp", "/data"} <= {m["mountPath"] for m in container["volumeMounts"]}  # noqa: S108
            named = {volume["name"] for volume in spec["volumes"]}
            assert {mount["name"] for mount in container["volumeMounts"]} <= named


@pytest.mark.parametrize("name", SETS)
def test_no_secret_stands_in_a_manifest(name: str) -> None:
    manifests = render(name)
    assert not [one for one in manifests if one["kind"] in ("Secret", "ConfigMap")]
    for part, pod in pods(manifests).items():
        for container in containers(pod):
            assert "envFrom" not in container
            for variable, value in environment(container).items():
                if variable in SECRETS:
                    assert set(value) == {"secretKeyRef"}, (part, variable)
                elif variable.removesuffix("_FILE") in SECRETS:
                    assert value.startswith("/run/secrets/"), (part, variable)


@pytest.mark.parametrize("name", SETS)
def test_each_part_has_the_addresses_of_its_roles_and_no_other(name: str) -> None:
    """As in the compose file: row-level security binds all but the owner and the superuser."""
    services = compose()["services"] | {"migrations": compose()["services"]["migrate"]}
    for part, pod in pods(render(name)).items():
        held = {
            item["key"]
            for volume in pod["spec"]["volumes"]
            for item in volume.get("secret", {}).get("items", [])
        }
        addresses = {name for name in held if name.startswith("DATABASE_")}
        wanted = {
            name
            for name in services[part]["environment"]
            if re.fullmatch(r"DATABASE_(\w+_)?URL", name)
        }
        assert addresses - OPTIONAL == wanted - {"DATABASE_ADMIN_URL"} - OPTIONAL, part
        [*before, last] = containers(pod)
        assert not [v for v in environment(last) if v.startswith(("COMMONMIND_", "DATABASE_ADMIN"))]
        if part == "migrations" and before:
            assert {"DATABASE_ADMIN_URL"} <= set(environment(before[0]))


@pytest.mark.parametrize("name", SETS)
def test_the_product_knows_every_variable(name: str) -> None:
    sources = "".join(path.read_text() for path in (ROOT / "config").rglob("*.py"))
    known = THEIRS | set(re.findall(r'"([A-Z][A-Z0-9_]+)"', sources))
    for part, pod in pods(render(name)).items():
        for container in containers(pod):
            for variable in environment(container):
                names = {variable, variable.removesuffix("_FILE")}
                assert names & known or variable.startswith("COMMONMIND_"), (part, variable)


def test_every_setting_of_the_compose_file_can_be_given() -> None:
    schema = json.loads((CHART / "values.schema.json").read_text())
    given = set(schema["properties"]["settings"]["propertyNames"]["enum"])
    assert not given & SECRETS
    optional = set(schema["properties"]["secrets"]["properties"]["optional"]["items"]["enum"])
    [web] = pods(render(SMALLEST))["web"]["spec"]["containers"]
    set_by_chart = {name.removesuffix("_FILE") for name in environment(web)}
    passed_on = set(compose()["x-environment"])
    assert passed_on == (given | optional | set_by_chart) - {
        *("DATABASE_WORKER_URL", "DATABASE_SUPPORT_URL", "PROMETHEUS_MULTIPROC_DIR"),
    }


def test_nothing_that_has_no_default_is_left_out(committed: None, tmp_path: Path) -> None:
    """The settings of production load with what the chart gives the site, and want all of it."""
    [web] = pods(render(SMALLEST))["web"]["spec"]["containers"]
    secrets = {
        "SECRET_KEY": "k" * 50,
        "DATABASE_URL": database_url("default"),
        "DATABASE_WORKER_URL": database_url("worker"),
        "DATABASE_SUPPORT_URL": database_url("support"),
        "REDIS_URL": "redis://:secret@127.0.0.1:6379/0",
    }
    for key, value in secrets.items():
        (tmp_path / key).write_text(f"{value}\n")
    given = {
        name: value.replace("/run/secrets/commonmind", str(tmp_path))
        for name, value in environment(web).items()
    }
    show = "from django.conf import settings as s; print(s.SECRET_KEY, s.REDIS_URL, *s.DATABASES)"
    done = settings_say(show, given)
    assert done.returncode == 0, done.stderr
    words = [secrets["SECRET_KEY"], secrets["REDIS_URL"], "default", "worker", "support"]
    assert done.stdout.split() == words
    for needed in ("SECRET_KEY_FILE", "ALLOWED_HOSTS", "PUBLIC_URL", "REDIS_URL_FILE"):
        without = {name: value for name, value in given.items() if name != needed}
        assert settings_say(show, without).returncode == 1, needed
    gone = settings_say(show, given | {"SECRET_KEY_FILE": str(tmp_path / "nowhere")})
    assert "SECRET_KEY_FILE cannot be read: No such file" in gone.stderr


def settings_say(code: str, given: dict[str, str]) -> "subprocess.CompletedProcess[str]":
    production = {"DJANGO_SETTINGS_MODULE": "config.settings.production", "DATA_DIR": "var"}
    return subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        env=production | given,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


def test_the_chart_is_of_this_release() -> None:
    chart = yaml.safe_load((CHART / "Chart.yaml").read_text())
    assert chart["appVersion"] == VERSION
    assert chart["version"] == re.sub(r"\.(dev|rc)", r"-\1", VERSION)
    assert chart["kubeVersion"].startswith(f">={VERSIONS[0]}.")


def test_probes_and_time_to_end() -> None:
    manifests = render("everything")
    pod = pods(manifests)["web"]["spec"]
    [web] = pod["containers"]
    asked = {name: web[f"{name}Probe"]["httpGet"] for name in ("startup", "liveness", "readiness")}
    # Told to end, a pod is alive and not ready: to ask the other one would kill it.
    assert asked["liveness"]["path"] == asked["startup"]["path"] == "/healthz"
    assert asked["readiness"]["path"] == "/readyz"
    port = next(one["name"] for one in web["ports"])
    assert {one["port"] for one in asked.values()} == {port}
    drain = float(environment(web)["DRAIN_SECONDS"])
    [finish] = [
        float(word.partition("=")[2])
        for word in web["command"]
        if word.startswith("--timeout-graceful-shutdown=")
    ]
    assert pod["terminationGracePeriodSeconds"] > drain + finish
    strategy = find(manifests, "Deployment", "-web")["spec"]["strategy"]
    assert strategy["rollingUpdate"] == {"maxUnavailable": 0, "maxSurge": 1}
    assert find(manifests, "PodDisruptionBudget")["spec"]["maxUnavailable"] == 1
    # The rest of the words are the image's own.
    image = re.findall(r"^CMD (.*)$", (ROOT / "Dockerfile").read_text(), re.MULTILINE)[0]
    assert set(re.findall(r"config\.[\w.:]+|--no-[\w-]+", image)) <= {
        word.removeprefix("--http=") for word in web["command"]
    }


def test_the_migration_goes_first_and_as_the_owner() -> None:
    job = find(render("one-node"), "Job")
    hooks = job["metadata"]["annotations"]
    assert set(hooks["helm.sh/hook"].split(",")) == {"pre-install", "pre-upgrade"}
    spec = job["spec"]["template"]["spec"]
    assert spec["restartPolicy"] == "Never"
    assert [one["name"] for one in containers(job["spec"]["template"])] == ["provision", "migrate"]
    words = compose()["services"]["migrate"]["command"][-1]
    for container in containers(job["spec"]["template"]):
        assert " ".join(container["command"]) in words
    # At an installation nothing of the release is there yet.
    assert not [v for v in spec["volumes"] if "persistentVolumeClaim" in v]
    assert find(render(SMALLEST), "Job")["spec"]["template"]["spec"].get("initContainers") is None


def test_one_volume_for_all_and_it_outlives_the_release() -> None:
    claim = find(render(SMALLEST), "PersistentVolumeClaim")
    assert claim["metadata"]["annotations"] == {"helm.sh/resource-policy": "keep"}
    assert claim["spec"]["accessModes"] == ["ReadWriteMany"]
    for name, claimed in ((SMALLEST, claim["metadata"]["name"]), ("one-node", "commonmind-files")):
        for part in ("web", "worker", "jobs", "indexes"):
            volumes = pods(render(name))[part]["spec"]["volumes"]
            found = [v["persistentVolumeClaim"] for v in volumes if "persistentVolumeClaim" in v]
            assert found == [{"claimName": claimed}], (name, part)
    assert not [one for one in render("one-node") if one["kind"] == "PersistentVolumeClaim"]
    # A volume of one node: who uses it stands where the others stand.
    for part in ("web", "worker", "jobs", "indexes"):
        pod = pods(render("one-node"))[part]
        [term] = pod["spec"]["affinity"]["podAffinity"][
            "requiredDuringSchedulingIgnoredDuringExecution"
        ]
        wanted = term["labelSelector"]["matchLabels"]
        assert wanted.items() <= pod["metadata"]["labels"].items(), part


def test_nothing_comes_in_or_goes_out_but_what_is_said() -> None:
    manifests = render("everything")
    policies = {
        one["metadata"]["name"].rpartition("-")[2]: one["spec"]
        for one in manifests
        if one["kind"] == "NetworkPolicy"
    }
    closed = policies.pop("closed")
    assert closed["policyTypes"] == ["Ingress", "Egress"]
    assert set(closed) == {"podSelector", "policyTypes"}
    labels = [pod["metadata"]["labels"].items() for pod in pods(manifests).values()]
    assert all(closed["podSelector"]["matchLabels"].items() <= one for one in labels)
    out = policies.pop("out")["egress"]
    assert [[port["port"] for port in rule["ports"]] for rule in out] == [
        *([53, 53], [5432, 6432], [6380], [443]),
    ]
    assert out[1]["to"] == [{"ipBlock": {"cidr": "10.20.0.0/16"}}]
    assert set(policies) == {"web", "metrics"}
    for name, port in (("web", "http"), ("metrics", "metrics")):
        [rule] = policies[name]["ingress"]
        assert rule["from"]
        assert rule["ports"] == [{"protocol": "TCP", "port": port}]
    assert not [one for one in render("one-node") if one["kind"] == "NetworkPolicy"]


REFUSED = [
    (["web.replica=3"], "additional properties 'replica' not allowed"),
    (["settings.SECRET_KEY=abc"], "'SECRET_KEY'"),
    (["settings.LOG_LEVL=INFO"], "'LOG_LEVL'"),
    (["secrets.serving="], "/secrets/serving"),
    (["secrets.owner="], "/secrets/owner"),
    (["site.publicUrl=memory.example.org"], "/site/publicUrl"),
    (["site.publicUrl=https://example.org/memory"], "/site/publicUrl"),
    (["site.allowedHosts=null"], "/site"),
    (["data.accessMode=ReadWriteOnce"], "/data/accessMode"),
    (["data.accessMode=ReadWriteOncePod", "web.replicas=1"], "/data/accessMode"),
    (["web.replicas=0"], "/web/replicas"),
    (["web.drainSeconds=1"], "/web/drainSeconds"),
    (["web.finishSeconds=5"], "/web/finishSeconds"),
    (["migrations.provision=true"], "/secrets"),
    (["metrics.monitors=true"], "/secrets/optional"),
    (["secrets.optional={SECRET}"], "/secrets/optional"),
    (["image.digest=latest"], "/image/digest"),
    (["worker.resources.limits=null"], "/worker/resources"),
    (["networkPolicy.from=null"], "missing property 'from'"),
]


@pytest.mark.parametrize(("sets", "words"), REFUSED, ids=[",".join(one[0]) for one in REFUSED])
def test_what_would_not_work_is_refused(sets: list[str], words: str) -> None:
    asked = [word for one in sets for word in ("--set", one)]
    done = helm("template", "release", str(CHART), "--values", values_of(SMALLEST), *asked)
    assert done.returncode == 1, done.stdout
    assert words in done.stderr


def test_without_a_word_nothing_is_installed() -> None:
    done = helm("template", "release", str(CHART))
    assert done.returncode == 1
    for place in ("/site/publicUrl", "/secrets/serving", "/secrets/owner"):
        assert place in done.stderr
