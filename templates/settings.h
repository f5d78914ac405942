#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/arena.h"
#include "core/source/source_file.h"
#include "core/yaml/document.h"
#include "templates/facts.h"
#include "templates/template.h"

namespace cnsched::templates {

/// The user's input: `--set` as written, and the bytes of a values file.
struct UserValues {
  std::vector<std::string> sets;  ///< "name=llama"
  std::string values_name;        ///< for messages; empty if there is no file
  std::string values;             ///< YAML: a mapping of parameters to values
};

/// A parameter's value as `--set` takes it.
struct Setting {
  std::string name;
  std::string text;
};

/// The values of the parameters of a template, or of another form. Owns the nodes.
class Settings {
 public:
  /// Never fails: all errors are in `problems`.
  Settings(const Form& form, const UserValues& input);
  Settings(const Template& model, const UserValues& input) : Settings(model.form(), input) {}

  /// Messages to print after "error: ". `values` is valid only if there are none.
  const std::vector<std::string>& problems() const { return problems_; }
  /// The values of the placeholders, including facts of the catalogue.
  const Values& values() const { return values_; }
  /// The valid settings of the user in the order of the form, whatever order and source they came
  /// in.
  const std::vector<Setting>& user_settings() const { return user_settings_; }
  /// The same, with an example instead of each missing or invalid one.
  const std::vector<Setting>& corrected_settings() const { return corrected_settings_; }
  /// Whether the user has set the parameter.
  bool is_set(std::string_view name) const;

 private:
  void read_sets(const std::vector<std::string>& sets);
  void read_file(const UserValues& input);
  void take(const Parameter& parameter);
  void take_default(const Parameter& parameter);
  void take_count();
  void add_facts();
  void check_dependencies(const Parameter& parameter);
  void check_order(const Parameter& parameter);
  const Parameter* known(std::string_view name, const std::string& place);

  Form form_;
  Arena arena_;
  std::unique_ptr<const SourceFile> file_;
  std::vector<yaml::Document> documents_;
  std::map<std::string, std::string, std::less<>> set_;
  std::map<std::string, const yaml::Node*, std::less<>> in_file_;
  std::set<std::string, std::less<>> invalid_;  ///< set to an invalid value
  Values values_;
  std::vector<Setting> user_settings_;
  std::vector<Setting> corrected_settings_;
  std::vector<std::string> problems_;
};

/// `text` as a shell word on one line: quoted where necessary, control characters escaped.
std::string shell_word(std::string_view text);

/// `command` and " --set name=llama" for each of the settings.
std::string with_settings(std::string command, const std::vector<Setting>& settings);

/// "cnsched generate isvc-gpu --set name=llama".
std::string command_for(const Template& model, const std::vector<Setting>& settings,
                        const std::vector<std::string>& template_dirs = {});

/// A complete command with an example for each required parameter.
std::string example_command(const Template& model);

}  // namespace cnsched::templates
