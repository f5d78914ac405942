#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/packages/marked_templates.h"

namespace cnsched {

/// Which marked lines include which definitions.
class TemplateCalls {
 public:
  /// `templates` must outlive this.
  TemplateCalls(std::span<const PackageSource> sources, const MarkedTemplates& templates);

  /// Whether all that the definition prints is followed by the mark of the line that includes it,
  /// so that the next such mark is its caller's.
  bool is_followed_by_caller(std::string_view definition) const {
    return !all_hidden_ && !hidden_.contains(definition);
  }
  /// The definitions that the mark's line includes, also by other ones without marks.
  std::span<const std::string_view> included_by(std::size_t mark) const { return names_[mark]; }
  /// The part of the mark's line that includes the definition; null if it is not known.
  const PrintedPart* part_with(std::size_t mark, std::string_view definition) const;

 private:
  void add_line(std::size_t mark);
  void add(std::size_t mark, std::string_view definition, const PrintedPart* part);
  void find_others();
  void add_passed(std::size_t mark);
  void hide_named_in(std::string_view text);
  void hide_named_in(const TemplateExpression& expression);
  void hide_recursive();

  const MarkedTemplates& templates_;
  std::vector<std::vector<std::string_view>> names_;        ///< of each mark
  std::vector<std::vector<const PrintedPart*>> parts_;      ///< that include them
  std::set<std::pair<std::size_t, std::size_t>> in_marks_;  ///< sources and their pieces
  /// What definitions without marks include.
  std::map<std::string_view, std::set<std::string_view>> passed_;
  std::set<std::string, std::less<>> hidden_;
  std::size_t included_ = 0;  ///< in all lines
  bool all_hidden_ = false;   ///< the name of an included definition is computed
};

}  // namespace cnsched
