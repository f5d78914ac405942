// A stack has the open `if`s; text and values are output only if all of their conditions are true.
#include "core/kserve/go_template.h"

#include <algorithm>
#include <span>
#include <vector>

#include "core/base/go_template.h"
#include "core/base/text.h"
#include "core/kserve/child_name.h"
#include "core/yaml/tree.h"

namespace cnsched::kserve {

namespace {

using yaml::Node;
using Piece = TemplatePiece;
using Expression = TemplateExpression;

/// The value of an expression.
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

class Filler {
 public:
  Filler(std::string_view text, const TemplateValues& values) : text_(text), values_(values) {}

  std::optional<std::string> fill() && {
    const GoTemplate read = read_go_template(text_);
    if (!read.is_complete) return std::nullopt;
    for (const Piece& piece : read.pieces) {
      if (!run(piece, read.blocks[piece.block])) return std::nullopt;
    }
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

  /// False if the piece is not supported.
  bool run(const Piece& piece, const TemplateBlock& block) {
    if (piece.kind == Piece::Kind::text) {
      if (is_live()) filled_ += text_.substr(piece.begin, piece.end - piece.begin);
      return true;
    }
    if (!piece.variables.empty()) return false;
    switch (piece.kind) {
      case Piece::Kind::output:
        return output(piece.expression);
      case Piece::Kind::open:
        return block.kind == TemplateBlock::Kind::condition && open(piece.expression);
      case Piece::Kind::otherwise:
        return piece.expression.is_empty() && otherwise();
      case Piece::Kind::close:
        branches_.pop_back();
        return true;
      case Piece::Kind::comment:
        return true;
      case Piece::Kind::text:
      case Piece::Kind::assignment:
      case Piece::Kind::jump:
        break;
    }
    return false;
  }

  bool output(const Expression& expression) {
    if (!is_live()) return !expression.is_empty();
    const std::optional<Value> result = value(expression);
    if (!result || !result->text) return false;
    filled_ += *result->text;
    return true;
  }

  bool open(const Expression& condition) {
    std::optional<Value> result = Value{};
    if (condition.is_empty() || (is_live() && !(result = value(condition)))) return false;
    branches_.push_back({.reached = is_live(), .is_true = result->is_true});
    return true;
  }

  bool otherwise() {
    if (branches_.back().is_else) return false;
    branches_.back().is_true = !branches_.back().is_true;
    branches_.back().is_else = true;
    return true;
  }

  std::optional<Value> value(const Expression& expression, std::size_t depth = 0) {
    constexpr std::size_t kDeepest = 100;
    if (depth == kDeepest) return std::nullopt;
    if (expression.kind == Expression::Kind::dot) return field(expression.path);
    if (!expression.path.empty()) return std::nullopt;
    const std::string& text = expression.text;
    switch (expression.kind) {
      case Expression::Kind::string:
        return quoted(expression);
      case Expression::Kind::other_literal:
        if (!whole_number(text)) return std::nullopt;
        return Value{.is_true = text != "0", .text = text};
      case Expression::Kind::call:
        return call(expression, depth + 1);
      case Expression::Kind::unknown:
      case Expression::Kind::variable:
      case Expression::Kind::dot:
        break;
    }
    return std::nullopt;
  }

  /// Nothing for a character, which Go prints as a number, and for escapes that were not resolved.
  std::optional<Value> quoted(const Expression& literal) const {
    const char quote = text_[literal.begin];
    const bool has_escapes = quote == '"' && literal.text.find('\\') != std::string::npos;
    if (quote == '\'' || has_escapes) return std::nullopt;
    return Value{.is_true = !literal.text.empty(), .text = literal.text};
  }

  std::optional<Value> call(const Expression& call, std::size_t depth) {
    if (call.text == "and" || call.text == "or") return junction(call, depth);
    if (call.text != "ChildName" || call.arguments.size() != 2) return std::nullopt;
    const std::optional<Value> parent = value(call.arguments[0], depth);
    const std::optional<Value> suffix = value(call.arguments[1], depth);
    if (!parent || !parent->text || !suffix || !suffix->text) return std::nullopt;
    return Value{.is_true = true, .text = child_name(*parent->text, *suffix->text)};
  }

  /// `and` returns the first of its arguments that is false, `or` the first that is true, else the
  /// last.
  std::optional<Value> junction(const Expression& call, std::size_t depth) {
    const bool decides = call.text == "or";
    std::optional<Value> result;
    for (const Expression& argument : call.arguments) {
      result = value(argument, depth);
      if (!result || result->is_true == decides) return result;
    }
    return result;
  }

  std::optional<Value> field(std::span<const std::string> path) {
    if (path.size() == 2 && path[0] == "ObjectMeta") path = path.subspan(1);
    if (path.size() == 1 && path[0] == "Name") return known(values_.service.name);
    // The namespace is unknown if the manifest does not set it.
    if (path.size() == 1 && path[0] == "Namespace") return known(values_.service.ns.name);
    if (path.size() < 2) return std::nullopt;
    if (path[0] == "GlobalConfig" && path.size() == 2 && path[1] == "EnableTLS") {
      return Value{.is_true = values_.tls, .text = values_.tls ? "true" : "false"};
    }
    if (path[0] != "Spec") return std::nullopt;
    const Node* node = &values_.service.spec();
    for (const std::string& name : path.subspan(1)) node = &node->under(json_name(name));
    const Value found = value_of(*node);
    // KServe names a model without a name after its service.
    const bool is_model_name = path.size() == 3 && path[1] == "Model" && path[2] == "Name";
    return is_model_name && !found.is_true ? known(values_.service.name) : found;
  }

  static std::optional<Value> known(std::string_view text) {
    if (text.empty()) return std::nullopt;
    return Value{.is_true = true, .text = std::string(text)};
  }

  std::string_view text_;
  const TemplateValues& values_;
  std::string filled_;
  std::vector<Branch> branches_;
};

}  // namespace

std::optional<std::string> fill_template(std::string_view text, const TemplateValues& values) {
  return Filler(text, values).fill();
}

const Node& filled(const Node& node, const TemplateValues& values, Arena& arena) {
  return yaml::with_strings(arena, node, [&](std::string_view text) {
    return text.find("{{") == std::string_view::npos ? std::nullopt : fill_template(text, values);
  });
}

namespace {

bool is_placeholder(const Piece& piece) {
  const std::vector<std::string>& path = piece.expression.path;
  if (piece.kind != Piece::Kind::output || piece.expression.kind != Expression::Kind::dot) {
    return false;
  }
  return path.size() == 1 ? path[0] == "Name" || path[0] == "Namespace"
                          : path.size() == 2 && (path[0] == "Labels" || path[0] == "Annotations");
}

std::string_view value_of(const Piece& placeholder, const k8s::Object& object) {
  const std::vector<std::string>& path = placeholder.expression.path;
  if (path[0] == "Name") return object.name;
  if (path[0] == "Namespace") return object.ns.name;
  return (path[0] == "Labels" ? object.labels() : object.annotations()).under(path[1]).text();
}

/// What is no placeholder stays as it is.
std::optional<std::string> with_values_of(const k8s::Object& object, std::string_view text) {
  if (text.find("{{") == std::string_view::npos) return std::nullopt;
  const GoTemplate read = read_go_template(text);
  if (!read.is_complete) return std::nullopt;
  std::string result;
  std::size_t done = 0;
  // Text, which may be empty, is before and after each action.
  for (std::size_t i = 1; i < read.pieces.size(); ++i) {
    if (!is_placeholder(read.pieces[i])) continue;
    result += text.substr(done, read.pieces[i - 1].end - done);
    result += value_of(read.pieces[i], object);
    done = read.pieces[i + 1].begin;
  }
  return result.append(text.substr(done));
}

}  // namespace

const Node& with_placeholders_filled(const Node& container, const k8s::Object& object,
                                     Arena& arena) {
  return yaml::with_strings(arena, container,
                            [&](std::string_view text) { return with_values_of(object, text); });
}

bool has_placeholder(std::string_view text) {
  return text.find("{{") != std::string_view::npos &&
         std::ranges::any_of(read_go_template(text).pieces, is_placeholder);
}

}  // namespace cnsched::kserve
