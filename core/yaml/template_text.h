#pragma once

#include <string_view>

namespace cnsched::yaml {

/// Whether text that is not YAML is a Helm (or Jinja) template: an unquoted `{{` or `{%` begins a
/// line, an item or a value. Block scalars and quoted strings are skipped: they may contain
/// KServe's own `{{.Name}}`, and chat templates.
bool has_template_actions(std::string_view text);

}  // namespace cnsched::yaml
