#include "rules/policy/policy_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "core/base/suggest.h"
#include "core/base/text.h"
#include "core/k8s/scope.h"
#include "core/source/path.h"
#include "core/source/read_file.h"
#include "core/yaml/parse.h"
#include "core/yaml/scalar.h"
#include "core/yaml/split.h"
#include "core/yaml/write.h"
#include "rules/registry.h"

namespace cnsched::rules {

namespace fs = std::filesystem;

namespace {

using yaml::Node;

/// The manifest that a policy has as a mapping.
PolicyExample example_of_mapping(const SourceFile& file, const Node& mapping,
                                 const std::string& name) {
  PolicyExample example{.name = name, .text = yaml::to_yaml(mapping)};
  const std::size_t first = file.line_of(mapping.span.begin);
  const std::string whole(file.text({file.id(), file.line_start(first), mapping.span.end}));
  // In its first line, the key or the dash of the list precedes it.
  const std::size_t before = mapping.span.begin - file.line_start(first);
  const std::string indented = std::string(before, ' ') + whole.substr(before) + "\n";
  // Aliases lead out of it.
  const SourceFile copy(file.id(), file.path(), indented);
  const yaml::Document document = yaml::parse(copy, copy.whole());
  if (document.problems.empty() && yaml::to_yaml(*document.root) == example.text) {
    example.indented = indented;
    example.line = first;
  }
  return example;
}

/// The manifest that it has as a text.
PolicyExample example_of_text(const SourceFile& file, const Node& text, const std::string& name) {
  PolicyExample example{.name = name, .text = std::string(text.text())};
  const std::size_t first = file.line_of(text.span.begin) + 1;
  std::string indented;
  std::optional<std::size_t> indent;
  std::size_t number = first;
  for (const std::string_view content : split(trim(example.text), '\n')) {
    if (number > file.line_count()) return example;
    const std::string_view line = file.line(number++);
    if (!line.ends_with(content)) return example;
    if (!indent) indent = line.size() - content.size();
    // `---` separates documents only at the start of a line.
    const bool is_block = content.empty() || line == std::string(*indent, ' ').append(content);
    if (!is_block || content.starts_with("---")) return example;
    indented.append(line).append("\n");
  }
  example.indented = std::move(indented);
  example.line = first;
  return example;
}

constexpr std::size_t kMaxExampleBytes = std::size_t{1} << 20U;
constexpr std::size_t kMaxExamples = 100;
constexpr std::size_t kMaxPatterns = 1000;

/// Every kind that cnsched reads, without the groups.
std::vector<std::string_view> known_kinds() {
  static const std::vector<k8s::GroupInScope> groups = k8s::groups_in_scope();
  constexpr std::string_view kEvery = "every kind: ";
  std::vector<std::string_view> kinds;
  for (const k8s::GroupInScope& group : groups) {
    std::string_view text = group.kinds;
    if (text.starts_with(kEvery)) text.remove_prefix(kEvery.size());
    for (const std::string_view each : split(text, ',')) {
      const std::string_view kind = trim(each);
      kinds.push_back(kind.substr(0, kind.find(' ')));
    }
  }
  return kinds;
}

/// Reads one policy whose shape is valid.
class PolicyReader {
 public:
  PolicyReader(const SourceFile& file, yaml::StrictReader& reader, Policy& policy)
      : file_(file), reader_(reader), policy_(policy) {}

  void read(const Node& node) {
    policy_.id = text(node["id"]);
    policy_.summary = std::string(trim(text(node["summary"])));
    policy_.why = std::string(trim(text(node["why"])));
    policy_.help = std::string(trim(text(node["help"])));
    policy_.source = std::string(trim(text(node["source"])));
    check_id(node["id"]);
    if (policy_.summary.find('\n') != std::string::npos) {
      reader_.error(node["summary"], "'summary' must be a single line");
    }
    read_severities(node);
    policy_.match = match(node["match"]);
    policy_.exclude = match(node["exclude"]);
    ConditionReader conditions(reader_, policy_.match.kinds);
    policy_.when = conditions.read(node["when"], "when");
    policy_.require = conditions.read_all(node["require"], "require");
    policy_.forbid = conditions.read_all(node["forbid"], "forbid");
    if (node["require"].is_empty() && node["forbid"].is_empty()) {
      reader_.error(node, "the policy checks nothing: it needs 'require' or 'forbid'");
    }
    policy_.is_of_objects = is_of_objects();
    policy_.good = examples(node["good"], "good");
    policy_.bad = examples(node["bad"], "bad");
  }

 private:
  static std::string text(const Node& node) {
    return node.is_scalar() ? std::string(node.text()) : std::string();
  }

  static bool reads_objects_only(const Condition& condition) {
    if (condition.kind != Condition::Kind::field) {
      return std::ranges::all_of(condition.parts, reads_objects_only);
    }
    const FieldId id = condition.field.id;
    return id == FieldId::object_labels || id == FieldId::object_annotations ||
           id == FieldId::object_pointer;
  }

  bool is_of_objects() const {
    const auto reads_pod = [](const MatchCriteria& match) {
      return !match.components.empty() || match.accelerators.has_value();
    };
    return !reads_pod(policy_.match) && !reads_pod(policy_.exclude) &&
           (!policy_.when || reads_objects_only(*policy_.when)) &&
           std::ranges::all_of(policy_.require, reads_objects_only) &&
           std::ranges::all_of(policy_.forbid, reads_objects_only);
  }

  void check_id(const Node& id) {
    const std::vector<std::string_view> words = rule_words();
    if (is_one_of(policy_.id, words) || policy_.id == kPolicyGroup) {
      reader_.error(id, "'{}' is the id of a built-in rule or group: choose another id",
                    policy_.id);
    }
  }

  void read_severities(const Node& node) {
    const std::string severity = text(node["severity"]);
    if (severity == "error") policy_.severity = Severity::error;
    if (severity == "info") policy_.severity = Severity::info;
    const std::string unknown = text(node["onUnknown"]);
    if (unknown == "warning") policy_.on_unknown = Severity::warning;
    if (unknown == "silent") policy_.on_unknown.reset();
  }

  MatchCriteria::Patterns patterns(const Node& node) {
    MatchCriteria::Patterns found;
    if (node.is_scalar()) found.emplace_back(std::string(node.text()));
    if (node.items().size() > kMaxPatterns) {
      reader_.error(node, "more than {} patterns", kMaxPatterns);
      return found;
    }
    for (const Node* each : node.items()) found.emplace_back(std::string(each->text()));
    if (node.is_scalar()) check_pattern(node);
    for (const Node* each : node.items()) check_pattern(*each);
    if (node.is_sequence() && found.empty()) {
      reader_.error(node, "an empty list matches nothing: remove it, or name what to match");
    }
    return found;
  }

  void check_pattern(const Node& node) {
    const std::string_view text = node.text();
    if (text.find('[') != std::string_view::npos && text.find(']') == std::string_view::npos) {
      reader_.error(node, "'[' in '{}' has no ']'", text);
    }
  }

  std::vector<std::pair<std::string, MatchCriteria::Patterns>> labels(const Node& node) {
    std::vector<std::pair<std::string, MatchCriteria::Patterns>> found;
    for (const yaml::Entry& entry : node.entries()) {
      found.emplace_back(std::string(entry.key->text()), patterns(*entry.value));
    }
    return found;
  }

  MatchCriteria match(const Node& node) {
    MatchCriteria match{.kinds = patterns(node["kinds"]),
                        .components = patterns(node["components"]),
                        .names = patterns(node["names"]),
                        .namespaces = patterns(node["namespaces"]),
                        .clusters = patterns(node["clusters"]),
                        .labels = labels(node["labels"]),
                        .annotations = labels(node["annotations"])};
    check_kinds(node["kinds"], reader_);
    const Node& files = node["files"];
    if (!files.is_empty() && !files.is_null()) {
      match.files = FilePatterns{.directory = directory_of(real_path(file_.path()))};
      if (files.is_scalar()) match.files->patterns.add(files.text());
      for (const Node* pattern : files.items()) match.files->patterns.add(pattern->text());
    }
    const Node& accelerators = node["accelerators"];
    if (accelerators.is_scalar()) {
      match.accelerators =
          yaml::boolean_of(accelerators.text()).value_or(accelerators.text() == "on");
    }
    return match;
  }

  std::vector<PolicyExample> examples(const Node& node, std::string_view name) {
    std::vector<PolicyExample> found;
    if (node.is_scalar()) add_example(node, std::string(name), found);
    if (node.items().size() > kMaxExamples) {
      reader_.error(node, "'{}' has more than {} manifests", name, kMaxExamples);
      return found;
    }
    for (std::size_t i = 0; i < node.items().size(); ++i) {
      add_example(*node.items()[i], fmt::format("{}[{}]", name, i), found);
    }
    return found;
  }

  void add_example(const Node& node, const std::string& name, std::vector<PolicyExample>& found) {
    if (node.is_mapping()) {
      if (is_too_large(node)) {
        reader_.error(node, "the manifest is too large");
      } else {
        found.push_back(example_of_mapping(file_, node, name));
      }
      return;
    }
    const std::string_view written = node.text();
    const bool is_file = written.find('\n') == std::string_view::npos &&
                         (written.ends_with(".yaml") || written.ends_with(".yml"));
    if (!is_file) {
      found.push_back(example_of_text(file_, node, name));
      return;
    }
    const std::string path =
        (fs::path(directory_of(file_.path())) / written).lexically_normal().string();
    std::error_code error;
    if (!fs::exists(path, error)) return reader_.error(node, "file '{}' does not exist", path);
    const std::string root = source_root(directory_of(real_path(file_.path())));
    const auto bytes = read_input(path, root, kMaxExampleBytes);
    if (!bytes) return reader_.error(node, "{}: {}", path, bytes.error().message);
    found.push_back({.name = path, .text = *bytes});
  }

  /// Aliases may make a small text a large manifest.
  static bool is_too_large(const Node& node) {
    constexpr std::size_t kMaxValues = 100'000;
    constexpr std::size_t kMaxLevels = 100;
    std::size_t left = kMaxValues;
    const auto fits = [&](const auto& self, const Node& each, std::size_t depth) -> bool {
      if (left == 0 || depth == kMaxLevels) return false;
      --left;
      for (const Node* item : each.items()) {
        if (!self(self, *item, depth + 1)) return false;
      }
      return std::ranges::all_of(each.entries(), [&](const yaml::Entry& entry) {
        return self(self, *entry.value, depth + 1);
      });
    };
    return !fits(fits, node, 0);
  }

  const SourceFile& file_;
  yaml::StrictReader& reader_;
  Policy& policy_;
};

}  // namespace

void check_kinds(const Node& kinds, yaml::StrictReader& reader) {
  const auto check = [&](const Node& kind) {
    const std::vector<std::string_view> known = known_kinds();
    // The kind of "apps/Deployment".
    const std::string_view name = kind.text().substr(kind.text().find('/') + 1);
    if (Glob::is_special(name) || is_one_of(name, known)) return;
    reader.error(kind, "unknown kind '{}'{} ('cnsched rules --kinds' lists them)", name,
                 did_you_mean(name, known));
  };
  if (kinds.is_scalar()) check(kinds);
  for (const Node* each : kinds.items()) check(*each);
}

bool is_policy_id(std::string_view id) {
  constexpr std::size_t kMaxLength = 63;
  const bool has_letters =
      std::ranges::all_of(id, [](char c) { return is_lower_alphanumeric(c) || c == '-'; });
  return !id.empty() && id.size() <= kMaxLength && has_letters && !is_digit(id.front()) &&
         id.front() != '-' && id.back() != '-' && id.find("--") == std::string_view::npos;
}

std::shared_ptr<const Policy> read_policy(const Node& node, const SourceFile& file,
                                          yaml::StrictReader& reader) {
  auto policy = std::make_shared<Policy>();
  policy->path = file.path();
  policy->place = fmt::format("{}:{}", printable(file.path()), file.line_of(node.span.begin));
  if (node.is_mapping() && !reader.is_full()) PolicyReader(file, reader, *policy).read(node);
  return policy;
}

std::vector<std::shared_ptr<const Policy>> read_policies(const SourceFile& file,
                                                         std::vector<Error>& errors) {
  yaml::StrictReader reader(file, errors);
  std::vector<std::shared_ptr<const Policy>> policies;
  for (const Span span : yaml::split(file)) {
    const yaml::Document document = yaml::parse(file, span);
    for (const yaml::Problem& problem : document.problems) {
      reader.add_error(problem.where, problem.message);
    }
    const Node& root = *document.root;
    const bool is_ours = root["apiVersion"].text().starts_with("cnsched/");
    if (!document.problems.empty() || !is_ours || reader.is_full()) continue;
    if (policies.size() == kMaxPolicies) {
      reader.add_error(span, fmt::format("more than {} policies", kMaxPolicies));
      break;
    }
    check_shape(root, "the policy", policy_file_shape(), reader);
    policies.push_back(read_policy(root, file, reader));
  }
  return policies;
}

Result<std::vector<std::string>> policy_files(const std::string& path) {
  std::error_code error;
  if (!fs::exists(path, error)) return Error{"does not exist"};
  if (!fs::is_directory(path, error)) {
    if (!fs::is_regular_file(path, error)) return Error{"is not a regular file"};
    return std::vector<std::string>{path};
  }
  constexpr std::size_t kMaxEntries = 100'000;
  const std::string root = source_root(resolved_path(path));
  std::vector<std::string> files;
  std::size_t entries = 0;
  const auto options = fs::directory_options::skip_permission_denied;
  for (auto entry = fs::recursive_directory_iterator(path, options, error);
       !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
    const std::string extension = entry->path().extension().string();
    const bool is_yaml = extension == ".yaml" || extension == ".yml";
    std::error_code ignored;
    if (lower(entry->path().filename().string()) == ".git") entry.disable_recursion_pending();
    if (++entries > kMaxEntries || files.size() > kMaxPolicyFiles) {
      return Error{fmt::format("has more than {} files", kMaxPolicyFiles)};
    }
    const bool is_hidden = entry->path().filename().string().starts_with('.');
    if (!is_yaml || is_hidden || !entry->is_regular_file(ignored)) continue;
    files.push_back(entry->path().string());
    if (!entry->is_symlink(ignored)) continue;
    if (const std::string problem = problem_with_input(files.back(), root); !problem.empty()) {
      return Error{fmt::format("cannot be read: '{}' is {}", files.back(), problem)};
    }
  }
  if (error) return Error{error.message()};
  std::ranges::sort(files);
  return files;
}

}  // namespace cnsched::rules
