#include "core/packages/origin_search.h"

#include <algorithm>
#include <array>
#include <set>

#include "core/base/text.h"
#include "core/packages/changed_rendering.h"
#include "core/packages/chart.h"
#include "core/packages/template_marks.h"
#include "core/source/span.h"
#include "core/yaml/parse.h"
#include "core/yaml/scalar.h"
#include "core/yaml/split.h"

namespace cnsched::packages {

namespace {

using yaml::Node;

constexpr std::size_t kMaxSearchedBytes = std::size_t{16}
                                          << 20U;  ///< of the sources and what is rendered

constexpr std::size_t kMaxQuestions = 500;

Span first_line_of(Span where, std::string_view text) {
  const std::size_t end = text.substr(0, where.end).find('\n', where.begin);
  if (end != std::string_view::npos) where.end = static_cast<std::uint32_t>(end);
  while (where.end > where.begin && is_space(text[where.end - 1])) --where.end;
  return where;
}

/// The smallest node with `where`; for a key its value, and true.
std::pair<const Node*, bool> node_around(const Node& root, Span where) {
  const Node* found = &root;
  while (found->anchored() == nullptr) {
    const Node* next = nullptr;
    for (const Node* item : found->items()) {
      if (contains(item->span, where)) next = item;
    }
    for (const yaml::Entry& entry : found->entries()) {
      if (entry.merged) continue;
      if (contains(entry.key->span, where)) return {entry.value, true};
      if (contains(entry.value->span, where)) next = entry.value;
    }
    if (next == nullptr) break;
    found = next;
  }
  return {found, false};
}

bool is_quote(char c) { return c == '"' || c == '\''; }

/// Whether the expression prints text that is elsewhere: a line with it is no place to change.
bool prints_other_text(const TemplateExpression& expression) {
  constexpr std::array<std::string_view, 5> kFunctions = {"tpl", "toYaml", "toJson", "toPrettyJson",
                                                          "toToml"};
  const bool is_file = std::ranges::find(expression.path, "Files") != expression.path.end();
  return is_include(expression) || is_file ||
         std::ranges::any_of(kFunctions, [&](auto each) { return is_call(expression, each); }) ||
         std::ranges::any_of(expression.arguments, prints_other_text);
}

}  // namespace

class OriginSearch::Implementation {
 public:
  Implementation(const Package& package, std::span<const PackageSource> sources,
                 const SourceFile& rendered, std::size_t runs)
      : package_(package),
        sources_(sources),
        rendered_(rendered),
        runs_(runs),
        changes_(is_chart(), sources, rendered.bytes()) {
    std::size_t bytes = rendered.bytes().size();
    for (const PackageSource& source : sources) bytes += source.bytes.size();
    if (bytes > kMaxSearchedBytes) runs_ = 0;
    if (runs_ == 0) return;
    for (const Span span : yaml::split(rendered)) documents_.push_back(yaml::parse(rendered, span));
  }

  void ask(Span where, Aspect aspect) {
    // Each is searched in the document: a rendering with a mistake in each line would take long.
    if (questions_.size() == kMaxQuestions) return;
    where.file = rendered_.id();
    const auto [known, is_new] = questions_.try_emplace({where.begin, where.end, aspect});
    if (!is_new) return;
    Question& question = known->second;
    question.where = first_line_of(where, rendered_.bytes());
    const auto found = std::ranges::find_if(
        documents_, [&](const yaml::Document& each) { return contains(each.span, where); });
    if (found == documents_.end() || !*found->root) return;
    const auto document = static_cast<std::size_t>(found - documents_.begin());
    const auto [node, is_key] = node_around(*found->root, question.where);
    if (is_key || node->is_scalar()) {
      add_target(question, document, *node, is_key);
    } else {
      add_parts(question, where, document, *node);
    }
  }

  std::vector<ReplacedTexts> next() {
    if (!has_begun_) begin();
    drop_found();
    if (waiting_.empty() && !has_second_) {
      begin_second();
      drop_found();
    }
    const auto count = static_cast<std::ptrdiff_t>(std::min(waiting_.size(), runs_));
    running_.assign(waiting_.begin(), waiting_.begin() + count);
    waiting_.erase(waiting_.begin(), waiting_.begin() + count);
    runs_ -= running_.size();
    std::vector<ReplacedTexts> texts;
    for (const Experiment& experiment : running_) {
      texts.push_back(changes_.texts_with(experiment.changes));
      for (const std::size_t i : experiment.marked) {
        texts.back()[sources_[i].path] = marks_->marked(i);
      }
    }
    return texts;
  }

  void take(const std::vector<std::optional<std::string>>& results) {
    for (std::size_t i = 0; i < running_.size(); ++i) {
      const Experiment& experiment = running_[i];
      if (experiment.marked.empty()) {
        if (!results[i] || !compare(experiment, *results[i])) divide(experiment);
      } else if (!results[i] || !marks_->read(rendered_, *results[i])) {
        divide(experiment);
      }
    }
  }

  Origin of(Span where, Aspect aspect) const {
    const auto found = questions_.find({where.begin, where.end, aspect});
    if (found == questions_.end()) return {};
    const Question& question = found->second;
    Origin origin;
    if (question.line_target && !targets_[*question.line_target].shown.empty()) {
      origin.place = place_of_line(question);
      origin.file = origin.place.path;
      return origin;
    }
    if (aspect == Aspect::type && has_other_type(question)) return origin;
    const Target* first = nullptr;  // in the source
    for (const std::size_t i : question.targets) {
      const Target& target = targets_[i];
      if (target.shown.empty()) continue;
      if (target.shown.size() > 1 && !target.is_key) return origin;
      if (first == nullptr) {
        first = &target;
        continue;
      }
      const MarkedEdit& change = change_of(target);
      if (change.where.file != change_of(*first).where.file) return origin;
      if (change.where.begin < change_of(*first).where.begin) first = &target;
    }
    if (first == nullptr) {
      origin.file = only_file(question);
      return origin;
    }
    set_place(origin, *first, where);
    if (!change_of(*first).is_literal) add_note(origin, question);
    for (const std::size_t i : first->shown) {
      const MarkedEdit& change = changes_[i];
      const SourcePlace place{sources_[change.where.file].path, change.where.begin,
                              change.where.end};
      if (i != *first->shown.begin()) origin.notes.push_back({place, "the key is also here"});
    }
    return origin;
  }

 private:
  /// A key or a value that is rendered.
  struct Target {
    std::size_t document = 0;
    const Node* node = nullptr;  ///< the value, also for its key
    bool is_key = false;
    std::string text{};       ///< what is searched in the sources
    std::uint32_t begin = 0;  ///< of the text, in what is rendered
    std::vector<std::size_t> changes{};
    std::set<std::size_t> shown{};  ///< the changes that show in it
    std::size_t times = 0;          ///< how often the first of them is rendered

    std::string words_of(const Node& value) const {
      return is_key ? yaml::key_text(*value.key()) : std::string(value.text());
    }
  };

  struct Question {
    Span where;  ///< its first line
    std::vector<std::size_t> targets{};
    const TemplateLine* line = nullptr;        ///< that prints it
    std::optional<std::size_t> line_target{};  ///< for which the actions of the line are changed
  };

  /// What one run changes: places, or the marks of templates.
  struct Experiment {
    std::vector<std::size_t> changes{};
    std::vector<std::size_t> marked{};  ///< sources
  };

  bool is_chart() const { return package_.kind == Package::Kind::chart; }
  const MarkedEdit& change_of(const Target& target) const {
    return changes_[*target.shown.begin()];
  }

  // Questions.

  /// Of a mapping its keys, or those in the question's line; of a list the first item there; of an
  /// empty value its key.
  void add_parts(Question& question, Span all, std::size_t document, const Node& node) {
    constexpr std::size_t kMaxKeys = 8;
    for (const yaml::Entry& entry : node.entries()) {
      if (entry.merged || question.targets.size() >= kMaxKeys) break;
      if (contains(all, node.span) || contains(question.where, entry.key->span)) {
        add_target(question, document, *entry.value, true);
      }
    }
    const auto item = std::ranges::find_if(node.items(), [&](const Node* each) {
      return each->span.begin >= question.where.begin && each->span.begin < all.end;
    });
    if (item != node.items().end()) {
      if ((*item)->is_scalar()) {
        add_target(question, document, **item, false);
      } else {
        add_parts(question, all, document, **item);
      }
    }
    if (question.targets.empty() && node.key() != nullptr) {
      add_target(question, document, node, true);
    }
  }

  void add_target(Question& question, std::size_t document, const Node& node, bool is_key) {
    const Node& shown = is_key ? *node.key() : node;
    const bool is_part = contains(shown.span, question.where) &&
                         !contains(question.where, first_line_of(shown.span, rendered_.bytes()));
    Target target{.document = document, .node = &node, .is_key = is_key};
    if (is_part || shown.text().find('\n') != std::string_view::npos) {
      // A part of the text; of a block scalar the first line.
      std::string_view text = rendered_.text(is_part ? question.where : shown.span);
      if (!is_part) text.remove_prefix(std::min(text.find('\n'), text.size()));
      text = trim(text);
      text = trim(text.substr(0, text.find('\n')));
      if (text.empty()) return;
      target.text = text;
      target.begin = static_cast<std::uint32_t>(text.data() - rendered_.bytes().data());
    } else {
      target.text = shown.text();
      target.begin = shown.span.begin + (shown.quoted ? 1 : 0);
    }
    const auto [known, is_new] =
        by_node_.try_emplace({&node, is_key, target.begin, target.text.size()}, targets_.size());
    question.targets.push_back(known->second);
    if (is_new) targets_.push_back(std::move(target));
  }

  // Experiments.

  void begin() {
    has_begun_ = true;
    std::set<std::size_t> values;
    std::set<std::size_t> keys;
    std::set<std::size_t> keys_of_values;  // templates read those: many such changes fail
    for (std::size_t i = 0; runs_ > 0 && i < targets_.size(); ++i) {
      const bool is_key = targets_[i].is_key;
      set_changes(i, changes_.at_text(targets_[i].text, is_key));
      for (const std::size_t change : targets_[i].changes) {
        const bool is_value = is_chart() && !changes_.is_template(changes_[change].where.file);
        (!is_key ? values : is_value ? keys_of_values : keys).insert(change);
      }
    }
    for (const std::size_t change : values) {
      keys.erase(change);
      keys_of_values.erase(change);
    }
    for (const auto* each : {&values, &keys, &keys_of_values}) plan({each->begin(), each->end()});
    if (!is_chart() || targets_.empty()) return;
    marks_.emplace(sources_, changes_.templates(), changes_.sign() + "m");
    waiting_.push_back({.marked = marks_->sources()});
  }

  void set_changes(std::size_t target, std::vector<std::size_t> changes) {
    for (const std::size_t change : changes) targets_of_[change].insert(target);
    targets_[target].changes = std::move(changes);
  }

  /// Adds the changes to experiments in which no two overlap.
  void plan(std::vector<std::size_t> all) {
    std::ranges::sort(all, {}, [&](std::size_t i) { return changes_[i].where; });
    while (!all.empty()) {
      Experiment experiment;
      std::vector<std::size_t> others;
      const MarkedEdit* last = nullptr;
      for (const std::size_t i : all) {
        const MarkedEdit& change = changes_[i];
        const bool overlaps = last != nullptr && last->where.file == change.where.file &&
                              last->where.end > change.where.begin;
        (overlaps ? others : experiment.changes).push_back(i);
        if (!overlaps) last = &change;
      }
      waiting_.push_back(std::move(experiment));
      all = std::move(others);
    }
  }

  /// Leaves out changes whose targets have been found.
  void drop_found() {
    for (Experiment& experiment : waiting_) {
      std::erase_if(experiment.changes, [&](std::size_t change) {
        return std::ranges::none_of(targets_of_.at(change), [&](std::size_t target) {
          return targets_[target].shown.empty();
        });
      });
    }
    std::erase_if(waiting_, [](const Experiment& experiment) {
      return experiment.changes.empty() && experiment.marked.empty();
    });
  }

  /// Adds experiments with a part of the changes each.
  void divide(const Experiment& experiment) {
    constexpr std::size_t kParts = 4;
    const bool is_marks = !experiment.marked.empty();
    const auto& all = is_marks ? experiment.marked : experiment.changes;
    const std::size_t parts = std::min(kParts, all.size());
    for (std::size_t part = 0; parts > 1 && part < parts; ++part) {
      Experiment smaller;
      auto& some = is_marks ? smaller.marked : smaller.changes;
      for (std::size_t i = part; i < all.size(); ++i) {
        if (i * parts / all.size() == part) some.push_back(all[i]);
      }
      waiting_.push_back(std::move(smaller));
    }
  }

  /// Finds the changes that show. False if the run says nothing about one of its targets.
  bool compare(const Experiment& experiment, std::string text) {
    std::map<std::size_t, std::vector<std::size_t>> changes;  // by target
    for (const std::size_t change : experiment.changes) {
      for (const std::size_t target : targets_of_.at(change)) changes[target].push_back(change);
    }
    ChangedRendering run(changes_, experiment.changes, documents_, std::move(text));
    bool is_complete = true;
    for (const auto& [target, some] : changes) {
      if (!targets_[target].shown.empty()) continue;
      is_complete = compare(targets_[target], some, run) && is_complete;
    }
    return is_complete;
  }

  bool compare(Target& target, std::span<const std::size_t> changes, ChangedRendering& run) {
    const std::vector<const Node*> nodes = run.counterparts(target.document, *target.node);
    if (nodes.empty() || (!target.is_key && nodes.size() > 1)) return false;
    const std::string before = target.words_of(*target.node);
    bool is_explained = true;
    for (const Node* node : nodes) {
      if (target.is_key ? node->key() == nullptr : !node->is_scalar()) return false;
      const std::string now = target.words_of(*node);
      if (now == before) continue;
      is_explained = is_explained && run.is_explained(now, before);
      for (const std::size_t change : changes) {
        if (!shows(now, changes_[change])) continue;
        target.shown.insert(change);
        target.times = times_shown(run.text(), changes_[change]);
      }
    }
    return !target.shown.empty() || is_explained;
  }

  /// What the first runs did not find.
  void begin_second() {
    has_second_ = true;
    std::set<std::size_t> all;
    for (auto& [key, question] : questions_) {
      if (question.targets.empty() || !marks_) continue;
      find_line(question);
    }
    for (auto& [key, question] : questions_) {
      if (question.targets.empty()) continue;
      const bool is_found = std::ranges::any_of(
          question.targets, [&](std::size_t i) { return !targets_[i].shown.empty(); });
      const bool is_type = std::get<Aspect>(key) == Aspect::type;
      if (is_found && !(is_type && has_other_type(question))) continue;
      add_line_target(question, all);
      add_part_of_name(question.targets.front(), all);
    }
    plan({all.begin(), all.end()});
  }

  void find_line(Question& question) {
    const yaml::Document& document = documents_[targets_[question.targets.front()].document];
    question.line = marks_->line_at(question.where.end, document.span.end);
    if (question.line == nullptr || question.line->is_defined) return;
    // A comment `# Source:` of the chart's own may name another template.
    const std::string path = named_template(package_.path, sources_, document.rendered_from);
    if (sources_[question.line->source].path != path) question.line = nullptr;
  }

  /// Whether the mark of the line is in the line of the value, and not in one below.
  bool is_of_line(const Question& question) const {
    const std::size_t line = rendered_.line_of(question.where.begin);
    const std::size_t end = rendered_.line_start(line) + rendered_.line(line).size();
    return marks_->line_at(question.where.end, static_cast<std::uint32_t>(end)) == question.line;
  }

  /// Whether a value is a string in the values file and none in what is rendered, or the reverse.
  bool has_other_type(const Question& question) const {
    const Target& target = targets_[question.targets.front()];
    if (!is_chart() || target.shown.size() != 1 || target.is_key) return false;
    const MarkedEdit& change = change_of(target);
    const std::string_view bytes = sources_[change.where.file].bytes;
    const bool is_string = (change.where.begin > 0 && is_quote(bytes[change.where.begin - 1])) ||
                           yaml::resolve_plain(target.text) == yaml::ScalarType::string;
    return !change.is_literal && is_string != target.node->is_string();
  }

  /// Replaces what the actions of the line print, if it prints all of the value.
  void add_line_target(Question& question, std::set<std::size_t>& all) {
    const TemplateLine* line = question.line;
    if (line == nullptr || line->outputs.empty() || question.targets.size() != 1 ||
        !is_of_line(question)) {
      return;
    }
    const auto& pieces = changes_.templates()[line->source].pieces;
    std::vector<std::size_t> changes;
    for (const std::size_t i : line->outputs) {
      if (prints_other_text(pieces[i].expression)) return;
      changes.push_back(changes_.at_action(line->source, pieces[i]));
    }
    Target target = targets_[question.targets.front()];
    target.shown.clear();
    question.line_target = targets_.size();
    targets_.push_back(std::move(target));
    all.insert(changes.begin(), changes.end());
    set_changes(*question.line_target, std::move(changes));
  }

  /// Finds the start or the end of a name that makes it invalid: names are composed.
  void add_part_of_name(std::size_t number, std::set<std::size_t>& all) {
    const Target& target = targets_[number];
    const std::string text = target.text;
    const Node& root = *documents_[target.document].root;
    const bool is_name = !target.is_key && target.node == &root["metadata"]["name"];
    if (!is_name || !target.changes.empty()) return;
    const auto is_invalid = [](char c) {
      return !is_lower_alphanumeric(c) && c != '-' && c != '.';
    };
    const auto first =
        static_cast<std::size_t>(std::ranges::find_if(text, is_invalid) - text.begin());
    std::size_t last = text.size();
    while (last > first && !is_invalid(text[last - 1])) --last;
    if (first == text.size()) return;
    std::vector<std::size_t> found;
    for (std::size_t cut = 1; found.empty() && cut < text.size(); ++cut) {
      if (text.size() - cut >= last)
        found = changes_.at_text(text.substr(0, text.size() - cut), false);
      if (found.empty() && cut <= first) found = changes_.at_text(text.substr(cut), false);
    }
    all.insert(found.begin(), found.end());
    set_changes(number, std::move(found));
  }

  // Answers.

  /// The only file of an overlay that has the text.
  std::string only_file(const Question& question) const {
    std::set<std::size_t> files;
    for (const std::size_t i : question.targets) {
      for (const std::size_t change : targets_[i].changes)
        files.insert(changes_[change].where.file);
    }
    return files.size() == 1 && !is_chart() ? sources_[*files.begin()].path : std::string();
  }

  void set_place(Origin& origin, const Target& target, Span where) const {
    const MarkedEdit& change = change_of(target);
    const std::string_view bytes = sources_[change.where.file].bytes;
    origin.file = sources_[change.where.file].path;
    // The same bytes around it, up to the whole of what the finding is at.
    const std::string_view text = rendered_.text({rendered_.id(), where.begin, where.end});
    const std::uint32_t before = target.begin - where.begin;
    Span whole = change.where;
    const bool is_same = target.begin >= where.begin && before <= change.where.begin &&
                         bytes.substr(change.where.begin - before, text.size()) == text &&
                         text.find('\n') == std::string_view::npos;
    if (is_same) {
      whole.begin = change.where.begin - before;
      whole.end = whole.begin + static_cast<std::uint32_t>(text.size());
    }
    const bool is_quoted = whole.begin > 0 && whole.end < bytes.size() &&
                           is_quote(bytes[whole.end]) && bytes[whole.begin - 1] == bytes[whole.end];
    if (is_quoted) {
      --whole.begin;
      ++whole.end;
    }
    origin.place = {origin.file, whole.begin, whole.end};
    const bool is_step =
        target.is_key && change.where.begin > 0 && bytes[change.where.begin - 1] == '/';
    const bool is_crd = origin.file.find("/crds/") != std::string::npos;
    const bool is_once = target.times == 1 && target.shown.size() == 1 && !is_step;
    origin.is_literal =
        is_same && !is_quoted && (is_chart() ? change.is_literal || is_crd : is_once);
  }

  SourcePlace actions_of(const TemplateLine& line) const {
    const auto& pieces = changes_.templates()[line.source].pieces;
    return {sources_[line.source].path, pieces[line.outputs.front()].begin,
            pieces[line.outputs.back()].end};
  }

  /// The actions, and the text before them as far as it is a part of the value.
  SourcePlace place_of_line(const Question& question) const {
    const TemplateLine& line = *question.line;
    SourcePlace place = actions_of(line);
    const std::string_view shown = trim(rendered_.line(rendered_.line_of(question.where.begin)));
    const auto start = static_cast<std::uint32_t>(shown.data() - rendered_.bytes().data());
    const std::string_view text = sources_[line.source].bytes;
    const std::uint32_t before = question.where.begin - start;
    const bool begins_with_text =
        shown.starts_with(text.substr(line.begin, place.begin - line.begin));
    if (begins_with_text && before < place.begin - line.begin) place.begin = line.begin + before;
    return place;
  }

  void add_note(Origin& origin, const Question& question) const {
    const TemplateLine* line = question.line;
    if (line == nullptr || line->outputs.empty()) return;
    const auto& pieces = changes_.templates()[line->source].pieces;
    const bool prints_lines = std::ranges::any_of(
        line->outputs, [&](std::size_t i) { return prints_other_text(pieces[i].expression); });
    if (!prints_lines && !is_of_line(question)) return;
    const SourcePlace place = actions_of(*line);
    const bool is_there = place.path == origin.place.path && line->begin <= origin.place.begin &&
                          origin.place.end <= line->end;
    if (!is_there) origin.notes.push_back({place, "this line of the template prints it"});
  }

  const Package& package_;
  std::span<const PackageSource> sources_;
  const SourceFile& rendered_;
  std::size_t runs_;
  MarkedEdits changes_;
  std::optional<TemplateMarks> marks_{};
  std::vector<yaml::Document> documents_{};
  std::map<std::tuple<std::uint32_t, std::uint32_t, Aspect>, Question> questions_{};
  std::vector<Target> targets_{};
  std::map<std::tuple<const Node*, bool, std::uint32_t, std::size_t>, std::size_t> by_node_{};
  std::map<std::size_t, std::set<std::size_t>> targets_of_{};  ///< of changes
  std::vector<Experiment> waiting_{};
  std::vector<Experiment> running_{};
  bool has_begun_ = false;
  bool has_second_ = false;
};

OriginSearch::OriginSearch(const Package& package, std::span<const PackageSource> sources,
                           const SourceFile& rendered, std::size_t runs)
    : implementation_(std::make_unique<Implementation>(package, sources, rendered, runs)) {}
OriginSearch::~OriginSearch() = default;

void OriginSearch::ask(Span where, Aspect aspect) { implementation_->ask(where, aspect); }
std::vector<ReplacedTexts> OriginSearch::next() { return implementation_->next(); }
void OriginSearch::take(const std::vector<std::optional<std::string>>& rendered) {
  implementation_->take(rendered);
}
Origin OriginSearch::of(Span where, Aspect aspect) const {
  return implementation_->of(where, aspect);
}

}  // namespace cnsched::packages
