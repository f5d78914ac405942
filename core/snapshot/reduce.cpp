#include "core/snapshot/resources.h"

#include <algorithm>
#include <array>
#include <map>
#include <span>

#include "core/base/text.h"
#include "core/facts/cluster_facts.h"
#include "core/yaml/tree.h"

namespace cnsched::snapshot {

namespace {

using yaml::Entry;
using yaml::Node;

constexpr std::string_view kMask = "REDACTED";

/// The paths of a resource as a tree. Without anything below, all of the value is kept.
struct Kept {
  std::map<std::string_view, Kept> below{};

  void add(std::string_view path) {
    Kept* at = this;
    for (const std::string_view step : split(path, '.')) at = &at->below[step];
  }
};

Kept kept_of(const Resource& resource) {
  Kept kept;
  for (const std::string_view path : {"apiVersion", "kind", "metadata.name", "metadata.namespace"})
    kept.add(path);
  for (const std::string_view path : split(resource.fields, ' ')) kept.add(path);
  return kept;
}

/// Whether rules or controllers, as cnsched computes them, read the annotation. What kubectl and
/// people write for themselves is left out.
bool matters(std::string_view annotation) {
  constexpr auto kDomains = std::to_array<std::string_view>(
      {"kserve.io", "knative.dev", "seldon.io", "kueue.x-k8s.io", "opendatahub.io",
       "leaderworkerset.sigs.k8s.io", "storageclass.kubernetes.io",
       "storageclass.beta.kubernetes.io", "pv.kubernetes.io", "volume.kubernetes.io",
       "volume.beta.kubernetes.io", "storage.alpha.kubernetes.io", "machine.openshift.io",
       "cluster-autoscaler.kubernetes.io"});
  const std::string_view domain = annotation.substr(0, annotation.find('/'));
  if (domain.size() == annotation.size()) return false;
  return std::ranges::any_of(kDomains, [&](std::string_view known) {
    return domain == known ||
           (domain.ends_with(known) && domain[domain.size() - known.size() - 1] == '.');
  });
}

/// Whether rules read the value of the variable.
bool reads_variable(std::string_view name) {
  return name.ends_with("_MAX_NUM_CONSUMERS") ||
         is_one_of(name, {"MODEL_INIT_MODE", "MULTI_MODEL_SERVER", "NVIDIA_VISIBLE_DEVICES",
                          "SELDON_OVERCOMMIT_PERCENTAGE", "SELDON_SERVER_CAPABILITIES",
                          "STORAGE_URI", "VLLM_ADDITIONAL_ARGS"});
}

/// Whether the name of a flag or variable is that of a credential: "hf-token", "API_KEY".
bool is_credential(std::string_view name) {
  constexpr auto kParts =
      std::to_array<std::string_view>({"accesskey", "apikey", "authorization", "bearer",
                                       "credential", "passphrase", "passwd", "password", "secret"});
  constexpr auto kWords = std::to_array<std::string_view>({"auth", "key", "pass", "pwd"});
  std::string words = lower(name);
  std::ranges::replace(words, '_', '-');
  std::string letters = words;
  std::erase(letters, '-');
  if (std::ranges::any_of(
          kParts, [&](std::string_view part) { return letters.find(part) != std::string::npos; })) {
    return true;
  }
  return std::ranges::any_of(split(words, '-'), [&](std::string_view word) {
    return word.ends_with("token") || is_one_of(word, kWords);
  });
}

/// Whether the text refers to a variable, $(NAME), ${NAME} or $NAME, and so is no credential
/// itself.
bool is_reference(std::string_view text) {
  constexpr std::string_view kOfNames = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
  if (text.starts_with("$(")) return text.find(')') == text.size() - 1;
  if (text.starts_with("${")) return text.find('}') == text.size() - 1;
  return text.size() > 1 && text.front() == '$' &&
         text.find_first_not_of(kOfNames, 1) == std::string_view::npos;
}

/// Whether a text is not written because a part of it may be a credential: a user in an address, a
/// header, or JSON with such a key.
bool holds_credential(std::string_view text) {
  const std::string letters = lower(text);
  const auto has = [&](std::string_view part) { return letters.find(part) != std::string::npos; };
  if (has("://") && has("@")) return true;
  if (has("authorization") || has("bearer ")) return true;
  if (!has("{")) return false;
  const std::vector<std::string_view> words = split(letters, '"');
  return std::ranges::any_of(words, is_credential);
}

class Reducer {
 public:
  explicit Reducer(Arena& arena) : arena_(arena) {}

  const Node& root(const Node& node, const Kept& kept) {
    constexpr auto kFirst = std::to_array<std::string_view>({"apiVersion", "kind", "metadata"});
    const std::span<const Entry> entries = mapping(node, kept).entries();
    return ordered(node, {entries.begin(), entries.end()}, kFirst);
  }

 private:
  /// `node` with these entries: first those of some keys.
  const Node& ordered(const Node& node, std::vector<Entry> entries,
                      std::span<const std::string_view> first) {
    std::ranges::stable_sort(entries, {}, [&](const Entry& entry) {
      return std::ranges::find(first, entry.key->text()) - first.begin();
    });
    return yaml::mapping_like(arena_, node, entries);
  }

  const Node& value(const Node& node, std::string_view key, const Kept& kept) {
    if (kept.below.empty()) return whole(node, key);
    if (node.is_mapping()) return mapping(node, kept);
    if (node.is_sequence()) return sequence(node, key, kept);
    return yaml::missing_node();
  }

  const Node& mapping(const Node& node, const Kept& kept) {
    std::vector<Entry> entries;
    for (const Entry& entry : yaml::entries_of(node)) {
      const std::string_view key = entry.key->text();
      const auto found = kept.below.find(key);
      if (found == kept.below.end()) continue;
      const Node& reduced = value(*entry.value, key, found->second);
      if (!is_worth_keeping(*entry.value, reduced)) continue;
      entries.push_back(yaml::entry_of(arena_, *entry.key, reduced));
    }
    constexpr auto kFirst = std::to_array<std::string_view>({"name", "namespace"});
    return ordered(node, std::move(entries), kFirst);
  }

  /// What is empty in the cluster stays, what became empty does not.
  static bool is_worth_keeping(const Node& before, const Node& after) {
    return !after.is_missing() && (before.is_empty() || !after.is_empty());
  }

  const Node& sequence(const Node& node, std::string_view key, const Kept& kept) {
    std::vector<const Node*> items;
    for (const Node* item : node.items()) {
      const Node& reduced = value(*item, "", kept);
      if (!is_worth_keeping(*item, reduced)) continue;
      // A volume of which no more than its name is left.
      if (key == "volumes" && reduced.entries().size() < 2) continue;
      items.push_back(&reduced);
    }
    return yaml::sequence_like(arena_, node, items);
  }

  /// All of a value, without what may be confidential.
  const Node& whole(const Node& node, std::string_view key) {
    if (key == "openAPIV3Schema") return schema(node);
    if (node.is_sequence()) {
      if (key == "args" || key == "command") return arguments(node);
      return each_item(node, [&](const Node& item) -> const Node& {
        return key == "env" ? variable(item) : whole(item, "");
      });
    }
    if (!node.is_mapping()) return node;
    std::vector<Entry> entries;
    for (const Entry& entry : yaml::entries_of(node)) {
      const std::string_view name = entry.key->text();
      if (name == "managedFields" || name == "_example" || name == "httpHeaders") continue;
      if (key == "annotations" && !matters(name)) continue;
      const Node& reduced = whole(*entry.value, name);
      if (is_worth_keeping(*entry.value, reduced)) {
        entries.push_back(yaml::entry_of(arena_, *entry.key, reduced));
      }
    }
    return yaml::mapping_like(arena_, node, entries);
  }

  template <typename Change>
  const Node& each_item(const Node& list, Change change) {
    std::vector<const Node*> items;
    for (const Node* item : list.items()) items.push_back(&change(*item));
    return yaml::sequence_like(arena_, list, items);
  }

  const Node& variable(const Node& node) {
    if (!node.is_mapping()) return yaml::mapping_like(arena_, node, {});
    std::vector<Entry> entries;
    for (const Entry& entry : yaml::entries_of(node)) {
      const std::string_view key = entry.key->text();
      if (key == "name") entries.push_back(entry);
      if (key == "value" && reads_variable(node["name"].text())) {
        bool is_value = false;
        std::string text = masked(entry.value->text(), is_value);
        // A user and a password in an address.
        if (text.find('@') != std::string::npos) text = kMask;
        entries.push_back(yaml::entry_of(arena_, *entry.key,
                                         text == entry.value->text()
                                             ? *entry.value
                                             : yaml::string_like(arena_, *entry.value, text)));
      }
      if (key == "valueFrom") {
        static constexpr auto kSources =
            std::to_array<std::string_view>({"fieldRef", "resourceFieldRef"});
        const Node& from =
            yaml::mapping_like(arena_, *entry.value, yaml::pick(*entry.value, std::span(kSources)));
        if (!from.is_empty()) entries.push_back(yaml::entry_of(arena_, *entry.key, from));
      }
    }
    return yaml::mapping_like(arena_, node, entries);
  }

  const Node& arguments(const Node& list) {
    bool is_value = false;
    return each_item(list, [&](const Node& word) -> const Node& {
      if (!word.is_scalar()) return yaml::string_like(arena_, word, "");
      const std::string text = masked(word.text(), is_value);
      return text == word.text() ? word : yaml::string_like(arena_, word, text);
    });
  }

  /// The types of a definition, without the texts for people.
  const Node& schema(const Node& node) {
    if (!node.is_mapping()) return node;
    std::vector<Entry> entries;
    for (const Entry& entry : yaml::entries_of(node)) {
      const std::string_view key = entry.key->text();
      if (is_one_of(key, {"description", "example", "externalDocs", "title"})) continue;
      entries.push_back(yaml::entry_of(arena_, *entry.key, part_of_schema(*entry.value, key)));
    }
    return yaml::mapping_like(arena_, node, entries);
  }

  const Node& part_of_schema(const Node& node, std::string_view key) {
    constexpr auto kSchemas = std::to_array<std::string_view>(
        {"additionalProperties", "allOf", "anyOf", "items", "not", "oneOf"});
    if (is_one_of(key, {"definitions", "patternProperties", "properties"}) && node.is_mapping()) {
      std::vector<Entry> entries;
      for (const Entry& entry : yaml::entries_of(node)) {
        entries.push_back(yaml::entry_of(arena_, *entry.key, schema(*entry.value)));
      }
      return yaml::mapping_like(arena_, node, entries);
    }
    if (!is_one_of(key, kSchemas)) return node;
    if (!node.is_sequence()) return schema(node);
    return each_item(node, [&](const Node& item) -> const Node& { return schema(item); });
  }

  Arena& arena_;
};

/// Of the arguments of a Pod's containers, only the flag of the API server that cnsched reads.
class PodArguments {
 public:
  explicit PodArguments(Arena& arena) : arena_(arena) {}

  const Node& without(const Node& pod) {
    const Node& spec = pod["spec"];
    const bool is_api_server = pod["metadata"]["labels"]["component"].text() == "kube-apiserver";
    std::vector<const Node*> containers;
    for (const Node* container : spec["containers"].items()) {
      containers.push_back(&kept(*container, is_api_server));
    }
    if (containers.empty()) return pod;
    return yaml::with(arena_, pod, "spec"_key,
                      yaml::with(arena_, spec, "containers"_key,
                                 yaml::sequence_like(arena_, spec["containers"], containers)));
  }

 private:
  const Node& kept(const Node& container, bool is_api_server) {
    constexpr std::string_view kFlag = "--enable-admission-plugins=";
    const Node* result = &container;
    for (const std::string_view key : {"args", "command"}) {
      std::vector<const Node*> words;
      for (const Node* word : container.under(key).items()) {
        if (is_api_server && word->text().starts_with(kFlag)) words.push_back(word);
      }
      result = words.empty()
                   ? &yaml::without(arena_, *result, key)
                   : &yaml::with(arena_, *result, key,
                                 yaml::sequence_like(arena_, container.under(key), words));
    }
    return *result;
  }

  Arena& arena_;
};

}  // namespace

std::string masked(std::string_view text, bool& is_value) {
  if (is_value && !text.starts_with('-')) {
    is_value = false;
    return is_reference(text) ? std::string(text) : std::string(kMask);
  }
  is_value = false;
  if (holds_credential(text)) return std::string(kMask);
  std::string result;
  std::size_t at = 0;
  while (at < text.size()) {
    const bool is_start =
        at == 0 || std::string_view(" \t\n'\";").find(text[at - 1]) != std::string_view::npos;
    const std::size_t end = std::min(text.find_first_of("= \t\n'\";", at), text.size());
    const std::string_view name = text.substr(at, end - at);
    const bool has_value =
        name.starts_with('-') || (end < text.size() && text[end] == '=');  // NAME=VALUE
    if (!is_start || !has_value || !is_credential(name)) {
      result += text[at++];
      continue;
    }
    result += name;
    if (end == text.size()) {
      is_value = true;
      break;
    }
    // The value, after '=' or blanks, may be in quotes.
    const std::size_t begin = std::min(text.find_first_not_of("= \t\n'\"", end), text.size());
    result += text.substr(end, begin - end);
    at = begin;
    if (at == text.size() || text[at] == '-') continue;
    const char quote = text[begin - 1];
    const bool is_quoted = quote == '\'' || quote == '"';
    const std::size_t value_end = std::min(
        is_quoted ? text.find(quote, at) : text.find_first_of(" \t\n'\";", at), text.size());
    const std::string_view value = text.substr(at, value_end - at);
    result += is_reference(value) ? value : kMask;
    at = value_end;
  }
  return result;
}

bool is_fact(const k8s::Object& object, const Resource& resource) {
  if (!resource.matches(object) || object.name.empty()) return false;
  if (object.is("", "Pod")) {
    const bool has_node = !object.spec()["nodeName"].text().empty() ||
                          !object["status"]["nominatedNodeName"].text().empty();
    return has_node && !has_ended(object);
  }
  if (object.is("apps", "DaemonSet")) return !facts::facts_in({&object}).plugins.empty();
  return true;
}

const Node& reduced(const k8s::Object& object, const Resource& resource, Arena& arena) {
  const Node& root = Reducer(arena).root(*object.root, kept_of(resource));
  return resource.kind == "Pod" ? PodArguments(arena).without(root) : root;
}

}  // namespace cnsched::snapshot
