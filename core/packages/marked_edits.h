#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "core/base/go_template.h"
#include "core/packages/origin.h"
#include "core/source/source_file.h"

namespace cnsched::packages {

/// Texts that stand for those of sources, by the path of the source.
using ReplacedTexts = std::map<std::string, std::string>;

/// An edit of the source of a package with the number `where.file`.
struct MarkedEdit : Edit {
  std::string original{};   ///< what is rendered of the place; empty for an action of a template
  std::string marker{};     ///< shows in what is rendered
  bool is_number = false;   ///< the marker stands for the original; else it follows
  bool is_literal = false;  ///< text of a template that is printed as it is
};

/// The places of texts in the sources of a package, and what is written there to recognize them: a
/// number for a number ("8Gi" becomes "9Gi"), else the text with a sign ("onnx" becomes
/// "onnxzq7z"). No marker is in the sources or in what is rendered.
class MarkedEdits {
 public:
  /// `is_chart`: the files in `templates/` are Helm's. The sources and `rendered` must outlive
  /// this.
  MarkedEdits(bool is_chart, std::span<const PackageSource> sources, std::string_view rendered);

  const MarkedEdit& operator[](std::size_t change) const { return changes_[change]; }
  /// Of each source; without pieces for what is none.
  std::span<const GoTemplate> templates() const { return templates_; }
  bool is_template(std::size_t source) const { return !templates_[source].pieces.empty(); }
  const std::string& sign() const { return sign_; }

  /// A change for each place where the text may be the value, or the key, that is rendered: in a
  /// template in its text and in literals.
  const std::vector<std::size_t>& at_text(const std::string& text, bool is_key);
  /// The change of an action of a template, which then prints a marker.
  std::size_t at_action(std::size_t source, const TemplatePiece& action);

  /// The sources with these changes, which do not overlap.
  ReplacedTexts texts_with(std::span<const std::size_t> changes) const;

 private:
  bool occurs(std::string_view text) const;
  void add_places(std::size_t source, const std::string& spelled, const std::string& text,
                  bool is_key, std::vector<std::size_t>& places);
  bool is_changeable(MarkedEdit& change, bool& is_bare) const;
  void mark(MarkedEdit& change, bool is_bare);
  bool has_number(std::string_view marker);

  std::span<const PackageSource> sources_;
  std::string_view rendered_;
  std::string sign_ = "zq";
  std::vector<GoTemplate> templates_;
  std::vector<MarkedEdit> changes_;
  std::map<std::pair<std::string, bool>, std::vector<std::size_t>> by_text_;
  std::map<Span, std::size_t> by_place_;
  std::map<std::string, std::int64_t> added_;     ///< to the number of a text, for the last marker
  std::unordered_set<std::string> used_;          ///< numbers
  std::unordered_set<std::string_view> written_;  ///< numbers of the sources and what is rendered
  std::size_t searched_ = 0;                      ///< bytes
};

/// Whether the text has the marker, as a word if it is a number.
bool shows(std::string_view text, const MarkedEdit& change);
/// How often.
std::size_t times_shown(std::string_view text, const MarkedEdit& change);

}  // namespace cnsched::packages
