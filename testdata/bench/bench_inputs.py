#!/usr/bin/python3
"""Makes the inputs of the benchmark of lint below a directory, the same bytes on every machine, and
prints as JSON what is in them. What is there already is kept. Usage: bench_inputs.py DIRECTORY

What is in scope is clean on purpose: nearly all that is linted every day is, and a finding costs
more than a document without one. `findings` alone is made of mistakes. Fields, comments, quotes,
lists and block scalars vary as they do where people write them; all of it is written for this.
"""

import hashlib
import json
import os
import random
import shutil
import sys

DOCUMENTS_OF_A_FILE = 5


class Block(str):
    """Text that is written as a block scalar."""


# --- how it looks

COMMENTS = """\
keep in step with the model card
TODO: ask the platform team
measured in March, see the wiki
the default is too small for this model
do not raise without a load test
was 2 before the migration
see runbook 14
wird beim Rollout gebraucht
""".splitlines()
PLAIN = set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:=@+,()% ")
AMBIGUOUS = {"true", "false", "yes", "no", "on", "off", "null", "y", "n", "~", ""}


def needs_quotes(text):
    if text.lower() in AMBIGUOUS or not set(text) <= PLAIN or text != text.strip():
        return True
    if not (text[0].isalpha() or text[0] in "/.") and not text.startswith("--"):
        return True  # a number, a date, an indicator
    return ": " in text or text.endswith(":") or text.startswith("---")


class Style:
    """How one person writes: decided once for a document, and by chance from line to line."""

    def __init__(self, chance):
        self.chance = chance
        self.indents_lists = chance.random() < 0.5
        self.comments = chance.choice([0, 0, 0.03, 0.1])
        self.quotes = chance.choice([0, 0, 0.1, 0.6])
        self.flow = chance.choice([0, 0, 0.3, 0.8])

    def scalar(self, value):
        if value is None:
            return "null"
        if isinstance(value, (bool, int)):
            return json.dumps(value)
        if needs_quotes(value):
            return json.dumps(value, ensure_ascii=False)
        if self.quotes and self.chance.random() < self.quotes:
            return f"'{value}'" if self.chance.random() < 0.3 else f'"{value}"'
        return value

    def in_flow(self, value):
        if isinstance(value, dict):
            return "{" + ", ".join(f"{key}: {self.in_flow(v)}" for key, v in value.items()) + "}"
        if isinstance(value, list):
            return "[" + ", ".join(map(self.in_flow, value)) + "]"
        if isinstance(value, str) and "," in value:  # which would end it
            return json.dumps(value, ensure_ascii=False)
        return self.scalar(value)

    def fits_flow(self, value):
        parts = value.values() if isinstance(value, dict) else value
        return (
            len(value) <= 4
            and not any(isinstance(part, (dict, list, Block)) for part in parts)
            and self.chance.random() < self.flow
        )

    @staticmethod
    def block(head, pad, text, out):
        out.append(head)
        out.extend(pad + line if line else "" for line in text.split("\n"))

    def lines(self, value, indent, out):
        """Writes a mapping or a list in block style."""
        pad = " " * indent
        if isinstance(value, list):
            for item in value:
                if isinstance(item, (dict, list)) and item:
                    if self.fits_flow(item):
                        out.append(f"{pad}- {self.in_flow(item)}")
                        continue
                    first = len(out)
                    self.lines(item, indent + 2, out)
                    while out[first].lstrip().startswith("#"):
                        first += 1
                    out[first] = f"{pad}- {out[first][indent + 2:]}"
                elif isinstance(item, Block):
                    self.block(f"{pad}- |", pad + "  ", item, out)
                else:
                    out.append(f"{pad}- {self.scalar(item)}")
            return
        for key, item in value.items():
            name = key if not needs_quotes(key) else json.dumps(key)
            if self.comments and self.chance.random() < self.comments:
                out.append(f"{pad}# {self.chance.choice(COMMENTS)}")
            if isinstance(item, Block):
                self.block(f"{pad}{name}: |", pad + "  ", item, out)
            elif isinstance(item, (dict, list)):
                if not item or self.fits_flow(item):
                    out.append(f"{pad}{name}: {self.in_flow(item)}")
                else:
                    out.append(f"{pad}{name}:")
                    deeper = 2 if isinstance(item, dict) or self.indents_lists else 0
                    self.lines(item, indent + deeper, out)
            else:
                line = f"{pad}{name}: {self.scalar(item)}"
                if self.comments and self.chance.random() < self.comments:
                    line += f"  # {self.chance.choice(COMMENTS)}"
                out.append(line)


def block_text(manifest, chance):
    out = []
    Style(chance).lines(manifest, 0, out)
    return "\n".join(out) + "\n"


def flow_text(manifest, chance):
    return Style(chance).in_flow(manifest) + "\n"


def joined(texts):
    return "---\n" + "---\n".join(texts)


# --- what is in scope

WORDS = (
    "atlas birch cedar delta ember falcon garnet harbor indigo jasper kelvin lumen maple nectar "
    "onyx pearl quartz raven sierra topaz umber violet willow xenon yarrow zephyr"
).split()
GPUS = [  # a label of the nodes, and what they offer
    ("cloud.google.com/gke-accelerator", "nvidia-l4", "nvidia.com/gpu"),
    ("cloud.google.com/gke-accelerator", "nvidia-tesla-t4", "nvidia.com/gpu"),
    ("nvidia.com/gpu.product", "NVIDIA-A100-SXM4-80GB", "nvidia.com/gpu"),
    ("nvidia.com/gpu.product", "NVIDIA-H100-80GB-HBM3", "nvidia.com/gpu"),
    ("node.kubernetes.io/instance-type", "g5.12xlarge", "nvidia.com/gpu"),
    ("amd.com/gpu.device-id", "74a1", "amd.com/gpu"),
]
KSERVE, SELDON = "serving.kserve.io", "mlops.seldon.io"


def manifest(version, kind, metadata, **fields):
    return {"apiVersion": version, "kind": kind, "metadata": metadata, **fields}


class Team:
    """The manifests of one namespace. `tag` occurs in the namespace and in every name, so that
    another team's are had by replacing it."""

    MANIFESTS = 40

    def __init__(self, tag, chance):
        self.tag, self.chance = tag, chance
        self.count = 0

    def one_of(self, *values):
        return self.chance.choice(values)

    def sometimes(self, share, fields):
        return fields if self.chance.random() < share else {}

    def word(self):
        return self.chance.choice(WORDS)

    def image(self, name):
        return f"registry.example.com/{self.tag}/{name}:1.{self.chance.randrange(40)}.0"

    def storage(self):
        return f"gs://models-{self.tag}/{self.word()}/v{self.chance.randrange(90)}"

    def metadata(self, what, labels=None, annotations=None):
        self.count += 1
        labels = {
            **(labels or {}),
            **self.sometimes(0.6, {"app.kubernetes.io/part-of": self.word()}),
            **self.sometimes(0.5, {"app.kubernetes.io/managed-by": self.one_of("flux", "Helm")}),
            **self.sometimes(0.4, {"team": self.one_of("search", "ads", "vision")}),
        }
        ticket = f"reviewed in 2026, ticket ML-{self.chance.randrange(9999)}."
        annotations = {
            **(annotations or {}),
            **self.sometimes(0.3, {"description": f"Scores {self.word()} requests; {ticket}"}),
        }
        return {
            "name": f"{what}-{self.word()}-{self.tag}-{self.count}",
            "namespace": f"team-{self.tag}",
            **({"labels": labels} if labels else {}),
            **({"annotations": annotations} if annotations else {}),
        }

    def resources(self, **devices):
        cpu, memory = self.one_of(1, 2, 4), self.one_of(2, 4, 8, 16)
        requested = self.one_of(str(cpu), str(cpu), f"{cpu * 1000 - 500}m")
        limit = f"{memory + self.one_of(0, 2)}Gi"
        return {
            "requests": {"cpu": requested, "memory": f"{memory}Gi", **devices},
            "limits": {"cpu": str(2 * cpu), "memory": limit, **devices},
        }

    def env(self):
        env = [{"name": "LOG_LEVEL", "value": self.one_of("info", "warn", "debug")}]
        if self.chance.random() < 0.6:
            env.append({"name": "OMP_NUM_THREADS", "value": self.one_of("1", "2", "4")})
        if self.chance.random() < 0.5:
            secret = {"name": f"{self.word()}-token", "key": "token"}
            env.append({"name": "API_TOKEN", "valueFrom": {"secretKeyRef": secret}})
        if self.chance.random() < 0.4:
            greeting = self.one_of("schön: gut", 'say "hello"', "50% of {all} requests", "# none")
            env.append({"name": "GREETING", "value": greeting})
        return env

    def probe(self, path):
        delay = self.one_of(5, 10, 30)
        request = {"path": path, "port": 8080}
        return {"httpGet": request, "initialDelaySeconds": delay, "periodSeconds": 10}

    def model_on_cpu(self):
        model = {
            "modelFormat": {"name": self.one_of("sklearn", "xgboost", "lightgbm", "onnx")},
            "protocolVersion": "v2",
            "storageUri": self.storage(),
            "resources": self.resources(),
            **self.sometimes(0.4, {"env": self.env()}),
        }
        predictor = {
            "minReplicas": 1,
            "maxReplicas": self.one_of(2, 4, 8),
            **self.sometimes(0.3, {"scaleMetric": "concurrency", "scaleTarget": 4}),
            "model": model,
        }
        features = {
            "name": "kserve-container",
            "image": self.image("features"),
            "args": ["--model_name=features", "--predictor_protocol=v2"],
            "env": self.env(),
            "resources": self.resources(),
        }
        transformer = self.sometimes(0.25, {"transformer": {"containers": [features]}})
        spec = {"predictor": predictor, **transformer}
        return manifest(f"{KSERVE}/v1beta1", "InferenceService", self.metadata("isvc"), spec=spec)

    def model_on_gpu(self, runtime=None):
        label, value, device = self.chance.choice(GPUS)
        gpus = self.one_of(1, 1, 1, 2, 4)
        args = [f"--model_name={self.word()}", f"--max-model-len={self.one_of(2048, 4096, 8192)}"]
        if gpus > 1:
            args.append(f"--tensor-parallel-size={gpus}")
        model = {
            "modelFormat": {"name": "huggingface"},
            **({"runtime": runtime} if runtime else {}),
            "args": args,
            "storageUri": f"hf://example-org/{self.word()}-{self.one_of(1, 3, 7, 8)}b",
            "resources": self.resources(**{device: str(gpus)}),
        }
        predictor = {
            "minReplicas": 1,
            "maxReplicas": self.one_of(1, 2),
            "deploymentStrategy": {"type": "Recreate"},
            "nodeSelector": {label: value},
            "tolerations": [{"key": device, "operator": "Exists", "effect": "NoSchedule"}],
            "model": model,
        }
        metadata = self.metadata("llm", annotations={f"{KSERVE}/deploymentMode": "RawDeployment"})
        spec = {"predictor": predictor}
        return manifest(f"{KSERVE}/v1beta1", "InferenceService", metadata, spec=spec)

    def runtime(self):
        command = f"set -e\nexec python3 -m server \\\n  --model /mnt/models  # {self.word()}"
        container = {
            "name": "kserve-container",
            "image": self.image("vllm"),
            "command": ["/bin/sh", "-c"],
            "args": [Block(command)],
            "env": self.env(),
            "ports": [{"containerPort": 8080, "protocol": "TCP"}],
            "readinessProbe": self.probe("/health"),
            "securityContext": {
                "allowPrivilegeEscalation": False,
                "runAsNonRoot": True,
                "capabilities": {"drop": ["ALL"]},
            },
        }
        spec = {
            "annotations": {"prometheus.kserve.io/port": "8080"},
            "supportedModelFormats": [{"name": "huggingface", "version": "1", "priority": 1}],
            "protocolVersions": ["v2", "v1"],
            "containers": [container],
        }
        metadata = self.metadata("runtime")
        return manifest(f"{KSERVE}/v1alpha1", "ServingRuntime", metadata, spec=spec)

    def pod_template(self, app):
        settings = f"{self.word()}-settings"
        cache = {"name": "cache", "mountPath": "/var/cache/server"}
        container = {
            "name": "server",
            "image": self.image(self.word()),
            "ports": [{"name": "http", "containerPort": 8080}],
            "env": self.env(),
            "envFrom": [{"configMapRef": {"name": settings}}],
            "readinessProbe": self.probe("/ready"),
            "livenessProbe": self.probe("/live"),
            "resources": self.resources(),
            "volumeMounts": [
                cache,
                {"name": "settings", "mountPath": "/etc/server", "readOnly": True},
            ],
        }
        fetch = {
            "name": "fetch",
            "image": "registry.example.com/tools/fetch:1.4",
            "command": ["sh", "-ec"],
            "args": [f"fetch s3://models/{self.word()} /var/cache/server; echo done"],
            "volumeMounts": [cache],
        }
        spread = {
            "maxSkew": 1,
            "topologyKey": "topology.kubernetes.io/zone",
            "whenUnsatisfiable": "ScheduleAnyway",
            "labelSelector": {"matchLabels": {"app": app}},
        }
        expressions = [
            {"key": "kubernetes.io/arch", "operator": "In", "values": ["amd64"]},
            {"key": "node-pool", "operator": "NotIn", "values": ["system", "batch"]},
        ]
        required = {"nodeSelectorTerms": [{"matchExpressions": expressions}]}
        affinity = {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": required}}
        script = Block('{ with secret }\nexport TOKEN="abc"\n\nexport REGION=eu-west-1\n{ end }')
        annotations = {
            "prometheus.io/scrape": "true",
            "prometheus.io/port": "8080",
            **self.sometimes(0.3, {"vault.example.com/template": script}),
        }
        spec = {
            "serviceAccountName": "server",
            **self.sometimes(0.3, {"affinity": affinity}),
            **self.sometimes(0.4, {"topologySpreadConstraints": [spread]}),
            **self.sometimes(0.4, {"initContainers": [fetch]}),
            "containers": [container],
            "volumes": [
                {"name": "cache", "emptyDir": {"sizeLimit": "1Gi"}},
                {"name": "settings", "configMap": {"name": settings}},
            ],
        }
        return {"metadata": {"labels": {"app": app}, "annotations": annotations}, "spec": spec}

    def deployment(self):
        app = self.word()
        spec = {
            "replicas": self.one_of(1, 2, 3),
            "selector": {"matchLabels": {"app": app}},
            "template": self.pod_template(app),
        }
        return manifest("apps/v1", "Deployment", self.metadata("app", {"app": app}), spec=spec)

    def cron_job(self):
        template = self.pod_template(self.word())
        template["spec"].pop("topologySpreadConstraints", None)  # for pods that stay
        template["spec"]["restartPolicy"] = "OnFailure"
        spec = {
            "schedule": f"{self.chance.randrange(60)} 3 * * *",
            "concurrencyPolicy": "Forbid",
            "jobTemplate": {"spec": {"backoffLimit": 2, "template": template}},
        }
        return manifest("batch/v1", "CronJob", self.metadata("job"), spec=spec)

    def server(self, config):
        resources = {"requests": {"cpu": "1", "memory": "4Gi"}, "limits": {"memory": "8Gi"}}
        spec = {
            "serverConfig": config,
            "replicas": self.one_of(1, 2, 3),
            "podSpec": {"containers": [{"name": config, "resources": resources}]},
        }
        return manifest(f"{SELDON}/v1alpha1", "Server", self.metadata(config), spec=spec)

    def seldon_model(self):
        spec = {
            "storageUri": self.storage(),
            "requirements": [self.one_of("sklearn", "xgboost", "onnx", "tensorflow")],
            "memory": self.one_of("50Mi", "100Mi", "400Mi"),
            "replicas": 1,
        }
        return manifest(f"{SELDON}/v1alpha1", "Model", self.metadata("model"), spec=spec)

    def pipeline(self):
        first, second, third = (f"{w}-{self.tag}" for w in self.chance.sample(WORDS, 3))
        steps = [
            {"name": first},
            {"name": second, "inputs": [first]},
            {"name": third, "inputs": [first, second]},
        ]
        spec = {"steps": steps, "output": {"steps": [third]}}
        return manifest(f"{SELDON}/v1alpha1", "Pipeline", self.metadata("pipeline"), spec=spec)

    def manifests(self):
        runtimes = [self.runtime(), self.runtime()]
        manifests = runtimes + [self.server("mlserver"), self.server("triton"), self.pipeline()]
        for runtime in runtimes:
            manifests += [self.model_on_gpu(runtime["metadata"]["name"]) for _ in range(4)]
        manifests += [self.model_on_gpu() for _ in range(2)]
        manifests += [self.model_on_cpu() for _ in range(10)]
        manifests += [self.seldon_model() for _ in range(7)]
        manifests += [self.deployment() for _ in range(6)]
        manifests += [self.cron_job() for _ in range(2)]
        assert len(manifests) == self.MANIFESTS
        self.chance.shuffle(manifests)
        return manifests


# --- what is out of scope

PROSE = [
    "Specifies the Pod that the controller creates for each replica.",
    "If unset, the value of the Node is used.",
    "More info: https://kubernetes.io/docs/concepts/workloads/controllers/deployment/",
    "Kind is a string value.",
    "The name of the Deployment in the same namespace; it may be empty.",
    "Defaults to 10 seconds.",
    "Must be a valid DNS label (RFC 1123).",
    "A list of keys, and whether they must be defined: 'true' or 'false'.",
    "This field is immutable once the StatefulSet exists.",
    "Optional duration in seconds, zero means immediately.",
    "Jobs and CronJobs ignore it.",
    "Deprecated, and no longer read since v1beta1.",
]


def schema(chance, depth):
    """A part of the schema of a custom resource, with as much prose as such schemas have."""
    text = " ".join(chance.choice(PROSE) for _ in range(chance.randrange(1, 5)))
    node = {"description": Block(text.replace(". ", ".\n")) if chance.random() < 0.5 else text}
    kind = chance.random()
    if depth == 0 or kind < 0.35:
        node["type"] = chance.choice(["string", "boolean"])
    elif kind < 0.45:
        node |= {"type": "integer", "format": "int32", "minimum": 0}
    elif kind < 0.6:
        node |= {"type": "array", "items": schema(chance, depth - 1)}
    else:
        endings = ["", "Ref", "Policy", "Selector", "Template", "Seconds"]
        names = [
            chance.choice(WORDS) + chance.choice(endings) for _ in range(chance.randrange(2, 9))
        ]
        node |= {
            "type": "object",
            "properties": {name: schema(chance, depth - 1) for name in names},
        }
        if chance.random() < 0.3:
            node["required"] = names[:2]
    return node


def custom_resource(chance):
    kind = "".join(word.capitalize() for word in chance.sample(WORDS, 2))
    plural = kind.lower() + "s"
    properties = {
        "apiVersion": {"type": "string"},
        "kind": {"type": "string"},
        "metadata": {"type": "object"},
        "spec": {
            "type": "object",
            "properties": {word: schema(chance, 5) for word in chance.sample(WORDS, 12)},
        },
    }
    version = {
        "name": "v1",
        "served": True,
        "storage": True,
        "schema": {"openAPIV3Schema": {"type": "object", "properties": properties}},
        "subresources": {"status": {}},
    }
    spec = {
        "group": "example.com",
        "names": {"kind": kind, "listKind": f"{kind}List", "plural": plural},
        "scope": "Namespaced",
        "versions": [version],
    }
    metadata = {"name": f"{plural}.example.com"}
    return manifest("apiextensions.k8s.io/v1", "CustomResourceDefinition", metadata, spec=spec)


def dashboard(chance):
    def panel(number):
        rate = f"rate({chance.choice(WORDS)}_seconds_total[5m])"
        what = chance.choice(["Pod", "Node", "Deployment", "Job"])
        return {
            "id": number,
            "type": "timeseries",
            "title": f"{what} {chance.choice(WORDS)}",
            "gridPos": {"h": 8, "w": 12, "x": 12 * (number % 2), "y": 8 * (number // 2)},
            "targets": [
                {"refId": "A", "expr": f"sum by (pod) ({rate})", "legendFormat": "{{pod}}"}
            ],
            "fieldConfig": {"defaults": {"unit": "s", "min": 0}, "overrides": []},
        }

    name = chance.choice(WORDS)
    page = {"title": name, "refresh": "30s", "panels": [panel(number) for number in range(60)]}
    metadata = {"name": f"dashboard-{name}", "labels": {"grafana_dashboard": "1"}}
    data = {"dashboard.json": Block(json.dumps(page, indent=2))}
    return manifest("v1", "ConfigMap", metadata, data=data)


# What is beside the workloads of an application; much of it names them.
BESIDE = """\
apiVersion: v1
kind: ServiceAccount
metadata: {name: NAME, namespace: team-TAG}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata:
  name: NAME
  namespace: team-TAG
rules:
- apiGroups: [""]
  resources: [pods, pods/log, services, configmaps, events]
  verbs: [get, list, watch, create, delete]
- apiGroups: ["apps", "batch"]
  resources:
  - deployments
  - statefulsets
  - jobs
  verbs: ["get", "list", "watch"]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata:
  name: NAME
  namespace: team-TAG
roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: Role
  name: NAME
subjects:
- kind: ServiceAccount  # of the Deployment
  name: NAME
  namespace: team-TAG
---
apiVersion: v1
kind: Service
metadata:
  name: NAME
  namespace: team-TAG
  labels:
    app.kubernetes.io/name: NAME
spec:
  selector:
    app.kubernetes.io/name: NAME
  ports:
  - name: http
    port: 80
    targetPort: 8080
  - {name: metrics, port: 9090}
---
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata:
  name: NAME
  namespace: team-TAG
spec:
  ingressClassName: nginx
  tls:
  - hosts: [NAME.example.com]
    secretName: NAME-tls
  rules:
  - host: NAME.example.com
    http:
      paths:
      - path: /
        pathType: Prefix
        backend:
          service:
            name: NAME
            port: {name: http}
---
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata:
  name: NAME
  namespace: team-TAG
spec:
  podSelector:
    matchLabels:
      app.kubernetes.io/name: NAME
  policyTypes: [Ingress]
  ingress:
  - from:
    - namespaceSelector:
        matchLabels: {team: search}
    ports:
    - port: 8080
---
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata:
  name: NAME
  namespace: team-TAG
spec:
  scaleTargetRef:
    apiVersion: apps/v1
    kind: Deployment
    name: NAME
  minReplicas: 1
  maxReplicas: 5
  metrics:
  - type: Resource
    resource:
      name: cpu
      target: {type: Utilization, averageUtilization: 70}
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  name: NAME
  namespace: team-TAG
spec:
  maxUnavailable: 1
  selector:
    matchLabels:
      app.kubernetes.io/name: NAME
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: NAME
  namespace: team-TAG
data:
  LOG_LEVEL: "info"
  REGION: 'eu-west-1'
  settings.ini: |
    [server]
    workers = 4

    [model]
    name = NAME
    # mounted by the Deployment
    path = /mnt/models
---
apiVersion: monitoring.coreos.com/v1
kind: PrometheusRule
metadata:
  name: NAME
  namespace: team-TAG
spec:
  groups:
  - name: NAME
    rules:
    - alert: CrashLooping
      expr: |
        max_over_time(
          kube_pod_container_status_waiting_reason{reason="CrashLoopBackOff"}[5m]
        ) >= 1
      for: 15m
      labels:
        severity: page
      annotations:
        summary: "A Pod keeps crashing: see the Deployment's log."
---
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata:
  name: NAME
  namespace: argocd
spec:
  project: default
  source:
    repoURL: https://git.example.com/deploy.git
    path: NAME
    targetRevision: main
  destination:
    server: https://kubernetes.default.svc
    namespace: team-TAG
  ignoreDifferences:
  - group: apps
    kind: Deployment
    jsonPointers:
    - /spec/replicas
"""


def beside(tag, chance):
    text = BESIDE.replace("NAME", f"{chance.choice(WORDS)}-{tag}").replace("TAG", tag)
    texts = text.split("---\n")
    chance.shuffle(texts)
    return texts


# --- what is made


def mistaken(manifest, chance):
    """The manifest with a mistake of one kind or another."""
    spec = manifest["spec"]
    pod = spec.get("predictor") or spec.get("template", {}).get("spec")
    if pod and chance.random() < 0.7:
        pod.setdefault("tolerations", []).append({"key": "nvidia.com/gpu", "operator": "exists"})
    elif chance.random() < 0.5:
        manifest["metadata"].setdefault("labels", {})["owner"] = "machine learning"
    else:
        spec["replicaCount"] = 2
    return manifest


def teams(count, seed, text_of=block_text, change=None):
    """The texts of each team's manifests, and its tag."""
    chance = random.Random(seed)
    for i in range(count):
        tag = f"t{i:05d}"
        manifests = Team(tag, chance).manifests()
        if change:
            manifests = [change(manifest, chance) for manifest in manifests]
        yield tag, [text_of(manifest, chance) for manifest in manifests]


# --- a cluster, and pods to place on it

REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
POOLS = 12


def node(i):
    """A Node, and a Pod that runs on it, so that hardly two nodes have the same free resources."""
    name, pool = f"node-{i}", i % POOLS
    gpus, zone = 8 if pool % 4 == 0 else 0, f"zone-{i % 3}"
    labels = {
        "kubernetes.io/hostname": name,
        "topology.kubernetes.io/zone": zone,
        "pool": f"pool-{pool}",
        "example.com/memory": str(16 * (pool + 1)),
    }
    taints = [{"key": "nvidia.com/gpu", "value": "present", "effect": "NoSchedule"}]
    amounts = {"cpu": "32", "memory": f"{64 + i % 64}Gi", "pods": "110", "nvidia.com/gpu": str(gpus)}
    requests = {"cpu": f"{500 + 10 * (i % 100)}m", "memory": "1Gi"}
    container = {"name": "server", "image": "server:1", "resources": {"requests": requests}}
    running = {"name": f"run-{i}", "namespace": "ml", "labels": {"app": f"model-{i % 400}"}}
    return [
        manifest(
            "v1",
            "Node",
            {"name": name, "labels": labels},
            **({"spec": {"taints": taints}} if gpus else {}),
            status={"allocatable": amounts},
        ),
        manifest(
            "v1",
            "Pod",
            running,
            spec={"nodeName": name, "containers": [container]},
            status={"phase": "Running"},
        ),
    ]


def selecting(i):
    """Node affinity, pod affinity, anti-affinity and topology spread."""

    def near(key, app):
        return {"topologyKey": key, "labelSelector": {"matchLabels": {"app": f"model-{app % 400}"}}}

    pools = [f"pool-{i % (POOLS + 2)}", f"pool-{(i + 2) % POOLS}", f"pool-{(i + 5) % POOLS}"]
    expressions = [
        {"key": "pool", "operator": "In", "values": pools},
        {"key": "example.com/memory", "operator": "Gt", "values": [str(16 * (i % 8))]},
    ]
    spread = {"maxSkew": 1 + i % 3, "whenUnsatisfiable": "DoNotSchedule"}
    return {
        "affinity": {
            "nodeAffinity": {REQUIRED: {"nodeSelectorTerms": [{"matchExpressions": expressions}]}},
            "podAffinity": {REQUIRED: [near("topology.kubernetes.io/zone", i + 1)]},
            "podAntiAffinity": {REQUIRED: [near("kubernetes.io/hostname", i)]},
        },
        "topologySpreadConstraints": [{**spread, **near("topology.kubernetes.io/zone", i)}],
    }


def new_pod(i, more):
    amounts = {"cpu": f"{1000 + 100 * (i % 200)}m", "memory": f"{8 + i % 100}Gi"}
    gpus = {"nvidia.com/gpu": "1"} if i % 4 == 0 else {}
    resources = {
        "requests": {**amounts, **gpus},
        "limits": {"memory": amounts["memory"], **gpus},
    }
    tolerations = [{"key": "nvidia.com/gpu", "operator": "Exists"}]
    spec = {
        **more,
        **({"tolerations": tolerations} if i % 3 == 0 else {}),
        "containers": [{"name": "server", "image": "server:1", "resources": resources}],
    }
    metadata = {"name": f"new-{i}", "namespace": "ml", "labels": {"app": f"model-{i % 400}"}}
    return manifest("v1", "Pod", metadata, spec=spec)


def write_simulation(root, nodes, pods):
    """cluster.yaml, plain.yaml and constrained.yaml, for `simulate`."""
    os.makedirs(root, exist_ok=True)
    chance = random.Random(9)
    for name, manifests in (
        ("cluster", [one for i in range(nodes) for one in node(i)]),
        ("plain", [new_pod(i, {}) for i in range(pods)]),
        ("constrained", [new_pod(i, selecting(i)) for i in range(pods)]),
    ):
        with open(os.path.join(root, f"{name}.yaml"), "w", encoding="utf-8") as file:
            file.write(joined(block_text(one, chance) for one in manifests))


class Inputs:
    """Files below a directory, and what is known of them."""

    def __init__(self, root):
        self.root, self.known = root, {}

    def write(self, name, files, documents, objects=None):
        """`objects` are those in scope: as many as documents unless given."""
        size = 0
        for path, text in files:
            path = os.path.join(self.root, name, path)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            data = text.encode()
            size += len(data)
            with open(path, "wb") as file:
                file.write(data)
        self.known[name] = {
            "documents": documents,
            "bytes": size,
            "files": len(files),
            "objects": documents if objects is None else objects,
        }


def few_to_a_file(texts_by_tag):
    files = []
    for tag, texts in texts_by_tag:
        for i in range(0, len(texts), DOCUMENTS_OF_A_FILE):
            files.append((f"{tag}/{i:02d}.yaml", joined(texts[i : i + DOCUMENTS_OF_A_FILE])))
    return files


def many(count, one_namespace):
    """`count` documents, 1,000 to a file: fifty teams over and over, under other names."""
    originals = list(teams(50, seed=4))
    assert count % 1000 == 0 and 1000 % Team.MANIFESTS == 0
    files, texts, team = [], [], 0
    while len(files) < count // 1000:
        tag, manifests = originals[team % len(originals)]
        for text in manifests:
            if one_namespace:
                text = text.replace(f"team-{tag}", "team-of-all")
            texts.append(text.replace(tag, f"u{team:05d}"))
        team += 1
        if len(texts) == 1000:
            files.append((f"{len(files):03d}.yaml", joined(texts)))
            texts = []
    return files


def make(root):
    inputs = Inputs(root)

    # What is looked for by default: a repository with a configuration, and patterns.
    os.makedirs(os.path.join(root, ".git"))
    for name, text in (
        (".cnsched.yaml", "rules:\n  seldon: error\nexclude: [legacy/]\n"),
        (".gitignore", "*.log\n/tmp/\n__pycache__/\n"),
    ):
        with open(os.path.join(root, name), "w", encoding="utf-8") as file:
            file.write(text)

    # The first service that has about 1 KB.
    one = next(
        text
        for _, texts in teams(50, seed=1)
        for text in texts
        if "kind: InferenceService" in text and 1000 <= len(text.encode()) <= 1048
    )
    inputs.write("small", [("isvc.yaml", one)], 1)

    files = few_to_a_file(teams(200, seed=2))
    inputs.write("in-scope", files, 200 * Team.MANIFESTS)
    large = joined(text for _, texts in teams(200, seed=3) for text in texts)
    inputs.write("large", [("large.yaml", large)], 200 * Team.MANIFESTS)

    chance = random.Random(5)
    platform = {f"apps/{i:03d}.yaml": beside(f"t{i:05d}", chance) for i in range(400)}
    for i in range(20):
        platform[f"crds/{i:02d}.yaml"] = [block_text(custom_resource(chance), chance)]
    for i in range(60):
        platform[f"dashboards/{i:02d}.yaml"] = [block_text(dashboard(chance), chance)]
    files = [(path, joined(texts)) for path, texts in platform.items()]
    documents = sum(map(len, platform.values()))
    inputs.write("out-of-scope", files, documents, 0)
    tenfold = [(f"{i}/{path}", text) for i in range(10) for path, text in files]
    inputs.write("out-of-scope-tenfold", tenfold, 10 * documents, 0)
    rendered = joined(text for texts in platform.values() for text in texts)
    inputs.write("out-of-scope-large", [("rendered.yaml", rendered)], documents, 0)

    chance = random.Random(6)
    files = []
    for i in range(50):
        items = Team(f"t{i:05d}", chance).manifests()
        of_all = {"apiVersion": "v1", "kind": "List", "items": items}
        files.append((f"{i:02d}.json", json.dumps(of_all, indent=2)))
    inputs.write("json", files, 50, 50 * Team.MANIFESTS)
    inputs.write("flow", few_to_a_file(teams(50, seed=7, text_of=flow_text)), 50 * Team.MANIFESTS)
    inputs.write("findings", few_to_a_file(teams(50, seed=8, change=mistaken)), 50 * Team.MANIFESTS)

    # A repository in which nothing is in scope, with one document to a file.
    chance = random.Random(9)
    files = []
    while len(files) < 20_000:
        files += [(f"{len(files):05d}/{i}.yaml", text)
                  for i, text in enumerate(beside(f"t{len(files):05d}", chance))]
    inputs.write("monorepo", files[:20_000], 20_000, 0)

    # What an editor opens: one manifest to a file.
    files = [(f"{tag}/{i}.yaml", text) for tag, texts in teams(50, seed=10) for i, text in enumerate(texts)]
    inputs.write("one-to-a-file", files, 50 * Team.MANIFESTS)

    for thousands in (1, 10, 100):
        inputs.write(f"scale-{thousands}", many(thousands * 1000, False), thousands * 1000)
    for thousands in (1, 10):
        inputs.write(f"namespace-{thousands}", many(thousands * 1000, True), thousands * 1000)
    return inputs.known


def prepare(root):
    """Makes the inputs below `root` unless they are there; what is known of each, by its name."""
    with open(__file__, "rb") as file:
        digest = hashlib.sha256(file.read()).hexdigest()
    index = os.path.join(root, "index.json")
    try:
        with open(index, encoding="utf-8") as file:
            made = json.load(file)
        if made["digest"] == digest:
            return made["inputs"]
    except (OSError, ValueError, KeyError):
        pass
    if os.path.isdir(root) and os.listdir(root) and not os.path.exists(index):
        sys.exit(f"error: '{root}' holds something else: name a directory that may be replaced")
    shutil.rmtree(root, ignore_errors=True)
    os.makedirs(root)
    with open(index, "w", encoding="utf-8"):
        pass  # what is half made is ours, too
    made = {"digest": digest, "inputs": make(root)}
    with open(index, "w", encoding="utf-8") as file:
        json.dump(made, file, indent=1)
    return made["inputs"]


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: bench_inputs.py DIRECTORY")
    print(json.dumps(prepare(sys.argv[1])))
