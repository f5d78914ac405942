#include "core/workspace/inputs.h"
#include "core/base/text.h"
#include "testdata/support.h"

namespace cnsched::inputs_test {

const std::string kOurs = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {}\n";
const std::string kOther = "apiVersion: v1\nkind: Service\nmetadata: {name: s}\n";
const std::string kBroken = "apiVersion: v1\nkind: Pod\nmetadata: {name: [\n";
const std::string kTemplate =
    "apiVersion: v1\nkind: Pod\n{{- if .Values.gpu }}\nspec: {}\n{{- end }}\n";

/// More than a thread reads and parses at once.
std::string large(const std::string& document) {
  std::string text;
  while (text.size() < 600'000) text += "---\n" + document;
  return text;
}

struct Counted {
  Workspace all;
  Workspace counted;

  explicit Counted(const std::vector<std::string>& files) {
    all.load({.files = files});
    counted.load({.files = files, .out_of_scope = OutOfScope::counted});
  }
};

std::string ledger(const Workspace& workspace) {
  const RunStats& stats = workspace.stats();
  return fmt::format("{} files, {} documents, {} objects, {} out of scope, {} templates, {} broken",
                     stats.files, stats.documents, stats.objects, stats.out_of_scope,
                     stats.templates, stats.broken);
}

TEST_CASE("keeps only the head of a file without documents in scope") {
  const TemporaryDirectory directory;
  const std::string head = "# cnsched-ignore-file\n---\n\n";
  for (const std::string& text : {kOther + "---\n" + kOther, kOther + large(kOther)}) {
    const Counted runs({directory.write("a.yaml", head + text)});
    CHECK(runs.all.sources[0]->bytes() == head + text);
    CHECK(runs.counted.sources[0]->bytes() == head);
    CHECK(runs.counted.documents().empty());
    CHECK(ledger(runs.counted) == ledger(runs.all));
    CHECK(runs.counted.stats().out_of_scope == runs.counted.stats().documents);
  }
}

TEST_CASE("keeps the text of a file with documents in scope") {
  const TemporaryDirectory directory;
  for (const std::string& text : {kOther + "---\n" + kOurs, large(kOther) + "---\n" + kOurs,
                                  kOther + "---\n" + kBroken, kOther + "---\n" + kTemplate}) {
    const Counted runs({directory.write("a.yaml", text)});
    CHECK(runs.counted.sources[0]->bytes() == text);
    REQUIRE(runs.counted.documents().size() == 1);
    const LoadedDocument& ours = *runs.counted.documents().front();
    CHECK(ours.document.span == runs.all.documents().back()->document.span);
    CHECK(ours.status == runs.all.documents().back()->status);
    CHECK(ledger(runs.counted) == ledger(runs.all));
  }
}

TEST_CASE("keeps the text of kustomizations and comments") {
  const TemporaryDirectory directory;
  const std::string patches = "patches: [{path: patch.yaml}]\n";
  const std::string file = directory.write("kustomization.yaml", patches);
  Workspace workspace;
  workspace.load({.files = {file, directory.write("patch.yaml", kOurs)},
                  .cluster_files = {directory.write("facts.yaml", kOther)},
                  .memory_files = {{.path = "memory.yaml", .bytes = kOther, .linted = false}},
                  .out_of_scope = OutOfScope::counted});
  CHECK(workspace.sources[0]->bytes() == patches);
  CHECK(workspace.sources[2]->bytes() == kOther);
  REQUIRE(workspace.objects().size() == 1);
  CHECK(workspace.is_patch(workspace.objects().front()));
}

TEST_CASE("returns large and small files in the order of their names") {
  const TemporaryDirectory directory;
  std::vector<std::string> files;
  for (int i = 0; i < 12; ++i) {
    const std::string name = fmt::format("{:02}.yaml", i);
    const std::string object =
        fmt::format("apiVersion: v1\nkind: Pod\nmetadata: {{name: p{:02}}}\nspec: {{}}\n", i);
    files.push_back(directory.write(name, i % 3 == 0 ? large(kOther) + "---\n" + object : object));
  }
  for (const std::size_t jobs : {1U, 2U, 8U}) {
    Workspace workspace;
    workspace.load({.files = files, .out_of_scope = OutOfScope::counted, .jobs = jobs});
    REQUIRE(workspace.objects().size() == files.size());
    for (std::size_t i = 0; i < files.size(); ++i) {
      CHECK(workspace.sources[i]->path() == files[i]);
      CHECK(workspace.objects()[i].name == fmt::format("p{:02}", i));
    }
  }
}

TEST_CASE("applies the limits to large files") {
  const TemporaryDirectory directory;
  const std::string text = large(kOther);
  const std::string file = directory.write("a.yaml", text);
  const auto reason_with = [&](const Limits& limits) {
    Workspace workspace;
    workspace.load({.files = {file}, .limits = limits, .out_of_scope = OutOfScope::counted});
    CHECK(workspace.stats().documents == 0);
    REQUIRE(workspace.unreadable().size() == 1);
    return workspace.unreadable().front().reason;
  };
  CHECK(reason_with({.file_size = text.size() - 1}).starts_with("larger than the limit of "));
  CHECK(reason_with({.documents = 100}).starts_with("the file has more than 100 documents"));
  CHECK(reason_with({.line_length = 10}).starts_with("the line is longer than the limit of "));
}

TEST_CASE("counts documents of a chart's templates that have an action or do not parse") {
  const TemporaryDirectory directory;
  const std::string quoted = "apiVersion: v1\nkind: Pod\nmetadata: {name: \"{{ .Values.x }}\"}\n";
  const std::string broken =
      "apiVersion: v1\nkind: Pod\nmetadata: {name: \"{{ .Values.x | default \"a\" }}\"}\n";
  const std::string text = kOurs + "---\n" + quoted + "---\n" + broken + "---\n" + kBroken +
                           "---\n" + kTemplate + "---\n" + kOther;
  const Counted outside({directory.write("templates/a.yaml", text)});
  CHECK(ledger(outside.all) ==
        "1 files, 6 documents, 2 objects, 1 out of scope, 1 templates, 2 broken");
  directory.write("Chart.yaml");
  const Counted inside({directory.path("templates/a.yaml")});
  CHECK(ledger(inside.all) ==
        "1 files, 6 documents, 1 objects, 1 out of scope, 4 templates, 0 broken");
  CHECK(ledger(inside.counted) == ledger(inside.all));
}

}  // namespace cnsched::inputs_test

namespace cnsched::spark_templates_test {

std::string names_in(std::string_view text) {
  std::set<std::string> names;
  add_spark_templates(text, names);
  return join_words({names.begin(), names.end()});
}

TEST_CASE("finds the names of Spark's pod templates in YAML, JSON and properties") {
  CHECK(names_in("sparkConf:\n  spark.kubernetes.driver.podTemplateFile: local:///opt/d.yaml\n"
                 "  \"spark.kubernetes.executor.podTemplateFile\": \"/opt/x/e.yaml\"\n") ==
        "d.yaml and e.yaml");
  CHECK(names_in("spark.kubernetes.driver.podTemplateFile=s3://bucket/d.yml\n"
                 "spark.kubernetes.executor.podTemplateFile   e.yaml\r\n") == "d.yml and e.yaml");
  CHECK(names_in(R"({"spark.kubernetes.driver.podTemplateFile":"/a/d.json","b":1})") == "d.json");
  CHECK(names_in(R"({"conf": "{\"spark.kubernetes.driver.podTemplateFile\": \"d.json\"}"})") ==
        "d.json");
  CHECK(names_in("") == "");
  CHECK(names_in("podTemplateFile: pod.yaml\nspark.kubernetes.driver.podTemplateFile") == "");
  CHECK(names_in("spark.kubernetes.driver.podTemplateFile: templates/\n") == "");
}

TEST_CASE("knows the usual names of Spark's pod templates") {
  CHECK(is_named_as_spark_template("jobs/driver-pod-template.yaml"));
  CHECK(is_named_as_spark_template("executor-pod-template-gke.yml"));
  CHECK(is_named_as_spark_template("Executor_Pod_Template.yaml"));
  CHECK_FALSE(is_named_as_spark_template("driver-pod-template/pod.yaml"));
  CHECK_FALSE(is_named_as_spark_template("executor.yaml"));
  CHECK_FALSE(is_named_as_spark_template("pod-template.yaml"));
}

}  // namespace cnsched::spark_templates_test
