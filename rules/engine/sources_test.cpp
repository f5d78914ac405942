#include "rules/engine/sources.h"
#include "rules/engine/fix.h"
#include "rules/engine/run.h"
#include "testdata/support.h"

namespace cnsched::rules::sources_test {

constexpr const char* kService = R"(apiVersion: serving.kserve.io/v1beta1
kind: InferenceService
metadata:
  name: detector
  annotations:
    serving.kserve.io/deploymentMode: Standard
spec:
  predictor:
    deploymentStrategy: {type: Recreate}
    model:
      modelFormat: {name: onnx}
      storageURI: s3://models/detector
)";

/// Everything in the rendered file is at the same line of "source.yaml", one line further down.
class OneLineDown : public packages::OriginFinder {
 public:
  explicit OneLineDown(std::string source) : source_(std::move(source)) {}

  void prepare(std::span<const packages::OriginQuestion> questions) override {
    for (const packages::OriginQuestion& question : questions)
      prepared_.insert(question.file->path());
  }
  packages::Origin of(const packages::OriginQuestion& question) const override {
    if (source_.empty()) return {.file = "source.yaml"};
    const Span where = question.where;
    const auto shift = static_cast<std::uint32_t>(source_.find('\n') + 1);
    return {.file = "source.yaml",
            .place = {"source.yaml", where.begin + shift, where.end + shift},
            .is_literal = true};
  }
  const std::set<std::string>& prepared() const { return prepared_; }

 private:
  std::string source_;
  std::set<std::string> prepared_;
};

/// A workspace with the service as a rendered file and as its source.
class RenderedSource {
 public:
  explicit RenderedSource(const std::string& head, bool has_places = true)
      : source_(head + kService),
        finder_(std::make_shared<OneLineDown>(has_places ? source_ : "")) {
    workspace_.load(
        {.memory_files =
             {{.path = "c/<rendered>", .bytes = kService, .rendered = true},
              {.path = "source.yaml", .bytes = source_, .linted = false, .source = true}},
         .origins = finder_});
  }

  RunResult found() const {
    Selection selection = *Selection::from({.select = {"unknown-field"}});
    return run(workspace_, selection);
  }
  const Workspace& workspace() const { return workspace_; }
  const OneLineDown& finder() const { return *finder_; }

 private:
  std::string source_;
  std::shared_ptr<OneLineDown> finder_;
  Workspace workspace_;
};

TEST_CASE("a finding in a rendered file is shown in its source") {
  const RenderedSource scene("# a comment\n");
  const RunResult found = scene.found();
  REQUIRE(found.findings.size() == 1);
  const Diagnostic& finding = found.findings[0];
  const SourceFile& file = scene.workspace().file_of(finding.where);
  CHECK(file.path() == "source.yaml");
  CHECK(file.line_of(finding.where.begin) == 13);
  REQUIRE(finding.printed_at.size() == 1);
  CHECK(scene.workspace().file_of(finding.printed_at[0]).path() == "c/<rendered>");
  CHECK(finding.rendered_from.empty());
  CHECK(scene.finder().prepared() == std::set<std::string>{"c/<rendered>"});
}

TEST_CASE("a finding whose place is not known stays, with the file") {
  const RenderedSource scene("", false);
  const RunResult found = scene.found();
  REQUIRE(found.findings.size() == 1);
  CHECK(scene.workspace().file_of(found.findings[0].where).path() == "c/<rendered>");
  CHECK(found.findings[0].rendered_from == "source.yaml");
  CHECK(found.findings[0].printed_at.empty());
  CHECK_FALSE(found.findings[0].fix);
}

TEST_CASE("a suppression in a source hides a finding") {
  const RenderedSource scene("# cnsched: ignore-file=unknown-field -- generated\n");
  const RunResult found = scene.found();
  REQUIRE(found.findings.size() == 1);
  REQUIRE(found.findings[0].suppression);
  CHECK(found.findings[0].suppression->reason == "generated");
}

TEST_CASE("a fix of a rendered file edits the literal text of its source, once") {
  const RenderedSource scene("# a comment\n");
  const RunResult found = scene.found();
  REQUIRE(found.findings[0].fix);
  CHECK(found.findings[0].fix->document == nullptr);
  const Find find = [](const Workspace& workspace) {
    Selection selection = *Selection::from({.select = {"unknown-field"}});
    return run(workspace, selection);
  };
  const FixResult fixed = fix_all(scene.workspace(), found, Safety::unsafe, find);
  REQUIRE(fixed.texts.size() == 1);
  CHECK(has(fixed.texts.at("source.yaml"), "storageUri: s3"));
  CHECK(fixed.made.at("source.yaml") == 1);
  CHECK(fixed.findings.empty());
}

}  // namespace cnsched::rules::sources_test
