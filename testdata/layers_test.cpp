// Checks that every #include follows the layers of the architecture.
#include "core/base/text.h"
#include "testdata/support.h"

namespace cnsched::layers_test {

/// The top-level folders, and the folders that each may include.
const std::map<std::string, std::set<std::string>> kAllowed = {
    {"core", {"core"}},
    {"rules", {"core", "rules"}},
    {"templates", {"core", "templates"}},
    {"cli", {"core", "rules", "templates", "cli"}},
};

/// The level of each folder. A folder may include itself and folders of lower levels. Files in a
/// top-level folder itself are below its folders, except the two that start the program.
const std::map<std::string, int> kLevels = {
    {"core/base", 0},
    {"core/source", 1},
    {"core/yaml", 2},
    {"core/diag", 3},
    {"core/cel", 3},
    {"core/k8s", 4},
    {"core/packages", 5},
    {"core/accelerators", 5},
    {"core/kserve", 6},
    {"core/seldon", 6},
    {"core/facts", 7},
    {"core/workspace", 8},
    {"core/sim", 9},
    {"core/snapshot", 9},
    {"core/change", 10},
    {"rules", 0},
    {"rules/common", 1},
    {"rules/policy", 1},
    {"rules/config", 2},
    {"rules/engine", 3},
    {"rules/admission", 4},
    {"rules/affinity", 4},
    {"rules/cluster", 4},
    {"rules/ignore", 4},
    {"rules/knative", 4},
    {"rules/kserve", 4},
    {"rules/label", 4},
    {"rules/resource", 4},
    {"rules/seldon", 4},
    {"rules/taint", 4},
    {"rules/toleration", 4},
    {"rules/yaml", 4},
    {"cli", 0},
    {"cli/output", 1},
    {"cli/commands", 2},
    {"cli/lsp", 3},
};

/// One line `#include "..."` or `#include <...>`.
struct Include {
  std::string file;  ///< the including file, from the project's root
  std::string path;
  bool quoted = false;
};

std::vector<Include> includes_of(const std::string& file) {
  std::vector<Include> includes;
  const std::string text = project_text(file);
  for (std::string_view line : split(text, '\n')) {
    line = trim(line);
    if (!line.starts_with('#')) continue;
    line = trim(line.substr(1));
    if (!line.starts_with("include")) continue;
    line = trim(line.substr(std::string_view("include").size()));
    if (line.size() < 2) continue;
    const char closing = line.front() == '<' ? '>' : '"';
    const std::string_view path = line.substr(1, line.find(closing, 1) - 1);
    includes.push_back({file, std::string(path), closing == '"'});
  }
  return includes;
}

/// The paths of all source files except tests, from the project's root.
std::vector<std::string> all_files() {
  std::vector<std::string> all;
  for (const auto& [folder, allowed] : kAllowed) {
    const std::string root = project_file(folder);
    for (const std::string& path : files_below(root, {".cpp", ".h", ".def"})) {
      if (!path.ends_with("_test.cpp")) all.push_back(folder + path.substr(root.size()));
    }
  }
  return all;
}

std::vector<Include> all_includes() {
  std::vector<Include> all;
  for (const std::string& file : all_files()) {
    for (Include& include : includes_of(file)) all.push_back(std::move(include));
  }
  return all;
}

/// The first type with external linkage that the text defines, or empty. The linker silently merges
/// two such types of the same name.
std::string first_external_type(std::string_view text) {
  bool is_unnamed = false;  // within an unnamed namespace
  for (const std::string_view line : split(text, '\n')) {
    if (line == "namespace {") is_unnamed = true;
    if (line == "}  // namespace") is_unnamed = false;
    const bool defines = line.starts_with("struct ") || line.starts_with("class ") ||
                         line.starts_with("enum ") || line.starts_with("union ");
    // A header declares a type with a qualified name.
    const bool qualified = line.find("::") < line.find('{');
    if (!is_unnamed && defines && !qualified && has(line, '{')) {
      return std::string(line);
    }
  }
  return {};
}

/// "core/k8s" of core/k8s/schema/type.h; "cli" of cli/main.cpp.
std::string folder_of(const std::string& path) {
  const std::size_t top = path.find('/');
  const std::size_t second = path.find('/', top + 1);
  return path.substr(0, second == std::string::npos ? top : second);
}

/// Why an include is not allowed, or empty.
std::string problem_with(const Include& include) {
  const std::string from = include.file.substr(0, include.file.find('/'));
  const std::string to = include.path.substr(0, include.path.find('/'));
  if (!include.quoted) return "";
  if (!kAllowed.contains(to)) return "is not written from the project's root";
  if (!kAllowed.at(from).contains(to)) return fmt::format("{} must not include {}", from, to);
  if (from != to) return "";

  const std::string folder = folder_of(include.file);
  const std::string other = folder_of(include.path);
  const bool is_program = include.file == "cli/app.cpp" || include.file == "cli/program.cpp";
  if (is_program || folder == other || from == "templates") return "";
  if (!kLevels.contains(folder)) return fmt::format("{} is not in kLevels", folder);
  if (!kLevels.contains(other)) return fmt::format("{} is not in kLevels", other);
  if (kLevels.at(other) < kLevels.at(folder)) return "";
  return fmt::format("{} must not include {}", folder, other);
}

/// The files that include a header of a library, by the beginning of its path.
std::set<std::string> users_of(const std::vector<Include>& includes, const std::string& header) {
  std::set<std::string> users;
  for (const Include& include : includes) {
    if (include.path.starts_with(header)) users.insert(include.file);
  }
  return users;
}

TEST_CASE("layers: every include is allowed by the layers") {
  const std::vector<Include> includes = all_includes();
  CHECK(includes.size() > 100);
  for (const Include& include : includes) {
    INFO(include.file, " includes ", include.path);
    CHECK(problem_with(include) == "");
  }
}

TEST_CASE("layers: only one file each includes yaml-cpp, RE2 and rang") {
  const std::vector<Include> includes = all_includes();
  CHECK(users_of(includes, "yaml-cpp/") == std::set<std::string>{"core/yaml/event_reader.cpp"});
  CHECK(users_of(includes, "re2/") == std::set<std::string>{"core/base/pattern.cpp"});
  CHECK(users_of(includes, "rang.hpp") == std::set<std::string>{"cli/output/style.cpp"});
}

TEST_CASE("layers: only cli handles arguments and terminals, and few files start programs") {
  for (const std::string header : {"CLI/", "unistd.h", "sys/ioctl.h", "iostream"}) {
    for (const std::string& file : users_of(all_includes(), header)) {
      CAPTURE(header);
      CAPTURE(file);
      const bool handles_files = file.starts_with("core/source/") && header == "unistd.h";
      const std::set<std::string> programs = {"core/base/descriptor.h", "core/base/leftovers.cpp",
                                              "core/base/process.cpp", "core/base/sandbox.cpp",
                                              "core/packages/engine.cpp"};
      const bool starts_programs = programs.contains(file) && header == "unistd.h";
      CHECK((file.starts_with("cli/") || handles_files || starts_programs));
    }
  }
}

TEST_CASE("layers: source files define types only in unnamed namespaces") {
  CHECK(first_external_type("namespace a {\nstruct B {\n") == "struct B {");
  CHECK(first_external_type("namespace {\nstruct B {\n};\n}  // namespace\n") == "");
  CHECK(first_external_type("struct B::C {\n};\n") == "");
  CHECK(first_external_type("struct B { std::string c; };\n") == "struct B { std::string c; };");
  for (const std::string& file : all_files()) {
    CAPTURE(file);
    if (!file.ends_with(".cpp")) continue;
    CHECK(first_external_type(project_text(file)) == "");
  }
}

TEST_CASE("layers: rejects an include that is not allowed") {
  const auto problem = [](const std::string& file, const std::string& path) {
    return problem_with({file, path, true});
  };
  CHECK(problem("core/yaml/a.cpp", "core/k8s/b.h") == "core/yaml must not include core/k8s");
  CHECK(problem("core/kserve/a.cpp", "core/seldon/b.h") ==
        "core/kserve must not include core/seldon");
  CHECK(problem("core/k8s/a.cpp", "rules/rule.h") == "core must not include rules");
  CHECK(problem("rules/a.cpp", "cli/app.h") == "rules must not include cli");
  CHECK(problem("rules/a.cpp", "templates/b.h") == "rules must not include templates");
  CHECK(problem("core/attic/a.cpp", "core/base/text.h") == "core/attic is not in kLevels");
  CHECK(problem("core/a.cpp", "core/base/text.h") == "core is not in kLevels");
  CHECK(problem("rules/report.cpp", "rules/engine/b.h") == "rules must not include rules/engine");
  CHECK(problem("rules/kserve/a.cpp", "rules/affinity/b.h") ==
        "rules/kserve must not include rules/affinity");
  CHECK(problem("rules/policy/a.cpp", "rules/engine/b.h") ==
        "rules/policy must not include rules/engine");
  CHECK(problem("rules/rule.h", "rules/engine/b.h") == "rules must not include rules/engine");
  CHECK(problem("cli/commands/a.cpp", "cli/lsp/b.h") == "cli/commands must not include cli/lsp");
  CHECK(problem("cli/program.cpp", "cli/commands/b.h").empty());
  CHECK(problem("core/base/a.cpp", "text.h") == "is not written from the project's root");
  CHECK(problem("core/base/a.cpp", "testdata/support.h") ==
        "is not written from the project's root");
  CHECK(problem("core/base/a.cpp", "core/base/text.h").empty());
  CHECK(problem("core/workspace/a.cpp", "core/kserve/b.h").empty());
  CHECK(problem("cli/a.cpp", "rules/rule.h").empty());
}

}  // namespace cnsched::layers_test
