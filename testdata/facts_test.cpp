// docs/facts: every citation resolves, and every statement is complete.
#include "core/base/text.h"
#include "testdata/support.h"

namespace cnsched::facts_test {

/// The letter with which the ids of a file begin.
constexpr auto kFiles = std::to_array<std::pair<char, std::string_view>>({
    {'K', "kserve.md"},
    {'N', "knative.md"},
    {'S', "seldon.md"},
    {'P', "kubernetes.md"},
    {'A', "accelerators.md"},
});

bool is_id(std::string_view text) {
  return text.size() >= 2 &&
         std::ranges::find(kFiles, text.front(), [](const auto& file) { return file.first; }) !=
             kFiles.end() &&
         text.substr(1).find_first_not_of("0123456789") == std::string_view::npos;
}

struct Statement {
  std::string id;
  std::string text;
};

/// The statements of a file: paragraphs that begin with "**K12** ".
std::vector<Statement> statements_in(std::string_view text) {
  std::vector<Statement> statements;
  bool open = false;
  for (const std::string_view line : split(text, '\n')) {
    const std::size_t end = line.starts_with("**") ? line.find("** ", 2) : std::string_view::npos;
    if (end != std::string_view::npos) {
      statements.push_back({std::string(line.substr(2, end - 2)), {}});
      open = true;
    } else if (line.empty()) {
      open = false;
    }
    if (open) statements.back().text.append(line).push_back('\n');
  }
  return statements;
}

/// What is wrong with a statement of a file whose ids begin with `letter`; empty if nothing is.
std::string problem_with(const Statement& statement, char letter) {
  const auto has = [&](std::string_view label) {
    const std::size_t at = statement.text.find(label);
    if (at == std::string::npos) return false;
    return statement.text.find_first_not_of(" \n", at + label.size()) != std::string::npos;
  };
  if (!is_id(statement.id)) return "is no id";
  if (statement.id.front() != letter) return "belongs in another file";
  if (!has("Source:")) return "has no source";
  if (!has("Release:")) return "has no release";
  return {};
}

/// The number of statements of docs/facts by id.
std::map<std::string, int> known_ids() {
  std::map<std::string, int> ids;
  for (const auto& [letter, name] : kFiles) {
    const std::string file = "docs/facts/" + std::string(name);
    for (const Statement& statement : statements_in(project_text(file))) {
      ++ids[statement.id];
    }
  }
  return ids;
}

/// The part of a line that may cite: its comment, or all of it in prose.
std::string_view prose_of(std::string_view line, const std::string& extension) {
  if (extension == ".md") return line;
  const bool is_code = extension == ".cpp" || extension == ".h" || extension == ".def";
  const std::size_t begin = line.find(is_code ? "//" : "#");
  return begin == std::string_view::npos ? std::string_view() : line.substr(begin);
}

/// The ids that a text cites: "[K12]", "[K12, K13]".
std::vector<std::string> citations_in(std::string_view text) {
  std::vector<std::string> ids;
  for (std::size_t begin = text.find('['); begin != std::string_view::npos;
       begin = text.find('[', begin + 1)) {
    const std::size_t end = text.find(']', begin);
    if (end == std::string_view::npos) break;
    for (const std::string_view part : split(text.substr(begin + 1, end - begin - 1), ',')) {
      if (is_id(trim(part))) ids.emplace_back(trim(part));
    }
  }
  return ids;
}

/// Every file of the project that may cite a statement.
std::vector<fs::path> citing_files() {
  std::vector<fs::path> files = {project_file("README.md"), project_file("CONTRIBUTING.md")};
  for (const char* folder : {"core", "rules", "templates", "cli", "testdata", "docs"}) {
    std::ranges::copy(files_below(project_file(folder), {".cpp", ".h", ".def", ".md", ".table",
                                                         ".yaml", ".cmake", ".txt"}),
                      std::back_inserter(files));
  }
  return files;
}

/// The id in the name of a folder of testdata/pods; empty if it has none.
std::string id_of_folder(std::string_view name) {
  const auto parts = split(name, '-');
  return parts.size() > 2 && is_id(parts[1]) ? std::string(parts[1]) : std::string();
}

TEST_CASE("facts: every statement has an id of its file, a source and a release") {
  for (const auto& [letter, name] : kFiles) {
    const std::string file = "docs/facts/" + std::string(name);
    const auto statements = statements_in(project_text(file));
    CHECK(statements.size() > 10);
    for (const Statement& statement : statements) {
      INFO(file, " ", statement.id);
      CHECK(problem_with(statement, letter) == "");
    }
  }
}

TEST_CASE("facts: no id is used twice") {
  for (const auto& [id, count] : known_ids()) {
    CAPTURE(id);
    CHECK(count == 1);
  }
}

TEST_CASE("facts: every citation resolves") {
  const std::map<std::string, int> ids = known_ids();
  std::size_t count = 0;
  for (const fs::path& path : citing_files()) {
    const std::string text = read_all(path.string());
    const std::string extension = path.extension().string();
    std::string prose;  // on one line, because a citation may wrap
    for (const std::string_view line : split(text, '\n')) {
      const std::string_view comment = prose_of(line, extension);
      prose += comment.substr(std::min(comment.find_first_not_of("/#< "), comment.size()));
      prose += ' ';
    }
    for (const std::string& id : citations_in(prose)) {
      INFO(path.string());
      CHECK_MESSAGE(ids.contains(id), "docs/facts has no statement ", id);
      ++count;
    }
  }
  CHECK(count > 100);
}

TEST_CASE("facts: every folder of testdata/pods names a known statement") {
  const std::map<std::string, int> ids = known_ids();
  for (const auto& entry : fs::directory_iterator(project_file("testdata/pods"))) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with("kserve-") && !name.starts_with("seldon-")) continue;
    CAPTURE(name);
    CHECK(ids.contains(id_of_folder(name)));
  }
}

TEST_CASE("facts: incomplete statements and unknown citations are found") {
  const auto statements = statements_in("# F\n\n**K1** A.\nSource: a. Release: b.\n\ntext\n");
  REQUIRE(statements.size() == 1);
  CHECK(problem_with(statements[0], 'K') == "");
  CHECK(problem_with(statements[0], 'N') == "belongs in another file");
  CHECK(problem_with({"K1", "A. Release: b."}, 'K') == "has no source");
  CHECK(problem_with({"K1", "A. Source: b.\nRelease:\n"}, 'K') == "has no release");
  CHECK(problem_with({"K1a", ""}, 'K') == "is no id");
  CHECK(citations_in("a [K1] [N2, P30] [x] values: [a, b]") ==
        std::vector<std::string>{"K1", "N2", "P30"});
  CHECK(prose_of("a[K1]; // b [K2]", ".cpp") == "// b [K2]");
  CHECK(prose_of("values: [A40]", ".yaml") == "");
  CHECK(id_of_folder("kserve-K12-affinity-merged") == "K12");
  CHECK(id_of_folder("kserve-3.1-affinity-merged") == "");
}

}  // namespace cnsched::facts_test
