#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "core/yaml/document.h"

namespace cnsched::yaml {

/// What a reader does with a Helm or Jinja template.
enum class Templates : std::uint8_t {
  explained,  ///< it reports why the text is not YAML
  skipped,    ///< it reads no further than the first action, and sets only Document::templated
};

/// Parses the document at `where` in `file` (see split). Never fails: syntax errors are problems of
/// the document. The nodes refer to the bytes of `file`, which must outlive them; they are created
/// in `arena`, or in an arena of the document.
Document parse(const SourceFile& file, Span where, std::shared_ptr<Arena> arena = nullptr,
               Templates templates = Templates::explained);

/// The most nodes of a document with its aliases expanded ("billion laughs").
inline constexpr std::size_t kExpansionLimit = 1'000'000;

/// The deepest nesting of a document with its aliases expanded, since callers recurse. It is
/// yaml-cpp's limit too.
inline constexpr std::size_t kDepthLimit = 500;

/// A document in a string of another one, such as the JSON in a ConfigMap's value (JSON is YAML).
/// Its nodes live as long as this object; their spans are positions in the string.
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
