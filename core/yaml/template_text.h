#pragma once

#include <string_view>

namespace cnsched::yaml {

/// Whether text that is no YAML is a Helm (or Jinja) template: an unquoted `{{` or `{%` begins a
/// line, an item or a value. Block scalars and quoted strings are passed over: KServe's own
/// `{{.Name}}` stands there, and chat templates do.
bool has_template_actions(std::string_view text);

}  // namespace cnsched::yaml
