#include "rules/engine/fix.h"
#include "core/base/text.h"
#include "core/yaml/parse.h"
#include "core/yaml/split.h"
#include "core/yaml/tree.h"
#include "rules/engine/example.h"
#include "rules/engine/run.h"
#include "rules/page.h"
#include "testdata/support.h"

namespace cnsched::rules::fix_test {

constexpr const char* kTwice = R"(apiVersion: serving.kserve.io/v1beta1
kind: InferenceService
metadata: {name: llama}
spec:
  predictor:
    tolerations:   # of the pool
    - {key: a, operator: Exists}
    # the same again
    - {key: a, operator: Exists}
    - {key: a, operator: Equal, value: x}   # covered
    nodeSelector:
      beta.kubernetes.io/arch: amd64   # ours are
    model: {modelFormat: {name: onnx}}
)";

constexpr const char* kOnce = R"(apiVersion: serving.kserve.io/v1beta1
kind: InferenceService
metadata: {name: llama}
spec:
  predictor:
    tolerations:   # of the pool
    - {key: a, operator: Exists}
    # the same again
    # covered
    nodeSelector:
      kubernetes.io/arch: amd64   # ours are
    model: {modelFormat: {name: onnx}}
)";

RunResult find_all(const Workspace& workspace) { return run(workspace, Selection::everything()); }

FixResult fixed(const Workspace& workspace, Safety least = Safety::safe) {
  return fix_all(workspace, find_all(workspace), least, find_all);
}

/// A fix of a document that is written by hand.
Diagnostic proposal(const LoadedDocument& loaded, std::vector<yaml::Change> changes,
                    Safety safety = Safety::safe) {
  Diagnostic finding{.rule = "test", .where = loaded.document.span};
  finding.fix = Fix{.title = "correct it",
                    .safety = safety,
                    .changes = std::move(changes),
                    .document = &loaded.document};
  return finding;
}

constexpr const char* kPod = R"(apiVersion: v1
kind: Pod
metadata: {name: a}
spec:
  nodeName: x
  priority: 1
)";

TEST_CASE("applies all fixes of a file and keeps the other text") {
  const auto workspace = workspace_of({{"llama.yaml", kTwice}});
  const FixResult result = fixed(*workspace);
  REQUIRE(result.texts.size() == 1);
  CHECK(result.texts.at("llama.yaml") == kOnce);
  CHECK(result.made.at("llama.yaml") == 3);
  CHECK(result.failures.empty());
}

TEST_CASE("finds nothing to fix in a fixed file") {
  const auto workspace = workspace_of({{"llama.yaml", kOnce}});
  const FixResult result = fixed(*workspace);
  CHECK(result.texts.empty());
  CHECK(result.workspace == nullptr);
}

TEST_CASE("keeps line ends and the byte order mark") {
  std::string windows = "\xEF\xBB\xBF";
  std::string expected = windows;
  for (const char* line = kTwice; *line != '\0'; ++line)
    windows += *line == '\n' ? "\r\n" : std::string(1, *line);
  for (const char* line = kOnce; *line != '\0'; ++line)
    expected += *line == '\n' ? "\r\n" : std::string(1, *line);
  const auto workspace = workspace_of({{"llama.yaml", windows}});
  CHECK(fixed(*workspace).texts.at("llama.yaml") == expected);
}

TEST_CASE("returns the changed files, and keeps the findings of the others") {
  const auto workspace = workspace_of({{"a.yaml", kOnce}, {"b.yaml", kTwice}});
  const FixResult result = fixed(*workspace);
  CHECK(result.texts.size() == 1);
  CHECK(result.texts.contains("b.yaml"));
  CHECK(result.findings.size() == find_all(*result.workspace).findings.size());
}

TEST_CASE("does not fix files that only give facts") {
  const auto workspace = workspace_of({{"llama.yaml", kTwice, false}});
  CHECK(fixed(*workspace).texts.empty());
}

TEST_CASE("does not fix a suppressed finding, and applies unsafe fixes only on request") {
  const auto workspace = workspace_of({{"pod.yaml", kPod}});
  const LoadedDocument& loaded = *workspace->documents().front();
  const yaml::Node& spec = (*loaded.document.root)["spec"];
  Diagnostic suppressed = proposal(loaded, {yaml::to_erase(spec["nodeName"])});
  suppressed.suppression = Suppression{};
  const Diagnostic unsafe = proposal(loaded, {yaml::to_erase(spec["priority"])}, Safety::unsafe);
  const Find none = [](const Workspace&) { return RunResult(); };
  CHECK(fix_all(*workspace, {{suppressed, unsafe}}, Safety::safe, none).texts.empty());
  const FixResult result = fix_all(*workspace, {{suppressed, unsafe}}, Safety::unsafe, none);
  CHECK(has(result.texts.at("pod.yaml"), "nodeName"));
  CHECK_FALSE(has(result.texts.at("pod.yaml"), "priority"));
}

TEST_CASE("applies the first of two conflicting fixes and then runs the rules again") {
  const auto workspace = workspace_of({{"pod.yaml", kPod}});
  const LoadedDocument& loaded = *workspace->documents().front();
  const yaml::Node& spec = (*loaded.document.root)["spec"];
  Arena arena;
  const yaml::Node& value = yaml::string_like(arena, yaml::nowhere(), "z");
  const Diagnostic first = proposal(loaded, {yaml::to_set(spec["nodeName"], value)});
  const Diagnostic second = proposal(loaded, {yaml::to_erase(spec["nodeName"])});
  int looks = 0;
  const Find find = [&](const Workspace&) {
    ++looks;
    return RunResult();
  };
  const FixResult result = fix_all(*workspace, {{first, second}}, Safety::safe, find);
  CHECK(has(result.texts.at("pod.yaml"), "nodeName: z"));
  CHECK(result.made.at("pod.yaml") == 1);
  CHECK(looks == 1);
}

TEST_CASE("does not apply two fixes together that result in a duplicate key") {
  const auto workspace = workspace_of({{"pod.yaml", kPod}});
  const LoadedDocument& loaded = *workspace->documents().front();
  const yaml::Node& spec = (*loaded.document.root)["spec"];
  const Diagnostic first = proposal(loaded, {yaml::to_rename(spec["nodeName"], "hostname")});
  const Diagnostic second = proposal(loaded, {yaml::to_rename(spec["priority"], "hostname")});
  const Find again = [](const Workspace&) { return RunResult(); };
  const FixResult result = fix_all(*workspace, {{first, second}}, Safety::safe, again);
  CHECK(has(result.texts.at("pod.yaml"), "hostname: x\n  priority: 1\n"));
  CHECK(result.made.at("pod.yaml") == 1);
}

TEST_CASE("applies the other fixes if one cannot be applied") {
  const auto workspace = workspace_of({{"pod.yaml",
                                        "apiVersion: v1\n"
                                        "kind: Pod\n"
                                        "metadata: {name: a, labels: &x {a: b}}\n"
                                        "spec:\n"
                                        "  nodeSelector: *x\n"
                                        "  nodeName: x\n"
                                        "  priority: 1\n"}});
  const LoadedDocument& loaded = *workspace->documents().front();
  const yaml::Node& root = *loaded.document.root;
  const Diagnostic bad = proposal(loaded, {yaml::to_erase(root["metadata"]["labels"].under("a"))});
  const Diagnostic good = proposal(loaded, {yaml::to_erase(root["spec"]["nodeName"])});
  const Find again = [](const Workspace&) { return RunResult(); };
  const FixResult result = fix_all(*workspace, {{bad, good}}, Safety::safe, again);
  CHECK_FALSE(has(result.texts.at("pod.yaml"), "nodeName"));
  CHECK(result.made.at("pod.yaml") == 1);
}

TEST_CASE("stops at fixes that repeat endlessly") {
  const auto workspace = workspace_of({{"pod.yaml", kPod}});
  Arena arena;
  const Find rename = [&](const Workspace& now) {
    const LoadedDocument& loaded = *now.documents().front();
    const yaml::Node& spec = (*loaded.document.root)["spec"];
    const bool is_x = spec["nodeName"].text() == "x";
    const yaml::Node& other = yaml::string_like(arena, yaml::nowhere(), is_x ? "z" : "x");
    return RunResult{{proposal(loaded, {yaml::to_set(spec["nodeName"], other)})}};
  };
  const FixResult result = fix_all(*workspace, rename(*workspace), Safety::safe, rename);
  CHECK(result.texts.empty());
  REQUIRE(result.failures.size() == 1);
  CHECK(has(result.failures.front(), "test"));
}

/// A Pod with these lines in its spec.
std::string pod(const std::string& lines) {
  return "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n" + lines +
         "  containers: [{name: a, image: b}]\n";
}

/// A service with a field beside its model.
std::string service(const std::string& line) {
  return "apiVersion: serving.kserve.io/v1beta1\nkind: InferenceService\n"
         "metadata: {name: a, annotations: {serving.kserve.io/deploymentMode: Standard}}\n"
         "spec:\n  predictor:\n    " +
         line +
         "\n    volumes: [{name: disk, emptyDir: {}}]\n"
         "    model: {modelFormat: {name: onnx}, storageUri: 'gs://a/b'}\n";
}

/// The findings of unknown-field, as "fix TITLE" or "help TEXT".
std::vector<std::string> advice_in(const std::string& text) {
  const auto workspace = workspace_of({{"a.yaml", text}});
  std::vector<std::string> advice;
  for (const Diagnostic& finding : run(*workspace, Selection::everything()).findings) {
    if (finding.rule != "unknown-field") continue;
    advice.push_back(finding.fix ? "fix " + finding.fix->title : "help " + finding.help);
  }
  return advice;
}

using Advice = std::vector<std::string>;

TEST_CASE("offers a move that fits") {
  CHECK(advice_in(service("volumeMounts: [{name: disk, mountPath: /mnt/disk}]")) ==
        Advice{"fix move it to spec.predictor.model.volumeMounts"});
}

TEST_CASE("does not offer a move that makes an error, and names the error") {
  CHECK(advice_in(service("volumeMounts: [{name: disk, mountPath: /mnt/models}]")) ==
        Advice{"help move it to spec.predictor.model.volumeMounts and correct it: two mounts at "
               "'/mnt/models': the API server rejects the pod"});
}

TEST_CASE("does not offer a new name for a value that does not fit") {
  const Advice advice = advice_in(pod("  nodeselector: a\n  hostnetwork: true\n"));
  REQUIRE(advice.size() == 2);
  CHECK(advice[0].starts_with("help rename it to 'nodeSelector' and correct it: "));
  CHECK(advice[1] == "fix rename it to 'hostNetwork'");
}

TEST_CASE("a mistake within a renamed field does not prevent the new name") {
  CHECK(advice_in(pod("  Volumes:\n  - name: a\n    emptyDir: {sizelimit: 1Gi}\n")) ==
        Advice{"fix rename it to 'volumes'"});
}

TEST_CASE("an error that was there before does not prevent a fix") {
  const Advice advice = advice_in(
      "apiVersion: serving.kserve.io/v1beta1\nkind: InferenceService\nmetadata: {name: a}\n"
      "spec:\n  predictor:\n    args: [a]\n"
      "    model: {modelFormat: {name: onnx}, args: [b, {c: d}]}\n");
  CHECK(advice == Advice{"fix move it to spec.predictor.model.args"});
}

TEST_CASE("checks many fixes of a document together, and few of them alone") {
  constexpr int kCount = 2000;
  std::string volumes = "  volumes:\n";
  for (int i = 0; i < kCount; ++i) {
    volumes += fmt::format("  - {{name: v{}, secret: {{name: a}}}}\n", i);
  }
  const Advice together = advice_in(pod(volumes));
  CHECK(std::ranges::count(together, "fix rename it to 'secretName'") == kCount);
  // One of the fixes does not fit, and is dropped alone.
  const Advice alone = advice_in(pod(volumes + "  nodeselector: a\n"));
  CHECK(alone.size() == kCount + 1);
}

using Counts = std::map<std::string, std::size_t>;

/// The comments of a file, except those that are cnsched's: fixes of suppressions change them.
Counts comments_in(const std::string& text) {
  const SourceFile file(0, "in.yaml", text);
  Counts counts;
  for (const Span where : yaml::split(file)) {
    const yaml::Document document = yaml::parse(file, where);
    for (const yaml::Comment& comment : document.comments) {
      const std::string_view shown = file.text(comment.span);
      if (!has(shown, "cnsched:")) ++counts[std::string(shown)];
    }
  }
  return counts;
}

/// Lines with the numbers of those that get a comment at their end, and on a line before them.
std::string commented(const std::vector<std::string_view>& lines,
                      const std::vector<bool>& has_comment) {
  std::string text;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string_view line = lines[i];
    const std::size_t indent = line.find_first_not_of(" -");
    const bool gets = has_comment[i] && indent != std::string_view::npos && !has(line, '#') &&
                      !line.starts_with("---");
    if (gets) text += fmt::format("{:{}}# above {}.\n", "", line.find_first_not_of(' '), i);
    text += line;
    if (gets) text += fmt::format("  # behind {}.", i);
    if (i + 1 < lines.size()) text += '\n';
  }
  return text;
}

/// The text with a comment of its own at, and above, every line where a comment may be.
std::string with_comments(const std::string& text) {
  const std::vector<std::string_view> lines = split(text, '\n');
  std::vector<bool> has_comment(lines.size(), true);
  // A '#' in a text over several lines is no comment.
  const Counts read = comments_in(commented(lines, has_comment));
  for (std::size_t i = 0; i < lines.size(); ++i) {
    has_comment[i] = read.contains(fmt::format("# above {}.", i)) &&
                     read.contains(fmt::format("# behind {}.", i));
  }
  return commented(lines, has_comment);
}

/// Fixes all that can be fixed. Returns how many fixes were made; fails if a comment is lost.
std::size_t check_fixes(std::vector<MemoryFile> files) {
  std::map<std::string, Counts> before;
  for (const MemoryFile& file : files) before[file.path] = comments_in(file.bytes);
  const auto workspace = workspace_of(std::move(files));
  const FixResult fixed = fix_all(*workspace, find_all(*workspace), Safety::unsafe, find_all);
  std::size_t made = 0;
  for (const auto& [path, text] : fixed.texts) {
    CAPTURE(path);
    CAPTURE(text);
    const Counts after = comments_in(text);
    for (const auto& [comment, count] : before[path]) {
      CAPTURE(comment);
      const auto kept = after.find(comment);
      CHECK((kept != after.end() && kept->second >= count));
    }
    made += fixed.made.at(path);
  }
  return made;
}

TEST_CASE("no fix of a rule's example loses a comment") {
  std::size_t made = 0;
  for (const Listed& listed : all_rules()) {
    INFO(listed.rule->id);
    std::vector<MemoryFile> files = example_files(page_of(*listed.rule).bad);
    for (MemoryFile& file : files) file.bytes = with_comments(file.bytes);
    made += check_fixes(std::move(files));
  }
  CHECK(made > 20);
}

TEST_CASE("no fix in testdata/ loses a comment, wherever comments are") {
  std::size_t made = 0;
  for (const std::string folder : {"testdata/rules", "testdata/fixes"}) {
    for (const std::string& path : files_below(project_file(folder), kManifests)) {
      INFO(path);
      const std::string text = read_all(path);
      made += check_fixes({{"in.yaml", text}});
      made += check_fixes({{"in.yaml", with_comments(text)}});
    }
  }
  CHECK(made > 500);
}

TEST_CASE("no fix in the corpus loses a comment") {
  const std::string corpus = project_file("../shared/corpus");
  if (!fs::is_directory(corpus)) return;
  std::size_t made = 0;
  for (const std::string& path : files_below(corpus, kManifests)) {
    INFO(path);
    made += check_fixes({{"in.yaml", read_all(path)}});
  }
  CHECK(made > 50);
}

}  // namespace cnsched::rules::fix_test
