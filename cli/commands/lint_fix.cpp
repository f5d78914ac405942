#include "cli/commands/lint_fix.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "cli/commands/input.h"
#include "cli/output/verbatim.h"
#include "core/base/diff.h"
#include "core/base/text.h"
#include "core/source/real_path.h"
#include "core/source/save.h"

namespace cnsched::cli {

namespace {

/// What `before` has read of a file that changes.
std::string_view text_before(const Workspace& before, const std::string& path) {
  const auto file = std::ranges::find_if(
      before.sources, [&](const auto& source) { return source->path() == path; });
  return (*file)->bytes();
}

/// The name as patches have it: below a/ and b/, which `git apply` and `patch -p1` take away; seen
/// from the working directory, or from the root.
std::string name_in_patch(std::string_view side, const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::path name = fs::path(path).lexically_normal();
  const std::string here = path_below(fs::current_path(error).string(), name.string());
  return fmt::format("{}/{}", side, here.empty() ? name.relative_path().string() : here);
}

/// Why the file is not written; empty if it is, or was so already.
std::string write_file(const std::string& path, std::string_view before, const std::string& after) {
  const auto saved = save(path, after, {.overwrite = true, .instead_of = before});
  return saved ? std::string() : saved.error().message;
}

std::size_t total(const std::map<std::string, std::size_t>& made) {
  std::size_t sum = 0;
  for (const auto& [path, count] : made) sum += count;
  return sum;
}

void say_made(const rules::Fixed& fixed, std::string_view verb, Console& console) {
  console.err << fmt::format("{} {} in {}\n", verb, count_of(total(fixed.made), "finding"),
                             count_of(fixed.texts.size(), "file"));
}

}  // namespace

void declare_fixes(CLI::App& command, FixOptions& options) {
  const char* group = "Fixes";
  command.add_flag("--fix", options.fix, "mend in the files what can be mended safely")
      ->group(group);
  command
      .add_flag("--unsafe-fixes", options.unsafe_fixes,
                "with --fix or --diff: also what the author may not have meant; read the changes")
      ->group(group);
  command
      .add_flag("--diff", options.diff,
                "write nothing; show what --fix would change, and exit with 1 if anything")
      ->group(group);
}

std::string problem_with(const FixOptions& options, bool reads_stdin) {
  if (options.fix && options.diff)
    return "--fix writes files and --diff does not: give one of them";
  if (options.unsafe_fixes && !options.any()) {
    return "--unsafe-fixes says which fixes are made: give --fix or --diff as well";
  }
  if (options.fix && reads_stdin) {
    return "standard input ('-') is no file that --fix could change: use --diff";
  }
  return {};
}

bool show_diff(const rules::Fixed& fixed, const Workspace& before, bool quiet, Console& console) {
  for (const auto& [path, after] : fixed.texts) {
    write_verbatim(unified_diff(text_before(before, path), after, name_in_patch("a", path),
                                name_in_patch("b", path)),
                   console);
  }
  for (const std::string& failure : fixed.failures) console.err << failure << '\n';
  if (!quiet && !fixed.texts.empty()) say_made(fixed, "would fix", console);
  return !fixed.texts.empty();
}

bool write_fixes(rules::Fixed& fixed, const Workspace& before, const rules::Find& find, bool quiet,
                 Console& console) {
  bool all_written = true;
  for (auto file = fixed.texts.begin(); file != fixed.texts.end();) {
    const std::string problem =
        write_file(file->first, text_before(before, file->first), file->second);
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
    again->load_again(before, fixed.texts);
    fixed.take(find(*again));
    fixed.workspace = std::move(again);
  }
  for (const std::string& failure : fixed.failures) console.err << failure << '\n';
  if (!quiet && !fixed.texts.empty()) say_made(fixed, "fixed", console);
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
  if (unsafe == 0) return fmt::format("--fix can mend {}", safe);
  if (safe == 0) return fmt::format("--fix --unsafe-fixes can mend {}", unsafe);
  return fmt::format("--fix can mend {}, --unsafe-fixes {} more", safe, unsafe);
}

}  // namespace cnsched::cli
