// Suppressions are kept by what they hold for: lines, parts of trees (which lie within each other,
// so that a finding climbs from the smallest one around it to larger ones), components and files.
#include "rules/engine/suppress.h"

#include <algorithm>
#include <optional>
#include <tuple>

#include "core/base/parallel.h"
#include "core/base/scan.h"
#include "core/base/suggest.h"
#include "core/base/text.h"
#include "core/yaml/head.h"
#include "core/yaml/tree.h"
#include "core/yaml/walk.h"
#include "rules/registry.h"

namespace cnsched::rules {

namespace {

using yaml::Node;

bool contains(Span outer, Span inner) {
  return outer.file == inner.file && outer.begin <= inner.begin && inner.end <= outer.end;
}

/// The root of a document and every entry and item in it, in the order in which they begin, the
/// larger ones first.
std::vector<Span> pieces_of(const Node& root) {
  std::vector<Span> pieces;
  yaml::walk(root, [&](const Node& node) {
    Span span = node.span;
    if (node.key() != nullptr) {
      span.begin = node.key()->span.begin;
      span.end = std::max(span.end, node.key()->span.end);
    }
    pieces.push_back(span);
  });
  std::ranges::stable_sort(pieces, {}, &Span::begin);
  return pieces;
}

/// The first piece that begins below a comment, or nothing.
std::optional<Span> piece_below(const std::vector<Span>& pieces, Span comment) {
  const auto below = std::ranges::lower_bound(pieces, comment.end, {}, &Span::begin);
  return below == pieces.end() ? std::nullopt : std::optional(*below);
}

/// The mapping that annotations are of: an object, a pod template, a component.
const Node* annotated(const Node& holder) {
  const bool is_metadata = holder.key() != nullptr && holder.key()->text() == "metadata";
  return is_metadata && holder.parent() != nullptr ? holder.parent() : &holder;
}

std::string_view group_of_rule(std::string_view id) {
  const Listed* listed = find_rule(id);
  return listed == nullptr ? std::string_view() : listed->group;
}

constexpr std::string_view kName = "cnsched";

/// Nearly every file has no suppression.
bool mentions_us(std::string_view text) {
  const auto equals = [](char a, char b) { return (a | 0x20) == b; };
  const auto may_begin = [&](const char* place) {
    const auto is = [&](std::size_t i) {
      return static_cast<unsigned>(equals(place[i], kName[i]));
    };
    return static_cast<unsigned char>(is(0) & is(1) & is(2));
  };
  const std::size_t place = scan(text, 0, may_begin, [&](std::size_t at) {
    return std::ranges::equal(text.substr(at, kName.size()), kName, equals);
  });
  return place != std::string_view::npos;
}

/// Adds stretches that cover the file up to `end`, so that our name is whole in one of them.
void add_stretches(FileId file, std::size_t end, std::vector<Span>& stretches) {
  constexpr std::size_t kStretch = std::size_t{64} << 10U;
  for (std::size_t begin = 0; begin < end; begin += kStretch) {
    stretches.push_back(
        {file, static_cast<std::uint32_t>(begin),
         static_cast<std::uint32_t>(std::min(begin + kStretch + kName.size(), end))});
  }
}

constexpr std::size_t kStretchesWorthThread = 8;

/// Whether the name is worth keeping, beside others.
bool is_kept(const IgnoredName& name) { return name.known ? name.useful : !name.meant.empty(); }

/// A comment with the blanks before it, or, if it has the line to itself, with the whole line.
Span all_of_comment(const SourceFile& file, Span comment) {
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

/// A name with the comma behind it, or before it if it is the last one.
Span with_comma(const Ignore& ignore, const IgnoredName& name) {
  const auto i = static_cast<std::size_t>(&name - ignore.names.data());
  if (i + 1 < ignore.names.size()) {
    return {name.where.file, name.where.begin, ignore.names[i + 1].where.begin};
  }
  return {name.where.file, i == 0 ? name.where.begin : ignore.names[i - 1].where.end,
          name.where.end};
}

/// The names of an annotation, with another one, or none, in the place of `name`.
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

bool is_about_ignores(const Rule& rule) {
  return std::holds_alternative<SuppressionCheck>(rule.check);
}

yaml::Change without_name(const Workspace& run, const Ignore& ignore, const IgnoredName& name,
                          Arena& arena) {
  const bool keeps_others = std::ranges::any_of(
      ignore.names, [&](const IgnoredName& other) { return &other != &name && is_kept(other); });
  if (ignore.annotation == nullptr) {
    const Span gone = keeps_others ? with_comma(ignore, name)
                                   : all_of_comment(run.file_of(ignore.where), ignore.where);
    return yaml::to_change_comment(gone, "");
  }
  const Node& value = *ignore.annotation;
  if (keeps_others) return yaml::to_set(value, with_name(ignore, name, "", arena));
  const bool is_only_one = value.parent()->entries().size() == 1;
  return yaml::to_erase(is_only_one ? *value.parent() : value);
}

yaml::Change with_meant_name(const Ignore& ignore, const IgnoredName& name, Arena& arena) {
  if (ignore.annotation == nullptr) return yaml::to_change_comment(name.where, name.meant);
  return yaml::to_set(*ignore.annotation, with_name(ignore, name, name.meant, arena));
}

bool Suppressions::Outer::operator()(const Span& a, const Span& b) const {
  return std::tuple(a.file, a.begin, b.end) < std::tuple(b.file, b.begin, a.end);
}

Suppressions::Suppressions(const Workspace& run, const Selection& selection,
                           const IgnoreOptions& options)
    : run_(run), selection_(selection), options_(options) {
  if (!options.heeded) return;
  std::vector<bool> holds_objects(run.sources.size());
  for (const auto& loaded : run.documents()) {
    const bool unseen = loaded->fate == Fate::broken || loaded->fate == Fate::templated;
    if (unseen) not_all_seen_.insert(loaded->document.span.file);
    if (loaded->fate == Fate::checked) holds_objects[loaded->document.span.file] = true;
  }
  std::vector<std::optional<yaml::Head>> heads(run.sources.size());
  std::vector<Span> stretches;  // of what may mention us
  for (FileId id = 0; id < heads.size(); ++id) {
    if (!run.is_linted(id)) continue;
    const SourceFile& file = *run.sources[id];
    heads[id] = yaml::head_of(file);
    // Without an object, only the head can say something.
    const std::size_t end = holds_objects[id] ? file.bytes().size() : heads[id]->end;
    add_stretches(id, end, stretches);
  }
  std::vector<char> mentioned(stretches.size());
  parallel_for(
      stretches.size(), run.jobs(),
      [&](std::size_t i) {
        mentioned[i] = static_cast<char>(mentions_us(run.file_of(stretches[i]).text(stretches[i])));
      },
      kStretchesWorthThread);
  std::map<FileId, std::uint32_t> head_ends;
  for (std::size_t i = 0; i < stretches.size(); ++i) {
    const FileId id = stretches[i].file;
    if (mentioned[i] == 0 || !head_ends.emplace(id, heads[id]->end).second) continue;
    collect_head(*run.sources[id], heads[id]->comments);
  }
  for (const auto& loaded : run.documents()) {
    const auto head_end = head_ends.find(loaded->document.span.file);
    if (loaded->fate != Fate::checked || head_end == head_ends.end()) continue;
    collect_comments(loaded->document, head_end->second);
  }
  for (const k8s::Object& object : run.objects()) {
    if (head_ends.contains(object.root->span.file)) collect_annotations(object);
  }
  enclose();
}

void Suppressions::collect_head(const SourceFile& file, const std::vector<Span>& comments) {
  for (const Span comment : comments) {
    auto ignore = read_ignore(file, comment);
    if (!ignore || !(ignore->of_file || !ignore->problem.empty())) continue;
    if (Ignore* added = add(*std::move(ignore))) put(of_files_[file.id()], *added);
  }
}

void Suppressions::collect_comments(const yaml::Document& document, std::uint32_t head_end) {
  const SourceFile& file = run_.file_of(document.span);
  std::vector<Span> pieces;
  for (const yaml::Comment& comment : document.comments) {
    auto ignore = read_ignore(file, comment.span);
    if (!ignore) continue;
    const bool is_in_head = comment.span.begin < head_end;
    if (is_in_head && (ignore->of_file || !ignore->problem.empty())) continue;
    if (ignore->of_file && ignore->problem.empty()) {
      ignore->problem = "'ignore-file' has to stand above everything else in the file";
    }
    Ignore* added = add(*std::move(ignore));
    if (added == nullptr) continue;
    if (!comment.own_line) {
      put(of_lines_[{file.id(), file.line_of(comment.span.begin)}], *added);
      continue;
    }
    if (pieces.empty()) pieces = pieces_of(*document.root);
    if (const auto below = piece_below(pieces, comment.span)) {
      put(of_parts_[*below].names, *added);
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
    // What an alias repeats may be of use where it is written, or the other way round.
    if (entry.merged || annotations.anchored() != nullptr) {
      for (IgnoredName& name : added->names) name.useful = true;
    }
    const Node& part = *annotated(holder);
    put(of_parts_[part.span].names, *added);
    for (const Workload* pod : run_.workloads_of(object)) {
      // What a pod lacks is pointed at elsewhere in the object.
      if (!pod->component.empty() && pod->written != nullptr &&
          contains(part.span, pod->written->span)) {
        put(of_components_[{&object, pod->component}], *added);
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
    const auto ids = ids_named(name.text);
    if (ids.empty()) {
      known_.erase(known);
      name.meant = meant_by(name.text);
      return;
    }
    const auto all_are = [&](auto property) {
      return std::ranges::all_of(ids, [&](auto id) { return property(*find_rule(id)->rule); });
    };
    known->second.about_ignores = all_are(is_about_ignores);
    known->second.decided = all_are([&](const Rule& rule) {
      return selection_.runs(rule.id) && !rule.depends_on_run && !is_about_ignores(rule);
    });
  }
  name.known = true;
  const bool seen = known->second.decided && !not_all_seen_.contains(ignore.where.file);
  name.useful = known->second.about_ignores ? ignore.of_file : !seen;
}

/// To guess what a word was meant to be takes long: of masses of them, only some are guessed.
std::string_view Suppressions::meant_by(std::string_view word) {
  constexpr std::size_t kMostGuesses = 1000;
  const auto [meant, is_new] = meant_.try_emplace(std::string(word));
  if (is_new && meant_.size() <= kMostGuesses) {
    meant->second = nearest(word, rule_words()).value_or("");
  }
  return meant->second;
}

void Suppressions::put(Names& names, Ignore& ignore) {
  for (std::size_t i = 0; i < ignore.names.size(); ++i) {
    if (!ignore.names[i].known) continue;
    const auto [held, is_new] = names.try_emplace(ignore.names[i].text, Held{&ignore, i});
    if (!is_new && held->second.ignore->has_expired(options_.today) &&
        !ignore.has_expired(options_.today)) {
      held->second = {&ignore, i};
    }
  }
}

void Suppressions::enclose() {
  const Part* around = nullptr;
  for (auto& [span, part] : of_parts_) {
    part.span = span;
    while (around != nullptr && !contains(around->span, span)) around = around->around;
    part.around = around;
    around = &part;
  }
}

const Suppressions::Part* Suppressions::part_around(Span place) const {
  // Behind all that begin where the place does, or before.
  const auto next = of_parts_.upper_bound({place.file, place.begin, 0});
  if (next == of_parts_.begin()) return nullptr;
  const Part* part = &std::prev(next)->second;
  const auto holds = [&](Span span) {
    return span.file == place.file && (place.begin < span.end || place.end <= span.end);
  };
  while (part != nullptr && !holds(part->span)) part = part->around;
  return part;
}

const Suppressions::Held* Suppressions::find(const Names& names, const Diagnostic& finding) const {
  const Held* expired = nullptr;
  for (const std::string_view word :
       {finding.rule, group_of_rule(finding.rule), std::string_view("all")}) {
    const auto found = names.find(word);
    if (found == names.end() || contains(found->second.ignore->where, finding.where)) continue;
    if (!found->second.ignore->has_expired(options_.today)) return &found->second;
    if (expired == nullptr) expired = &found->second;
  }
  return expired;
}

Suppressions::Held Suppressions::holding(const Diagnostic& finding) const {
  std::vector<const Names*> near_to_far;
  const auto consider = [&](const auto& map, const auto& key) {
    const auto found = map.find(key);
    if (found != map.end()) near_to_far.push_back(&found->second);
  };
  const SourceFile& file = run_.file_of(finding.where);
  consider(of_lines_, std::pair(file.id(), file.line_of(finding.where.begin)));
  for (const Part* part = part_around(finding.where); part != nullptr; part = part->around) {
    near_to_far.push_back(&part->names);
  }
  if (!of_components_.empty()) {
    consider(of_components_,
             std::pair(run_.object_around(finding.where), finding.subject.component));
  }
  consider(of_files_, file.id());
  Held expired;
  for (const Names* names : near_to_far) {
    const Held* held = find(*names, finding);
    if (held == nullptr) continue;
    if (!held->ignore->has_expired(options_.today)) return *held;
    if (expired.ignore == nullptr) expired = *held;
  }
  return expired;
}

void Suppressions::mark(Diagnostic& finding, const Held& held) {
  Ignore& ignore = *held.ignore;
  ignore.names[held.name].useful = true;
  if (ignore.has_expired(options_.today)) {
    finding.notes.push_back({ignore.where, fmt::format("the suppression here has expired on {}",
                                                       name_of(*ignore.until))});
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
    if (const Held held = holding(finding); held.ignore != nullptr) mark(finding, held);
  }
}

void Suppressions::hide_about_ignores(std::vector<Diagnostic>& findings) {
  for (Diagnostic& finding : findings) {
    const auto names = of_files_.find(finding.where.file);
    const Held* held = names == of_files_.end() ? nullptr : find(names->second, finding);
    if (held != nullptr) mark(finding, *held);
  }
}

std::vector<Suppressions::Useless> Suppressions::unused() const {
  std::vector<Useless> result;
  for (const Ignore& ignore : ignores_) {
    if (!ignore.problem.empty()) continue;
    for (const IgnoredName& name : ignore.names) {
      if (name.known && !name.useful) result.push_back({&ignore, &name});
    }
  }
  return result;
}

}  // namespace cnsched::rules
