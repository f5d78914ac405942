// What --fix, --unsafe-fixes and --diff do to files.
#include "cli/commands/lint_fix.h"

#include <sys/stat.h>

#include "rules/engine/run.h"
#include "testdata/support.h"

namespace cnsched::cli::lint_fix_test {

constexpr const char* kOld = R"(apiVersion: serving.kserve.io/v1beta1
kind: InferenceService
metadata: {name: llama}
spec:
  predictor:
    nodeSelector:
      beta.kubernetes.io/arch: amd64   # ours are
      node-role.kubernetes.io/master: ""
    deploymentStrategy: {type: Recreate}
    model: {modelFormat: {name: onnx}}
)";

std::string with(std::string text, const std::string& old, const std::string& now) {
  return text.replace(text.find(old), old.size(), now);
}

const std::string kSafe = with(kOld, "beta.kubernetes.io/arch", "kubernetes.io/arch");
const std::string kUnsafe =
    with(kSafe, "node-role.kubernetes.io/master", "node-role.kubernetes.io/control-plane");

std::vector<std::string> lint_with(const std::vector<std::string>& arguments) {
  std::vector<std::string> all = {"lint", "--no-config", "--select", "deprecated-node-label"};
  all.insert(all.end(), arguments.begin(), arguments.end());
  return all;
}

TEST_CASE("--fix applies safe fixes, and reports them and the remaining findings") {
  const TemporaryDirectory directory;
  const std::string file = directory.write("a.yaml", kOld);
  const auto ran = run_program(lint_with({"--fix", "--format", "concise", file}));
  CHECK(read_all(file) == kSafe);
  CHECK(ran.exit == 1);
  CHECK(has(ran.out, "node-role.kubernetes.io/master"));
  CHECK_FALSE(has(ran.out, "beta.kubernetes.io/arch"));
  CHECK(ran.err.starts_with("fixed 1 finding in 1 file\n"));
  CHECK(has(ran.err, "1 fixable with --fix --unsafe-fixes\n"));
}

TEST_CASE("--unsafe-fixes also applies unsafe fixes, and a second run changes nothing") {
  const TemporaryDirectory directory;
  const std::string file = directory.write("a.yaml", kOld);
  const auto ran = run_program(lint_with({"--fix", "--unsafe-fixes", file}));
  CHECK(read_all(file) == kUnsafe);
  CHECK(ran.exit == 0);
  CHECK(ran.out.empty());
  const auto time = std::filesystem::last_write_time(file);
  CHECK(run_program(lint_with({"--fix", "--unsafe-fixes", file})).exit == 0);
  CHECK(std::filesystem::last_write_time(file) == time);
}

TEST_CASE("a file keeps its mode, and other files are not touched") {
  const TemporaryDirectory directory;
  const std::string file = directory.write("a.yaml", kOld);
  const std::string other = directory.write("b.yaml", "a:   b # as it was\n");
  ::chmod(file.c_str(), 0640);
  run_program(lint_with({"--fix", directory.root().string()}));
  struct stat status {};
  ::stat(file.c_str(), &status);
  CHECK((status.st_mode & 0777U) == 0640U);
  CHECK(read_all(other) == "a:   b # as it was\n");
}

TEST_CASE("--diff writes nothing, prints a patch alone and exits with 1 if there is one") {
  const TemporaryDirectory directory;
  const std::string file = directory.write("models/a.yaml", kOld);
  const WorkingDirectory here(directory.root());
  const auto ran = run_program(lint_with({"--diff", "."}));
  CHECK(read_all(file) == kOld);
  CHECK(ran.exit == 1);
  CHECK(ran.out ==
        "--- a/models/a.yaml\n"
        "+++ b/models/a.yaml\n"
        "@@ -4,7 +4,7 @@\n"
        " spec:\n"
        "   predictor:\n"
        "     nodeSelector:\n"
        "-      beta.kubernetes.io/arch: amd64   # ours are\n"
        "+      kubernetes.io/arch: amd64   # ours are\n"
        "       node-role.kubernetes.io/master: \"\"\n"
        "     deploymentStrategy: {type: Recreate}\n"
        "     model: {modelFormat: {name: onnx}}\n");
  CHECK(ran.err == "would fix 1 finding in 1 file\n");
  // The same names, however the file was named.
  CHECK(run_program(lint_with({"--diff", "./models/../models/a.yaml"})).out == ran.out);
  CHECK(run_program(lint_with({"--diff", file})).out == ran.out);
  CHECK(run_program(lint_with({"--diff", "--exit-zero", file})).exit == 0);
}

TEST_CASE("--diff without fixable findings is empty and exits with 0") {
  const TemporaryDirectory directory;
  const std::string file = directory.write("a.yaml", kUnsafe);
  const auto ran = run_program(lint_with({"--diff", "--unsafe-fixes", file}));
  CHECK(ran.exit == 0);
  CHECK(ran.out.empty());
  CHECK(ran.err.empty());
}

TEST_CASE("a diff is escaped on a terminal only") {
  const TemporaryDirectory directory;
  const std::string text = with(kOld, "# ours are", "# \u202e");
  const std::string file = directory.write("a.yaml", text);
  Workspace workspace;
  workspace.load({.files = {file}});
  const rules::Find find = [](const Workspace& of) {
    return rules::run(of, rules::Selection::everything());
  };
  const rules::FixResult fixed = rules::fix_all(workspace, find(workspace), Safety::safe, find);
  std::ostringstream out;
  std::ostringstream err;
  Console console{.out = out, .err = err};
  CHECK(show_diff(fixed, workspace, true, console));
  CHECK(has(out.str(), "# \u202e"));
  out.str("");
  console.out_is_terminal = true;
  show_diff(fixed, workspace, true, console);
  CHECK_FALSE(has(out.str(), "\u202e"));
  CHECK(has(out.str(), "# \\u{202e}"));
}

TEST_CASE(
    "--fix does not write a file that has changed since it was read, and keeps its findings") {
  const TemporaryDirectory directory;
  const std::string file = directory.write("a.yaml", kOld);
  const std::string other = directory.write("b.yaml", kOld);
  Workspace workspace;
  workspace.load({.files = {file, other}});
  const rules::Find find = [](const Workspace& of) {
    return rules::run(of, rules::Selection::everything());
  };
  rules::FixResult fixed = rules::fix_all(workspace, find(workspace), Safety::safe, find);
  const std::string meanwhile = std::string(kOld) + "# one more line\n";
  std::ofstream(file) << meanwhile;
  std::ostringstream out;
  std::ostringstream err;
  Console console{.out = out, .err = err};
  CHECK_FALSE(write_fixes(fixed, workspace, find, "", false, console));
  CHECK(read_all(file) == meanwhile);
  CHECK(read_all(other) == kSafe);
  CHECK(has(err.str(), "a.yaml' has changed since it was read"));
  CHECK(has(err.str(), "fixed 1 finding in 1 file\n"));
  const auto left = [&](const std::string& path) {
    return std::ranges::count_if(fixed.findings, [&](const Diagnostic& d) {
      return fixed.workspace->file_of(d.where).path() == path && d.fix &&
             d.fix->safety == Safety::safe;
    });
  };
  CHECK(left(file) == 1);
  CHECK(left(other) == 0);
}

TEST_CASE("--fix does not write through a symbolic link, and reports it") {
  const TemporaryDirectory directory;
  const std::string file = directory.write("far/a.yaml", kOld);
  const std::string link = directory.path("link.yaml");
  std::filesystem::create_symlink(file, link);
  const auto ran = run_program(lint_with({"--fix", link}));
  CHECK(ran.exit == 3);
  CHECK(read_all(file) == kOld);
  CHECK(has(ran.err, "symbolic link"));
}

TEST_CASE("rejects flags that exclude each other") {
  CHECK(run_program(lint_with({"--fix", "--diff", "x.yaml"})).exit == 2);
  CHECK(run_program(lint_with({"--unsafe-fixes", "x.yaml"})).exit == 2);
}

TEST_CASE("--fix prints the fixed text of standard input, and the report on standard error") {
  const TemporaryDirectory directory;
  const StandardInput in(directory.write("a.yaml", kOld));
  const auto ran = run_program(lint_with({"--fix", "--format", "concise", "-"}));
  CHECK(ran.exit == 1);
  CHECK(ran.out == kSafe);
  CHECK(has(ran.err, "<stdin>:8:7: "));
  CHECK(has(ran.err, "fixed 1 finding in 1 file\n"));
  CHECK(read_all(directory.path("a.yaml")) == kOld);
}

TEST_CASE("--fix prints standard input unchanged if there is nothing to fix") {
  const TemporaryDirectory directory;
  const std::string text = "# no manifest\na:   b\n---\n" + kUnsafe;
  const StandardInput in(directory.write("a.yaml", text));
  const auto ran = run_program(lint_with({"--fix", "-", "--stdin-filename", "b.yaml"}));
  CHECK(ran.exit == 0);
  CHECK(ran.out == text);
  CHECK_FALSE(std::filesystem::exists("b.yaml"));
}

TEST_CASE("--fix writes files, and prints only the text of standard input") {
  const TemporaryDirectory directory;
  const std::string file = directory.write("a.yaml", kOld);
  const StandardInput in(directory.write("b.yaml", kOld));
  const auto ran = run_program(lint_with({"--fix", "--unsafe-fixes", "-", file}));
  CHECK(ran.exit == 0);
  CHECK(ran.out == kUnsafe);
  CHECK(read_all(file) == kUnsafe);
}

TEST_CASE("an unreadable file does not prevent fixes of other files") {
  const TemporaryDirectory directory;
  const std::string file = directory.write("a.yaml", kUnsafe);
  const std::string old = directory.write("b.yaml", kOld);
  const auto ran =
      run_program(lint_with({"--fix", "--unsafe-fixes", file, old, directory.path("gone.yaml")}));
  CHECK(ran.exit == 3);
  CHECK(read_all(old) == kUnsafe);
}

}  // namespace cnsched::cli::lint_fix_test
