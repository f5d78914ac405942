#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/embedded_file.h"
#include "core/base/result.h"
#include "templates/template.h"

namespace cnsched::templates {

/// A template and its origin.
struct Listed {
  std::shared_ptr<const Template> model;
  bool is_builtin = true;
  bool is_shadowed = false;  ///< an earlier one has the same name
};

/// All available templates.
class Library {
 public:
  /// The templates of the directories in their order, then the built-in ones. Fails with one line
  /// for each error in a file, and for a directory that cannot be read.
  static Result<Library> open(const std::vector<std::string>& directories);

  /// Those of the directories first, by file name, then the built-in ones by name.
  const std::vector<Listed>& all() const { return templates_; }
  /// The template of that name, or null.
  const Template* find(std::string_view name) const;

 private:
  std::vector<Listed> templates_;
};

}  // namespace cnsched::templates

namespace cnsched::embedded {

/// Every template, sorted by path.
std::span<const EmbeddedFile> templates();
/// The file of common parameters.
std::span<const EmbeddedFile> template_parameters();

}  // namespace cnsched::embedded
