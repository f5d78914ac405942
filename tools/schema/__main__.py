"""Makes the tables of core/k8s/schema from CustomResourceDefinitions and Kubernetes' OpenAPI document.

`condense` reads what a release of a project has into inputs/PROJECT.tsv. `generate` writes the tables
from the inputs and from overlay/*.table, which are written by hand in the language of the tables
(core/k8s/schema/reader.h):

    # a comment that the table gets too
    kind serving.kserve.io/v1alpha1 TrainedModel = Object
      spec  TrainedModelSpec

    WorkerSpec = PodSpec                    what a type is derived from; its rows follow from the inputs
      initContainers  [Container]           the type of an object has this name
      storageHelper   {}                    is written in braces
      dnsPolicy       .  enum Default|None  what no schema says, in place of the same constraint
      hostAliases     .  unkeyed            no item is identified, whatever the inputs say
      lun             .  optional           is not required, whatever the inputs say
      size            int  in 0.14          a line that holds for these releases ("head": the branch)

A type that no input has consists of its lines. Kubernetes is to be condensed first, as its document
names the types that CRDs share with it."""

import argparse
import difflib
import json
import sys
from pathlib import Path

import condense
import generate
import inputs
from language import Mistake, release_key

HERE = Path(__file__).parent
TABLES = HERE.parent.parent / "core/k8s/schema"


def read_documents(paths):
    """The documents of YAML or JSON files, and of the files of folders."""
    documents = []
    for path in paths:
        files = sorted(f for f in path.rglob("*.yaml")) if path.is_dir() else [path]
        for file in files:
            if file.suffix == ".json":
                documents.append(json.loads(file.read_text()))
            else:
                import yaml  # only `condense` needs it

                loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
                documents += [d for d in yaml.load_all(file.read_text(), Loader=loader) if d]
    return documents


def read_overlays():
    return {table: generate.Overlay((HERE / "overlay" / f"{table}.table").read_text()) for table in generate.TABLES}


def do_condense(options):
    release_key(options.release)
    all_inputs = inputs.read_all()
    rows, notes = condense.condense(options.project, options.release, read_documents(options.files),
                                    read_overlays(), all_inputs)
    if not rows:
        raise Mistake("the files have none of the kinds")
    changed = all_inputs[options.project]
    changed.replace(options.release, rows)
    (inputs.FOLDER / f"{options.project}.tsv").write_text(changed.text(options.project))
    for note in notes:
        print(f"note: {note}", file=sys.stderr)
    return 0


def do_generate(options):
    differ = False
    for table, text in generate.generate(inputs.read_all(), read_overlays()).items():
        path = TABLES / f"{table}.table"
        if not options.check:
            path.write_text(text)
            continue
        old = path.read_text()
        if old != text:
            differ = True
            sys.stdout.writelines(difflib.unified_diff(
                old.splitlines(True), text.splitlines(True), str(path), "tools/schema generate"))
    return 1 if differ else 0


def main():
    parser = argparse.ArgumentParser(prog="python3 tools/schema", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    command = commands.add_parser("condense", help="read the schemas of a release; needs PyYAML for CRDs")
    command.add_argument("project", choices=inputs.PROJECTS)
    command.add_argument("release", help="such as 0.20, or head")
    command.add_argument("files", nargs="+", type=Path, metavar="FILE",
                         help="CRDs (also a folder of them), or Kubernetes' api/openapi-spec/swagger.json")
    command.set_defaults(do=do_condense)
    command = commands.add_parser("generate", help="write the tables")
    command.add_argument("--check", action="store_true", help="only show how the tables differ; then exit 1")
    command.set_defaults(do=do_generate)
    options = parser.parse_args()
    try:
        return options.do(options)
    except Mistake as mistake:
        print(f"error: {mistake}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
