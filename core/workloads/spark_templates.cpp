// Spark reads its pod templates from paths in an image or a mounted volume, which say nothing about
// the directories of a repository: only names of files are compared.
#include "core/workloads/spark_templates.h"

#include <algorithm>
#include <functional>

#include "core/base/text.h"
#include "core/source/path.h"

namespace cnsched {

namespace {

constexpr std::string_view kKey = "podTemplateFile";

bool ends_as_key(std::string_view before) {
  return before.ends_with("spark.kubernetes.driver.") ||
         before.ends_with("spark.kubernetes.executor.");
}

/// The value at the begin of `text`, which follows a key: ` "local:///opt/driver.yaml"`.
std::string_view value_in(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of("\"'\\ \t:="), text.size()));
  return text.substr(0, text.find_first_of("\"'\\ \t\r\n,}]"));
}

}  // namespace

void add_spark_templates(std::string_view text, std::set<std::string>& names) {
  static const std::boyer_moore_horspool_searcher kSearcher(kKey.begin(), kKey.end());
  auto at = text.begin();
  while ((at = std::search(at, text.end(), kSearcher)) != text.end()) {
    const auto before = static_cast<std::size_t>(at - text.begin());
    at += static_cast<std::ptrdiff_t>(kKey.size());
    if (!ends_as_key(text.substr(0, before))) continue;
    const std::string_view name = file_name_of(value_in(text.substr(before + kKey.size())));
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
