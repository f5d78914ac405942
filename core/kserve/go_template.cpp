// Text and actions alternate. A stack has the open `if`s; text and values are output only if all of
// their conditions are true.
#include "core/kserve/go_template.h"

#include <algorithm>
#include <vector>

#include "core/kserve/child_name.h"
#include "core/yaml/tree.h"

namespace cnsched::kserve {

namespace {

using yaml::Node;

constexpr std::string_view kBlanks = " \t\r\n";

std::string_view without_blanks_before(std::string_view text) {
  return text.substr(std::min(text.find_first_not_of(kBlanks), text.size()));
}

std::string_view without_blanks_after(std::string_view text) {
  return text.substr(0, text.find_last_not_of(kBlanks) + 1);
}

/// The value of a word of an expression.
struct Value {
  bool is_true = false;             ///< as a condition
  std::optional<std::string> text;  ///< nothing if it cannot be printed: a struct, a nil
};

/// The JSON name of a Go field: "DataLocal" is "dataLocal".
std::string json_name(std::string_view field) {
  if (field == "KVCacheOffloading") return "kvCacheOffloading";
  std::string name(field);
  if (!name.empty() && name[0] >= 'A' && name[0] <= 'Z') {
    name[0] = static_cast<char>(name[0] - 'A' + 'a');
  }
  return name;
}

Value value_of(const Node& node) {
  if (node.is_missing() || node.is_null()) return {};
  if (!node.is_scalar()) return {.is_true = true, .text = std::nullopt};
  const bool no =
      node.text().empty() || (node.type == yaml::ScalarType::boolean && node.text() == "false");
  return {.is_true = !no, .text = std::string(node.text())};
}

/// The words of an expression; raw strings are words with their opening quote. Nothing if a quote
/// is not closed, or if a character is not supported.
std::optional<std::vector<std::string_view>> words_of(std::string_view expression) {
  std::vector<std::string_view> words;
  for (std::string_view rest = without_blanks_before(expression); !rest.empty();
       rest = without_blanks_before(rest)) {
    std::size_t end = rest.find_first_of(kBlanks);
    if (rest[0] == '`') {
      end = rest.find('`', 1);
      if (end == std::string_view::npos) return std::nullopt;
    } else if (rest.substr(0, end).find_first_of("|()\"'$,=`") != std::string_view::npos) {
      return std::nullopt;
    }
    words.push_back(rest.substr(0, end));
    rest.remove_prefix(rest[0] == '`' ? end + 1 : std::min(end, rest.size()));
  }
  return words;
}

class TemplateFiller {
 public:
  TemplateFiller(std::string_view text, const TemplateValues& values)
      : rest_(text), values_(values) {}

  std::optional<std::string> fill() && {
    while (true) {
      const std::size_t open = rest_.find("{{");
      std::string_view text = rest_.substr(0, open);
      if (open == std::string_view::npos) {
        add(text);
        break;
      }
      const std::size_t close = rest_.find("}}", open);
      if (close == std::string_view::npos) return std::nullopt;
      std::string_view action = rest_.substr(open + 2, close - open - 2);
      rest_.remove_prefix(close + 2);
      if (action.starts_with("- ")) {
        action.remove_prefix(1);
        text = without_blanks_after(text);
      }
      add(text);
      if (action.ends_with(" -")) {
        action.remove_suffix(1);
        rest_ = without_blanks_before(rest_);
      }
      if (!run(action)) return std::nullopt;
    }
    if (!branches_.empty()) return std::nullopt;
    return std::move(filled_);
  }

 private:
  struct Branch {
    bool reached = false;  ///< all enclosing conditions are true
    bool is_true = false;
    bool is_else = false;
  };

  bool is_live() const {
    return branches_.empty() || (branches_.back().reached && branches_.back().is_true);
  }
  void add(std::string_view text) {
    if (is_live()) filled_ += text;
  }

  /// False if the action is not supported.
  bool run(std::string_view action) {
    auto words = words_of(action);
    if (!words || words->empty()) return false;
    const std::string_view first = words->front();
    if (first == "end") return end(*words);
    if (first == "else") return otherwise(*words);
    const bool condition = first == "if";
    if (condition) words->erase(words->begin());
    std::optional<Value> result = Value{};
    if (is_live() && !(result = value(*words))) return false;
    if (condition) {
      branches_.push_back({.reached = is_live(), .is_true = result->is_true});
      return true;
    }
    if (!is_live()) return true;
    if (!result->text) return false;
    filled_ += *result->text;
    return true;
  }

  bool end(const std::vector<std::string_view>& words) {
    if (words.size() != 1 || branches_.empty()) return false;
    branches_.pop_back();
    return true;
  }

  bool otherwise(const std::vector<std::string_view>& words) {
    if (words.size() != 1 || branches_.empty() || branches_.back().is_else) return false;
    branches_.back().is_true = !branches_.back().is_true;
    branches_.back().is_else = true;
    return true;
  }

  std::optional<Value> value(const std::vector<std::string_view>& words) {
    if (words.size() == 1) return word(words[0]);
    if (words.size() == 3 && words[0] == "ChildName") {
      const std::optional<Value> parent = word(words[1]);
      const std::optional<Value> suffix = word(words[2]);
      if (!parent || !parent->text || !suffix || !suffix->text) return std::nullopt;
      return Value{.is_true = true, .text = child_name(*parent->text, *suffix->text)};
    }
    if (words.size() > 1 && (words[0] == "and" || words[0] == "or")) return junction(words);
    return std::nullopt;
  }

  /// `and` returns the first of its words that is false, `or` the first that is true, else the
  /// last.
  std::optional<Value> junction(const std::vector<std::string_view>& words) {
    const bool decides = words[0] == "or";
    std::optional<Value> result;
    for (std::size_t i = 1; i < words.size(); ++i) {
      result = word(words[i]);
      if (!result || result->is_true == decides) return result;
    }
    return result;
  }

  std::optional<Value> word(std::string_view word) {
    if (word.starts_with('`')) {
      return Value{.is_true = word.size() > 1, .text = std::string(word.substr(1))};
    }
    if (word.starts_with('.')) return field(word);
    if (word.find_first_not_of("0123456789") != std::string_view::npos) return std::nullopt;
    return Value{.is_true = word != "0", .text = std::string(word)};
  }

  std::optional<Value> field(std::string_view path) {
    if (path == ".Name" || path == ".ObjectMeta.Name") return known(values_.service.name);
    // The namespace is unknown if the manifest does not set it.
    if (path == ".Namespace" || path == ".ObjectMeta.Namespace") return known(values_.service.ns);
    if (path == ".GlobalConfig.EnableTLS") {
      return Value{.is_true = values_.tls, .text = values_.tls ? "true" : "false"};
    }
    constexpr std::string_view kSpec = ".Spec.";
    if (!path.starts_with(kSpec)) return std::nullopt;
    const Value found = spec_field(path.substr(kSpec.size()));
    // KServe names a model without a name after its service.
    if (!found.is_true && path == ".Spec.Model.Name") return known(values_.service.name);
    return found;
  }

  static std::optional<Value> known(std::string_view text) {
    if (text.empty()) return std::nullopt;
    return Value{.is_true = true, .text = std::string(text)};
  }

  Value spec_field(std::string_view path) {
    const Node* node = &values_.service.spec();
    while (true) {
      const std::size_t dot = path.find('.');
      node = &(*node)[json_name(path.substr(0, dot))];
      if (dot == std::string_view::npos) return value_of(*node);
      path.remove_prefix(dot + 1);
    }
  }

  std::string_view rest_;
  const TemplateValues& values_;
  std::string filled_;
  std::vector<Branch> branches_;
};

}  // namespace

std::optional<std::string> fill_template(std::string_view text, const TemplateValues& values) {
  return TemplateFiller(text, values).fill();
}

namespace {

class TreeFiller {
 public:
  TreeFiller(const TemplateValues& values, Arena& arena) : values_(values), arena_(arena) {}

  const Node& fill(const Node& node, std::size_t depth) {
    // Aliases may nest deeper than the parser's limit, and than the stack.
    constexpr std::size_t kDeepest = 100;
    if (depth == kDeepest) return node;
    if (node.is_scalar()) return scalar(node);
    return node.is_sequence() ? sequence(node, depth) : mapping(node, depth);
  }

 private:
  const Node& scalar(const Node& node) {
    if (node.text().find("{{") == std::string_view::npos) return node;
    const std::optional<std::string> text = fill_template(node.text(), values_);
    return text ? yaml::string_like(arena_, node, *text) : node;
  }

  const Node& sequence(const Node& node, std::size_t depth) {
    std::vector<const Node*> items;
    for (const Node* item : node.items()) items.push_back(&fill(*item, depth + 1));
    const bool same = std::ranges::equal(items, node.items());
    return same ? node : yaml::sequence_like(arena_, node, items);
  }

  const Node& mapping(const Node& node, std::size_t depth) {
    std::vector<yaml::Entry> entries = yaml::entries_of(node);
    bool same = true;
    for (yaml::Entry& entry : entries) {
      const Node& value = fill(*entry.value, depth + 1);
      same = same && &value == entry.value;
      entry.value = &value;
    }
    return same ? node : yaml::mapping_like(arena_, node, entries);
  }

  const TemplateValues& values_;
  Arena& arena_;
};

}  // namespace

const Node& filled(const Node& node, const TemplateValues& values, Arena& arena) {
  return TreeFiller(values, arena).fill(node, 0);
}

}  // namespace cnsched::kserve
