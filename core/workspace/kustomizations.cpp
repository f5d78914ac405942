// Paths are compared as text, and links on the way from a kustomization to its patch not followed:
// kustomize itself rejects by default what a link reaches outside the kustomization's directory.
#include "core/workspace/kustomizations.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "core/base/text.h"
#include "core/packages/kustomization.h"
#include "core/source/git_index.h"
#include "core/source/path.h"
#include "core/source/read_file.h"

namespace cnsched {

namespace fs = std::filesystem;

namespace {

/// "manager_auth_proxy_patch.yaml", "patch-gpu.yaml".
bool is_named_as_patch(std::string_view file) {
  const std::string_view name = file_name_of(file);
  const std::size_t at = name.find("patch");
  if (at == std::string_view::npos) return false;
  const auto separates = [](char c) { return c == '-' || c == '_' || c == '.'; };
  const std::string_view rest = name.substr(at + std::string_view("patch").size());
  return (at == 0 || separates(name[at - 1])) && (rest.starts_with("es.") || separates(rest[0]));
}

/// The directory whose kustomization would list the file if it is a patch: "base" for
/// "base/manager_patch.yaml" and for "base/patches/manager.yaml". Empty if neither the file nor its
/// directory is named as a patch.
std::string directory_of_user(const std::string& file) {
  std::string directory = directory_of(file);
  const std::string_view name = file_name_of(directory);
  if (name == "patches" || name == "patch") return directory_of(directory);
  return is_named_as_patch(file) ? directory : std::string();
}

}  // namespace

void Kustomizations::read(const SourceFile& kustomization) {
  if (!read_.insert(real(kustomization.path())).second) return;
  const std::string directory = real_directory_of(kustomization.path());
  add(kustomization, directory);
  kustomizations_[directory].name = directory_of(kustomization.path());
}

void Kustomizations::look_around(const std::string& file) {
  std::string directory = real_directory_of(file);
  while (!directory.empty() && looked_at_.insert(directory).second) {
    for (const std::string_view name : packages::kKustomizationNames) {
      read_from_disk(joined(directory, name));
    }
    directory = parent_in_repository(directory);
  }
}

void Kustomizations::look_for_users(const std::vector<std::string>& walked) {
  name_files();
  const auto users = users_by_path();
  std::set<std::string_view> bases;
  for (const auto& [file, names] : files_) {
    const auto used_by = users.find(file);
    if (used_by == users.end() || !looked_at_.contains(directory_of(file))) continue;
    bases.insert(used_by->second.begin(), used_by->second.end());
  }
  std::map<std::string, std::set<std::string_view>> unused;  // bases, by their repository
  for (const std::string_view base : bases) {
    if (!users.contains(base)) unused[repository_root(std::string(base))].insert(base);
  }
  for (const auto& [root, of_root] : unused) {
    const bool is_walked = std::ranges::any_of(
        walked, [&](const std::string& directory) { return is_at_or_below(directory, root); });
    if (root.empty() || is_walked) continue;
    if (!find_in_index(root, of_root)) find_below(root);
  }
  read_users();
}

/// False if the index does not have all of the bases.
bool Kustomizations::find_in_index(const std::string& root,
                                   const std::set<std::string_view>& bases) {
  const std::vector<std::string> tracked = tracked_files(root, packages::is_kustomization);
  const bool has_bases = std::ranges::all_of(bases, [&](std::string_view base) {
    const std::string below = path_below(root, std::string(base));
    return std::ranges::any_of(packages::kKustomizationNames, [&](std::string_view name) {
      return std::ranges::binary_search(tracked, joined(below, name));
    });
  });
  if (!has_bases) return false;
  for (const std::string& path : tracked) {
    if (!path.starts_with('.') && path.find("/.") == std::string::npos) find(joined(root, path));
  }
  indexed_.insert(root);
  return true;
}

void Kustomizations::find_below(const std::string& root) {
  constexpr std::size_t kMaxEntries = 50'000;
  std::error_code error;
  fs::recursive_directory_iterator entry(root, fs::directory_options::skip_permission_denied,
                                         error);
  for (std::size_t i = 0; i < kMaxEntries && !error && entry != fs::end(entry); ++i) {
    const std::string path = entry->path().string();
    if (file_name_of(path).starts_with('.')) entry.disable_recursion_pending();
    if (packages::is_kustomization(path)) find(path);
    entry.increment(error);
  }
}

void Kustomizations::find(const std::string& path) {
  constexpr std::size_t kMaxFound = std::size_t{16} << 20U;
  if (read_.contains(path)) return;
  Result<std::string> bytes = read_regular_file(path, kMaxFound - found_size_);
  if (!bytes) return read_from_disk(path);  // a link, or too large to keep
  read_.insert(path);
  found_size_ += bytes->size();
  found_.emplace_back(path, *std::move(bytes));
}

/// A link may lead to what the index lists.
void Kustomizations::add_found(const SourceFile& kustomization) {
  const std::string directory = directory_of(kustomization.path());
  if (problem_with_input(kustomization.path(), source_root(directory)).empty()) {
    add(kustomization, directory);
  }
}

namespace {

bool is_in_name(char c) { return is_alphanumeric(c) || c == '-' || c == '_' || c == '.'; }

}  // namespace

Kustomizations::Found::Found(const std::string& path, std::string bytes)
    : file(0, path, std::move(bytes)) {
  const std::string_view text = file.bytes();
  has_escapes_ = text.find('\\') != std::string_view::npos;
  for (auto at = text.begin(); at != text.end();) {
    const auto begin = std::find_if(at, text.end(), is_in_name);
    at = std::find_if_not(begin, text.end(), is_in_name);
    const std::string_view name(begin, at);
    const bool continues = text.end() - at > 1 && *at == '/' && is_in_name(at[1]);
    ends_above_ = ends_above_ || ((name == "." || name == "..") && !continues);
    names_.insert(name);
  }
}

bool Kustomizations::Found::may_use(const std::string& path) const {
  const auto is_above = [&](const std::string& at) { return is_at_or_below(at, file.path()); };
  const auto has_name_of = [&](const std::string& at) {
    const std::string_view name = file_name_of(at);
    return names_.contains(name) || !std::ranges::all_of(name, is_in_name);
  };
  if (has_escapes_ || (ends_above_ && is_above(path))) return true;
  std::string at = path;
  while (has_name_of(at)) {
    at = directory_of(at);
    if (is_above(at)) return true;
  }
  return false;
}

/// What linted kustomizations use, and the kustomizations that they use.
std::set<std::string> Kustomizations::directories_used_by_linted() const {
  std::set<std::string> reached;
  std::vector<std::string> waiting;
  for (const auto& [directory, kustomization] : kustomizations_) {
    if (!kustomization.name.empty()) waiting.push_back(directory);
  }
  while (!waiting.empty()) {
    const auto next = kustomizations_.find(waiting.back());
    waiting.pop_back();
    if (next == kustomizations_.end()) continue;
    for (const std::string& resource : next->second.resources) {
      if (reached.insert(resource).second) waiting.push_back(resource);
    }
  }
  return reached;
}

/// The files, and what uses them as far as is known.
std::set<std::string> Kustomizations::used_files(const UsersByPath& users) const {
  std::set<std::string> used;
  for (const auto& [path, names] : files_) used.insert(path);
  for (const std::string& name : facts_) {
    const auto known = real_directories_.find(directory_of(name));
    if (known != real_directories_.end()) used.insert(joined(known->second, file_name_of(name)));
  }
  std::vector<std::string> waiting(used.begin(), used.end());
  while (!waiting.empty()) {
    const auto by = users.find(waiting.back());
    waiting.pop_back();
    if (by == users.end()) continue;
    for (const std::string_view user : by->second) {
      if (used.emplace(user).second) waiting.emplace_back(user);
    }
  }
  return used;
}

/// Reads what `result` needs of those that were found: those that use the files, that a linted one
/// uses, or that may generate something of a file.
void Kustomizations::read_users() {
  constexpr std::size_t kMaxSearched = 32;  // for more, reading all is cheaper
  for (bool is_new = !found_.empty(); is_new;) {
    is_new = false;
    const UsersByPath users = users_by_path();
    const std::set<std::string> used = used_files(users);
    const std::set<std::string> directories = directories_used_by_linted();
    const bool may_be_generated =
        std::ranges::any_of(files_, [&](const auto& file) { return !users.contains(file.first); });
    std::erase_if(found_, [&](const Found& each) {
      const bool generates = each.file.bytes().find("Generator") != std::string_view::npos;
      const bool is_read =
          used.size() > kMaxSearched || directories.contains(directory_of(each.file.path())) ||
          (may_be_generated && generates) ||
          std::ranges::any_of(used, [&](const std::string& path) { return each.may_use(path); });
      if (is_read) add_found(each.file);
      is_new = is_new || is_read;
      return is_read;
    });
  }
}

std::string Kustomizations::real_directory_of(const std::string& file) {
  const auto [known, is_new] = real_directories_.try_emplace(directory_of(file));
  if (is_new) known->second = directory_of(real_path(file));
  return known->second;
}

std::string Kustomizations::real(const std::string& file) {
  return joined(real_directory_of(file), file_name_of(file));
}

void Kustomizations::read_from_disk(const std::string& path) {
  std::error_code error;
  if (!fs::exists(path, error) || !read_.insert(path).second) return;
  Result<std::string> bytes = read_input(path, source_root(directory_of(path)));
  if (bytes) add(SourceFile(0, path, *std::move(bytes)), directory_of(path));
}

void Kustomizations::add(const SourceFile& kustomization, const std::string& directory) {
  Used& used = kustomizations_[directory];
  const auto path_of = [&](const std::string& name) {
    std::string path = (fs::path(directory) / name).lexically_normal().string();
    if (path.size() > 1 && path.ends_with('/')) path.pop_back();
    return path;
  };
  packages::Kustomization read = packages::read_kustomization(kustomization);
  for (const packages::KustomizeEntry& entry : read.patches)
    used.patches.insert(path_of(entry.name));
  for (const packages::KustomizeEntry& entry : read.resources)
    used.resources.insert(path_of(entry.name));
  used.adds_selectors = used.adds_selectors || read.adds_selectors;
  if (used.ns.empty()) used.ns = read.ns;
  for (packages::KustomizeChange& change : read.changes) {
    if (!change.file.empty()) change.file = path_of(change.file);
  }
  for (const packages::KustomizeEntry& entry : read.others) {
    if (entry.field.ends_with("MapGenerator") || entry.field == "secretGenerator") {
      generator_inputs_.insert(path_of(entry.name));
    }
  }
  used.read.push_back(std::move(read));
}

void Kustomizations::add_generator_inputs(const std::set<std::string>& paths) {
  for (const std::string& path : paths) {
    generator_inputs_.insert(path.ends_with('/') ? path.substr(0, path.size() - 1) : path);
  }
}

void Kustomizations::name_files() {
  for (const auto& file : std::exchange(named_, {})) {
    const std::string path = real(file->path());
    files_[path].push_back(file->path());
    sources_[path] = file;
  }
}

KustomizeResult Kustomizations::result() {
  if (kustomizations_.empty() && generator_inputs_.empty()) return {};
  name_files();
  const UsersByPath by_path = users_by_path();
  KustomizeResult result{patches(), with_added_selectors(), users(), namespaces(by_path),
                         unbuilt(by_path)};
  find_generator_inputs(by_path, result);
  return result;
}

const KustomizeBuild* Kustomizations::build_of(const std::string& file) {
  std::call_once(is_built_, [&] {
    std::ranges::for_each(indexed_, [&](const std::string& root) { find_below(root); });
    for (const Found& each : std::exchange(found_, {})) add_found(each.file);
    find_builds(users_by_path());
  });
  const auto found = builds_.find(file);
  return found == builds_.end() ? nullptr : found->second.get();
}

std::set<std::string> Kustomizations::patches() const {
  std::set<std::string> found;
  for (const auto& [directory, kustomization] : kustomizations_) {
    for (const std::string& patch : kustomization.patches) {
      const auto file = files_.find(patch);
      if (file != files_.end()) found.insert(file->second.begin(), file->second.end());
    }
  }
  for (const auto& [real, names] : files_) {
    const auto user = kustomizations_.find(directory_of_user(real));
    if (user != kustomizations_.end() && !user->second.resources.contains(real)) {
      found.insert(names.begin(), names.end());
    }
  }
  return found;
}

std::set<std::string> Kustomizations::with_added_selectors() const {
  std::set<std::string> reached;  // real paths of files and directories
  std::vector<std::string> waiting;
  const auto reach = [&](const Used& kustomization) {
    for (const std::string& resource : kustomization.resources) {
      if (reached.insert(resource).second) waiting.push_back(resource);
    }
  };
  for (const auto& [directory, kustomization] : kustomizations_) {
    if (kustomization.adds_selectors) reach(kustomization);
  }
  std::set<std::string> found;
  while (!waiting.empty()) {
    const std::string next = std::move(waiting.back());
    waiting.pop_back();
    const auto kustomization = kustomizations_.find(next);
    if (kustomization != kustomizations_.end()) reach(kustomization->second);
    const auto file = files_.find(next);
    if (file != files_.end()) found.insert(file->second.begin(), file->second.end());
  }
  return found;
}

KustomizeUsers Kustomizations::users() const {
  KustomizeUsers users;
  std::map<std::string_view, std::string_view> named;  // directories, by their real paths
  for (const auto& [name, real] : real_directories_) named.emplace(real, name);
  const auto name_of = [](std::string_view path) {
    std::string name = fs::path(path).lexically_normal().string();
    return name == "." ? "" : name;
  };
  for (const auto& [directory, kustomization] : kustomizations_) {
    const auto user = named.find(directory);
    if (user == named.end()) continue;  // it is not among the files that are read
    for (const std::string& resource : kustomization.resources) {
      const auto directories = named.find(resource);
      if (directories != named.end()) {
        users[name_of(directories->second)].insert(name_of(user->second));
      }
      const auto files = files_.find(resource);
      if (files == files_.end()) continue;
      for (const std::string& file : files->second) {
        users[name_of(file)].insert(name_of(user->second));
      }
    }
  }
  return users;
}

Kustomizations::UsersByPath Kustomizations::users_by_path() const {
  UsersByPath users;
  for (const auto& [directory, kustomization] : kustomizations_) {
    for (const auto* used : {&kustomization.resources, &kustomization.patches}) {
      for (const std::string& path : *used) users[path].push_back(directory);
    }
  }
  return users;
}

namespace {

/// Follows the users of a file up to the kustomizations that nothing uses. The namespace of an
/// outer one replaces that of an inner one.
template <typename Users, typename NamespaceOf>
BuiltNamespaces built_namespaces(std::string_view file, const Users& users,
                                 NamespaceOf namespace_of) {
  constexpr std::size_t kMaxSteps = 1000;
  using Step = std::pair<std::string_view, std::string_view>;  // a path, and the namespace so far
  BuiltNamespaces found;
  std::vector<Step> open = {{file, {}}};
  std::set<Step> seen;
  while (!open.empty() && seen.size() < kMaxSteps) {
    const Step step = open.back();
    open.pop_back();
    if (!seen.insert(step).second) continue;
    const auto& [path, ns] = step;
    const auto by = users.find(path);
    if (by == users.end()) {
      if (path == file) continue;
      ns.empty() ? found.roots.emplace(path) : found.names.emplace(ns);
      continue;
    }
    for (const std::string_view user : by->second) {
      const std::string_view own = namespace_of(user);
      open.emplace_back(user, own.empty() ? ns : own);
    }
  }
  return found;
}

}  // namespace

std::map<std::string, BuiltNamespaces> Kustomizations::namespaces(const UsersByPath& users) {
  const auto namespace_of = [&](std::string_view directory) -> std::string_view {
    return kustomizations_.find(std::string(directory))->second.ns;
  };
  std::map<std::string, BuiltNamespaces> found;
  const auto add = [&](const std::string& path, const std::string& name) {
    BuiltNamespaces of_file = built_namespaces(path, users, namespace_of);
    if (!of_file.names.empty() || !of_file.roots.empty()) found[name] = std::move(of_file);
  };
  for (const auto& [path, names] : files_) {
    for (const std::string& name : names) add(path, name);
  }
  for (const std::string& name : facts_) add(real(name), name);
  return found;
}

std::vector<std::string> Kustomizations::unbuilt(const UsersByPath& users) const {
  std::vector<std::string_view> waiting;
  std::error_code error;
  for (const auto& [used, directories] : users) {
    const bool outside =
        !kustomizations_.contains(std::string(used)) && fs::is_directory(used, error);
    if (outside || files_.contains(std::string(used))) waiting.push_back(used);
  }
  std::set<std::string_view> reached;
  while (!waiting.empty()) {
    const auto next = users.find(waiting.back());
    waiting.pop_back();
    if (next == users.end()) continue;
    for (const std::string_view directory : next->second) {
      if (reached.insert(directory).second) waiting.push_back(directory);
    }
  }
  std::vector<std::string> names;
  for (const std::string_view directory : reached) {
    const std::string& name = kustomizations_.at(std::string(directory)).name;
    if (!name.empty()) names.push_back(name);
  }
  return names;
}

void Kustomizations::find_generator_inputs(const UsersByPath& users,
                                           KustomizeResult& result) const {
  if (generator_inputs_.empty()) return;
  for (const auto& [real, names] : files_) {
    if (users.contains(real)) continue;
    std::string above = real;
    while (above.size() > 1 && !generator_inputs_.contains(above)) above = directory_of(above);
    if (above.size() > 1) result.generator_inputs.insert(names.begin(), names.end());
  }
}

void Kustomizations::find_builds(const UsersByPath& users) {
  std::set<std::string_view> reached;
  for (const auto& [first, _] : kustomizations_) {
    if (!reached.insert(first).second) continue;
    const auto build = std::make_shared<KustomizeBuild>();
    std::vector<std::string_view> waiting = {first};
    const auto reach = [&](std::string_view path) {
      if (reached.insert(path).second) waiting.push_back(path);
    };
    while (!waiting.empty()) {
      const std::string next(waiting.back());
      waiting.pop_back();
      if (const auto used_by = users.find(next); used_by != users.end()) {
        std::ranges::for_each(used_by->second, reach);
      }
      if (const auto found = kustomizations_.find(next); found != kustomizations_.end()) {
        std::ranges::for_each(found->second.resources, reach);
        std::ranges::for_each(found->second.patches, reach);
        for (const packages::Kustomization& read : found->second.read) build->add(read);
      }
      if (const auto file = files_.find(next); file != files_.end()) {
        for (const std::string& name : file->second) builds_.emplace(name, build);
      }
    }
    for (const packages::KustomizeChange& change : build->changes()) {
      const auto source = sources_.find(change.file);
      if (source != sources_.end()) build->add_text(change.file, source->second->bytes());
    }
  }
}

}  // namespace cnsched
