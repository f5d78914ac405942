#include "cli/commands/lint_fix.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "cli/output/safe_text.h"
#include "core/base/diff.h"
#include "core/base/text.h"
#include "core/source/path.h"
#include "core/source/save.h"

namespace cnsched::cli {

namespace {

/// The text of a file before it changes; empty if it was not read.
std::string_view text_before(const Workspace& before, const std::string& path) {
  const auto file = std::ranges::find_if(
      before.sources, [&](const auto& source) { return source->path() == path; });
  return file == before.sources.end() ? std::string_view() : (*file)->bytes();
}

/// The name in a patch: below a/ or b/, which `git apply` and `patch -p1` strip; relative to the
/// working directory or to the root.
std::string name_in_patch(std::string_view side, const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::path name = fs::path(path).lexically_normal();
  const std::string here = path_below(fs::current_path(error).string(), name.string());
  return fmt::format("{}/{}", side, here.empty() ? name.relative_path().string() : here);
}

/// Why the file cannot be written; empty if it is written or unchanged.
std::string write_file(const std::string& path, std::string_view before, const std::string& after) {
  const auto saved = save(path, after, {.overwrite = true, .expected_content = before});
  return saved ? std::string() : saved.error().message;
}

std::size_t total(const std::map<std::string, std::size_t>& made) {
  std::size_t sum = 0;
  for (const auto& [path, count] : made) sum += count;
  return sum;
}

void print_fix_count(const rules::FixResult& fixed, std::string_view verb, Console& console) {
  console.err << fmt::format("{} {} in {}\n", verb, count_of(total(fixed.made), "finding"),
                             count_of(fixed.texts.size(), "file"));
}

}  // namespace

void declare_fixes(Command& command, FixOptions& options) {
  ArgumentGroup fixes = command.group("Fixes");
  fixes.flag("--fix", options.fix,
             "apply safe fixes to the files; the text of standard input (-) is printed");
  fixes.flag(
      "--unsafe-fixes", options.unsafe_fixes,
      "with --fix or --diff, also apply fixes that may change the intent; review the changes");
  fixes.flag("--diff", options.diff,
             "write nothing; show what --fix would change, and exit with 1 if there are changes");
}

std::string problem_with(const FixOptions& options) {
  if (options.fix && options.diff) return "--fix and --diff exclude each other: give one of them";
  if (options.unsafe_fixes && !options.any()) {
    return "--unsafe-fixes requires --fix or --diff";
  }
  return {};
}

bool show_diff(const rules::FixResult& fixed, const Workspace& before, bool quiet,
               Console& console) {
  for (const auto& [path, after] : fixed.texts) {
    write_verbatim(unified_diff(text_before(before, path), after, name_in_patch("a", path),
                                name_in_patch("b", path)),
                   console);
  }
  for (const std::string& failure : fixed.failures) console.err << failure << '\n';
  if (!quiet && !fixed.texts.empty()) print_fix_count(fixed, "would fix", console);
  return !fixed.texts.empty();
}

void print_fixed_stdin(const rules::FixResult& fixed, const Workspace& before,
                       const std::string& stdin_name, Console& console) {
  const auto changed = fixed.texts.find(stdin_name);
  write_verbatim(changed != fixed.texts.end() ? std::string_view(changed->second)
                                              : text_before(before, stdin_name),
                 console);
  console.out.flush();
}

bool write_fixes(rules::FixResult& fixed, const Workspace& before, const rules::Find& find,
                 const std::string& stdin_name, bool quiet, Console& console) {
  bool all_written = true;
  for (auto file = fixed.texts.begin(); file != fixed.texts.end();) {
    const std::string problem =
        file->first == stdin_name
            ? std::string()
            : write_file(file->first, text_before(before, file->first), file->second);
    if (problem.empty()) {
      ++file;
      continue;
    }
    say_error(console, problem);
    all_written = false;
    fixed.made.erase(file->first);
    file = fixed.texts.erase(file);
  }
  if (!all_written) {
    auto again = std::make_unique<Workspace>();
    again->load_edited(before, fixed.texts);
    fixed.take(find(*again));
    fixed.workspace = std::move(again);
  }
  for (const std::string& failure : fixed.failures) console.err << failure << '\n';
  if (!quiet && !fixed.texts.empty()) print_fix_count(fixed, "fixed", console);
  return all_written;
}

std::string describe_fixes(const std::vector<Diagnostic>& findings) {
  std::size_t safe = 0;
  std::size_t unsafe = 0;
  for (const Diagnostic& finding : findings) {
    if (!rules::is_wanted(finding, Safety::unsafe)) continue;
    ++(finding.fix->safety == Safety::safe ? safe : unsafe);
  }
  if (safe + unsafe == 0) return {};
  if (unsafe == 0) return fmt::format("{} fixable with --fix", safe);
  if (safe == 0) return fmt::format("{} fixable with --fix --unsafe-fixes", unsafe);
  return fmt::format("{} fixable with --fix, {} more with --unsafe-fixes", safe, unsafe);
}

}  // namespace cnsched::cli
