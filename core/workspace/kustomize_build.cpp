#include "core/workspace/kustomize_build.h"

#include <algorithm>

#include "core/base/text.h"
#include "core/source/path.h"
#include "core/source/read_file.h"

namespace cnsched {

namespace {

constexpr std::size_t kMaxChanges = 1000;
/// Of all changes, in bytes.
constexpr std::size_t kMaxText = std::size_t{4} << 20U;

bool is_in_word(char c) { return is_alphanumeric(c) || c == '-' || c == '_'; }

const std::string& key_of(const packages::KustomizeChange& change) {
  return change.file.empty() ? change.text : change.file;
}

/// Whether a pattern of a target may select the name. Patterns are regular expressions, and may
/// have the prefix and suffix that a base adds to its names.
bool may_select(std::string_view pattern, std::string_view name) {
  return !std::ranges::all_of(pattern, is_in_word) || pattern.empty() ||
         pattern.find(name) != std::string_view::npos;
}

}  // namespace

void KustomizeBuild::add(const packages::Kustomization& kustomization) {
  vars_.insert(kustomization.vars.begin(), kustomization.vars.end());
  renames_ = renames_ || kustomization.renames;
  for (const packages::KustomizeChange& change : kustomization.changes) {
    is_cut_ = is_cut_ || changes_.size() == kMaxChanges;
    if (!is_cut_) changes_.push_back(change);
  }
}

void KustomizeBuild::add_text(const std::string& file, std::string_view text) {
  if (text.size() <= kMaxText) texts_.try_emplace(file, text);
}

void KustomizeBuild::read() const {
  std::size_t size = 0;
  for (const packages::KustomizeChange& change : changes_) {
    const auto [entry, is_new] = words_.try_emplace(key_of(change));
    if (!is_new || is_cut_) continue;
    const auto known = texts_.find(change.file);
    const Result<std::string> text =
        change.file.empty() ? Result<std::string>(change.text)
        : known != texts_.end()
            ? Result<std::string>(known->second)
            : read_input(change.file, source_root(directory_of(change.file)), kMaxText);
    if (!text) continue;
    size += text->size();
    is_cut_ = size > kMaxText;
    Words& words = entry->second.emplace();
    // The parts of JSON pointers ("/spec/replicas") and paths ("spec.replicas") are words too.
    for (auto at = text->begin(); at != text->end() && !is_cut_;) {
      const auto begin = std::find_if(at, text->end(), is_in_word);
      at = std::find_if_not(begin, text->end(), is_in_word);
      if (begin != at) words.emplace(begin, at);
    }
  }
  texts_.clear();
}

bool KustomizeBuild::is_for(const packages::KustomizeChange& change,
                            const std::optional<Words>& words, const k8s::Object& object) const {
  if (change.has_target) {
    return may_select(change.kind, object.kind) && may_select(change.name, object.name);
  }
  const std::string_view name = object.name.substr(0, object.name.find('.'));
  return !words || (words->contains(object.kind) && (renames_ || words->contains(name)));
}

bool KustomizeBuild::may_set(const k8s::Object& object, std::string_view field) const {
  std::call_once(is_read_, [this] { read(); });
  return is_cut_ || std::ranges::any_of(changes_, [&](const packages::KustomizeChange& change) {
           const std::optional<Words>& words = words_.at(key_of(change));
           return (!words || words->contains(field)) && is_for(change, words, object);
         });
}

}  // namespace cnsched
