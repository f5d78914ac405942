#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/base/arena.h"
#include "core/source/source_file.h"
#include "core/yaml/document.h"
#include "templates/facts.h"
#include "templates/template.h"

namespace cnsched::templates {

/// What a user has said: `--set` as written, and the bytes of a values file.
struct Said {
  std::vector<std::string> sets;  ///< "name=llama"
  std::string values_name;        ///< for messages; empty if there is no file
  std::string values;             ///< YAML: a mapping of parameters to values
};

/// A parameter's value as `--set` takes it.
struct Setting {
  std::string name;
  std::string text;
};

/// The values of the parameters of a template, or of another form. Holds the nodes.
class Settings {
 public:
  /// Never fails: whatever is wrong, all of it, is among the problems.
  Settings(const Form& form, const Said& said);
  Settings(const Template& model, const Said& said) : Settings(model.form(), said) {}

  /// In words that go on after "error: ". While there is one, `values` is not to be used.
  const std::vector<std::string>& problems() const { return problems_; }
  /// What takes the place of the placeholders, facts of the catalogue included.
  const Values& values() const { return values_; }
  /// What the user has set, where it can be used, in the order of the form: however the user
  /// has ordered and split it, it is the same.
  const std::vector<Setting>& said() const { return said_; }
  /// The same with an example in the place of what is missing or cannot be used.
  const std::vector<Setting>& mended() const { return mended_; }
  /// Whether the user has set the parameter.
  bool is_said(std::string_view name) const;

 private:
  void read_sets(const std::vector<std::string>& sets);
  void read_file(const Said& said);
  void take(const Parameter& parameter);
  void take_default(const Parameter& parameter);
  void take_count();
  void add_facts();
  void relate(const Parameter& parameter);
  void check_order(const Parameter& parameter);
  const Parameter* known(std::string_view name, const std::string& place);

  Form form_;
  Arena arena_;
  std::unique_ptr<const SourceFile> file_;
  std::vector<yaml::Document> documents_;
  std::map<std::string, std::string, std::less<>> set_;
  std::map<std::string, const yaml::Node*, std::less<>> in_file_;
  std::set<std::string, std::less<>> refused_;  ///< said, but not so that it can be used
  Values values_;
  std::vector<Setting> said_;
  std::vector<Setting> mended_;
  std::vector<std::string> problems_;
};

}  // namespace cnsched::templates
