#include "core/snapshot/kubectl.h"
#include "testdata/support.h"

namespace cnsched::snapshot::kubectl_test {

const std::string kNode = "{apiVersion: v1, kind: Node, metadata: {name: a}}";

/// A program instead of kubectl.
class ScriptedKubectl {
 public:
  explicit ScriptedKubectl(const std::string& script)
      : path_(tree_.write_program("kubectl", script)) {}

  Result<Snapshot> read(Kubectl options = {}) const {
    options.program = path_;
    options.environment = {"PATH=/usr/bin:/bin"};
    const auto commands = fetches([](std::string_view) { return false; }, "");
    return read_cluster(commands, options);
  }

  /// The message if nothing is read.
  std::string error(const Kubectl& options = {}) const {
    const auto result = read(options);
    return result ? "" : result.error().message;
  }

 private:
  TemporaryDirectory tree_;
  std::string path_;
};

/// Prints `nodes` for nodes, and nothing for other types.
std::string only_nodes(const std::string& nodes) {
  return "case \"$2\" in nodes) printf '%s\\n' '" + nodes + "';; esac";
}

TEST_CASE("objects are sorted and written once") {
  const ScriptedKubectl kubectl(
      "case \"$1 $2\" in version*) echo 'serverVersion: {gitVersion: v1.31.2}';; "
      "*' nodes') printf '%s\\n' '{apiVersion: v1, kind: Node, metadata: {name: b}}' --- '" +
      kNode + "' --- '" + kNode + "';; esac");
  const auto read = kubectl.read();
  REQUIRE(read);
  CHECK(read->objects == 2);
  CHECK(read->documents ==
        "---\nserverVersion:\n  gitVersion: v1.31.2\n"
        "---\napiVersion: v1\nkind: Node\nmetadata:\n  name: a\n"
        "---\napiVersion: v1\nkind: Node\nmetadata:\n  name: b\n");
  CHECK(read->unread.empty());
}

TEST_CASE("objects of other types are not kept, Secrets least of all") {
  const ScriptedKubectl kubectl(
      "cat <<'END'\napiVersion: v1\nkind: List\nitems:\n"
      "- {apiVersion: v1, kind: Secret, metadata: {name: s}, data: {a: hidden}}\n"
      "- {apiVersion: v1, kind: SecretList, items: [{apiVersion: v1, kind: Secret, metadata: "
      "{name: t}, data: {a: hidden}}]}\n"
      "- {apiVersion: v1, kind: ConfigMap, metadata: {name: other}, data: {a: hidden}}\n"
      "- {apiVersion: v1, kind: Node, metadata: {name: a}, data: {a: hidden}}\nEND");
  const auto read = kubectl.read();
  REQUIRE(read);
  CHECK(read->objects == 1);
  CHECK_FALSE(has(read->documents, "hidden"));
}

TEST_CASE("types that cannot be read are listed with the cause") {
  const ScriptedKubectl kubectl(
      "case \"$2\" in nodes) echo '" + kNode +
      "';; pods) echo 'Error from server (Forbidden): pods is forbidden' >&2; exit 1;; "
      "topologies*) echo 'a: [' ;; "
      "servers*) echo 'error: the server doesn'\\''t have a resource type \"servers\"' >&2; "
      "exit 1;; esac");
  const auto read = kubectl.read();
  REQUIRE(read);
  const auto unread = [&](std::string_view what) {
    const auto found = std::ranges::find(read->unread, what, &Unread::what);
    REQUIRE(found != read->unread.end());
    return *found;
  };
  CHECK(unread("pods").cause == Cause::forbidden);
  CHECK(unread("pods").reason == "Error from server (Forbidden): pods is forbidden");
  CHECK(unread("servers.mlops.seldon.io").cause == Cause::missing);
  CHECK(unread("topologies.kueue.x-k8s.io").cause == Cause::failed);
  CHECK(unread("topologies.kueue.x-k8s.io").reason.starts_with("kubectl prints invalid YAML: "));
  CHECK(unread("the version of the API server").reason == "kubectl prints no version of a server");
  CHECK(read->unread.size() == 4);
}

TEST_CASE("without an answer, two commands are run and no more") {
  const TemporaryDirectory tree;
  const ScriptedKubectl kubectl(
      "echo x >>" + tree.path("calls") +
      "; printf 'W1 warning\\nThe connection was refused\\n' >&2; exit 1");
  CHECK(kubectl.error() == "The connection was refused");
  CHECK(read_all(tree.path("calls")) == "x\nx\n");
}

TEST_CASE("a cluster of which nothing can be read is an error") {
  CHECK(ScriptedKubectl("echo 'Error from server (Forbidden): no' >&2; exit 1").error() ==
        "nothing was read; the version of the API server: Error from server (Forbidden): no");
  CHECK(ScriptedKubectl("echo 'serverVersion: {gitVersion: v1.31.2}'").error() ==
        "the cluster has nothing that cnsched reads");
}

TEST_CASE("kubectl that hangs, writes without end or fails is ended") {
  CHECK(ScriptedKubectl("while :; do :; done").error({.timeout = std::chrono::seconds(1)}) ==
        "kubectl has not ended after 1 s (--timeout)");
  CHECK(ScriptedKubectl("while :; do echo x; done").error({.max_output = 1024}) ==
        "kubectl writes more than 1 KiB");
  CHECK(ScriptedKubectl("kill -SEGV $$").error() == "kubectl ended by signal 11");
  CHECK(ScriptedKubectl("exit 7").error() == "kubectl exits with 7");
  CHECK(ScriptedKubectl("printf 'a\\033[31m\\n' >&2; exit 1").error() == "a\\x1b[31m");
}

TEST_CASE("hostile values cannot end a document or a line") {
  const ScriptedKubectl kubectl(only_nodes(
      R"({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "a\n---\nkind: Secret\n\u001b[31m", "labels": {"x": "# y\n--- z"}}})"));
  const auto read = kubectl.read();
  REQUIRE(read);
  CHECK_FALSE(has(read->documents, "\nkind: Secret"));
  CHECK_FALSE(has(read->documents, '\x1b'));
  CHECK(read->documents.rfind("\n---") == std::string::npos);
}

TEST_CASE("kubectl gets what it needs to connect, and no program of what is checked") {
  const TemporaryDirectory tree;
  tree.write("repo/.git/HEAD");
  tree.write("repo/bin/aws");
  const std::vector<std::string> checked = {tree.path("repo/x")};
  const std::string path = "PATH=" + tree.path("repo/bin") + ":/usr/bin:bin:/bin";
  const std::vector<std::string> all = {
      path,           "HOME=/home/jane", "KUBECONFIG=/a:/b", "AWS_PROFILE=p",
      "LD_PRELOAD=x", "GITHUB_TOKEN=x",  "LC_ALL=de_DE"};
  CHECK(kubectl_environment(all, checked) ==
        std::vector<std::string>{"LC_ALL=C", "KUBERC=off", "KUBECTL_KUBERC=false",
                                 "PATH=/usr/bin:/bin", "HOME=/home/jane", "KUBECONFIG=/a:/b",
                                 "AWS_PROFILE=p"});
}

}  // namespace cnsched::snapshot::kubectl_test
