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
#include "templates/parameter.h"

namespace cnsched::templates {

/// Of documents of several kinds only one leaves: that of the kind which the value of a parameter
/// stands for. Documents of other kinds always do.
struct Variants {
  std::string parameter;
  std::map<std::string, std::string> kinds;  ///< by value
};

/// What a template consists of.
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

/// What there is to be set: by whose name, and the parameters, which have to outlive it.
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
  /// Reads the template in `bytes`. Fails with one line per mistake, each with its place: in the
  /// parameters, in the YAML, in the placeholders, and parameters that nothing uses.
  static Result<std::shared_ptr<const Template>> read(const std::string& path, std::string bytes);

  explicit Template(TemplateParts parts) : parts_(std::move(parts)) {}

  const std::string& path() const { return parts_.file->path(); }
  const SourceFile& file() const { return *parts_.file; }
  const std::string& name() const { return parts_.name; }
  const std::string& summary() const { return parts_.summary; }
  const std::vector<Parameter>& parameters() const { return parts_.parameters; }
  const Parameter* parameter(std::string_view name) const {
    return find_parameter(parts_.parameters, name);
  }
  Form form() const { return {parts_.name, parts_.parameters}; }
  const std::optional<Variants>& variants() const { return parts_.variants; }
  const std::vector<yaml::Document>& documents() const { return parts_.documents; }
  /// The names that placeholders use, those of the catalogue included.
  const std::set<std::string>& used() const { return parts_.used; }

 private:
  TemplateParts parts_;
};

/// The parameters that templates share by `use`, from templates/common/parameters.yaml.
const std::vector<Parameter>& common_parameters();

}  // namespace cnsched::templates
