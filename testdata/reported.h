#pragma once

#include <nlohmann/json.hpp>

#include "cli/output/output.h"
#include "core/workspace/load_options.h"
#include "rules/engine/run.h"
#include "testdata/support.h"

namespace cnsched::test {

/// The findings of one rule, invalid-toleration, in files in memory, and their reports.
class Reported {
 public:
  explicit Reported(std::vector<MemoryFile> files)
      : workspace_(workspace_of(std::move(files))),
        findings(rules::run(*workspace_, selection()).findings) {}
  Reported(const std::string& path, const std::string& text)
      : Reported(std::vector<MemoryFile>{{path, text}}) {}

  const Workspace& workspace() const { return *workspace_; }
  cli::Outcome outcome() const {
    return {.workspace = *workspace_,
            .findings = findings,
            .rules = {*rules::find_rule("invalid-toleration")}};
  }
  std::string as(std::string_view format) const {
    std::ostringstream out;
    cli::find_format(format)->write(outcome(), {}, out);
    return out.str();
  }
  nlohmann::ordered_json json(std::string_view format) const {
    return nlohmann::ordered_json::parse(as(format));
  }

 private:
  static rules::Selection selection() {
    return *rules::Selection::from({.select = {"invalid-toleration"}});
  }

  std::unique_ptr<Workspace> workspace_;

 public:
  std::vector<Diagnostic> findings;  ///< a test may change them
};

/// A pod with a toleration that the API server rejects, on line 6.
inline std::string rejected_pod(const std::string& name, const std::string& op = "exists") {
  return "apiVersion: v1\nkind: Pod\nmetadata: {name: " + name +
         "}\nspec:\n  tolerations:\n  - {key: a, operator: " + op + "}\n";
}

}  // namespace cnsched::test
