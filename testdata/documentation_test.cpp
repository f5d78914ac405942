// README.md and docs/ show only output that the program prints, and only commands that it accepts.
// - A block after `<!-- output: ARGUMENTS -->` is the output of `cnsched ARGUMENTS`, and so is the
//   Markdown between `<!-- generated: ARGUMENTS -->` and the next empty line.
// - A block after `<!-- file: PATH -->` is the content of a file.
// - `<!-- rendered-output in DIRECTORY: ARGUMENTS -->` is the same as `output`, but needs helm or
//   kustomize: .ci/packages-tests compares it.
// - `<!-- output in DIRECTORY: … -->` and `<!-- file in DIRECTORY: … -->` use a copy that all marks
//   of a page share: what one command changes, the next one reads.
// - Every other command in a block is run in a directory with the files that the pages name.
#include "cli/build_info.h"
#include "core/base/text.h"
#include "core/snapshot/resources.h"
#include "rules/config/config.h"
#include "testdata/support.h"

namespace cnsched::documentation_test {

/// What begins a mark.
constexpr std::string_view kOutput = "output";
constexpr std::string_view kRenderedOutput = "rendered-output";
constexpr std::string_view kFile = "file";
constexpr std::string_view kGenerated = "generated";
constexpr std::string_view kFence = "```";

/// README.md and every page below docs/, by its path from the project's root.
std::vector<std::string> pages() {
  std::vector<std::string> pages = {"README.md", "CONTRIBUTING.md", "CHANGELOG.md"};
  for (const fs::path path : files_below(project_file("docs"), {".md"})) {
    pages.push_back(path.lexically_relative(project_file(".")));
  }
  std::ranges::sort(pages);
  return pages;
}

/// What the program prints on both streams, as a terminal shows it, when it runs in `directory`.
std::string output_of(std::string_view arguments, const fs::path& directory) {
  const WorkingDirectory here(directory);
  const Ran ran = run_program(words_of(arguments));
  const bool both = !ran.out.empty() && !ran.err.empty();
  const std::string all = ran.out + (both && !ran.out.ends_with("\n\n") ? "\n" : "") + ran.err;
  return std::string(trim(all)) + "\n";
}

/// A comment before a block: "<!-- output in testdata/tutorial: lint isvc.yaml -->".
struct Mark {
  std::string_view kind;       ///< kOutput, kFile, kGenerated; empty: the line is no mark
  std::string_view directory;  ///< empty: the project's root, which nothing changes
  std::string_view argument;
};

Mark mark_in(std::string_view line) {
  constexpr std::string_view kBegin = "<!-- ", kEnd = " -->", kIn = " in ";
  if (!line.starts_with(kBegin) || !line.ends_with(kEnd)) return {};
  line = line.substr(kBegin.size(), line.size() - kBegin.size() - kEnd.size());
  const std::string_view head = line.substr(0, line.find(": "));
  if (head.size() == line.size()) return {};
  const std::string_view kind = head.substr(0, head.find(' '));
  if (kind != kOutput && kind != kRenderedOutput && kind != kFile && kind != kGenerated) return {};
  const std::string_view rest = head.substr(kind.size());
  return {kind, rest.starts_with(kIn) ? rest.substr(kIn.size()) : "", line.substr(head.size() + 2)};
}

/// The directories in which the marks of one page run.
class Places {
 public:
  fs::path operator[](std::string_view directory) {
    if (directory.empty()) return project_file(".");
    auto& copy = copies_[std::string(directory)];
    if (!copy) {
      copy = std::make_unique<TemporaryDirectory>();
      fs::copy(project_file(directory), copy->root(), fs::copy_options::recursive);
    }
    return copy->root();
  }

 private:
  std::map<std::string, std::unique_ptr<TemporaryDirectory>> copies_;
};

/// The text between the fences after a mark.
std::string block_of(const Mark& mark, Places& places) {
  const fs::path directory = places[mark.directory];
  if (mark.kind == kFile) return read_all(directory / mark.argument);
  return fmt::format("$ cnsched {}\n{}", mark.argument, output_of(mark.argument, directory));
}

/// The page with each marked block replaced by what the program prints now.
std::string with_current_output(const std::string& page) {
  std::ostringstream result;
  std::istringstream lines(page);
  std::string line;
  Places places;
  while (std::getline(lines, line)) {
    result << line << '\n';
    const std::string marked = line;
    const Mark mark = mark_in(marked);
    if (mark.kind.empty() || mark.kind == kRenderedOutput) continue;
    if (mark.kind == kGenerated) {
      result << output_of(mark.argument, places[mark.directory]);
      while (std::getline(lines, line) && !line.empty()) continue;
      result << '\n';
      continue;
    }
    std::getline(lines, line);  // the opening fence
    result << line << '\n' << block_of(mark, places);
    while (std::getline(lines, line) && line != kFence) continue;
    result << kFence << '\n';
  }
  return result.str();
}

/// The arguments of the first cnsched that a line of a shell runs; empty: there is none. Quotes
/// group words, and an operator or a comment ends a command.
std::vector<std::string> command_in(std::string_view line) {
  constexpr std::string_view kOperators = "|<>;&()";
  std::vector<std::string> words;
  std::string word;
  std::optional<char> quote;
  const auto end_word = [&] {
    if (!word.empty()) words.push_back(std::exchange(word, {}));
    return !words.empty() && words.front() == "cnsched";
  };
  for (const char c : line) {
    if (quote ? c == *quote : c == '"' || c == '\'') {
      quote = quote ? std::nullopt : std::optional(c);
    } else if (quote || (c != ' ' && c != '#' && !has(kOperators, c))) {
      word += c;
    } else if (c == '#' && !word.empty()) {
      word += c;
    } else if (end_word() ? c != ' ' : c == '#') {
      break;
    } else if (c != ' ') {
      words.clear();
    }
  }
  if (!end_word()) return {};
  words.erase(words.begin());
  return words;
}

/// The lines of the page's fenced blocks that may run commands: of a shell, of a console after "$
/// ", and the items of a list in YAML. Lines that end with a backslash are joined with the next
/// one. Blocks after a mark, which another test runs, are left out.
std::vector<std::string> shell_lines(const std::string& page) {
  std::vector<std::string> result;
  std::istringstream lines(project_text(page));
  std::string language, before;
  bool fenced = false;
  for (std::string line; std::getline(lines, line); before = line) {
    for (std::string more; line.ends_with('\\') && std::getline(lines, more);) {
      line.back() = ' ';
      line += trim(more);
    }
    std::string_view text = trim(line);
    if (text.starts_with(kFence)) {
      fenced = !fenced;
      language = fenced && mark_in(before).kind.empty() ? text.substr(kFence.size()) : "";
    } else if (const bool prompted = text.starts_with("$ ");
               language == "sh" || (language == "console" && prompted)) {
      result.emplace_back(text.substr(prompted ? 2 : 0));
    } else if (language == "yaml" && text.starts_with("- cnsched ")) {
      result.emplace_back(text.substr(2));
    }
  }
  return result;
}

/// A directory with the files that the commands on the pages name.
void write_files_of_commands(const TemporaryDirectory& tree) {
  static const std::map<std::string, std::string> kFiles = {
      {"deploy/llama.yaml", "testdata/simulate/llama.yaml"},
      {"isvc.yaml", "testdata/tutorial/isvc.yaml"},
      {"cluster.yaml", "testdata/simulate/nodes.yaml"},
      {"cluster-with-taint.yaml", "testdata/simulate/nodes.yaml"},
      {"queues.yaml", "testdata/rules/queue-never-admits/queues-in-cluster/cluster.yaml"},
      {"profiles.yaml", "testdata/rules/unknown-hardware-profile/complete/cluster.yaml"},
      {"testdata/quickstart/llama.yaml", "testdata/quickstart/llama.yaml"},
  };
  for (const auto& [name, source] : kFiles) {
    tree.write(name, project_text(source));
  }
}

/// The fenced text after a mark on a page.
std::string block_after(std::string_view mark, const std::string& page) {
  const std::string text = project_text(page);
  const std::size_t at = text.find(mark);
  REQUIRE(at != std::string::npos);
  const std::size_t begin = text.find('\n', text.find(kFence, at)) + 1;
  return text.substr(begin, text.find(kFence, begin) - begin);
}

/// The page without its fenced blocks.
std::string prose_of(const std::string& page) {
  std::istringstream lines(project_text(page));
  std::string prose;
  bool fenced = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(kFence)) fenced = !fenced;
    if (!fenced) prose += line + '\n';
  }
  return prose;
}

/// The targets of the page's links, without those to other sites and to headings.
std::vector<std::string> local_links(const std::string& page) {
  std::vector<std::string> links;
  const std::string text = prose_of(page);
  for (std::size_t at = text.find("]("); at != std::string::npos; at = text.find("](", at + 1)) {
    const std::string target = text.substr(at + 2, text.find_first_of(")#", at) - at - 2);
    if (!target.empty() && !has(target, "://")) links.push_back(target);
  }
  return links;
}

/// The paths of the project that a page names in backquotes; a path may leave out .h and .cpp.
std::vector<std::string> named_paths(const std::string& page) {
  static constexpr std::array kFolders = {"cli/",      "core/",  "rules/", "templates/",
                                          "testdata/", "tools/", "docs/",  ".ci/"};
  const std::string prose = prose_of(page);
  std::vector<std::string> paths;
  for (const std::string_view word : split(prose, '`')) {
    const bool is_path =
        std::ranges::any_of(kFolders, [&](auto folder) { return word.starts_with(folder); }) &&
        word.find_first_of(" *{<$\n") == std::string_view::npos &&
        word.find_first_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ") == std::string_view::npos;
    if (is_path) paths.emplace_back(word);
  }
  return paths;
}

TEST_CASE("documentation shows what the program prints") {
  for (const std::string& page : pages()) {
    const std::string path = project_file(page);
    check_recorded(path, with_current_output(read_all(path)));
  }
}

TEST_CASE("finds the command in a line of a shell") {
  using Words = std::vector<std::string>;
  CHECK(command_in("cnsched lint deploy/ isvc.yaml   # directories, files") ==
        Words{"lint", "deploy/", "isvc.yaml"});
  CHECK(command_in("helm template CHART | cnsched lint -") == Words{"lint", "-"});
  CHECK(command_in("source <(cnsched completion bash)") == Words{"completion", "bash"});
  CHECK(command_in("cnsched rules --format json > rules.json") ==
        Words{"rules", "--format", "json"});
  CHECK(command_in("cnsched lint --select 'a,b' \"c d\"") ==
        Words{"lint", "--select", "a,b", "c d"});
  CHECK(command_in("# cnsched lint").empty());
  CHECK(command_in("docker build -t cnsched .").empty());
  CHECK(command_in("apt install ./cnsched.deb && cnsched version") == Words{"version"});
}

TEST_CASE("the program accepts every command in the documentation") {
  std::size_t commands = 0;
  for (const std::string& page : pages()) {
    const TemporaryDirectory tree;
    write_files_of_commands(tree);
    const WorkingDirectory here(tree.root());
    for (const std::string& line : shell_lines(page)) {
      const std::vector<std::string> command = command_in(line);
      // It would start kubectl.
      if (command.empty() || line.starts_with(snapshot::kReadCluster)) continue;
      const StandardInput input(tree.path("isvc.yaml"));
      const Ran ran = run_program(command);
      CHECK_MESSAGE(ran.exit < 2, page << " shows '" << line << "': " << ran.err);
      ++commands;
    }
  }
  CHECK(commands > 20);
}

TEST_CASE("documentation and help give one command that reads a cluster, with its running pods") {
  const std::string command(snapshot::kReadCluster);
  for (const char* page :
       {"README.md", "docs/clusters.md", "docs/lint.md", "docs/simulate.md", "docs/tutorial.md",
        "man/cnsched-simulate.1.md", "man/cnsched-snapshot.1.md"}) {
    CHECK_MESSAGE(has(project_text(page), command), page);
  }
  for (const char* name : {"lint", "render", "simulate", "generate", "diff"}) {
    std::string help = run_program({name, "--help"}).out;
    help.erase(std::ranges::unique(help, [](char a, char b) { return is_space(a) && is_space(b); })
                   .begin(),
               help.end());
    std::ranges::replace(help, '\n', ' ');
    CHECK_MESSAGE(has(help, command), name);
    CHECK_MESSAGE(!has(help, "kubectl get"), name);
  }
  for (const std::string& page : pages()) {
    for (const std::string& line : shell_lines(page)) {
      CHECK_MESSAGE(!has(line, "kubectl get"), page << " shows '" << line << "'");
    }
  }
  const auto read = snapshot::fetches([](std::string_view) { return false; }, "");
  CHECK(std::ranges::any_of(read, [](const auto& fetch) { return fetch.what() == "pods"; }));
}

TEST_CASE("documentation names the current version wherever it names one of cnsched") {
  std::size_t versions = 0;
  for (const std::string& page : pages()) {
    if (page == "CHANGELOG.md") continue;
    const std::string text = project_text(page);
    for (const std::string_view before :
         {"cnsched-", "cnsched_", "cnsched==", "cnsched:", "rev: v", "ACTION@v", "download/v"}) {
      for (std::size_t at = text.find(before); at != std::string::npos;
           at = text.find(before, at + 1)) {
        const std::size_t begin = at + before.size();
        const std::size_t end = text.find_first_not_of("0123456789.", begin);
        const std::string version = text.substr(begin, end - begin);
        if (std::ranges::count(version, '.') < 2) continue;
        const std::string_view current = cli::kBuildInfo.version;
        CHECK_MESSAGE(version.substr(0, current.size()) == current,
                      page << " names " << before << version);
        ++versions;
      }
    }
  }
  CHECK(versions > 10);
}

TEST_CASE("documentation links to pages that exist") {
  std::size_t links = 0;
  for (const std::string& page : pages()) {
    const fs::path folder = fs::path(project_file(page)).parent_path();
    for (const std::string& link : local_links(page)) {
      CHECK_MESSAGE(fs::exists(folder / link), page << " links to " << link);
      ++links;
    }
  }
  CHECK(links > 10);
}

TEST_CASE("documentation names files that exist") {
  std::size_t paths = 0;
  for (const std::string& page : pages()) {
    for (const std::string& path : named_paths(page)) {
      const std::string file = project_file(path);
      CHECK_MESSAGE((fs::exists(file) || fs::exists(file + ".h") || fs::exists(file + ".cpp")),
                    page << " names " << path);
      ++paths;
    }
  }
  CHECK(paths > 30);
}

TEST_CASE("the template in docs/generate.md is valid") {
  const TemporaryDirectory tree;
  const std::string path =
      tree.write("team.yaml", block_after("<!-- template -->", "docs/generate.md"));
  const Ran ran = run_program({"templates", "--check", path, "--no-config"});
  CHECK(ran.exit == 0);
  CHECK(ran.err == "");
}

TEST_CASE("docs/generate.md lints the manifest that it generates") {
  const WorkingDirectory root(project_file("."));
  const std::string recorded = read_all("testdata/generate/llama.yaml");
  const std::string comment = recorded.substr(0, recorded.find('\n'));
  const std::string command = comment.substr(comment.find("generate "));
  CHECK(has(read_all("docs/generate.md"), "<!-- output: " + command + " -->"));
  check_recorded("testdata/generate/llama.yaml", run_program(words_of(command)).out);
}

TEST_CASE("the configurations in docs/configuration.md can be read") {
  const TemporaryDirectory tree;
  const std::string path =
      tree.write("c.yaml", block_after("<!-- config: cluster -->", "docs/configuration.md"));
  Sources sources;
  const auto configs = rules::Configs::only(path, sources);
  REQUIRE_MESSAGE(configs, (configs ? "" : configs.error().message));
  CHECK(configs->find("any.yaml")->cluster.node_pools.size() == 1);
}

}  // namespace cnsched::documentation_test
