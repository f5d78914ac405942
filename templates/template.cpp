// Reports all errors of a template at once.
#include "templates/template.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "core/base/suggest.h"
#include "core/base/text.h"
#include "core/k8s/object.h"
#include "core/yaml/parse.h"
#include "core/yaml/shape.h"
#include "core/yaml/split.h"
#include "templates/facts.h"
#include "templates/library.h"

namespace cnsched::templates {

namespace {

using yaml::Node;
using yaml::StrictReader;

constexpr std::string_view kApiVersion = "cnsched/v1";

/// The name of `cnsched generate pin`, which no template may have.
constexpr std::string_view kReserved = "pin";

std::vector<std::string_view> names_of(const std::vector<Parameter>& parameters) {
  std::vector<std::string_view> names;
  for (const Parameter& parameter : parameters) names.push_back(parameter.name);
  return names;
}

/// The parameter that this one is based on; reports one that does not exist.
Parameter base_of(const Node& declaration, const std::vector<Parameter>& common,
                  StrictReader& reader) {
  const auto use = reader.string(declaration["use"], "use");
  if (!use) return {};
  const Parameter* base = find_parameter(common, *use);
  if (base != nullptr) return *base;
  reader.error(declaration["use"], "no common parameter is called '{}'{}", *use,
               did_you_mean(*use, names_of(common)));
  return {};
}

std::vector<Parameter> read_parameters(const Node& list, const std::vector<Parameter>& common,
                                       StrictReader& reader) {
  std::vector<Parameter> parameters;
  for (const Node* item : reader.list(list, "parameters")) {
    Parameter parameter = read_parameter(*item, base_of(*item, common, reader), reader);
    parameter.is_common = bool((*item)["use"]);
    if (find_parameter(parameters, parameter.name) != nullptr) {
      reader.error(*item, "'{}' is declared twice", parameter.name);
    }
    parameters.push_back(std::move(parameter));
  }
  return parameters;
}

/// The common parameters with the document that owns their defaults.
struct Common {
  Common()
      : file(0, std::string(embedded::template_parameters().front().path),
             std::string(embedded::template_parameters().front().text)),
        document(yaml::parse(file, yaml::split(file).at(0))) {
    std::vector<Error> errors;
    StrictReader reader(file, errors);
    reader.mapping(*document.root, "the document", {"apiVersion", "kind", "parameters"});
    parameters = read_parameters((*document.root)["parameters"], {}, reader);
    if (!errors.empty()) throw std::logic_error(joined(errors).message);
  }

  SourceFile file;
  yaml::Document document;
  std::vector<Parameter> parameters;
};

class Reader {
 public:
  Reader(TemplateParts& parts, std::vector<Error>& errors)
      : parts_(parts), errors_(errors), reader_(*parts.file, errors) {}

  void read() {
    if (!read_documents()) return;
    const Node& root = *parts_.parameter_document.root;
    reader_.mapping(root, "the parameter document",
                    {"apiVersion", "kind", "metadata", "parameters", "variants"});
    read_metadata(root["metadata"]);
    parts_.parameters = read_parameters(root["parameters"], common_parameters(), reader_);
    for (Parameter& parameter : parts_.parameters) drop_inherited(parameter);
    for (const Parameter& parameter : parts_.parameters) check_parameter(parameter);
    read_variants(root["variants"]);
    for (const yaml::Document& document : parts_.documents) read_manifest(document);
    check_use();
  }

 private:
  const Parameter* declared(std::string_view name) const {
    return find_parameter(parts_.parameters, name);
  }

  void error_at(Span where, const std::string& message) { reader_.add_error(where, message); }

  /// Whether there is a parameter document, and all documents are YAML.
  bool read_documents() {
    const SourceFile& file = *parts_.file;
    for (const Span where : yaml::split(file)) {
      yaml::Document document = yaml::parse(file, where);
      for (const yaml::Problem& problem : document.problems) {
        error_at(problem.where, problem.message);
      }
      parts_.documents.push_back(std::move(document));
    }
    auto& documents = parts_.documents;
    const Node& first = documents.empty() ? yaml::missing_node() : *documents.front().root;
    const bool is_template =
        first["apiVersion"].text() == kApiVersion && first["kind"].text() == "Template";
    if (!is_template && errors_.empty()) {
      error_at(first.span,
               "a template begins with a document of apiVersion: cnsched/v1, kind: Template, which "
               "declares its parameters");
    }
    if (!errors_.empty()) return false;
    parts_.parameter_document = std::move(documents.front());
    documents.erase(documents.begin());
    if (documents.empty()) error_at(first.span, "no manifest follows the parameters");
    return true;
  }

  void read_metadata(const Node& metadata) {
    reader_.mapping(metadata, "metadata", {"name", "summary"});
    const Node& name = metadata["name"];
    parts_.name = reader_.string(name, "name").value_or("");
    parts_.summary = reader_.string(metadata["summary"], "summary").value_or("");
    const Node& at = name ? name : *parts_.parameter_document.root;
    if (!k8s::is_dns_part(parts_.name)) {
      reader_.error(at, "a template needs a metadata.name of lower case letters, digits and '-'");
    }
    if (parts_.name == kReserved) {
      reader_.error(at, "'pin' is a command of its own: choose another name");
    }
    if (parts_.summary.empty() || parts_.summary.find('\n') != std::string::npos) {
      reader_.error(metadata ? metadata : at, "a template needs a metadata.summary of one line");
    }
  }

  template <typename... Args>
  void parameter_error(const Parameter& parameter, fmt::format_string<Args...> text,
                       Args&&... args) {
    error_at(parameter.where, fmt::format("parameter '{}' {}", parameter.name,
                                          fmt::format(text, std::forward<Args>(args)...)));
  }

  /// Removes references of a common parameter to parameters that this template does not have.
  void drop_inherited(Parameter& parameter) const {
    const auto is_missing = [&](std::string_view name) {
      return declared(name) == nullptr && !(has_facts() && is_one_of(name, fact_names()));
    };
    if (!parameter.is_common) return;
    if (parameter.default_for && is_missing(parameter.default_for->parameter)) {
      parameter.default_for.reset();
    }
    if (parameter.only_for && is_missing(parameter.only_for->parameter)) parameter.only_for.reset();
    if (parameter.required_for && is_missing(parameter.required_for->parameter)) {
      parameter.required_for.reset();
    }
    if (is_missing(parameter.not_below)) parameter.not_below.clear();
  }

  void check_parameter(const Parameter& parameter) {
    const auto pieces = pieces_of("${{ " + parameter.name + " }}");
    if (!pieces || parameter.name.find('.') != std::string::npos) {
      parameter_error(parameter, "needs a name of letters and digits");
    }
    if (parameter.description.empty()) parameter_error(parameter, "has no description");
    if (parameter.type == Type::enumeration && parameter.values.empty()) {
      parameter_error(parameter, "is an enum without values");
    }
    const bool has_default = parameter.default_value->is_missing() == false;
    if (parameter.required && has_default) {
      parameter_error(parameter, "is required, so its default is never used");
    }
    if (parameter.required && parameter.example.empty()) {
      parameter_error(parameter, "is required and has no example");
    }
    if (has_default) check_default(parameter, *parameter.default_value);
    if (!parameter.example.empty()) check_example(parameter);
    if (parameter.default_for) check_default_for(parameter);
    check_relations(parameter);
  }

  /// Checks that the parameter's default and example are valid.
  void check_own(const Parameter& parameter, std::string_view what,
                 const Result<const Node*>& value) {
    if (value) return;
    error_at(parameter.where,
             fmt::format("the {} of '{}' {}", what, parameter.name, value.error().message));
  }

  void check_default(const Parameter& parameter, const Node& given) {
    check_own(parameter, "default", value_of(parameter, given, *parts_.parameter_document.arena));
  }

  void check_example(const Parameter& parameter) {
    check_own(parameter, "example",
              value_of(parameter, parameter.example, *parts_.parameter_document.arena));
  }

  void check_default_for(const Parameter& parameter) {
    const DefaultFor& by = *parameter.default_for;
    const Parameter* other = declared(by.parameter);
    const bool by_fact = has_facts() && is_one_of(by.parameter, fact_names());
    if (!by_fact && (other == nullptr || other == &parameter)) {
      parameter_error(parameter, "has a default for '{}', which is not another parameter",
                      by.parameter);
      return;
    }
    for (const auto& [text, value] : by.values) {
      check_default(parameter, *value);
      if (by_fact) continue;
      const auto is_value = value_of(*other, text, *parts_.parameter_document.arena);
      if (!is_value) {
        parameter_error(parameter, "has a default for '{}', and '{}' {}", text, by.parameter,
                        is_value.error().message);
      }
    }
  }

  /// Checks that the other parameter and its values exist; of the catalogue's facts only the names.
  void check_for_values(const Parameter& parameter, const ForValues& by, std::string_view what) {
    if (is_one_of(by.parameter, fact_names()) && has_facts()) return;
    const Parameter* other = declared(by.parameter);
    for (const std::string& value : by.values) {
      if (other != nullptr && is_one_of(value, values_of(*other))) continue;
      parameter_error(parameter, "is {} '{}', which is not a value of '{}'", what, value,
                      by.parameter);
    }
  }

  void check_relations(const Parameter& parameter) {
    if (parameter.required_for) {
      check_for_values(parameter, *parameter.required_for, "required for");
      if (parameter.example.empty()) {
        parameter_error(parameter, "is required for some and has no example");
      }
    }
    if (parameter.only_for) check_for_values(parameter, *parameter.only_for, "only for");
    if (!parameter.not_below.empty() && declared(parameter.not_below) == nullptr) {
      parameter_error(parameter, "has the minimum '{}', which is not a parameter",
                      parameter.not_below);
    }
  }

  void read_variants(const Node& node) {
    if (!node) return;
    const bool readable = node.is_mapping() && node.entries().size() == 1 &&
                          node.entries().front().value->is_mapping();
    if (!readable) {
      reader_.error(node,
                    "'variants' must be a mapping of one parameter to the kinds that its "
                    "values select");
      return;
    }
    Variants variants;
    variants.parameter = node.entries().front().key->text();
    const Parameter* parameter = declared(variants.parameter);
    for (const yaml::Entry& row : node.entries().front().value->entries()) {
      const bool is_value =
          parameter != nullptr && is_one_of(row.key->text(), values_of(*parameter));
      const bool is_kind = std::ranges::any_of(parts_.documents, [&](const auto& document) {
        return (*document.root)["kind"].text() == row.value->text();
      });
      if (!is_value) {
        reader_.error(*row.key, "'{}' is not a value of '{}'", row.key->text(), variants.parameter);
      }
      if (!is_kind) reader_.error(*row.value, "no document is a '{}'", row.value->text());
      variants.kinds.emplace(row.key->text(), row.value->text());
    }
    parts_.used.insert(variants.parameter);
    parts_.variants = std::move(variants);
  }

  void read_manifest(const yaml::Document& document) {
    const Node& root = *document.root;
    if (!root.is_mapping() || !root["apiVersion"].is_string() || !root["kind"].is_string() ||
        has_placeholders(root["kind"].text())) {
      error_at(document.span, "a manifest needs an apiVersion and a kind");
    }
    std::vector<Span> scalars;
    yaml::walk(root, [&](const Node& node) {
      if (node.anchored() != nullptr) {
        reader_.error(node, "a template cannot contain aliases: write the value instead");
      }
      for (const yaml::Entry& entry : node.entries()) {
        if (!entry.merged) read_scalar(*entry.key, scalars);
        if (entry.overridden) {
          reader_.error(*entry.key, "'{}' is set again further down: remove one of the two",
                        entry.key->text());
        }
      }
      read_scalar(node, scalars);
    });
    for (const yaml::Comment& comment : document.comments) scalars.push_back(comment.span);
    check_rest(document, std::move(scalars));
  }

  void read_scalar(const Node& node, std::vector<Span>& scalars) {
    if (!node.is_scalar()) return;
    scalars.push_back(node.span);
    const auto pieces = pieces_of(node.text());
    if (!pieces) {
      error_at(node.span, pieces.error().message);
      return;
    }
    for (const Piece& piece : *pieces) {
      if (!piece.is_parameter) continue;
      parts_.used.insert(piece.text);
      check_name(node, piece.text);
    }
  }

  bool has_facts() const {
    const bool accelerates =
        declared("accelerator") != nullptr || declared("accelerators") != nullptr;
    return accelerates && declared("platform") != nullptr;
  }

  void check_name(const Node& at, std::string_view name) {
    if (declared(name) != nullptr) return;
    if (is_one_of(name, fact_names())) {
      if (!has_facts()) {
        reader_.error(at, "'{}' is known only with the parameters 'platform' and 'accelerator'",
                      name);
      }
      return;
    }
    auto known = names_of(parts_.parameters);
    known.insert(known.end(), fact_names().begin(), fact_names().end());
    reader_.error(at, "no parameter is called '{}'{}", name, did_you_mean(name, known));
  }

  /// Reports placeholders within {} or [], which the parser does not read as scalars.
  void check_rest(const yaml::Document& document, std::vector<Span> scalars) {
    std::ranges::sort(scalars);
    const std::string_view bytes = parts_.file->bytes();
    std::size_t at = document.span.begin;
    while ((at = bytes.find("${{", at)) < document.span.end) {
      const auto covers = [&](const Span& span) { return span.begin <= at && at < span.end; };
      const auto place = static_cast<std::uint32_t>(at);
      const bool seen = std::ranges::any_of(scalars, covers);
      if (!seen || in_flow(*document.root, place)) {
        error_at({document.span.file, place, place + 3},
                 "a placeholder cannot be within {} or []: write the value in block style");
      }
      ++at;
    }
  }

  /// Whether the byte is within {} or [].
  bool in_flow(const Node& node, std::uint32_t at) const {
    const auto covers = [&](const Node& child) {
      return child.span.begin <= at && at < child.span.end;
    };
    const bool collection = node.is_mapping() || node.is_sequence();
    if (!collection) return false;
    const std::string_view text = parts_.file->text(node.span);
    if (text.starts_with('{') || text.starts_with('[')) return true;
    for (const Node* item : node.items()) {
      if (covers(*item)) return in_flow(*item, at);
    }
    for (const yaml::Entry& entry : node.entries()) {
      if (covers(*entry.value)) return in_flow(*entry.value, at);
    }
    return false;
  }

  /// Reports unused parameters.
  void check_use() {
    const bool has_fact = std::ranges::any_of(
        parts_.used, [](const std::string& name) { return is_one_of(name, fact_names()); });
    for (const Parameter& parameter : parts_.parameters) {
      if (parts_.used.contains(parameter.name)) continue;
      if (has_fact && is_one_of(parameter.name, fact_inputs())) continue;
      const bool decides = std::ranges::any_of(parts_.parameters, [&](const Parameter& other) {
        const auto names = [&](const auto& by) { return by && by->parameter == parameter.name; };
        return names(other.default_for) || names(other.required_for) || names(other.only_for);
      });
      if (!decides) parameter_error(parameter, "is not used");
    }
  }

  TemplateParts& parts_;
  std::vector<Error>& errors_;
  StrictReader reader_;
};

}  // namespace

const Parameter* find_parameter(std::span<const Parameter> parameters, std::string_view name) {
  const auto found = std::ranges::find(parameters, name, &Parameter::name);
  return found == parameters.end() ? nullptr : &*found;
}

const std::vector<Parameter>& common_parameters() {
  static const Common common;
  return common.parameters;
}

Result<std::shared_ptr<const Template>> Template::read(const std::string& path, std::string bytes) {
  TemplateParts parts;
  parts.file = std::make_unique<SourceFile>(0, path, std::move(bytes));
  std::vector<Error> errors;
  Reader(parts, errors).read();
  if (!errors.empty()) return joined(errors);
  return std::make_shared<const Template>(std::move(parts));
}

}  // namespace cnsched::templates
