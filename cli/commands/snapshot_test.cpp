#include <cstdlib>

#include "cli/build_info.h"
#include "core/base/text.h"
#include "testdata/support.h"

namespace cnsched::cli::snapshot_test {

/// Prints the files of testdata/snapshot/raw.
const std::string kScript = R"(#!/bin/sh
case "$1" in --context=*) shift;; esac
raw=RAW
if [ "$1" = version ]; then exec cat "$raw/version.yaml"; fi
file=$2
for word; do case "$word" in --field-selector=metadata.name=*) file=$file@${word##*=};; esac; done
if [ -f "$raw/$file.yaml" ]; then exec cat "$raw/$file.yaml"; fi
case "$file" in persistentvolumes)
  echo 'Error from server (Forbidden): persistentvolumes is forbidden: User "jane"' >&2; exit 1;;
*@*) printf 'apiVersion: v1\nitems: []\nkind: List\n'; exit 0;;
esac
echo "error: the server doesn't have a resource type \"${2%%.*}\"" >&2
exit 1
)";

/// A working directory, and a kubectl elsewhere.
struct Place {
  Place() {
    std::string script = kScript;
    script.replace(script.find("RAW"), 3, project_file("testdata/snapshot/raw"));
    kubectl = programs.write("kubectl", script);
    fs::permissions(kubectl, fs::perms::owner_all);
  }

  Ran write(std::vector<std::string> more = {}) const {
    return run_program({"snapshot", "--kubectl", kubectl, "--write", "cluster.yaml"}, more);
  }
  std::string written() const { return read_all(tree.path("cluster.yaml")); }

  TemporaryDirectory programs;
  TemporaryDirectory tree;
  WorkingDirectory here{tree.root()};
  std::string kubectl;
};

/// The text with the version replaced, so that a release changes no recorded file.
std::string without_version(std::string text) {
  const std::string version(kBuildInfo.version);
  const std::size_t at = text.find(version);
  REQUIRE(at != std::string::npos);
  return text.replace(at, version.size(), "VERSION");
}

TEST_CASE("snapshot prints a script and starts nothing") {
  const Place place;
  const Ran ran = run_program({"snapshot"});
  CHECK(ran.exit == 0);
  CHECK(ran.err.empty());
  check_recorded(project_file("testdata/snapshot/script.txt"), ran.out);
}

TEST_CASE("snapshot --write keeps only what is read, in a fixed order") {
  const Place place;
  const Ran ran = place.write();
  CHECK(ran.exit == 0);
  CHECK(ran.out.empty());
  CHECK(has(ran.err, "not read: persistentvolumes: Error from server (Forbidden)"));
  CHECK(has(ran.err, "not in the cluster: "));
  CHECK(has(ran.err, "wrote cluster.yaml ("));
  const std::string written = place.written();
  check_recorded(project_file("testdata/snapshot/cluster.yaml"), without_version(written));
  CHECK_FALSE(has(written, "hunter2"));
  CHECK_FALSE(has(written, "jane"));
  const Ran again = place.write();
  INFO(again.err);
  CHECK(has(again.err, "unchanged: cluster.yaml"));
  CHECK(place.write({"-q"}).err.starts_with("not read: "));
}

TEST_CASE("a snapshot gives the same answers as all that kubectl prints") {
  const Place place;
  CHECK(place.write().exit == 0);
  std::string raw;
  for (const auto& entry : fs::directory_iterator(project_file("testdata/snapshot/raw"))) {
    raw += "---\n" + read_all(entry.path());
  }
  place.tree.write("raw.yaml", raw);
  place.tree.write("deploy/isvc.yaml", project_text("testdata/snapshot/isvc.yaml"));
  const auto answers = [&](const std::string& facts) {
    std::string all;
    for (std::vector<std::string> command : {std::vector<std::string>{"simulate", "deploy"},
                                             {"simulate", "deploy", "--format", "json"},
                                             {"simulate", "deploy", "--explain", "llama"},
                                             {"lint", "deploy"}}) {
      command.insert(command.end(), {"--cluster", facts});
      const Ran ran = run_program(command);
      all += ran.out + ran.err;
    }
    // Excerpts of the files of facts differ.
    std::string lines;
    for (const std::string_view line : split(all, '\n')) {
      if (has(line, facts) || has(line, '|')) {
        continue;
      }
      lines += std::string(line) + "\n";
    }
    return lines;
  };
  const std::string all = answers("raw.yaml");
  CHECK(has(all, "storageUris"));
  CHECK(has(all, "no-such-runtime"));
  CHECK(answers("cluster.yaml") == all);
}

TEST_CASE("a snapshot replaces a snapshot, and other files only with --force") {
  const Place place;
  place.tree.write("cluster.yaml", "kind: Pod\n");
  const Ran ran = place.write();
  CHECK(ran.exit == 3);
  CHECK(ran.err == "error: 'cluster.yaml' exists and is no snapshot: --force overwrites it\n");
  CHECK(place.written() == "kind: Pod\n");
  CHECK(place.write({"--force"}).exit == 0);
  CHECK(place.write({"--context", "prod"}).exit == 0);
  CHECK(has(place.written(), "# Context: prod\n"));
}

TEST_CASE("snapshot --write - prints the snapshot") {
  const Place place;
  const Ran ran = run_program({"snapshot", "--kubectl", place.kubectl, "--write", "-", "-q"});
  CHECK(ran.exit == 0);
  CHECK(ran.out.starts_with("# Facts about a cluster"));
}

TEST_CASE("what the configuration states is not read") {
  const Place place;
  place.tree.write(".cnsched.yaml",
                   "cluster:\n  kubernetes: \"1.31\"\n  devicePlugin: {tolerations: []}\n");
  const Ran ran = run_program({"snapshot"});
  CHECK(ran.exit == 0);
  CHECK_FALSE(has(ran.out, "version"));
  CHECK_FALSE(has(ran.out, "daemonsets"));
  CHECK(ran.err ==
        "the configuration states cluster.devicePlugin: daemonsets.apps and "
        "clusterpolicies.nvidia.com are not read\n"
        "the configuration states cluster.kubernetes: the version of the API server is not read\n");
  CHECK(has(run_program({"snapshot", "--no-config"}).out, "daemonsets"));
}

TEST_CASE("without kubectl or an answer nothing is written") {
  const Place place;
  const Ran missing =
      run_program({"snapshot", "--kubectl", place.tree.path("none"), "--write", "cluster.yaml"});
  CHECK(missing.exit == 3);
  CHECK(has(missing.err, "none: No such file or directory"));
  CHECK_FALSE(fs::exists(place.tree.path("cluster.yaml")));
  CHECK(run_program({"snapshot", "--kubectl", place.kubectl}).exit == 2);
  CHECK(run_program({"snapshot", "--context", "a\x1b"}).exit == 2);
}

TEST_CASE("snapshot --list is a table of all resources") {
  const Ran ran = run_program({"snapshot", "--list"});
  CHECK(ran.exit == 0);
  CHECK(ran.out.starts_with("| Resource | What cnsched reads | Fields |\n|---|---|---|\n"));
  CHECK(has(ran.out, "| `configmaps/config-features` | Knative's feature flags | `data` |\n"));
}

}  // namespace cnsched::cli::snapshot_test
