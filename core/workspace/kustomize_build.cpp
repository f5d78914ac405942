#include "core/workspace/kustomize_build.h"

#include <algorithm>

#include "core/base/text.h"
#include "core/source/path.h"
#include "core/source/read_file.h"

namespace cnsched {

namespace {

constexpr std::size_t kMaxChanges = 1000;
/// Of one change, in bytes.
constexpr std::size_t kMaxText = std::size_t{1} << 20U;

/// The parts of the text between characters that names and keys do not have. With those of JSON
/// pointers ("/spec/replicas") and paths of fields ("spec.replicas").
std::set<std::string, std::less<>> words_in(std::string_view text) {
  const auto is_part = [](char c) { return is_alphanumeric(c) || c == '-' || c == '_'; };
  std::set<std::string, std::less<>> words;
  for (auto at = text.begin(); at != text.end();) {
    const auto begin = std::find_if(at, text.end(), is_part);
    at = std::find_if_not(begin, text.end(), is_part);
    if (begin != at) words.emplace(begin, at);
  }
  return words;
}

/// Whether a pattern of a target may select the name. Patterns are regular expressions, and may
/// have the prefix and suffix that a base adds to its names.
bool may_select(std::string_view pattern, std::string_view name) {
  const bool is_name = std::ranges::all_of(
      pattern, [](char c) { return is_alphanumeric(c) || c == '-' || c == '_'; });
  return !is_name || pattern.empty() || pattern.find(name) != std::string_view::npos;
}

}  // namespace

void KustomizeBuild::add(const std::set<std::string>& vars, std::vector<KustomizeChange> changes) {
  vars_.insert(vars.begin(), vars.end());
  is_cut_ = is_cut_ || changes_.size() + changes.size() > kMaxChanges;
  for (KustomizeChange& change : changes) {
    if (changes_.size() < kMaxChanges) changes_.push_back({std::move(change)});
  }
}

void KustomizeBuild::read() const {
  for (auto& [change, words, is_unknown] : changes_) {
    if (!change.file.empty()) {
      Result<std::string> text =
          read_input(change.file, source_root(directory_of(change.file)), kMaxText);
      is_unknown = !text;
      if (text) change.text = *std::move(text);
    }
    is_unknown = is_unknown || change.text.size() > kMaxText;
    if (!is_unknown) words = words_in(std::exchange(change.text, {}));
  }
}

bool KustomizeBuild::may_set(const k8s::Object& object, std::string_view field) const {
  if (changes_.empty()) return false;
  std::call_once(is_read_, [this] { read(); });
  const auto is_for = [&](const Change& each) {
    const auto& [change, words, _] = each;
    if (change.has_target) {
      return may_select(change.kind, object.kind) && may_select(change.name, object.name);
    }
    const std::string_view name = object.name.substr(0, object.name.find('.'));
    return each.is_unknown ||
           (words.contains(object.kind) && std::ranges::any_of(words, [&](std::string_view word) {
              return word.find(name) != std::string_view::npos;
            }));
  };
  return is_cut_ || std::ranges::any_of(changes_, [&](const Change& each) {
           return (each.is_unknown || each.words.contains(field)) && is_for(each);
         });
}

}  // namespace cnsched
