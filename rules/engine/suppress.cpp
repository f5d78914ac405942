// Suppressions are stored by what they apply to: lines, subtrees, components and files. Subtrees
// are nested: the search for a finding starts at the smallest one around it.
#include "rules/engine/suppress.h"

#include <algorithm>
#include <optional>
#include <tuple>

#include "core/base/parallel.h"
#include "core/base/suggest.h"
#include "core/base/text.h"
#include "core/source/span.h"
#include "core/yaml/split.h"
#include "core/yaml/tree.h"
#include "rules/engine/ignore.h"
#include "rules/registry.h"

namespace cnsched::rules {

namespace {

using yaml::Node;

/// The spans of the root and of every entry and item of a document, ordered by begin, larger first.
std::vector<Span> entry_spans(const Node& root) {
  std::vector<Span> spans;
  yaml::walk(root, [&](const Node& node) {
    Span span = node.span;
    if (node.key() != nullptr) {
      span.begin = node.key()->span.begin;
      span.end = std::max(span.end, node.key()->span.end);
    }
    spans.push_back(span);
  });
  std::ranges::stable_sort(spans, {}, &Span::begin);
  return spans;
}

/// The first entry or item that begins after the comment, or nothing.
std::optional<Span> first_below(const std::vector<Span>& spans, Span comment) {
  const auto below = std::ranges::lower_bound(spans, comment.end, {}, &Span::begin);
  return below == spans.end() ? std::nullopt : std::optional(*below);
}

/// The mapping that annotations apply to: an object, a pod template or a component.
const Node* annotated(const Node& holder) {
  const bool is_metadata = holder.key() != nullptr && holder.key()->text() == "metadata";
  return is_metadata && holder.parent() != nullptr ? holder.parent() : &holder;
}

std::string_view group_of_rule(const RuleSet& rules, std::string_view id) {
  const Listed* listed = rules.find(id);
  return listed == nullptr ? std::string_view() : listed->group;
}

/// Divides the file up to `end` into overlapping ranges, so that each name is complete in one.
void add_ranges(FileId file, std::size_t end, std::vector<Span>& ranges) {
  constexpr std::size_t kRangeSize = std::size_t{64} << 10U;
  for (std::size_t begin = 0; begin < end; begin += kRangeSize) {
    ranges.push_back(
        {file, static_cast<std::uint32_t>(begin),
         static_cast<std::uint32_t>(std::min(begin + kRangeSize + kToolName.size(), end))});
  }
}

constexpr std::size_t kMinRangesPerThread = 8;

/// Whether a fix of another name leaves this one.
bool is_kept(const IgnoredName& name) {
  return name.known ? name.useful : !name.correction.empty();
}

/// The comment with the spaces before it; the whole line if the comment is alone on it.
Span comment_with_space(const SourceFile& file, Span comment) {
  const std::size_t number = file.line_of(comment.begin);
  std::uint32_t begin = file.line_start(number);
  if (file.bytes().substr(begin).starts_with(kByteOrderMark)) {
    begin += static_cast<std::uint32_t>(kByteOrderMark.size());
  }
  const std::string_view before = file.bytes().substr(begin, comment.begin - begin);
  const std::size_t last = before.find_last_not_of(" \t");
  if (last != std::string_view::npos) {
    return {comment.file, begin + static_cast<std::uint32_t>(last + 1), comment.end};
  }
  const bool is_last = number == file.line_count();
  const auto end =
      is_last ? static_cast<std::uint32_t>(file.bytes().size()) : file.line_start(number + 1);
  return {comment.file, begin, end};
}

/// The name with the comma after it, or with the comma before it if it is the last name.
Span with_comma(const Ignore& ignore, const IgnoredName& name) {
  const auto i = static_cast<std::size_t>(&name - ignore.names.data());
  if (i + 1 < ignore.names.size()) {
    return {name.where.file, name.where.begin, ignore.names[i + 1].where.begin};
  }
  return {name.where.file, i == 0 ? name.where.begin : ignore.names[i - 1].where.end,
          name.where.end};
}

/// The value of an annotation with `name` replaced, or removed if `other` is empty.
const Node& with_name(const Ignore& ignore, const IgnoredName& name, std::string_view other,
                      Arena& arena) {
  std::string text;
  for (const IgnoredName& each : ignore.names) {
    const std::string_view kept = &each == &name ? other : each.text;
    if (!kept.empty()) text += (text.empty() ? "" : ",") + std::string(kept);
  }
  return yaml::string_like(arena, *ignore.annotation, text);
}

}  // namespace

bool checks_suppressions(const Rule& rule) {
  return std::holds_alternative<SuppressionCheck>(rule.check);
}

yaml::Change without_name(const Workspace& workspace, const Ignore& ignore, const IgnoredName& name,
                          Arena& arena) {
  const bool keeps_others = std::ranges::any_of(
      ignore.names, [&](const IgnoredName& other) { return &other != &name && is_kept(other); });
  if (ignore.annotation == nullptr) {
    const Span removed = keeps_others
                             ? with_comma(ignore, name)
                             : comment_with_space(workspace.file_of(ignore.where), ignore.where);
    return yaml::to_change_comment(removed, "");
  }
  const Node& value = *ignore.annotation;
  if (keeps_others) return yaml::to_set(value, with_name(ignore, name, "", arena));
  const bool is_only_one = value.parent()->entries().size() == 1;
  return yaml::to_erase(is_only_one ? *value.parent() : value);
}

yaml::Change with_corrected_name(const Ignore& ignore, const IgnoredName& name, Arena& arena) {
  if (ignore.annotation == nullptr) return yaml::to_change_comment(name.where, name.correction);
  return yaml::to_set(*ignore.annotation, with_name(ignore, name, name.correction, arena));
}

bool Suppressions::OuterFirst::operator()(const Span& a, const Span& b) const {
  return std::tuple(a.file, a.begin, b.end) < std::tuple(b.file, b.begin, a.end);
}

Suppressions::Suppressions(const Workspace& workspace, const Selection& selection,
                           const SuppressionSettings& settings)
    : workspace_(workspace), selection_(selection), settings_(settings) {
  if (!settings.inline_ignores) return;
  std::vector<bool> holds_objects(workspace.sources.size());
  for (const auto& loaded : workspace.documents()) {
    const bool is_unread =
        loaded->status == DocumentStatus::broken || loaded->status == DocumentStatus::templated;
    if (is_unread) partly_read_.insert(loaded->document.span.file);
    if (loaded->status == DocumentStatus::checked) holds_objects[loaded->document.span.file] = true;
  }
  std::vector<std::optional<yaml::Head>> heads(workspace.sources.size());
  std::vector<Span> ranges;  // to search for cnsched's name
  for (FileId id = 0; id < heads.size(); ++id) {
    if (workspace.is_source(id)) collect_source(*workspace.sources[id]);
    if (!workspace.is_linted(id)) continue;
    const SourceFile& file = *workspace.sources[id];
    heads[id] = yaml::head_of(file);
    // A file without objects can have suppressions only at its head.
    const std::size_t end = holds_objects[id] ? file.bytes().size() : heads[id]->end;
    add_ranges(id, end, ranges);
  }
  std::vector<char> mentioned(ranges.size());
  parallel_for(
      ranges.size(), workspace.jobs(),
      [&](std::size_t i) {
        mentioned[i] =
            static_cast<char>(mentions_cnsched(workspace.file_of(ranges[i]).text(ranges[i])));
      },
      kMinRangesPerThread);
  std::map<FileId, std::uint32_t> head_ends;
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    const FileId id = ranges[i].file;
    if (mentioned[i] == 0 || !head_ends.emplace(id, heads[id]->end).second) continue;
    collect_head(*workspace.sources[id], heads[id]->comments);
  }
  for (const auto& loaded : workspace.documents()) {
    const auto head_end = head_ends.find(loaded->document.span.file);
    if (loaded->status != DocumentStatus::checked || head_end == head_ends.end()) continue;
    collect_comments(loaded->document, head_end->second);
  }
  for (const k8s::Object& object : workspace.objects()) {
    if (head_ends.contains(object.root->span.file)) collect_annotations(object);
  }
  enclose();
}

void Suppressions::collect_source(const SourceFile& file) {
  for (SourceIgnore& found : ignores_in_source(file)) {
    const bool is_of_file = found.ignore.of_file;
    Ignore* added = add(std::move(found.ignore));
    if (added == nullptr) continue;
    put(is_of_file ? of_files_[file.id()] : of_subtrees_[found.lines].names, *added);
  }
}

void Suppressions::collect_head(const SourceFile& file, const std::vector<Span>& comments) {
  for (const Span comment : comments) {
    auto ignore = read_ignore(file, comment);
    if (!ignore || !(ignore->of_file || !ignore->problem.empty())) continue;
    if (Ignore* added = add(*std::move(ignore))) put(of_files_[file.id()], *added);
  }
}

void Suppressions::collect_comments(const yaml::Document& document, std::uint32_t head_end) {
  const SourceFile& file = workspace_.file_of(document.span);
  std::vector<Span> spans;
  for (const yaml::Comment& comment : document.comments) {
    auto ignore = read_ignore(file, comment.span);
    if (!ignore) continue;
    const bool is_in_head = comment.span.begin < head_end;
    if (is_in_head && (ignore->of_file || !ignore->problem.empty())) continue;
    if (ignore->of_file && ignore->problem.empty()) {
      ignore->problem = "'ignore-file' must be above everything else in the file";
    }
    Ignore* added = add(*std::move(ignore));
    if (added == nullptr) continue;
    if (!comment.own_line) {
      put(of_lines_[{file.id(), file.line_of(comment.span.begin)}], *added);
      continue;
    }
    if (spans.empty()) spans = entry_spans(*document.root);
    if (const auto below = first_below(spans, comment.span)) {
      put(of_subtrees_[*below].names, *added);
    }
  }
}

void Suppressions::collect_annotations(const k8s::Object& object) {
  yaml::walk(*object.root, [&](const Node& node) {
    if (node.is_mapping() && node["annotations"].is_mapping()) collect_annotations(object, node);
  });
}

void Suppressions::collect_annotations(const k8s::Object& object, const Node& holder) {
  const Node& annotations = holder["annotations"];
  for (const yaml::Entry& entry : annotations.entries()) {
    if (entry.overridden) continue;
    auto ignore = read_ignore(entry.key->text(), *entry.value);
    Ignore* added = ignore ? add(*std::move(ignore)) : nullptr;
    if (added == nullptr) continue;
    // Through an alias a name may be used at another place.
    if (entry.merged || annotations.anchored() != nullptr) {
      for (IgnoredName& name : added->names) name.useful = true;
    }
    const Node& part = *annotated(holder);
    put(of_subtrees_[part.span].names, *added);
    for (const ClusterScope& scope : workspace_.scopes()) {
      for (const Workload* pod : scope.workloads_of(object)) {
        // A finding about a missing value is at another place of the object.
        if (!pod->component.empty() && pod->written != nullptr &&
            contains(part.span, pod->written->span)) {
          put(of_components_[{&object, pod->component}], *added);
        }
      }
    }
  }
}

Ignore* Suppressions::add(Ignore ignore) {
  for (IgnoredName& name : ignore.names) look_up(name, ignore);
  ignores_.push_back(std::move(ignore));
  return ignores_.back().problem.empty() ? &ignores_.back() : nullptr;
}

void Suppressions::look_up(IgnoredName& name, const Ignore& ignore) {
  const auto [known, is_new] = known_.try_emplace(name.text);
  if (is_new) {
    const auto ids = selection_.rules().ids_named(name.text);
    if (ids.empty() && name.text != kPolicyGroup) {
      known_.erase(known);
      name.correction = corrected_name(name.text);
      return;
    }
    const auto all_are = [&](auto property) {
      return std::ranges::all_of(
          ids, [&](auto id) { return property(*selection_.rules().find(id)->rule); });
    };
    known->second.about_ignores = all_are(checks_suppressions);
    known->second.decided = all_are([&](const Rule& rule) {
      return selection_.runs(rule.id) && !rule.depends_on_workspace && !checks_suppressions(rule);
    });
  }
  name.known = true;
  // One source is rendered for several objects, and a suppression may be for one of them.
  const FileId file = ignore.where.file;
  const bool is_repeated = workspace_.is_source(file) || workspace_.is_rendered(file);
  const bool is_decided = known->second.decided && !partly_read_.contains(file) && !is_repeated;
  name.useful = known->second.about_ignores ? ignore.of_file : !is_decided;
}

/// Looking up a correction is slow: limited to the first unknown names.
std::string_view Suppressions::corrected_name(std::string_view word) {
  constexpr std::size_t kMaxCorrections = 1000;
  const auto [correction, is_new] = corrections_.try_emplace(std::string(word));
  if (is_new && corrections_.size() <= kMaxCorrections) {
    correction->second = nearest(word, selection_.rules().words()).value_or("");
  }
  return correction->second;
}

void Suppressions::put(Names& names, Ignore& ignore) {
  for (std::size_t i = 0; i < ignore.names.size(); ++i) {
    if (!ignore.names[i].known) continue;
    const auto [held, is_new] = names.try_emplace(ignore.names[i].text, NamedIn{&ignore, i});
    if (!is_new && held->second.ignore->has_expired(settings_.today) &&
        !ignore.has_expired(settings_.today)) {
      held->second = {&ignore, i};
    }
  }
}

void Suppressions::enclose() {
  const Subtree* around = nullptr;
  for (auto& [span, part] : of_subtrees_) {
    part.span = span;
    while (around != nullptr && !contains(around->span, span)) around = around->around;
    part.around = around;
    around = &part;
  }
}

const Suppressions::Subtree* Suppressions::subtree_around(Span place) const {
  // The first one that begins after the place.
  const auto next = of_subtrees_.upper_bound({place.file, place.begin, 0});
  if (next == of_subtrees_.begin()) return nullptr;
  const Subtree* part = &std::prev(next)->second;
  const auto holds = [&](Span span) {
    return span.file == place.file && (place.begin < span.end || place.end <= span.end);
  };
  while (part != nullptr && !holds(part->span)) part = part->around;
  return part;
}

const Suppressions::NamedIn* Suppressions::find(const Names& names,
                                                const Diagnostic& finding) const {
  const NamedIn* expired = nullptr;
  for (const std::string_view word :
       {finding.rule, group_of_rule(selection_.rules(), finding.rule), std::string_view("all")}) {
    const auto found = names.find(word);
    if (found == names.end() || contains(found->second.ignore->where, finding.where)) continue;
    if (!found->second.ignore->has_expired(settings_.today)) return &found->second;
    if (expired == nullptr) expired = &found->second;
  }
  return expired;
}

void Suppressions::add_names_at(Span place, const std::string& component,
                                std::vector<const Names*>& names) const {
  const auto consider = [&](const auto& map, const auto& key) {
    const auto found = map.find(key);
    if (found != map.end()) names.push_back(&found->second);
  };
  const SourceFile& file = workspace_.file_of(place);
  consider(of_lines_, std::pair(file.id(), file.line_of(place.begin)));
  for (const Subtree* part = subtree_around(place); part != nullptr; part = part->around) {
    names.push_back(&part->names);
  }
  if (!of_components_.empty()) {
    consider(of_components_, std::pair(workspace_.object_around(place), component));
  }
  consider(of_files_, file.id());
}

Suppressions::NamedIn Suppressions::suppressing(const Diagnostic& finding) const {
  std::vector<const Names*> near_to_far;
  add_names_at(finding.where, finding.subject.component, near_to_far);
  for (const Span place : finding.printed_at) {
    add_names_at(place, finding.subject.component, near_to_far);
  }
  NamedIn expired;
  for (const Names* names : near_to_far) {
    const NamedIn* held = find(*names, finding);
    if (held == nullptr) continue;
    if (!held->ignore->has_expired(settings_.today)) return *held;
    if (expired.ignore == nullptr) expired = *held;
  }
  return expired;
}

void Suppressions::mark(Diagnostic& finding, const NamedIn& held) {
  Ignore& ignore = *held.ignore;
  ignore.names[held.name].useful = true;
  if (ignore.has_expired(settings_.today)) {
    finding.expired = name_of(*ignore.until);
    finding.notes.push_back(
        {ignore.where, fmt::format("this suppression expired on {}", finding.expired)});
    return;
  }
  finding.suppression = Suppression{
      .by = ignore.annotation == nullptr ? Suppression::By::comment : Suppression::By::annotation,
      .reason = ignore.reason};
  finding.fix.reset();
}

void Suppressions::hide(std::vector<Diagnostic>& findings) {
  if (ignores_.empty()) return;
  for (Diagnostic& finding : findings) {
    if (const NamedIn held = suppressing(finding); held.ignore != nullptr) mark(finding, held);
  }
}

void Suppressions::hide_findings_about_suppressions(std::vector<Diagnostic>& findings) {
  for (Diagnostic& finding : findings) {
    const auto names = of_files_.find(finding.where.file);
    const NamedIn* held = names == of_files_.end() ? nullptr : find(names->second, finding);
    if (held != nullptr) mark(finding, *held);
  }
}

void Suppressions::hide_known(std::vector<Diagnostic>& findings) const {
  if (settings_.baseline) settings_.baseline->hide(workspace_, findings);
}

std::vector<Suppressions::Unused> Suppressions::unused() const {
  std::vector<Unused> result;
  for (const Ignore& ignore : ignores_) {
    if (!ignore.problem.empty()) continue;
    for (const IgnoredName& name : ignore.names) {
      if (name.known && !name.useful) result.push_back({&ignore, &name});
    }
  }
  return result;
}

}  // namespace cnsched::rules
