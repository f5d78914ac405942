#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/packages/marked_edits.h"
#include "core/yaml/document.h"

namespace cnsched::packages {

/// What an engine rendered with changes of the sources, compared with what it rendered before.
class ChangedRendering {
 public:
  /// `changes`: those that were made, of `all`. `before`: the documents without changes. All
  /// arguments but the text must outlive this.
  ChangedRendering(const MarkedEdits& all, std::span<const std::size_t> changes,
                   std::span<const yaml::Document> before, std::string text);

  std::string_view text() const { return file_.bytes(); }
  /// The node in the place of `node`, which is in the document of that number; none if that cannot
  /// be said: an object, a key or an item on the way is missing, or a list has other items. Several
  /// if its key is in several sources and was changed in one of them.
  std::vector<const yaml::Node*> counterparts(std::size_t document, const yaml::Node& node);
  /// Whether the text is the one before but for the changes.
  bool is_explained(std::string_view text, std::string_view before) const;

 private:
  const yaml::Node* root_of(std::size_t document);
  const yaml::Node& parsed(std::size_t document);
  bool is_same_object(const yaml::Node& root, const yaml::Node& before, bool may_be_hashed) const;
  bool has_same_items(const yaml::Node& list, const yaml::Node& before) const;
  std::vector<const yaml::Node*> below(const yaml::Node& root, const yaml::Node& node) const;
  std::vector<const yaml::Node*> values(const yaml::Node& mapping, const yaml::Node& before,
                                        const yaml::Node& key) const;

  const MarkedEdits& all_;
  std::vector<const MarkedEdit*> numbers_;  ///< changes of numbers
  std::span<const yaml::Document> before_;
  SourceFile file_;
  std::vector<Span> spans_;
  std::map<std::size_t, yaml::Document> documents_;
};

}  // namespace cnsched::packages
