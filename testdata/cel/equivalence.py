#!/usr/bin/env python3
"""Compares exported admission policies with lint: both must find the same rules in the same single objects.

Input: every object of the sources (testdata/rules and, if present, ../shared/corpus by default) and of the templates,
alone, as JSON. Objects of a directory with cluster.yaml or .cnsched.yaml are compared with these facts too. Policies
come from `cnsched export vap`, or from --policies, and are evaluated by the harness beside this file, built with Go.

Not covered is what is counted, but is no difference: an object that a policy does not select (by kind, namespace or
label, or by a matchCondition whose name begins with 'scope-'), one that the API server or KServe's webhook rejects
anyway, findings of lint that other objects of --cluster decide, and those that the rule's AdmissionCheck::without names.
Each object is also updated with itself, which no policy may report.
Exit codes: 0 equivalent, 1 not, 2 the comparison is impossible.
"""
import argparse
import collections
import concurrent.futures
import functools
import itertools
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import yaml

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
RELEASES = ("1.30", "newest")
COLUMNS = ("both", "neither", "only lint", "only policy", "error", "on update", "not covered", "other text", "cost")
NO_FACTS = ("--no-config",)
# Rules whose findings mean that the object is not stored as it is.
REJECTIONS = {"yaml-syntax", "wrong-type", "missing-field", "invalid-value", "duplicate-list-key", "rejected-by-kserve",
              "unknown-field", "misplaced-field"}
# What is in messages about what AdmissionCheck::without names.
WITHOUT = {
    "contradictory-selector": ("(card ", "(vendor ", "(machine "),
    "accelerator-on-wrong-container": ("Seldon adds the model server", "which is a proxy"),
    "request-above-limit": ("'s default ", "in the ServerConfig", "in ServerConfig", "in KServe's own runtimes"),
}
DIFFERENCES = ("only lint", "only policy", "error", "on update")


class Loader(yaml.CSafeLoader):
    """As kubectl: timestamps are strings."""


Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if tag != "tag:yaml.org,2002:timestamp"]
    for first, resolvers in yaml.CSafeLoader.yaml_implicit_resolvers.items()
}

# The options that give facts and configuration to `lint` and `export` alike, and an object: where it is, its JSON.
Case = collections.namedtuple("Case", "facts where text")


class Impossible(Exception):
    pass


def run(command, **options):
    return subprocess.run(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False, **options)


def objects_in(text):
    """The Kubernetes objects of a YAML stream, up to its first mistake; items of lists are objects."""
    try:
        for document in yaml.load_all(text, Loader):
            if not isinstance(document, dict):
                continue
            listed = str(document.get("kind", "")).endswith("List") and isinstance(document.get("items"), list)
            for item in document["items"] if listed else [document]:
                if isinstance(item, dict) and all(isinstance(item.get(key), str) for key in ("apiVersion", "kind")):
                    yield item
    except (yaml.YAMLError, ValueError):
        return


def as_json(value):
    try:
        return json.dumps(value, ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError):  # bytes, sets, infinite numbers: not JSON, so no request
        return None


def facts_of(directory):
    cluster, config = directory / "cluster.yaml", directory / ".cnsched.yaml"
    facts = ("--config", str(config)) if config.is_file() else NO_FACTS
    return facts + (("--cluster", str(cluster)) if cluster.is_file() else ())


def cases_of(sources):
    for source in sources:
        files = sorted(source.rglob("*")) if source.is_dir() else [source]
        for file in files:
            if file.suffix not in (".yaml", ".yml", ".json") or not file.is_file() or file.name.startswith("."):
                continue
            for number, item in enumerate(objects_in(file.read_text(errors="replace")), 1):
                if text := as_json(item):
                    for facts in {NO_FACTS, facts_of(file.parent)}:
                        yield Case(facts, f"{os.path.relpath(file, ROOT)}, object {number}", text)


def template_cases(binary):
    """Every template on every platform, with the examples of its required parameters."""
    for name in run([binary, "templates", "--format", "names"]).stdout.split():
        parameters = json.loads(run([binary, "templates", "--format", "json", name]).stdout)["template"]["parameters"]
        values = {p["name"]: p["example"] for p in parameters if p["required"] and "example" in p}
        platforms = next((p["values"] for p in parameters if p["name"] == "platform"), [None])
        for platform in platforms:
            if platform:
                values["platform"] = platform
            settings = [option for key, value in values.items() for option in ("--set", f"{key}={value}")]
            rendered = run([binary, "generate", name, "--no-config", "--no-lint", "--quiet", *settings]).stdout
            for number, item in enumerate(objects_in(rendered), 1):
                if text := as_json(item):
                    yield Case(NO_FACTS, f"template {name} on {platform}, object {number}", text)


@functools.cache
def has_bases(facts):
    """Whether --cluster has what pods of other objects are built on, which a policy does not see."""
    return "--cluster" in facts and re.search(
        r"\bkind: (Cluster)?(ServingRuntime|ServerConfig|LLMInferenceServiceConfig)\b",
        pathlib.Path(facts[facts.index("--cluster") + 1]).read_text()) is not None


class Message(str):
    """Of a finding of lint."""
    is_of_others = False  # not of the object alone, or not exported


def is_of_others(finding, file):
    notes = (note.get("file") for note in finding.get("notes", ()))
    return any(note and not os.path.samefile(note, file) for note in notes) or any(
        part in finding["message"] for part in WITHOUT.get(finding["rule"], ()))


def lint(binary, facts, file):
    """The messages of each rule, or None if lint cannot read the object."""
    done = run([binary, "lint", "--no-inline-ignores", "--format", "json", "--quiet", "-j", "1", *facts, file])
    if done.returncode not in (0, 1):
        return None
    messages = collections.defaultdict(list)
    for finding in json.loads(done.stdout)["findings"]:
        messages[finding["rule"]].append(Message(finding["message"]))
        messages[finding["rule"]][-1].is_of_others = is_of_others(finding, file)
    return messages


def lint_all(binary, facts, cases, scratch):
    """Each object by a run of its own: objects of one run see each other."""
    files = []
    for number, case in enumerate(cases):
        file = pathlib.Path(scratch, f"{number}.json")
        file.write_text(case.text)
        files.append(file)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        return list(pool.map(lambda file: lint(binary, facts, file), files))


def split_params(stream):
    """The stream without its ConfigMaps, and these as JSON: many facts give the same policies, and starting the harness
    takes longer than evaluating them."""
    params, policies = [], []
    for document in stream.split("\n---\n"):
        (params if document.startswith("apiVersion: v1\nkind: ConfigMap\n") else policies).append(document)
    return "\n---\n".join(policies), json.dumps([yaml.load(document, Loader) for document in params])


def admit(harness, policies, release, cases, crds):
    """Creates each object and updates it with itself: {(number, operation): {policy: verdict}}."""
    def requests():
        for number, (case, params, _) in enumerate(cases):
            both = f'"params": {params}, "object": {case.text}'
            yield f'{{"id": "{number} CREATE", {both}}}\n'
            yield f'{{"id": "{number} UPDATE", "operation": "UPDATE", {both}, "oldObject": {case.text}}}\n'

    done = run([harness, "run", "--kubernetes", release, *crds, policies], input="".join(requests()))
    if done.returncode != 0:
        raise Impossible(f"the harness fails: {done.stderr.strip()}")
    verdicts = collections.defaultdict(lambda: collections.defaultdict(list))
    for line in done.stdout.splitlines():
        verdict = json.loads(line)
        number, operation = verdict["id"].split()
        verdicts[int(number), operation][verdict.get("policy")].append(verdict)
    return {request: {policy: joint(all_of_it) for policy, all_of_it in policies.items()}
            for request, policies in verdicts.items()}


def exported_rules(policies):
    """{policy: rule}"""
    rules = {}
    for item in yaml.load_all(policies, Loader):
        if item and item["kind"] == "ValidatingAdmissionPolicy":
            name, labels = item["metadata"]["name"], item["metadata"].get("labels", {})
            rules[name] = labels.get("cnsched/rule", name.removeprefix("cnsched-"))
    return rules


def export(binary, facts):
    done = run([binary, "export", "vap", "--pods", "--action", "deny", *facts])
    if done.returncode != 0:
        raise Impossible(f"cnsched export vap {' '.join(facts)}: {done.stderr.strip()}")
    return done.stdout


def outcome(messages, created, updated):
    """The column that counts an object for a rule, and what to show of it."""
    decision = created["decision"]
    for verdict in (created, updated):
        if verdict["decision"] == "error" or verdict["decision"] == "violation" and "problem" in verdict:
            return "error", verdict.get("problem") or "; ".join(verdict["messages"])
    if decision == "not-matched" and created.get("condition", "scope-").startswith("scope-"):
        return ("not covered", messages[0]) if messages else (None, None)
    if updated["decision"] == "violation":
        return "on update", "; ".join(updated["messages"])
    if decision != "violation":
        if messages and all(message.is_of_others for message in messages):
            return "not covered", messages[0]
        return ("only lint", messages[0]) if messages else ("neither", None)
    if not messages:
        return "only policy", "; ".join(created["messages"])
    return "both", None


def same_text(messages, verdict):
    said = " ".join(" ".join(verdict["messages"]).split())
    return all(" ".join(message.split()) in said for message in messages)


def joint(verdicts):
    """The verdict of all bindings of a policy, or of all policies of a rule."""
    order = ("error", "violation", "admit", "not-matched", "rejected")
    first = min(verdicts, key=lambda verdict: order.index(verdict["decision"]))
    problems = [{"problem": verdict["problem"]} for verdict in verdicts if "problem" in verdict]
    return first | {"messages": [text for verdict in verdicts for text in verdict["messages"]],
                    "cost": max(verdict["cost"] for verdict in verdicts)} | (problems[0] if problems else {})


class Tally:
    def __init__(self):
        self.counts = collections.defaultdict(collections.Counter)
        self.examples = collections.defaultdict(list)
        self.rejected = collections.Counter()
        self.unread = 0
        self.invalid = False

    def check(self, harness, policies, types):
        """Prints what the API server says about the policies."""
        done = run([harness, "check", *types, policies])
        print(done.stdout + done.stderr, end="")
        self.invalid = done.returncode != 0

    def add(self, case, release, rules, findings, created, updated):
        if None in created:  # rejected before any policy is asked
            self.rejected[created[None]["messages"][0].split(":")[0]] += 1
            return
        for rule in sorted(set(rules.values())):
            own = [policy for policy, of in rules.items() if of == rule]
            messages, verdict = findings.get(rule, []), joint([created[policy] for policy in own])
            column, shown = outcome(messages, verdict, joint([updated[policy] for policy in own]))
            if column in DIFFERENCES and REJECTIONS & findings.keys() or column == "only lint" and has_bases(case.facts):
                column = "not covered"
            counts = self.counts[rule]
            counts["cost"] = max(counts["cost"], verdict["cost"])
            if column:
                counts[column] += 1
            if column in DIFFERENCES or column == "not covered":
                self.examples[rule, column].append(
                    f"{case.where} ({' '.join(case.facts)}, Kubernetes {release}): {shown}")
            elif column == "both" and not same_text(messages, verdict):
                counts["other text"] += 1
                self.examples[rule, "other text"].append(
                    f"{case.where}\n      lint:   {messages[0]}\n      policy: {'; '.join(verdict['messages'])}")

    def print(self, examples, show):
        width = max(map(len, self.counts), default=4)
        print("rule".ljust(width), *(column.rjust(11) for column in COLUMNS))
        for rule in sorted(self.counts):
            print(rule.ljust(width), *(str(self.counts[rule][column]).rjust(11) for column in COLUMNS))
        for (rule, column), places in sorted(self.examples.items()):
            if column in DIFFERENCES + tuple(show):
                print(f"\n{rule}, {column}: {len(places)}")
                for place in places[:examples]:
                    print("   ", place)
        for reason, count in self.rejected.most_common(examples):
            print(f"\nrejected before admission: {count}: {reason}", end="")
        print(f"\n{self.unread} objects cannot be read by lint; {self.rejected.total()} are rejected before admission")

    def differences(self):
        return sum(counts[column] for counts in self.counts.values() for column in DIFFERENCES)


def build_harness():
    harness = ROOT / "build/tools/bin/cel-harness"
    done = run(["go", "build", "-buildvcs=false", "-o", harness, "."], cwd=HERE, env=os.environ | {"GOTOOLCHAIN": "local"})
    if done.returncode != 0:
        raise Impossible(f"the harness cannot be built: {done.stderr.strip()}")
    return str(harness)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sources", nargs="*", type=pathlib.Path)
    parser.add_argument("--cnsched", required=True, help="the program")
    parser.add_argument("--harness", help="the built harness (default: build it)")
    parser.add_argument("--policies", type=pathlib.Path, help="policies to compare instead of exported ones")
    parser.add_argument("--crds", help="directory of CustomResourceDefinitions, for the harness")
    parser.add_argument("--openapi", help="directory of OpenAPI documents of Kubernetes 1.30, for the harness")
    parser.add_argument("--examples", type=int, default=3, help="examples of each difference (default: 3)")
    parser.add_argument("--show", action="append", default=[], choices=("not covered", "other text"),
                        help="also print examples of these")
    parser.add_argument("--no-templates", action="store_true")
    return parser.parse_args()


def compare(options, harness, tally):
    corpus = ROOT.parent / "shared/corpus"
    sources = options.sources or [ROOT / "testdata/rules", *([corpus] if corpus.is_dir() else [])]
    groups = collections.defaultdict(list, {NO_FACTS: []})  # the first policies are those without facts
    for case in itertools.chain(cases_of(sources), [] if options.no_templates else template_cases(options.cnsched)):
        groups[case.facts].append(case)
    crds = ["--crds", options.crds] if options.crds else []
    with tempfile.TemporaryDirectory() as scratch:
        by_policies = collections.defaultdict(list)
        for facts, cases in groups.items():
            stream = options.policies.read_text() if options.policies else export(options.cnsched, facts)
            if not by_policies:
                file = pathlib.Path(scratch, "checked.yaml")
                file.write_text(stream)
                tally.check(harness, file, crds + (["--openapi", options.openapi] if options.openapi else []))
            policies, params = split_params(stream)
            findings = lint_all(options.cnsched, facts, cases, scratch)
            tally.unread += findings.count(None)
            by_policies[policies] += [(case, params, found) for case, found in zip(cases, findings) if found is not None]
        files = {}
        for number, policies in enumerate(by_policies):
            files[policies] = pathlib.Path(scratch, f"policies-{number}.yaml")
            files[policies].write_text(policies)
        work = [(policies, release) for policies in by_policies for release in RELEASES]
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            admitted = pool.map(lambda item: admit(harness, files[item[0]], item[1],
                                                   by_policies[item[0]], crds), work)
            for (policies, release), verdicts in zip(work, admitted):
                rules = exported_rules(policies)
                for number, (case, _, found) in enumerate(by_policies[policies]):
                    tally.add(case, release, rules, found, verdicts[number, "CREATE"], verdicts[number, "UPDATE"])
    count = sum(map(len, groups.values()))
    print(f"{count} objects with {len(groups)} sets of facts and {len(by_policies)} of policies, each by Kubernetes "
          f"{' and '.join(RELEASES)}")


def main():
    options, tally = arguments(), Tally()
    try:
        harness = options.harness or build_harness()
        compare(options, harness, tally)
    except (Impossible, FileNotFoundError) as error:
        print(error, file=sys.stderr)
        return 2
    tally.print(options.examples, options.show)
    return 1 if tally.differences() or tally.invalid else 0


if __name__ == "__main__":
    sys.exit(main())
