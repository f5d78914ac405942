#pragma once

#include <fmt/format.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/yaml/node.h"

namespace cnsched::yaml {

/// Reads our own YAML (configuration, templates' parameters) and forgives nothing: what is unknown,
/// repeated or of the wrong type is an error that names its place. All errors are collected, so
/// that a user sees them at once.
class StrictReader {
 public:
  StrictReader(const SourceFile& file, std::vector<Error>& errors) : file_(file), errors_(errors) {}

  template <typename... Args>
  void error(const Node& at, fmt::format_string<Args...> text, Args&&... args) {
    add_error(at.span, fmt::format(text, std::forward<Args>(args)...));
  }
  void add_error(Span at, const std::string& message);
  /// Whether there are so many errors that nobody reads more of them.
  bool is_full() const { return errors_.size() >= 100; }

  /// Whether `node` is a mapping with no keys but these; a null is an empty one. Reports what is
  /// not.
  bool mapping(const Node& node, std::string_view name, const std::vector<std::string_view>& keys);
  /// The items of a list; reports anything else. Missing and null are empty.
  std::span<const Node* const> list(const Node& node, std::string_view name);
  /// The text of a string; reports anything else. Missing and null are nothing.
  std::optional<std::string_view> string(const Node& node, std::string_view name);

 private:
  const SourceFile& file_;
  std::vector<Error>& errors_;
};

}  // namespace cnsched::yaml
