#include "core/packages/overlay/replacements.h"

#include <algorithm>
#include <string>

#include "core/base/text.h"
#include "core/yaml/scalar.h"

namespace cnsched::overlay {

namespace {

constexpr std::string_view kDefaultPath = "metadata.name";
/// What is longer no person wrote.
constexpr std::size_t kMaxPath = 1000;

/// The steps of a path: "a.[b.c].[name=x].d" has "a", "b.c", "[name=x]" and "d". Source: kustomize
/// kyaml/utils/pathsplitter.go, SmarterPathSplitter.
std::vector<std::string> steps_of(std::string_view path) {
  std::vector<std::string> parts;
  std::string part;
  const auto end_part = [&] {
    parts.push_back(part);
    part.clear();
  };
  if (path.starts_with('.')) path.remove_prefix(1);
  for (std::size_t at = 0; at < path.size(); ++at) {
    if (path[at] == '\\' && at + 1 < path.size() && path[at + 1] == '.') {
      part += path[++at];
    } else if (path[at] == '.' && !(part.starts_with('[') && !part.ends_with(']'))) {
      end_part();
    } else {
      part += path[at];
    }
  }
  end_part();
  for (std::string& each : parts) {
    const bool is_bracketed = each.size() > 2 && each.front() == '[' && each.back() == ']';
    if (is_bracketed && each.find('=') == std::string::npos) each = each.substr(1, each.size() - 2);
  }
  return parts;
}

/// The values at a path; no certain answer if the path is not understood or leads nowhere.
class Lookup {
 public:
  Lookup(Maker& maker, bool creates) : maker_(maker), creates_(creates) {}

  bool find(Value& root, std::string_view path) {
    if (path.size() > kMaxPath) return false;
    const std::vector<std::string> steps = steps_of(path);
    return walk(root, steps);
  }

  const std::vector<Value*>& found() const { return found_; }

 private:
  bool walk(Value& value, std::span<const std::string> steps) {
    maker_.spend(kCostOfValue);
    if (value.is_unknown) return false;
    if (steps.empty()) {
      found_.push_back(&value);
      return true;
    }
    const std::string& step = steps.front();
    if (value.is_mapping() && step != "*") return walk_key(value, step, steps.subspan(1));
    if (!value.is_sequence()) return false;
    return walk_items(value, step, steps.subspan(1));
  }

  bool walk_key(Value& value, const std::string& step, std::span<const std::string> rest) {
    if (Value* next = value.find(step)) return walk(*next, rest);
    if (!creates_ || step.starts_with('[')) return false;
    Member& member = value.members[maker_.keep(step)];
    member.value = maker_.mapping();
    value.is_merged = true;
    return walk(*member.value, rest);
  }

  bool walk_items(Value& value, std::string_view step, std::span<const std::string> rest) {
    bool is_certain = true;
    const std::optional<std::size_t> index = whole_number(step);
    const std::size_t sign = step.find('=');
    const bool is_match = step.starts_with('[') && step.ends_with(']') && sign != std::string::npos;
    if (!index && !is_match && step != "*") return false;
    std::size_t count = 0;
    for (std::size_t i = 0; i < value.items.size(); ++i) {
      Value& item = *value.items[i];
      const bool fits = step == "*" || index == i ||
                        (is_match && item.text_of(step.substr(1, sign - 1)) ==
                                         step.substr(sign + 1, step.size() - sign - 2));
      if (!fits) continue;
      if (is_match) item.find(step.substr(1, sign - 1))->is_shared = true;
      ++count;
      is_certain = walk(item, rest) && is_certain;
    }
    return is_certain && count > 0;
  }

  Maker& maker_;
  bool creates_;
  std::vector<Value*> found_;
};

/// Whether the source selects the object: by equal names, not by regular expressions.
bool is_source(const yaml::Node& source, const Object& object) {
  const auto fits = [&](std::string_view field, std::string_view text) {
    return source[field].text().empty() || source[field].text() == text;
  };
  return std::ranges::any_of(object.ids(), [&](const Id& id) {
    const std::string_view ns = source["namespace"].text();
    return fits("name", id.name) && fits("kind", id.kind) && fits("group", id.group()) &&
           fits("version", id.version()) &&
           (ns.empty() || ns == id.ns || (ns == "default" && id.ns.empty()));
  });
}

class Replacement {
 public:
  Replacement(Maker& maker, Objects& objects, const yaml::Node& replacement)
      : maker_(maker), objects_(objects), node_(replacement) {}

  void apply() {
    find_source();
    for (const yaml::Node* target : node_["targets"].items()) {
      for (Object& object : objects_) {
        maker_.spend(kCostOfObject);
        if (maker_.is_exhausted()) return;
        if (!object.is_deleted) apply_to(object, *target);
      }
    }
  }

 private:
  /// Sets `source_`, or leaves it null.
  void find_source() {
    const yaml::Node& source = node_["source"];
    if (!source.is_mapping() || node_["sourceValue"]) return;
    Object* chosen = nullptr;
    for (Object& object : objects_) {
      maker_.spend(kCostOfObject);
      if (maker_.is_exhausted()) return;
      if (object.is_deleted || !is_source(source, object)) continue;
      if (chosen != nullptr) return;
      chosen = &object;
    }
    if (chosen == nullptr || chosen->is_unknown || has_delimiter(source)) return;
    const std::string_view path = source["fieldPath"].text();
    Lookup lookup(maker_, false);
    if (!lookup.find(*chosen->root, path.empty() ? kDefaultPath : path)) return;
    if (lookup.found().size() != 1 || !lookup.found().front()->is_scalar()) return;
    source_ = lookup.found().front();
    source_->is_shared = true;
  }

  static bool has_delimiter(const yaml::Node& node) {
    return !node["options"]["delimiter"].text().empty();
  }

  void apply_to(Object& object, const yaml::Node& target) {
    Match match = selects_any_id(maker_, target["select"], object);
    for (const yaml::Node* reject : target["reject"].items()) {
      const Match rejected = rejects(maker_, *reject, object);
      match = both(match, rejected == Match::yes  ? Match::no
                          : rejected == Match::no ? Match::yes
                                                  : Match::unknown);
    }
    if (match == Match::unknown) object.is_unknown = true;
    if (match != Match::yes) return;
    const yaml::Node& paths = target["fieldPaths"];
    if (paths.items().empty()) set_at(object, kDefaultPath, target, target["select"]);
    for (const yaml::Node* path : paths.items()) set_at(object, path->text(), target, *path);
  }

  void set_at(Object& object, std::string_view path, const yaml::Node& target,
              const yaml::Node& written) {
    Lookup lookup(maker_, yaml::boolean_of(target["options"]["create"].text()) == true);
    if (!lookup.find(*object.root, path)) {
      object.is_unknown = true;
      return;
    }
    for (Value* value : lookup.found()) {
      if (source_ == nullptr || has_delimiter(target)) {
        value->is_unknown = true;
      } else if (value != source_) {
        copy_to(*value, written.span);
      }
    }
  }

  void copy_to(Value& value, Span written) {
    Maker::set(value, source_->text, source_->where);
    // Of a value that is made of several, the one to change is not known.
    value.is_unknown = source_->is_unknown || source_->is_derived;
    value.is_shared = true;
    value.copied_by = written;
  }

  Maker& maker_;
  Objects& objects_;
  const yaml::Node& node_;
  Value* source_ = nullptr;
};

}  // namespace

void apply_replacement(Maker& maker, Objects& objects, const yaml::Node& replacement) {
  Replacement(maker, objects, replacement).apply();
}

}  // namespace cnsched::overlay
