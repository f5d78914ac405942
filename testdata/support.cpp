#include "testdata/support.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/app.h"
#include "core/base/text.h"
#include "core/yaml/write.h"

namespace cnsched::test {

Parsed::Parsed(std::string text)
    : file(0, "test.yaml", std::move(text)),
      document(yaml::parse(file, file.whole())),
      objects(k8s::objects_in(document)) {}

std::string Parsed::place(Span span) const {
  const Position begin = file.position(span.begin);
  const Position end = file.position(span.end);
  return fmt::format("{}:{}-{}", begin.line, begin.column, end.column);
}

std::string compact(const yaml::Node& node) {
  return nlohmann::json::parse(yaml::to_json(node)).dump();
}

TemporaryDirectory::TemporaryDirectory() {
  std::string name = (std::filesystem::temp_directory_path() / "cnsched-test-XXXXXX").string();
  REQUIRE(::mkdtemp(name.data()) != nullptr);
  root_ = std::filesystem::canonical(name);
}

std::string TemporaryDirectory::write(const std::string& name, const std::string& text) const {
  const std::filesystem::path path = root_ / name;
  std::filesystem::create_directories(path.parent_path());
  std::ofstream(path) << text;
  return path.string();
}

std::string TemporaryDirectory::write_program(const std::string& name,
                                              const std::string& script) const {
  const std::string path = write(name, "#!/bin/sh\n" + script + "\n");
  fs::permissions(path, fs::perms::owner_all);
  return path;
}

std::unique_ptr<Workspace> workspace_of(std::vector<MemoryFile> files,
                                        facts::StatedReleases releases) {
  auto workspace = std::make_unique<Workspace>();
  workspace->load({.memory_files = std::move(files), .releases = std::move(releases)});
  return workspace;
}

const ClusterScope& scope_of(const Workspace& workspace) {
  REQUIRE(workspace.scopes().size() == 1);
  return workspace.scopes().front();
}

std::string project_file(std::string_view relative) {
  return fmt::format("{}/{}", CNSCHED_SOURCE_DIR, relative);
}

std::vector<std::string> files_below(const std::string& folder,
                                     const std::vector<std::string_view>& endings) {
  std::vector<std::string> files;
  if (!fs::exists(folder)) return files;
  const auto options = fs::directory_options::follow_directory_symlink;
  for (const auto& entry : fs::recursive_directory_iterator(folder, options)) {
    const std::string path = entry.path().string();
    const auto ends_so = [&](std::string_view ending) { return path.ends_with(ending); };
    if (entry.is_regular_file() && std::ranges::any_of(endings, ends_so)) files.push_back(path);
  }
  std::ranges::sort(files);
  return files;
}

std::string read_all(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

std::string manifest(std::string_view kind, std::string_view metadata, std::string_view spec) {
  static const std::map<std::string_view, std::string_view> kVersions = {
      {"ClusterServingRuntime", "serving.kserve.io/v1alpha1"},
      {"ConfigMap", "v1"},
      {"Deployment", "apps/v1"},
      {"InferenceGraph", "serving.kserve.io/v1alpha1"},
      {"InferenceService", "serving.kserve.io/v1beta1"},
      {"LLMInferenceService", "serving.kserve.io/v1alpha2"},
      {"LLMInferenceServiceConfig", "serving.kserve.io/v1alpha2"},
      {"Model", "mlops.seldon.io/v1alpha1"},
      {"NodePool", "karpenter.sh/v1"},
      {"KnativeServing", "operator.knative.dev/v1beta1"},
      {"Pod", "v1"},
      {"SeldonDeployment", "machinelearning.seldon.io/v1"},
      {"Server", "mlops.seldon.io/v1alpha1"},
      {"ServerConfig", "mlops.seldon.io/v1alpha1"},
      {"Service", "v1"},
      {"ServingRuntime", "serving.kserve.io/v1alpha1"}};
  return fmt::format("---\napiVersion: {}\nkind: {}\nmetadata: {{{}}}\nspec: {}\n",
                     kVersions.at(kind), kind, metadata, spec);
}

std::string object(std::string_view api_version, std::string_view kind, std::string_view name,
                   std::string_view fields, std::string_view metadata) {
  return fmt::format("---\n{{apiVersion: {}, kind: {}, metadata: {{name: {}{}{}}}, {}}}\n",
                     api_version, kind, name, metadata.empty() ? "" : ", ", metadata, fields);
}

std::size_t count(std::string_view text, std::string_view part) {
  std::size_t n = 0;
  for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++n;
  return n;
}

/// Whether the tests record the files that they compare.
static bool is_recording() {
  const char* bless = std::getenv("CNSCHED_BLESS");
  return bless != nullptr && *bless == '1';
}

std::string project_text(std::string_view relative) { return read_all(project_file(relative)); }

void check_recorded(const std::string& path, const std::string& text) {
  if (is_recording()) {
    std::filesystem::create_directories(std::filesystem::path(path).parent_path());
    std::ofstream(path, std::ios::binary) << text;
    return;
  }
  INFO("recorded in ", path, "; CNSCHED_BLESS=1 records anew");
  REQUIRE(std::filesystem::exists(path));
  CHECK(read_all(path) == text);
}

void check_cases(const std::string& file,
                 const std::function<std::string(std::string_view)>& result_of) {
  const std::string recorded = project_text(file);
  std::string title, text, expected, all;
  const auto check_case = [&] {
    if (expected.empty()) return;
    INFO("CNSCHED_BLESS=1 records ", file, " anew\n", title, "\n", text);
    const std::string given = result_of(text);
    const std::string result = "=> " + joined(split(given, '\n'), std::identity(), "\n=> ") + "\n";
    if (!is_recording()) CHECK(result == expected);
    all += text + "\n" + result;
    text.clear();
    expected.clear();
  };
  REQUIRE(recorded.ends_with('\n'));
  for (const std::string_view line : split(recorded, '\n')) {
    if (line.starts_with("=> ")) {
      expected += fmt::format("{}\n", line);
      continue;
    }
    check_case();
    if (line.starts_with("## ")) {
      REQUIRE(text.empty());  // each text has a result
      title = line;
    }
    if (line.empty() ? text.empty() : line.starts_with("## ")) {
      all += fmt::format("{}\n", line);
    } else {
      text += fmt::format("{}{}", text.empty() ? "" : "\n", line);
    }
  }
  all.pop_back();
  REQUIRE_FALSE(title.empty());
  REQUIRE(text.empty());
  if (is_recording()) std::ofstream(project_file(file), std::ios::binary) << all;
}

EnvironmentVariable::EnvironmentVariable(const char* name, const std::string& value) : name_(name) {
  if (const char* before = std::getenv(name)) before_ = before;
  ::setenv(name, value.c_str(), 1);
}

EnvironmentVariable::~EnvironmentVariable() {
  before_ ? ::setenv(name_, before_->c_str(), 1) : ::unsetenv(name_);
}

StandardInput::StandardInput(const std::string& path) : before_(::dup(STDIN_FILENO)) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  ::dup2(file, STDIN_FILENO);
  ::close(file);
}

StandardInput::~StandardInput() {
  ::dup2(before_, STDIN_FILENO);
  ::close(before_);
}

std::vector<std::string> words_of(std::string_view line) {
  std::vector<std::string> words;
  for (const std::string_view word : split(line, ' ')) words.emplace_back(word);
  return words;
}

Ran run_program(std::vector<std::string> arguments, const std::vector<std::string>& more) {
  arguments.insert(arguments.end(), more.begin(), more.end());
  std::ostringstream out;
  std::ostringstream err;
  std::istringstream nothing;
  cli::Console console{.out = out, .err = err, .in = &nothing};
  const cli::Exit exit = cli::run_app(arguments, console);
  return {static_cast<int>(exit), out.str(), err.str()};
}

}  // namespace cnsched::test
