// Compares runs over a workspace that is updated text by text with runs over new workspaces.
#include <random>

#include "rules/engine/run.h"
#include "testdata/support.h"

namespace cnsched::rules::finding_cache_test {

using Texts = std::map<std::string, std::string>;

std::string service(int number, int runtime) {
  return fmt::format(
      "apiVersion: serving.kserve.io/v1beta1\nkind: InferenceService\nmetadata: {{name: s{}}}\n"
      "spec:\n  predictor:\n    tolerations: [{{key: a, operator: Exists, value: x}}]\n"
      "    model:\n      modelFormat: {{name: sklearn}}\n      runtime: r{}\n",
      number, runtime);
}

std::string runtime(int number) {
  return fmt::format(
      "apiVersion: serving.kserve.io/v1alpha1\nkind: ServingRuntime\nmetadata: {{name: r{}}}\n"
      "spec:\n  supportedModelFormats: [{{name: sklearn, autoSelect: true}}]\n"
      "  nodeSelector: {{a b: c}}\n  containers: [{{name: kserve-container, image: a:1}}]\n",
      number);
}

Texts some_texts() {
  Texts texts;
  for (int i = 0; i < 6; ++i) {
    texts[fmt::format("s{}.yaml", i)] = service(i, i % 4) + "---\n" + service(i + 6, i % 3);
    texts[fmt::format("r{}.yaml", i)] = runtime(i % 4);
  }
  texts["node.yaml"] =
      "apiVersion: v1\nkind: Node\nmetadata: {name: n}\nspec:\n"
      "  taints: [{key: a, value: b, effect: NoSchedule}]\nstatus: {}\n";
  return texts;
}

/// A workspace over the files in the memory of an editor.
std::unique_ptr<Workspace> workspace_over(const Texts& texts) {
  auto workspace = std::make_unique<Workspace>();
  LoadOptions options{.text_of = [&texts](const std::string& path) { return texts.at(path); },
                      .replaceable = true};
  for (const auto& [path, text] : texts) options.files.push_back(path);
  workspace->load(std::move(options));
  return workspace;
}

/// What was found, with all places.
std::string described(const Workspace& workspace, const RunResult& found) {
  std::string all;
  for (const Diagnostic& each : found.findings) {
    all +=
        fmt::format("{}:{}-{} {} {} {}\n", workspace.file_of(each.where).path(), each.where.begin,
                    each.where.end, each.rule, each.message, each.subject.name);
    for (const Note& note : each.notes) {
      all += fmt::format("  {}:{} {}\n", workspace.file_of(note.where).path(), note.where.begin,
                         note.message);
    }
  }
  return all;
}

/// Makes a text that an editor may have in between.
std::string edited(const std::string& text, const Texts& others, std::mt19937& random) {
  const auto below = [&](std::size_t n) { return n == 0 ? 0 : random() % n; };
  const std::size_t at = below(text.size());
  const std::size_t line = text.find('\n', at);
  switch (below(6)) {
    case 0:
      return text.substr(0, at);
    case 1:
      return text.substr(0, at) + (line == std::string::npos ? "" : text.substr(line));
    case 2:
      return text.substr(0, at) + "x" + text.substr(at);
    case 3:
      return "# a comment\n" + text;
    case 4:
      return std::next(others.begin(), static_cast<int>(below(others.size())))->second;
    default:
      return text + "---\n" + service(static_cast<int>(below(9)), static_cast<int>(below(5)));
  }
}

TEST_CASE("an updated workspace has the findings of a new one") {
  std::size_t replaced = 0;
  for (unsigned seed = 1; seed <= 4; ++seed) {
    std::mt19937 random(seed);
    const Texts original = some_texts();
    Texts texts = original;
    auto workspace = workspace_over(texts);
    FindingCache cache;
    const Selection selection = Selection::everything();
    for (int edit = 0; edit < 40; ++edit) {
      const auto& source = workspace->sources[random() % workspace->sources.size()];
      const std::string path = source->path();
      texts[path] = random() % 2 == 0 ? original.at(path) : edited(texts[path], original, random);
      const auto change = workspace->replace(source->id());
      if (change) {
        cache.forget(*change);
        ++replaced;
      } else {
        cache.clear();
        workspace = workspace_over(texts);
      }
      const RunResult kept = run(*workspace, selection, all_rules(), {}, kMaxFindings, &cache);
      const auto fresh = workspace_over(texts);
      CAPTURE(seed);
      CAPTURE(edit);
      CAPTURE(path);
      CAPTURE(texts[path]);
      REQUIRE(described(*workspace, kept) ==
              described(*fresh, run(*fresh, selection, all_rules())));
    }
  }
  CHECK(replaced > 40);
}

TEST_CASE("a text on which facts depend is not replaced") {
  Texts texts = some_texts();
  const auto workspace = workspace_over(texts);
  const auto file = std::ranges::find_if(
      workspace->sources, [](const auto& source) { return source->path() == "node.yaml"; });
  CHECK_FALSE(workspace->replace((*file)->id()));
}

TEST_CASE("an edit drops only what depends on it") {
  Texts texts = some_texts();
  const auto workspace = workspace_over(texts);
  FindingCache cache;
  run(*workspace, Selection::everything(), all_rules(), {}, kMaxFindings, &cache);
  const ClusterScope& scope = workspace->scopes().front();
  const std::size_t before = cache.of(scope).size();
  texts["s0.yaml"] += "# x\n";
  const auto file = std::ranges::find_if(
      workspace->sources, [](const auto& source) { return source->path() == "s0.yaml"; });
  const auto change = workspace->replace((*file)->id());
  REQUIRE(change);
  cache.forget(*change);
  CHECK(before > 20);
  CHECK(before - cache.of(scope).size() <= 6);
}

}  // namespace cnsched::rules::finding_cache_test
