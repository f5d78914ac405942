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

/// What there is to be set: by whose name, and the parameters, which have to outlive it.
struct Form {
  std::string_view name;
  std::span<const Parameter> parameters;

  /// The parameter of that name, or null.
  const Parameter* find(std::string_view parameter) const;
};

/// A template as read from its file: a parameter document, then manifests.
class Template {
 public:
  /// Reads the template in `bytes`. Fails with one line per mistake, each with its place: in the
  /// parameters, in the YAML, in the placeholders, and parameters that nothing uses.
  static Result<std::shared_ptr<const Template>> read(const std::string& path, std::string bytes);

  const std::string& path() const { return file_->path(); }
  const SourceFile& file() const { return *file_; }
  const std::string& name() const { return name_; }
  const std::string& summary() const { return summary_; }
  const std::vector<Parameter>& parameters() const { return parameters_; }
  const Parameter* parameter(std::string_view name) const;
  Form form() const { return {name_, parameters_}; }
  const std::optional<Variants>& variants() const { return variants_; }
  const std::vector<yaml::Document>& documents() const { return documents_; }
  /// The names that placeholders use, those of the catalogue included.
  const std::set<std::string>& used() const { return used_; }

 private:
  Template() = default;
  class Reader;

  std::unique_ptr<const SourceFile> file_;
  yaml::Document parameter_document_;
  std::vector<yaml::Document> documents_;
  std::string name_;
  std::string summary_;
  std::vector<Parameter> parameters_;
  std::optional<Variants> variants_;
  std::set<std::string> used_;
};

/// The parameters that templates share by `use`, from templates/common/parameters.yaml.
const std::vector<Parameter>& common_parameters();

}  // namespace cnsched::templates
