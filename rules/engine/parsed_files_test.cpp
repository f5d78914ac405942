// Compares runs over workspaces that are loaded with what another one has parsed with runs over
// those that parse everything.
#include <random>

#include "rules/engine/run.h"
#include "testdata/support.h"

namespace cnsched::rules::parsed_files_test {

using Texts = std::map<std::string, std::string>;

const std::string kTemplate = "apiVersion: v1\nkind: Pod\n{{- if x }}\nspec: {}\n{{- end }}\n---\n";

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
  texts["kustomization.yaml"] = "patches: [{path: s0.yaml}]\n";
  texts["chart/templates/a.yaml"] = kTemplate + service(1, 1);
  return texts;
}

/// Loads the files in the memory of an editor.
std::unique_ptr<Workspace> workspace_over(const Texts& texts, const ParsedFiles* parsed = nullptr) {
  auto workspace = std::make_unique<Workspace>();
  LoadOptions options{.text_of = [texts](const std::string& path) { return texts.at(path); },
                      .out_of_scope = OutOfScope::counted,
                      .parsed = parsed};
  for (const auto& [path, text] : texts) options.files.push_back(path);
  workspace->load(std::move(options));
  return workspace;
}

/// What was found, with all places, and the statistics.
std::string described(const Workspace& workspace) {
  const RunStats& stats = workspace.stats();
  std::string all = fmt::format("{} {} {} {} {}\n", stats.documents, stats.objects,
                                stats.out_of_scope, stats.templates, stats.broken);
  for (const Diagnostic& each : run(workspace, Selection::everything()).findings) {
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

TEST_CASE("what was parsed before gives the findings of a new workspace") {
  for (unsigned seed = 1; seed <= 4; ++seed) {
    std::mt19937 random(seed);
    const Texts original = some_texts();
    Texts texts = original;
    auto kept = workspace_over(texts);
    auto loaded = workspace_over(texts);
    for (int edit = 0; edit < 20; ++edit) {
      const auto at = static_cast<std::ptrdiff_t>(random() % texts.size());
      const std::string path = std::next(texts.begin(), at)->first;
      const bool is_restored = original.contains(path) && random() % 2 == 0;
      texts[path] = is_restored ? original.at(path) : edited(texts[path], original, random);
      auto next = std::make_unique<Workspace>();
      next->load_edited(*kept, {{path, texts[path]}});
      kept = std::move(next);
      if (random() % 8 == 0) texts[fmt::format("new{}.yaml", edit)] = service(edit, 2);
      const bool is_new = texts.size() != kept->sources.size();
      loaded = workspace_over(texts, &loaded->parsed());
      if (is_new) kept = workspace_over(texts, &kept->parsed());
      CAPTURE(seed);
      CAPTURE(edit);
      CAPTURE(path);
      CAPTURE(texts[path]);
      const std::string expected = described(*workspace_over(texts));
      REQUIRE(described(*kept) == expected);
      REQUIRE(described(*loaded) == expected);
    }
  }
}

TEST_CASE("parses only what has changed") {
  Texts texts = some_texts();
  const auto before = workspace_over(texts);
  Workspace edited;
  edited.load_edited(*before, {{"s0.yaml", texts["s0.yaml"] + "# x\n"}});
  texts["s0.yaml"] += "# x\n";
  const auto loaded = workspace_over(texts, &before->parsed());
  for (std::size_t i = 0; i < before->sources.size(); ++i) {
    const bool is_same = before->sources[i]->path() != "s0.yaml";
    CAPTURE(before->sources[i]->path());
    CHECK((edited.parsed()[i] == before->parsed()[i]) == is_same);
    CHECK((loaded->parsed()[i] == before->parsed()[i]) == is_same);
  }
}

TEST_CASE("what is read in another way is parsed again") {
  const TemporaryDirectory directory;
  const std::string path = directory.write("templates/a.yaml", kTemplate + service(1, 1));
  LoadOptions options{.files = {path}};
  Workspace before;
  before.load(options);
  options.parsed = &before.parsed();
  const auto is_taken = [&] {
    Workspace after;
    after.load(options);
    return after.parsed()[0] == before.parsed()[0];
  };
  CHECK(is_taken());
  options.cluster_files = {path};
  CHECK_FALSE(is_taken());
  options.cluster_files = {};
  options.limits.documents = 1;
  CHECK_FALSE(is_taken());
  options.limits = {};
  options.out_of_scope = OutOfScope::counted;
  CHECK_FALSE(is_taken());
  options.out_of_scope = OutOfScope::kept;
  CHECK(is_taken());
  directory.write("Chart.yaml");
  CHECK_FALSE(is_taken());
}

}  // namespace cnsched::rules::parsed_files_test
