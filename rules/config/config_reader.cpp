#include "rules/config/config_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "core/base/portability.h"
#include "core/base/suggest.h"
#include "core/base/text.h"
#include "core/source/path.h"
#include "core/source/read_file.h"
#include "core/yaml/parse.h"
#include "core/yaml/split.h"
#include "core/yaml/tree.h"
#include "rules/policy/policy_reader.h"
#include "rules/registry.h"

namespace cnsched::rules {

namespace fs = std::filesystem;

namespace {

using yaml::Node;

/// Far above the size of a handwritten configuration.
constexpr std::size_t kSizeLimit = std::size_t{1} << 20U;
/// The maximum depth of extended files, and of files that one file extends.
constexpr std::size_t kMaxExtended = 16;

/// Relative to the working directory, if it is below that.
std::string shown_path(const std::string& path) {
  std::error_code error;
  const std::string below = path_below(fs::current_path(error).string(), path);
  return below.empty() ? path : below;
}

/// Merges two files: `own` takes precedence, key by key. Null values do not override.
const Node& merged(Arena& arena, const Node& base, const Node& own) {
  if (!own || own.is_null()) return base;
  if (!base.is_mapping() || !own.is_mapping()) return own;
  std::vector<yaml::Entry> entries = yaml::entries_of(base);
  for (const yaml::Entry& entry : yaml::entries_of(own)) {
    const auto same = std::ranges::find(entries, entry.key->text(),
                                        [](const yaml::Entry& e) { return e.key->text(); });
    if (same == entries.end()) {
      entries.push_back(entry);
    } else {
      same->value = &merged(arena, *same->value, *entry.value);
    }
  }
  return yaml::mapping_like(arena, own, entries);
}

using Policies = std::vector<std::shared_ptr<const Policy>>;

/// The items of the lists in order, without those that a later one replaces by its id.
const Node& joined(Arena& arena, const std::vector<const Node*>& lists) {
  std::vector<const Node*> items;
  const Node* last = &yaml::missing_node();
  for (const Node* list : lists) {
    if (list->is_sequence()) last = list;
    for (const Node* item : list->items()) {
      const std::string_view id = (*item)["id"].text();
      std::erase_if(items,
                    [&](const Node* each) { return !id.empty() && (*each)["id"].text() == id; });
      items.push_back(item);
    }
  }
  return items.empty() ? *last : yaml::sequence_like(arena, *last, items);
}

/// Adds a policy. Of two with the same id, the later one counts.
void replace_or_add(const std::shared_ptr<const Policy>& policy, Policies& policies) {
  const auto same =
      std::ranges::find(policies, policy->id, [](const auto& each) { return each->id; });
  if (same == policies.end()) {
    policies.push_back(policy);
  } else {
    *same = policy;
  }
}

/// Reports keys of `rules:` that are neither rules nor policies of the configuration.
void check_rule_words(const Node& section, const Policies& policies, yaml::StrictReader& reader) {
  std::vector<std::string_view> words = rule_words();
  words.push_back(kPolicyGroup);
  for (const auto& policy : policies) words.push_back(policy->id);
  for (const yaml::Entry& entry : section.entries()) {
    const std::string_view word = entry.key->text();
    if (reader.is_full() || is_one_of(word, words)) continue;
    // The shape has reported other mistakes.
    if (!is_policy_id(word)) continue;
    reader.error(*entry.key,
                 "'{}' is not a valid rule or group of rules ('cnsched rules' lists them){}", word,
                 did_you_mean(word, words));
  }
}

/// What a file names is relative to its directory.
std::string path_of(const Node& item, const SourceFile& file) {
  return (fs::path(directory_of(file.path())) / item.text()).lexically_normal().string();
}

/// Reports a path that the item names and that must not be read. Returns whether it may.
bool check_path(const Node& item, const std::string& path, const std::optional<std::string>& root,
                yaml::StrictReader& reader) {
  const std::string problem = problem_with_input(path, root);
  if (!problem.empty()) reader.error(item, "'{}' is {}", item.text(), problem);
  return problem.empty();
}

/// Reads the sections of a configuration with a valid shape.
class SectionReader {
 public:
  SectionReader(const Sources& sources, Config& config) : sources_(sources), config_(config) {}

  void read() {
    const Node& root = *config_.root;
    config_.cluster = facts::read_cluster_config(root["cluster"]);
    config_.cluster_files = paths(root["cluster"]["files"]);
    for (const Node* item : root["clusters"].items()) {
      config_.clusters.push_back(
          {std::string((*item)["name"].text()), file_patterns((*item)["files"])});
    }
    config_.template_dirs = paths(root["generate"]["templateDirs"]);
    read_prices(root["prices"]);
    config_.render = read_render(root["render"], directory_of(config_.files.front()));
    for (const Node* item : root["exclude"].items()) {
      config_.exclude.push_back({.directory = real_directory_of(*item), .where = item});
      config_.exclude.back().pattern.add(item->text());
    }
    config_.rules.push_back({.levels = levels(root["rules"])});
    for (const Node* item : root["overrides"].items()) config_.rules.push_back(layer(*item));
  }

 private:
  void read_prices(const Node& section) {
    for (const yaml::Entry& resource : yaml::entries_of(section)) {
      auto& prices = config_.prices[std::string(resource.key->text())];
      for (const yaml::Entry& product : yaml::entries_of(*resource.value)) {
        const auto price = parse_double(std::string(product.value->text()));
        if (price) prices[std::string(product.key->text())] = *price;
      }
    }
  }

  std::string real_directory_of(const Node& node) const {
    return directory_of(real_path(sources_[node.span.file]->path()));
  }

  std::vector<std::string> paths(const Node& list) const {
    std::vector<std::string> paths;
    for (const Node* item : list.items()) {
      paths.push_back(path_of(*item, *sources_[item->span.file]));
    }
    return paths;
  }

  static Levels levels(const Node& section) {
    Levels levels;
    for (const yaml::Entry& entry : yaml::entries_of(section)) {
      const Node& value = entry.value->is_mapping() ? (*entry.value)["severity"] : *entry.value;
      if (!value.is_scalar()) continue;
      // YAML 1.1 reads the unquoted `off` as false.
      const auto level = value.is_string() ? level_named(value.text()) : Level::off;
      levels.set(entry.key->text(), {level.value_or(Level::off), &value});
    }
    return levels;
  }

  /// Patterns are relative to the file that has them.
  FilePatterns file_patterns(const Node& list) const {
    FilePatterns files{.directory = real_directory_of(list)};
    for (const Node* pattern : list.items()) files.patterns.add(pattern->text());
    return files;
  }

  RuleLayer layer(const Node& override) const {
    RuleLayer layer{.levels = levels(override["rules"])};
    if (!override["files"].is_empty()) layer.files = file_patterns(override["files"]);
    const auto pattern = [](const Node& text) {
      return text.is_scalar() ? std::optional(Glob(text.text())) : std::nullopt;
    };
    for (const Node* object : override["objects"].items()) {
      layer.objects.push_back({.kind = pattern((*object)["kind"]),
                               .name = pattern((*object)["name"]),
                               .ns = pattern((*object)["namespace"])});
    }
    return layer;
  }

  const Sources& sources_;
  Config& config_;
};

}  // namespace

void ConfigReader::fail(const std::string& path, const std::string& message) {
  errors_.push_back({fmt::format("{}: {}", printable(path), printable(message))});
}

const Config* ConfigReader::read_named(const std::string& path) {
  Result<std::string> bytes = read_input(path, std::nullopt, kSizeLimit);
  if (bytes) return read_bytes(path, *std::move(bytes), true, std::nullopt).get();
  fail(path, bytes.error().message);
  return nullptr;
}

const Config* ConfigReader::read(const std::string& path) {
  return read_once(path, source_root(directory_of(real_path(path)))).get();
}

ConfigReader::Pointer ConfigReader::read_once(const std::string& path, const Root& root) {
  const std::pair key(resolved_path(path), root);
  const auto [known, is_new] = by_path_.try_emplace(key);
  if (!is_new) return known->second;
  const std::string name = shown_path(path);
  // Reading a pipe or a terminal could block.
  std::error_code error;
  if (fs::exists(path, error) && !fs::is_regular_file(path, error)) {
    fail(name, "is not a regular file");
    return nullptr;
  }
  Result<std::string> bytes = read_input(path, root, kSizeLimit);
  if (!bytes) {
    fail(name, bytes.error().message);
    return nullptr;
  }
  Pointer config = read_bytes(name, *std::move(bytes), false, root);
  by_path_[key] = config;
  return config;
}

ConfigReader::Pointer ConfigReader::read_bytes(const std::string& path, std::string bytes,
                                               bool named, const Root& root) {
  sources_.push_back(
      std::make_unique<SourceFile>(static_cast<FileId>(sources_.size()), path, std::move(bytes)));
  const SourceFile& file = *sources_.back();
  const std::size_t errors_before = errors_.size();
  auto config = std::make_shared<Config>();
  config->files = {path};
  std::vector<Error> errors;
  yaml::StrictReader reader(file, errors);
  const std::vector<Span> documents = yaml::split(file);
  if (documents.size() > 1)
    reader.add_error(documents[1], "a configuration must be a single document");
  if (!documents.empty()) config->document = yaml::parse(file, documents.front());
  for (const yaml::Problem& problem : config->document.problems) {
    reader.add_error(problem.where, problem.message);
  }
  const Node& own = *config->document.root;
  check_shape(own, "the configuration", config_shape(), reader);
  check_render(own["render"], named, reader);
  for (const Node* list : {&own["cluster"]["files"], &own["generate"]["templateDirs"]}) {
    for (const Node* item : list->items()) {
      if (item->is_string()) check_path(*item, path_of(*item, file), root, reader);
    }
  }
  config->extended = read_extended(own["extends"], path, root, reader);
  const bool complete =
      std::ranges::all_of(config->extended, [](const Pointer& base) { return base != nullptr; });
  for (const Pointer& base : config->extended) {
    if (base == nullptr) continue;
    for (const auto& policy : base->policies) replace_or_add(policy, config->policies);
  }
  for (const auto& policy : read_policies_of(own, file, root, reader)) {
    replace_or_add(policy, config->policies);
  }
  if (complete) {
    check_rule_words(own["rules"], config->policies, reader);
    for (const Node* item : own["overrides"].items()) {
      check_rule_words((*item)["rules"], config->policies, reader);
      for (const Node* object : (*item)["objects"].items()) check_kinds((*object)["kind"], reader);
    }
  }
  errors_.insert(errors_.end(), errors.begin(), errors.end());
  if (!errors.empty() || !complete || errors_.size() > errors_before) return nullptr;

  for (const Pointer& base : config->extended) {
    config->root = &merged(config->arena, *config->root, *base->root);
  }
  config->root = &merged(config->arena, *config->root, own);
  // Policies of extended files stay in force.
  for (const std::string_view key : {"policies", "policyFiles"}) {
    if (config->extended.empty() || !(*config->root).under(key)) continue;
    std::vector<const Node*> lists;
    for (const Pointer& base : config->extended) lists.push_back(&(*base->root).under(key));
    lists.push_back(&own.under(key));
    config->root = &yaml::with(config->arena, *config->root, key, joined(config->arena, lists));
  }
  for (auto base = config->extended.rbegin(); base != config->extended.rend(); ++base) {
    for (const std::string& name : (*base)->files) {
      const bool known = is_one_of(name, config->files);
      if (!known) config->files.push_back(name);
    }
  }
  SectionReader(sources_, *config).read();
  configs_.push_back(config);
  return config;
}

std::vector<ConfigReader::Pointer> ConfigReader::read_extended(const Node& extends,
                                                               const std::string& path,
                                                               const Root& root,
                                                               yaml::StrictReader& reader) {
  std::error_code error;
  being_read_.push_back(fs::weakly_canonical(path, error).string());
  std::vector<Pointer> configs;
  if (extends.is_string()) configs.push_back(extended_by(extends, path, root, reader));
  if (extends.items().size() > kMaxExtended) {
    reader.error(extends, "'extends' has more than {} items", kMaxExtended);
  } else {
    for (const Node* item : extends.items()) {
      if (item->is_string()) configs.push_back(extended_by(*item, path, root, reader));
    }
  }
  being_read_.pop_back();
  return configs;
}

const Policies& ConfigReader::policies_in(const std::string& path) {
  const auto [known, is_new] = policies_.try_emplace(real_path(path));
  if (!is_new) return known->second;
  const std::string name = shown_path(path);
  Result<std::string> bytes = read_file(path, kSizeLimit);
  if (!bytes) {
    fail(name, bytes.error().message);
    return known->second;
  }
  sources_.push_back(
      std::make_unique<SourceFile>(static_cast<FileId>(sources_.size()), name, *std::move(bytes)));
  known->second = read_policies(*sources_.back(), errors_);
  return known->second;
}

void ConfigReader::add_policies_at(const Node& item, const SourceFile& file, const Root& root,
                                   yaml::StrictReader& reader, Policies& policies) {
  const std::string path = path_of(item, file);
  if (!check_path(item, path, root, reader)) return;
  const auto files = policy_files(path);
  if (!files) return reader.error(item, "'{}' {}", path, files.error().message);
  std::size_t found = 0;
  for (const std::string& each : *files) {
    for (const auto& policy : policies_in(each)) {
      policies.push_back(policy);
      ++found;
    }
  }
  if (found > 0 || !errors_.empty()) return;
  reader.error(item,
               "'{}' has no policy: a policy is a document with 'apiVersion: {}' and 'kind: {}'",
               path, kPolicyApiVersion, kPolicyKind);
}

Policies ConfigReader::read_policies_of(const Node& own, const SourceFile& file, const Root& root,
                                        yaml::StrictReader& reader) {
  Policies policies;
  for (const Node* item : own["policies"].items()) {
    if (reader.is_full() || policies.size() > kMaxPolicies) break;
    if (item->is_mapping()) policies.push_back(read_policy(*item, file, reader));
  }
  for (const Node* item : own["policyFiles"].items()) {
    if (item->is_string()) add_policies_at(*item, file, root, reader, policies);
  }
  if (policies.size() > kMaxPolicies) {
    reader.error(own["policies"] ? own["policies"] : own["policyFiles"], "more than {} policies",
                 kMaxPolicies);
  }
  std::map<std::string_view, const Policy*> by_id;
  for (const auto& policy : policies) {
    const auto [first, is_new] = by_id.try_emplace(policy->id, policy.get());
    if (is_new || first->second == policy.get() || policy->id.empty()) continue;
    errors_.push_back({fmt::format("{}: policy '{}' is already defined at {}", policy->place,
                                   policy->id, first->second->place)});
  }
  return policies;
}

ConfigReader::Pointer ConfigReader::extended_by(const Node& name, const std::string& path,
                                                const Root& root, yaml::StrictReader& reader) {
  std::error_code error;
  const std::string wanted = (fs::path(directory_of(path)) / name.text()).string();
  const std::string real = fs::weakly_canonical(wanted, error).string();
  if (!check_path(name, wanted, root, reader)) return nullptr;
  if (is_one_of(real, being_read_)) {
    reader.error(name, "'{}' extends this file: the files form a cycle", name.text());
  } else if (being_read_.size() >= kMaxExtended) {
    reader.error(name, "more than {} files extend each other", kMaxExtended);
  } else if (!fs::exists(real, error)) {
    reader.error(name, "file '{}' does not exist", shown_path(real));
  } else {
    // What --config extends may be in a repository that is checked.
    const std::string repository = repository_root(directory_of(real));
    return read_once(real, root || repository.empty() ? root : repository);
  }
  return nullptr;
}

}  // namespace cnsched::rules
