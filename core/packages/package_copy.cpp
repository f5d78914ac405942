#include "core/packages/package_copy.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <map>
#include <set>

#include "core/base/text.h"
#include "core/packages/dependencies.h"
#include "core/packages/kustomization.h"
#include "core/source/path.h"
#include "core/source/read_file.h"
#include "core/source/save.h"

namespace cnsched::packages {

namespace fs = std::filesystem;

namespace {

/// Of one package. Larger ones are no packages that a person wrote.
constexpr std::size_t kMaxCopied = std::size_t{128} << 20U;
constexpr std::size_t kMaxEntries = 20'000;
constexpr std::size_t kMaxDepth = 50;
/// Of the directory of a kustomization; of a larger one the files that it names are copied.
constexpr std::size_t kMaxOverlayEntries = 2'000;

/// Copies files of one repository.
class Copying {
 public:
  Copying(std::string root, const std::map<std::string, std::string>& replaced)
      : root_(std::move(root)), replaced_(replaced) {}

  /// The first thing that must not be copied, unless `leaves_out` is set.
  const std::optional<Unreadable>& problem() const { return problem_; }

  /// The directory with all below. `shown` is its name for a user.
  void tree(const std::string& shown, const std::string& to, bool leaves_out,
            std::size_t depth = 0) {
    if (depth > kMaxDepth) return fail(shown, "is nested too deeply");
    std::error_code error;
    fs::create_directories(to, error);
    std::vector<std::string> names;
    for (fs::directory_iterator it(shown, error), end; !error && it != end; it.increment(error)) {
      if (++entries_ > kMaxEntries) {
        return fail(shown, fmt::format("has more than {} files", kMaxEntries));
      }
      names.push_back(it->path().filename().string());
    }
    std::ranges::sort(names);
    for (const std::string& name : names) {
      if (problem_) return;
      entry(joined(shown, name), joined(to, name), leaves_out, depth);
    }
  }

  /// A file, or a link to one.
  void entry(const std::string& shown, const std::string& to, bool leaves_out,
             std::size_t depth = 0) {
    std::error_code error;
    if (lower(file_name_of(shown)) == ".git") return;
    const bool is_link = fs::is_symlink(shown, error);
    if (is_link && !may_be_read(shown)) {
      if (!leaves_out) fail(shown, "the link leads out of the repository");
      return;
    }
    const fs::file_status status = fs::status(shown, error);
    if (fs::is_directory(status)) return tree(shown, to, leaves_out, depth + 1);
    if (fs::is_regular_file(status)) file(shown, to);
  }

  /// A file that the user named, wherever it is.
  void file(const std::string& shown, const std::string& to) {
    const auto replaced = replaced_.find(shown);
    if (replaced != replaced_.end()) return write(to, replaced->second);
    // What is larger is no source of manifests; Helm would read it all the same.
    const Result<std::string> bytes = read_file(shown, kFileSizeLimit);
    if (!bytes) return;
    bytes_ += bytes->size();
    if (bytes_ > kMaxCopied) {
      return fail(shown, fmt::format("the package has more than {}", text_of_size(kMaxCopied)));
    }
    write(to, *bytes);
  }

  bool may_be_read(const std::string& shown) const {
    return problem_with_input(shown, root_).empty();
  }

 private:
  void fail(const std::string& path, std::string_view reason) {
    if (!problem_) problem_ = {path, fmt::format("{}: the package is not rendered", reason)};
  }

  void write(const std::string& to, std::string_view bytes) {
    std::error_code error;
    fs::create_directories(directory_of(to), error);
    // A kustomization names a file, and its directory has it too.
    if (write_new(to, bytes, bytes.size()) || errno == EEXIST) return;
    fail(to, "the copy for the engine cannot be written");
  }

  std::string root_;
  const std::map<std::string, std::string>& replaced_;
  std::size_t entries_ = 0;
  std::size_t bytes_ = 0;
  std::optional<Unreadable> problem_{};
};

std::size_t entries_below(const std::string& directory, std::size_t most) {
  std::error_code error;
  std::size_t count = 0;
  fs::recursive_directory_iterator it(directory, error);
  for (const fs::recursive_directory_iterator end; !error && it != end && count <= most;
       it.increment(error)) {
    if (it->path().filename() == ".git") it.disable_recursion_pending();
    ++count;
  }
  return count;
}

/// The chart, and charts that it names with `file://`.
void copy_chart(Copying& copying, const std::string& chart, const std::string& to,
                std::size_t depth = 0) {
  constexpr std::size_t kMaxCharts = 10;  // that depend on each other
  copying.tree(chart, to, false);
  if (depth == kMaxCharts) return;
  for (const LocalDependency& each : local_dependencies(chart)) {
    const std::string place = joined(to, "charts/" + each.name);
    std::error_code error;
    const bool may_be_read = copying.may_be_read(each.directory);
    if (!may_be_read || fs::exists(place, error)) continue;
    copy_chart(copying, each.directory, place, depth + 1);
  }
}

/// Where the file or directory of the overlay is in a copy of the repository: as the overlay names
/// it, not where a link leads. Empty if that is outside.
std::string place_in(const std::string& root, const Package& overlay, const std::string& shown) {
  const fs::path anchor = resolved_path(overlay.path);
  const fs::path below = fs::path(shown).lexically_proximate(overlay.path);
  const std::string named = (anchor / below).lexically_normal().string();
  return path_below(root, named);
}

void copy_overlay(Copying& copying, const std::string& root, const Package& overlay,
                  const std::string& to) {
  for (const std::string& file : overlay.files) {
    const std::string place = place_in(root, overlay, file);
    if (place.empty() || !copying.may_be_read(file)) continue;
    copying.entry(file, joined(to, place), true);
    if (!is_kustomization(file)) continue;
    const std::string directory = directory_of(file);
    if (entries_below(directory, kMaxOverlayEntries) > kMaxOverlayEntries) continue;
    copying.tree(directory, joined(to, directory_of(place)), true);
  }
  for (const std::string& chart : overlay.charts) {
    const std::string place = place_in(root, overlay, chart);
    if (!place.empty()) copy_chart(copying, chart, joined(to, place));
  }
}

}  // namespace

std::string PackageCopy::with_names(std::string message) const {
  for (const auto& [copied, name] : names) {
    for (std::size_t at = message.find(copied); at != std::string::npos;
         at = message.find(copied, at + name.size())) {
      message.replace(at, copied.size(), name);
    }
  }
  return message;
}

std::optional<Unreadable> copy_package(const Package& package,
                                       const std::vector<std::string>& values,
                                       const std::string& directory, PackageCopy& copy) {
  const std::string files = joined(directory, "files");
  std::error_code error;
  fs::create_directories(joined(directory, "tmp"), error);
  fs::create_directories(files, error);
  if (error) return Unreadable{package.path, "not rendered: " + lower(error.message())};
  copy.directory = files;
  const bool is_directory = fs::is_directory(package.path, error);
  const std::string real = resolved_path(package.path);
  const std::string root = source_root(is_directory ? real : directory_of(real));
  Copying copying(root, package.replaced);
  if (package.kind == Package::Kind::overlay) {
    copy_overlay(copying, root, package, files);
    const std::string below = path_below(root, real);
    if (!below.empty()) {
      copy.directory = joined(files, below);
      copy.names.emplace_back(copy.directory, package.path);
    }
    copy.names.emplace_back(files + "/", "");
    copy.names.emplace_back(files, package.path);
  } else if (is_directory) {
    copy_chart(copying, package.path, files);
    copy.path = files;
    copy.names.emplace_back(files, package.path);
  } else {
    copy.path = joined(directory, "chart.tgz");
    copying.file(package.path, copy.path);
    copy.names.emplace_back(copy.path, package.path);
  }
  for (const std::string& file : values) {
    // Helm splits names at commas.
    copy.values.push_back(joined(directory, fmt::format("values-{}.yaml", copy.values.size())));
    copying.file(file, copy.values.back());
    copy.names.emplace_back(copy.values.back(), file);
  }
  return copying.problem();
}

}  // namespace cnsched::packages
