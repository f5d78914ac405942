#pragma once

#include <string>
#include <string_view>

#include "core/yaml/parse.h"

namespace cnsched::yaml {

/// A document that another holds as a string, such as the JSON in a ConfigMap's value (JSON is
/// YAML: our own parser reads it, and never throws). Its nodes live as long as this, and their
/// spans mean nothing outside it.
class Embedded {
 public:
  explicit Embedded(std::string_view text)
      : file_(0, "", std::string(text)), document_(parse(file_, file_.whole())) {}
  Embedded(const Embedded&) = delete;
  Embedded& operator=(const Embedded&) = delete;

  /// A missing node if the text cannot be read.
  const Node& root() const { return *document_.root; }

 private:
  SourceFile file_;
  Document document_;
};

}  // namespace cnsched::yaml
