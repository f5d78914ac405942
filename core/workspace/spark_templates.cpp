// Spark reads its pod templates from paths in an image or a mounted volume, which say nothing about
// the directories of a repository: only names of files are compared.
#include "core/workspace/spark_templates.h"

#include <algorithm>

#include "core/base/text.h"
#include "core/source/path.h"

namespace cnsched {

namespace {

/// The end of the keys. Its first letter is rarer in manifests than 'p', which makes the search of
/// every file several times as fast.
constexpr std::string_view kEnd = "TemplateFile";

bool begins_key(std::string_view before) {
  return before.ends_with("spark.kubernetes.driver.pod") ||
         before.ends_with("spark.kubernetes.executor.pod");
}

/// The value at the begin of `text`, which follows a key: ` "local:///opt/driver.yaml"`.
std::string_view value_in(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of("\"'\\ \t:="), text.size()));
  return text.substr(0, text.find_first_of("\"'\\ \t\r\n,}]"));
}

}  // namespace

void add_spark_templates(std::string_view text, std::set<std::string>& names) {
  for (std::size_t at = 0; (at = text.find(kEnd, at)) != std::string_view::npos;) {
    const bool is_key = begins_key(text.substr(0, at));
    at += kEnd.size();
    if (!is_key) continue;
    const std::string_view name = file_name_of(value_in(text.substr(at)));
    if (!name.empty()) names.emplace(name);
  }
}

bool is_named_as_spark_template(std::string_view file) {
  std::string name = lower(file_name_of(file));
  std::ranges::replace_if(
      name, [](char c) { return c == '_' || c == '.'; }, '-');
  const auto words = split(name, '-');
  const auto has = [&](std::string_view word) {
    return std::ranges::find(words, word) != words.end();
  };
  return has("template") && (has("driver") || has("executor"));
}

}  // namespace cnsched
