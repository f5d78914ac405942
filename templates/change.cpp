#include "templates/change.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/text.h"
#include "core/source/edit.h"
#include "core/yaml/edit.h"
#include "core/yaml/parse.h"
#include "core/yaml/scalar.h"
#include "core/yaml/tree.h"

namespace cnsched::templates {

namespace {

using yaml::Node;
using Edits = Result<std::vector<Edit>>;

const Node& next(const Node& node, const Step& step) {
  return step.index ? node.at(*step.index) : node[step.key];
}

class Changer {
 public:
  Changer(const SourceFile& file, const yaml::Document& document, const Change& change)
      : file_(file), document_(document), path_(change.path), value_(change.value) {}

  Edits edits() {
    const Node* node = document_.root;
    for (std::size_t i = 0; i < path_.size(); ++i) {
      const Node& child = next(*node, path_[i]);
      // Of what an alias repeats the values below it are written elsewhere.
      if (child.is_missing() || node->anchored() != nullptr) return add(*node, i);
      node = &child;
    }
    if (value_ == nullptr) return yaml::erase(file_, document_, *node);
    return yaml::set(file_, document_, *node, *value_);
  }

 private:
  Edits add(const Node& node, std::size_t i) {
    if (value_ == nullptr && node.anchored() == nullptr) return std::vector<Edit>();
    const Step& step = path_[i];
    const Node& value = value_ == nullptr ? yaml::nowhere() : wrapped(i + 1);
    const bool fits = node.is_null() || (step.index ? node.is_sequence() : node.is_mapping());
    if (!fits) {
      return Error{fmt::format("{} has to be {}, and is {}", described(node),
                               step.index ? "a list" : "a mapping", yaml::describe(node))};
    }
    if (step.index) return yaml::add_item(file_, document_, node, value);
    if (node[step.key]) return Error{"what an alias repeats is changed where it is written"};
    return yaml::add_entry(file_, document_, node, step.key, value);
  }

  /// The value with what is missing above it, from step `first` on.
  const Node& wrapped(std::size_t first) {
    const Node* value = value_;
    for (std::size_t i = path_.size(); i > first; --i) {
      const Step& step = path_[i - 1];
      value = step.index ? &yaml::sequence_like(arena_, yaml::nowhere(), {value})
                         : &yaml::with(arena_, yaml::nowhere(), step.key, *value);
    }
    return *value;
  }

  std::string described(const Node& node) const {
    return node.key() == nullptr ? "the document"
                                 : fmt::format("'{}'", printable(node.key()->text()));
  }

  const SourceFile& file_;
  const yaml::Document& document_;
  const Path& path_;
  const Node* value_;
  Arena arena_;
};

}  // namespace

Path path_to(const Node& node) {
  Path path;
  for (const Node* at = &node; at->parent() != nullptr; at = at->parent()) {
    if (at->parent()->is_mapping()) {
      path.push_back({std::string(at->key()->text())});
    } else {
      const auto items = at->parent()->items();
      path.push_back({{}, static_cast<std::size_t>(std::ranges::find(items, at) - items.begin())});
    }
  }
  std::ranges::reverse(path);
  return path;
}

Path below(Path path, const std::vector<std::string>& keys) {
  for (const std::string& key : keys) path.push_back({key});
  return path;
}

Path item_of(Path path, std::size_t index) {
  path.push_back({{}, index});
  return path;
}

Result<std::string> changed(const std::string& document, const Change& change) {
  const SourceFile file(0, "", document);
  const yaml::Document parsed = yaml::parse(file, file.whole());
  const auto edits = Changer(file, parsed, change).edits();
  if (!edits) return edits.error();
  return cnsched::apply(document, *edits);
}

}  // namespace cnsched::templates
