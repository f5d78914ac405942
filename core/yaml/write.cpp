#include "core/yaml/write.h"

#include "core/yaml/scalar.h"

namespace cnsched::yaml {

namespace {

/// libyaml rejects a longer key without '?': 1024 bytes, minus some for the indentation.
constexpr std::size_t kMaxSimpleKeyLength = 900;

class YamlWriter {
 public:
  explicit YamlWriter(const CommentOf& comment_of) : comment_of_(comment_of) {}

  /// The caller has indented the first line.
  void mapping(const Node& node, std::size_t indent) {
    bool first = true;
    for (const Entry& entry : node.entries()) {
      if (entry.overridden) continue;
      if (!first) out.append(indent, ' ');
      first = false;
      key(*entry.key, indent);
      value(*entry.value, indent);
    }
  }

  void sequence(const Node& node, std::size_t indent) {
    for (const Node* item : node.items()) {
      out.append(indent, ' ');
      out += '-';
      if (item->is_mapping() && !item->is_empty()) {
        out += ' ';
        mapping(*item, indent + 2);
      } else if (item->is_sequence() && !item->is_empty()) {
        out += '\n';
        sequence(*item, indent + 2);
      } else {
        leaf(*item, indent);
      }
    }
  }

  std::string out;

 private:
  void key(const Node& node, std::size_t indent) {
    const std::string text = quoted_for_yaml(key_text(node));
    const bool simple = text.size() <= kMaxSimpleKeyLength;
    if (!simple) out += "? ";
    out += text;
    if (!simple) out += "\n" + std::string(indent, ' ');
    out += ':';
  }

  /// The text after a ':'.
  void value(const Node& node, std::size_t indent) {
    if (node.is_empty() || node.is_scalar()) return leaf(node, indent);
    out += '\n';
    if (node.is_sequence()) return sequence(node, indent);
    out.append(indent + 2, ' ');
    mapping(node, indent + 2);
  }

  void leaf(const Node& node, std::size_t indent) {
    const std::string comment = comment_of_ ? comment_of_(node) : "";
    const std::string end = comment.empty() ? "\n" : "  # " + comment + "\n";
    if (node.is_string() && fits_block_scalar(node.text())) {
      out += " " + block_scalar_header(node.text()) + end;
      out += block_scalar_lines(node.text(), indent + 2);
    } else {
      const bool braces = node.is_mapping() || node.is_sequence();
      out += braces ? node.is_mapping() ? " {}" : " []" : " " + scalar_to_yaml(node);
      out += end;
    }
  }

  const CommentOf& comment_of_;
};

class FlowWriter {
 public:
  explicit FlowWriter(bool quotes) : quotes_(quotes) {}

  void value(const Node& node) {
    if (node.is_mapping()) return mapping(node);
    if (node.is_sequence()) return sequence(node);
    out += node.is_scalar() ? json_literal(node).value_or(quoted_for_flow(node.text(), quotes_))
                            : "null";
  }

  std::string out;

 private:
  void mapping(const Node& node) {
    std::string_view between = "{";
    for (const Entry& entry : node.entries()) {
      if (entry.overridden) continue;
      out += between;
      out += quoted_for_flow(key_text(*entry.key), quotes_) + ": ";
      value(*entry.value);
      between = ", ";
    }
    out += between == "{" ? "{}" : "}";
  }

  void sequence(const Node& node) {
    std::string_view between = "[";
    for (const Node* item : node.items()) {
      out += between;
      value(*item);
      between = ", ";
    }
    out += between == "[" ? "[]" : "]";
  }

  bool quotes_;
};

class JsonWriter {
 public:
  void value(const Node& node, std::size_t indent) {
    if (node.is_mapping()) return object(node, indent);
    if (node.is_sequence()) return array(node, indent);
    out += node.is_scalar() ? json_literal(node).value_or(quoted_for_json(node.text())) : "null";
  }

  std::string out;

 private:
  void object(const Node& node, std::size_t indent) {
    out += '{';
    bool any = false;
    for (const Entry& entry : node.entries()) {
      if (entry.overridden) continue;
      next(any, indent + 2);
      out += quoted_for_json(key_text(*entry.key)) + ": ";
      value(*entry.value, indent + 2);
    }
    end(any, indent, '}');
  }

  void array(const Node& node, std::size_t indent) {
    out += '[';
    bool any = false;
    for (const Node* item : node.items()) {
      next(any, indent + 2);
      value(*item, indent + 2);
    }
    end(any, indent, ']');
  }

  void next(bool& any, std::size_t indent) {
    out += any ? ",\n" : "\n";
    out.append(indent, ' ');
    any = true;
  }

  void end(bool any, std::size_t indent, char bracket) {
    if (any) {
      out += '\n';
      out.append(indent, ' ');
    }
    out += bracket;
  }
};

}  // namespace

std::string to_yaml(const Node& node, const CommentOf& comment_of) {
  YamlWriter writer(comment_of);
  if (node.is_empty()) return node.is_sequence() ? "[]\n" : "{}\n";
  if (node.is_sequence()) {
    writer.sequence(node, 0);
  } else {
    writer.mapping(node, 0);
  }
  return writer.out;
}

std::string scalar_to_yaml(const Node& scalar) {
  if (!scalar.is_scalar()) return "null";
  return json_literal(scalar).value_or(quoted_for_yaml(scalar.text()));
}

std::string to_flow(const Node& node, bool quotes) {
  FlowWriter writer(quotes);
  writer.value(node);
  return writer.out;
}

std::string to_json(const Node& node, std::size_t indent) {
  JsonWriter writer;
  writer.value(node, indent);
  return writer.out;
}

}  // namespace cnsched::yaml
