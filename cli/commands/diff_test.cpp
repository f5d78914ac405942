#include <sys/stat.h>
#include <thread>

#include "testdata/git_repository.h"

namespace cnsched::cli::commands_diff_test {

constexpr const char* kNone = "no change in placement\n";

std::string node(const std::string& name, const std::string& pool, const std::string& more = "") {
  return fmt::format(
      "apiVersion: v1\nkind: Node\nmetadata: {{name: {}, labels: {{pool: {}}}}}\n{}"
      "status: {{allocatable: {{cpu: \"8\", memory: 32Gi, pods: \"110\", nvidia.com/gpu: "
      "\"4\"}}}}\n---\n",
      name, pool, more);
}

std::string web(const std::string& name, const std::string& pool, int replicas = 1) {
  return fmt::format(
      "apiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: {0}, namespace: ml}}\nspec:\n"
      "  replicas: {2}\n  selector: {{matchLabels: {{app: {0}}}}}\n  template:\n"
      "    metadata: {{labels: {{app: {0}}}}}\n    spec:\n      nodeSelector: {{pool: {1}}}\n"
      "      containers:\n      - name: web\n        image: web\n"
      "        resources: {{requests: {{cpu: \"1\", memory: 1Gi, nvidia.com/gpu: \"1\"}}, limits: "
      "{{cpu: \"1\", memory: 1Gi, nvidia.com/gpu: \"1\"}}}}\n---\n",
      name, pool, replicas);
}

Ran run(const std::vector<std::string>& arguments) { return run_program({"diff"}, arguments); }

bool holds(const std::string& text, std::string_view part) {
  CAPTURE(text);
  return has(text, part);
}

/// A directory with old and new files, which is the working directory.
struct TwoStates : Repository {
  TwoStates()
      : Repository({{"old/a.yaml", web("web", "gpu")},
                    {"new/a.yaml", web("web", "cpu")},
                    {"nodes.yaml", node("gpu-1", "gpu") + node("cpu-1", "cpu")}}) {}
};

TEST_CASE("diff compares two files, two directories, or one and standard input") {
  const TwoStates states;
  CHECK(run({"old", "old", "--cluster", "nodes.yaml"}).out == kNone);
  const Ran ran = run({"old", "new", "--cluster", "nodes.yaml"});
  CHECK(ran.exit == 0);
  CHECK(holds(ran.out, "nodeSelector['pool']: gpu (old/a.yaml:"));
  CHECK(holds(ran.out, "→ cpu (new/a.yaml:"));
  CHECK(run({"old/a.yaml", "new/a.yaml"}).out != kNone);
  const StandardInput input("old/a.yaml");
  CHECK(run({"-", "old"}).out == kNone);
}

TEST_CASE("diff of paths that do not exist has no verdict") {
  const TwoStates states;
  const Ran ran = run({"HEAD~2", "HEAD"});
  CHECK(ran.exit == 3);
  CHECK(ran.out.empty());
  CHECK(ran.err ==
        "error: HEAD~2: no such file or directory; a revision of the repository is named with "
        "--base\n");
  CHECK(run({"old", "no-such"}).out.empty());
}

TEST_CASE("diff explains how it is used") {
  const TwoStates states;
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{}, {"old"}, {"old", "new", "old"}}) {
    const Ran ran = run(words);
    CHECK(ran.exit == 2);
    CHECK(holds(ran.err, "diff compares two files or directories, OLD and NEW"));
  }
  CHECK(run({"-", "-"}).exit == 2);
  CHECK(run({"old", "new", "--head", "x"}).exit == 2);
  CHECK(run({"old", "new", "--cluster", "-", "--old-cluster", "-"}).exit == 2);
  CHECK(run({"old", "missing"}).exit == 3);
  const Ran wrong = run({"old", "new", "--max-accelerators", "nvidia.com/gpu"});
  CHECK(wrong.exit == 2);
  CHECK(holds(wrong.err, "'nvidia.com/gpu' is not a resource and a number"));
  CHECK(run({"old", "new", "--select", "nothing"}).exit == 2);
}

TEST_CASE("diff fails if a pod lost its last node") {
  const TwoStates states;
  states.write("new/a.yaml", web("web", "none"));
  const Ran ran = run({"old", "new", "--cluster", "nodes.yaml", "--select", "ignore-unknown"});
  CHECK(ran.exit == 1);
  CHECK(holds(ran.out, "→ fits nowhere: "));
  CHECK(run({"new", "old", "--cluster", "nodes.yaml"}).exit == 0);
}

TEST_CASE("diff reports how other nodes change the verdicts on the same files") {
  const TwoStates states;
  states.write(
      "tainted.yaml",
      node("gpu-1", "gpu", "spec: {taints: [{key: dedicated, value: a, effect: NoSchedule}]}\n"));
  const Ran ran = run({"old", "old", "--old-cluster", "nodes.yaml", "--cluster", "tainted.yaml"});
  CHECK(ran.exit == 1);
  CHECK(holds(ran.out, "dedicated"));
}

TEST_CASE("diff reads facts for both sides from a pipe once") {
  const TwoStates states;
  const std::string pipe = states.path("pipe");
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  std::thread writer([&] { states.write("pipe", node("gpu-1", "gpu")); });
  const Ran ran = run({"old", "old", "--cluster", "pipe"});
  writer.join();
  CHECK(ran.out == kNone);
  const StandardInput input("nodes.yaml");
  CHECK(run({"old", "new", "--cluster", "-"}).exit == 0);
}

TEST_CASE("diff fails if more accelerators are requested than --max-accelerators") {
  const TwoStates states;
  states.write("new/a.yaml", web("web", "gpu", 3));
  CHECK(run({"old", "new", "--max-accelerators", "nvidia.com/gpu=3"}).exit == 0);
  const Ran ran = run({"old", "new", "--max-accelerators", "nvidia.com/gpu=2"});
  CHECK(ran.exit == 1);
  CHECK(holds(ran.out, "nvidia.com/gpu: 3 with all replicas, more than"));
}

TEST_CASE("diff has --max-steps for both sides, and compares no unknown numbers of replicas") {
  const TwoStates states;
  states.write("old/a.yaml", web("web", "gpu", 2));
  states.write("new/a.yaml", web("web", "gpu", 900));
  const Ran all = run({"old", "new", "--cluster", "nodes.yaml", "--replicas"});
  const Ran few =
      run({"old", "new", "--cluster", "nodes.yaml", "--replicas", "--max-steps", "6000"});
  CHECK(all.exit != 3);
  CHECK(few.exit == 3);
  CHECK(holds(all.out, "4 of 900"));
  CHECK_FALSE(has(few.out, "replicas placed"));
  CHECK(holds(few.out, "unknown how many replicas are placed"));
  CHECK(
      holds(few.err, "error: the 6000 steps of the run do not suffice (--max-steps permits more)"));
}

TEST_CASE("diff pairs findings, wherever they are") {
  const TwoStates states;
  const std::string bad =
      "      tolerations: [{key: a, operator: Exists, value: b}]\n      containers:";
  std::string text = web("web", "gpu");
  text.replace(text.find("      containers:"), std::string("      containers:").size(), bad);
  states.write("old/a.yaml", web("web", "gpu"));
  states.write("new/a.yaml", text);
  const std::vector<std::string> select = {"--select", "invalid-toleration"};
  const auto compare = [&](const std::string& old, const std::string& now) {
    return run({old, now, select[0], select[1]});
  };
  CHECK(compare("old", "new").exit == 1);
  CHECK(holds(compare("old", "new").out, "invalid-toleration"));
  CHECK(compare("new", "old").exit == 0);
  CHECK(compare("new", "new").out == kNone);
  CHECK(run({"old", "new", select[0], select[1], "--fail-on", "error"}).exit == 1);
  // Lines moved, and the file.
  states.write("moved/deeper/b.yaml", "# A comment.\n\n" + text);
  CHECK(compare("new", "moved").out == kNone);
  // The object is renamed: it is the same finding.
  std::string renamed = text;
  renamed.replace(renamed.find("{name: web, namespace"), std::string("{name: web").size(),
                  "{name: site");
  states.write("renamed/a.yaml", renamed);
  const Ran ran = compare("new", "renamed");
  CHECK(ran.exit == 0);
  CHECK_FALSE(holds(ran.out, "invalid-toleration"));
}

TEST_CASE("diff reads the revision as the user would name its files") {
  const std::string git = git_or_skip();
  if (git.empty()) return;
  const GitRepository repository(git);
  repository.write("team/a/web.yaml", web("web", "gpu"));
  repository.write("other/b.yaml", web("other", "gpu"));
  repository.write("facts/nodes.txt", node("gpu-1", "gpu"));
  repository.write(".gitignore", "/ignored\n");
  repository.commit("base");
  repository.run({"tag", "v1"});
  repository.write("team/a/web.yaml", web("web", "cpu"));
  repository.write("other/b.yaml", web("other", "cpu"));
  repository.write("team/new/c.yaml", web("added", "gpu"));
  repository.write("ignored/d.yaml", web("ignored", "gpu"));
  repository.write("facts/nodes.txt", node("gpu-1", "gpu") + node("cpu-1", "cpu"));
  {
    const WorkingDirectory here(repository.path("team"));
    const Ran ran = run({"--base", "v1", ".", "--cluster", "../facts/nodes.txt"});
    CHECK(holds(ran.out, "gpu → cpu (a/web.yaml:"));
    CHECK(holds(ran.out, "(new/c.yaml:"));
    CHECK_FALSE(holds(ran.out, "other"));
    CHECK_FALSE(holds(ran.out, "/tmp"));
    CHECK(holds(ran.err, "before (in v1): checked 1 object"));
    CHECK(holds(run({"--base", "v1", "../other"}).out, "(../other/b.yaml:"));
    CHECK(holds(run({"--base", "v1", repository.path("other")}).out, "(../other/b.yaml:"));
    // A directory that the revision does not have.
    CHECK(holds(run({"--base", "v1", "new"}).out, "(new/c.yaml:"));
    CHECK(run({"--base", "v1", "nowhere"}).exit == 3);
    const Ran outside = run({"--base", "v1", ".", "/etc"});
    CHECK(outside.exit == 2);
    CHECK(holds(outside.err, "'/etc' is not in the repository"));
    CHECK(run({"--base", "v1", "-"}).exit == 2);
  }
  const WorkingDirectory here(repository.root());
  const Ran whole = run({"--base", "v1"});
  CHECK(holds(whole.out, "(other/b.yaml:"));
  CHECK_FALSE(holds(whole.out, "ignored"));
  const Ran unknown = run({"--base", "nope"});
  CHECK(unknown.exit == 2);
  CHECK(holds(unknown.err, "no commit is named 'nope'"));
  fs::remove_all(repository.path("team"));
  CHECK(holds(run({"--base", "v1", "team"}).out, "(team/a/web.yaml:"));
}

TEST_CASE("diff needs a repository for --base") {
  const WorkingTree tree;
  const Ran ran = run({"--base", "main"});
  CHECK(ran.exit == 2);
  CHECK(holds(ran.err, "'.' is in no git repository with a working tree"));
}

TEST_CASE("diff reads the configuration of each revision, and says in which one it is invalid") {
  const std::string git = git_or_skip();
  if (git.empty()) return;
  const GitRepository repository(git);
  repository.write("a.yaml", web("web", "gpu"));
  repository.write(".cnsched.yaml", "cluster: {files: [nodes.yaml]}\n");
  repository.write("nodes.yaml", node("gpu-1", "gpu"));
  repository.commit("good");
  repository.write(".cnsched.yaml", "cluster: {flies: [nodes.yaml]}\n");
  repository.commit("bad");
  repository.write(".cnsched.yaml", "cluster: {files: [nodes.yaml]}\n");
  repository.write("nodes.yaml", node("gpu-1", "gpx"));
  const WorkingDirectory here(repository.root());
  const Ran good = run({"--base", "HEAD~1"});
  CHECK(good.exit == 1);
  CHECK(holds(good.out, "fits 1 of 1 node"));
  const Ran bad = run({"--base", "HEAD"});
  CHECK(bad.exit == 2);
  CHECK(holds(bad.err, ".cnsched.yaml"));
  CHECK(holds(bad.err, "this is in the revision 'HEAD'"));
}

TEST_CASE("diff selects a policy that only one side has") {
  const TwoStates states;
  states.write("new/.cnsched.yaml",
               "policies: [{id: only-new, summary: S, forbid: {image: web}}]\n");
  const Ran ran = run({"old", "new", "--select", "only-new"});
  CHECK_FALSE(has(ran.err, "unknown rule"));
  CHECK(holds(ran.out, "only-new"));
  CHECK(run({"old", "new", "--select", "only-nww"}).exit == 2);
}

TEST_CASE("diff leaves nothing behind, and starts nothing that a repository names") {
  const std::string git = git_or_skip();
  if (git.empty()) return;
  const GitRepository repository(git);
  const TemporaryDirectory places;
  const std::string marker = places.path("marker");
  const std::string evil = places.write_program("evil", "touch " + marker);
  repository.write("a.yaml", web("web", "gpu"));
  repository.write_program("git", "touch " + marker);
  fs::create_symlink("/etc/passwd", repository.path("link.yaml"));
  repository.write(".gitattributes", "* filter=x diff=x\n");
  repository.commit("base");
  repository.run({"config", "core.fsmonitor", evil});
  repository.run({"config", "filter.x.smudge", evil});
  repository.run({"config", "alias.ls-tree", "!" + evil});
  const WorkingDirectory here(repository.root());
  const std::string temporary = places.path("tmp");
  fs::create_directory(temporary);
  fs::remove(repository.path("link.yaml"));
  const Ran ran = [&] {
    const EnvironmentVariable path("PATH", repository.path() + ":.:" + std::getenv("PATH"));
    const EnvironmentVariable directory("TMPDIR", temporary);
    return run({"--base", "HEAD"});
  }();
  CHECK(ran.out == kNone);
  CHECK(holds(ran.err, "link.yaml: a link that leads out of the repository, not read (in HEAD)"));
  CHECK_FALSE(fs::exists(marker));
  CHECK(fs::is_empty(temporary));
}

}  // namespace cnsched::cli::commands_diff_test
