#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/source/source_file.h"
#include "core/yaml/document.h"
#include "templates/facts.h"
#include "templates/parameter.h"

namespace cnsched::templates {

/// The value of a parameter selects one of several kinds: the other documents of these kinds are
/// not rendered. Documents of other kinds always are.
struct Variants {
  std::string parameter;
  std::map<std::string, std::string> kinds;  ///< by value
};

/// The content of a template.
struct TemplateParts {
  std::unique_ptr<const SourceFile> file;
  yaml::Document parameter_document;
  std::vector<yaml::Document> documents;
  std::string name;
  std::string summary;
  std::vector<Parameter> parameters;
  std::optional<Variants> variants;
  std::set<std::string> used;
};

/// The parameter of that name, or null.
const Parameter* find_parameter(std::span<const Parameter> parameters, std::string_view name);

/// A set of parameters to fill in, with the name of its owner. The parameters must outlive it.
struct Form {
  std::string_view name;
  std::span<const Parameter> parameters;

  /// The parameter of that name, or null.
  const Parameter* find(std::string_view parameter) const {
    return find_parameter(parameters, parameter);
  }
};

/// A template as read from its file: a parameter document, then manifests.
class Template {
 public:
  /// Reads the template in `bytes`. Fails with one line and position for each error in the
  /// parameters, the YAML and the placeholders, and for each unused parameter.
  static Result<std::shared_ptr<const Template>> read(const std::string& path, std::string bytes);

  explicit Template(TemplateParts parts) : parts_(std::move(parts)) {}

  const std::string& path() const { return parts_.file->path(); }
  const SourceFile& file() const { return *parts_.file; }
  const std::string& name() const { return parts_.name; }
  const std::string& summary() const { return parts_.summary; }
  const std::vector<Parameter>& parameters() const { return parts_.parameters; }
  Form form() const { return {parts_.name, parts_.parameters}; }
  const std::optional<Variants>& variants() const { return parts_.variants; }
  const std::vector<yaml::Document>& documents() const { return parts_.documents; }
  /// The names in placeholders, including facts of the catalogue.
  const std::set<std::string>& used() const { return parts_.used; }

 private:
  TemplateParts parts_;
};

/// The parameters that templates share by `use`, from templates/common/parameters.yaml.
const std::vector<Parameter>& common_parameters();

/// The manifests of the template with the placeholders replaced. Entries and items without a value
/// are removed with their comments, and so are parents left empty; all other bytes are the
/// template's. The result is parsed and compared with the expected values, so no parameter can
/// change its structure. Fails if nothing is left of a document.
Result<std::string> render(const Template& model, const Values& values);

/// A part of a string: literal text, or the name of a parameter to substitute.
struct Piece {
  std::string text;
  bool is_parameter = false;
};

/// Splits a string at its placeholders, `${{ name }}`; `$${{` is a literal `${{`. A string without
/// either is one literal piece, the empty string none. Fails for a placeholder that is not closed
/// or has no valid name.
Result<std::vector<Piece>> pieces_of(std::string_view text);

/// Whether the text has placeholders or escaped ones.
bool has_placeholders(std::string_view text);

}  // namespace cnsched::templates
