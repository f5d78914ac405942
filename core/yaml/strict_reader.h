#pragma once

#include <fmt/format.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/yaml/node.h"

namespace cnsched::yaml {

/// Reads our own YAML (configuration, templates' parameters). A key that is unknown or repeated, or
/// a value of the wrong type, is an error with its position. All errors are collected.
class StrictReader {
 public:
  StrictReader(const SourceFile& file, std::vector<Error>& errors) : file_(file), errors_(errors) {}

  template <typename... Args>
  void error(const Node& at, fmt::format_string<Args...> text, Args&&... args) {
    add_error(at.span, fmt::format(text, std::forward<Args>(args)...));
  }
  void add_error(Span at, const std::string& message);
  /// Whether no more errors need to be collected.
  bool is_full() const { return errors_.size() >= 100; }

  /// Whether `node` is a mapping; null is an empty one. Reports keys that are not in `keys`.
  bool mapping(const Node& node, std::string_view name, const std::vector<std::string_view>& keys);
  /// The items of a list; reports any other value. Missing and null are empty.
  std::span<const Node* const> list(const Node& node, std::string_view name);
  /// The text of a string; reports any other value. Nothing if missing or null.
  std::optional<std::string_view> string(const Node& node, std::string_view name);

 private:
  const SourceFile& file_;
  std::vector<Error>& errors_;
};

}  // namespace cnsched::yaml
