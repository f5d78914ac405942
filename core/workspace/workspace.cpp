#include "core/workspace/workspace.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>

#include "core/base/parallel.h"
#include "core/base/text.h"
#include "core/facts/cluster_facts.h"
#include "core/k8s/api_kinds.h"
#include "core/k8s/struct_merge.h"
#include "core/packages/chart.h"
#include "core/packages/kustomization.h"
#include "core/source/path.h"
#include "core/workspace/cluster_scope.h"
#include "core/workspace/inputs.h"
#include "core/workspace/kustomizations.h"
#include "core/workspace/scope_contents.h"

namespace cnsched {

namespace {

/// Whether the object has a directive that only patches have. Directives begin with a dollar sign,
/// which may be written as an escape. Only the object's own text is searched: a list of all that a
/// cluster has is one document.
bool holds_directive(const k8s::Object& object, const SourceFile& file) {
  const std::string_view text = file.text(object.root->span);
  return (text.find('$') != std::string_view::npos || text.find('\\') != std::string_view::npos) &&
         k8s::contains_patch_directive(*object.root);
}

/// Puts `added` into the place of a range of `all`.
template <typename T, typename Range>
void replace_range(std::vector<T>& all, const Range& range, std::vector<T> added) {
  const auto place = all.erase(range.begin(), range.end());
  all.insert(place, std::make_move_iterator(added.begin()), std::make_move_iterator(added.end()));
}

}  // namespace

Workspace::Workspace()
    : options_(std::make_unique<LoadOptions>()), kustomize_(std::make_unique<KustomizeResult>()) {}
Workspace::~Workspace() = default;

bool Workspace::is_replaceable() const { return options_->replaceable; }
bool Workspace::are_scopes_guessed() const { return options_->clusters.empty(); }
std::size_t Workspace::jobs() const { return options_->jobs; }
OriginFinder* Workspace::origins() const { return options_->origins.get(); }

void Workspace::load(LoadOptions options) {
  *options_ = std::move(options);
  read_files();
  read_kustomizations();
  index_all();
}

void Workspace::index_all() {
  find_namespaces();
  collect_objects();
  collect_unfollowed();
  find_patches();
  add_scopes();
  stats_.unreadable = unreadable_.size();
  stats_.ignored = options_->ignored;
}

void Workspace::add_scopes() {
  auto contents = scope_contents(*this, options_->clusters, kustomize_->users);
  if (!contents) {
    is_complete_ = false;
    note_from(*objects_.front(), contents.error().message +
                                     ": no object is checked (lint fewer directories at a time)");
    contents = std::vector<ClusterScope::Content>(1);
  }
  std::size_t total = 0;
  for (ClusterScope::Content& content : *std::move(contents)) {
    total += content.objects.size();
    scopes_.emplace_back(*this, std::move(content));
  }
  // Many services may be built on one huge runtime: only the product is too much.
  constexpr std::size_t kFree = std::size_t{256} << 20U;
  constexpr std::size_t kTimesInput = 32;
  std::size_t input = 0;
  for (const auto& loaded : documents_) {
    if (loaded->status == DocumentStatus::checked || loaded->status == DocumentStatus::fact)
      input += loaded->document.span.end - loaded->document.span.begin;
  }
  merge_limit_ = options_->merge_limit != 0 ? options_->merge_limit : kFree + kTimesInput * input;
  std::size_t limit = merge_limit_;
  progress().begin(Step::merging, total);
  for (ClusterScope& scope : scopes_) {
    const auto [bytes, left_out] = scope.add_workloads(limit);
    limit -= std::min(bytes, limit);
    if (left_out == nullptr) continue;
    is_complete_ = false;
    note_from(*left_out,
              "the pods of this object and of the objects after it are not checked: all merged "
              "pods together are too large");
    return;
  }
}

void Workspace::load_again(const Workspace& before,
                           const std::map<std::string, std::string>& texts) {
  progress().begin_again();
  // Configurations keep their file ids, because facts point into them.
  for (std::size_t i = 0; i < before.first_source_; ++i) {
    const SourceFile& file = *before.sources[i];
    sources.push_back(
        std::make_unique<SourceFile>(file.id(), file.path(), std::string(file.bytes())));
  }
  LoadOptions options = *before.options_;
  options.files.clear();
  options.cluster_files.clear();
  options.config_files.clear();
  options.memory_files.clear();
  options.late_files = nullptr;
  options.unreadable = before.unread_;
  for (std::size_t i = before.first_source_; i < before.sources.size(); ++i) {
    const SourceFile& file = *before.sources[i];
    const bool is_unread =
        std::ranges::find(before.unread_, file.path(), &Unreadable::path) != before.unread_.end();
    if (is_unread) continue;
    // Places in a source are those before the fixes.
    const FileUse& use = before.uses_[i];
    const auto text = use.source ? texts.end() : texts.find(file.path());
    const auto only_for = before.facts_only_for_.find(file.id());
    options.memory_files.push_back(
        {.path = file.path(),
         .bytes = text != texts.end() ? text->second : std::string(file.bytes()),
         .linted = use.linted,
         .fact = use.fact,
         .rendered = use.rendered,
         .source = use.source,
         .variant = use.variant,
         .only_for = only_for != before.facts_only_for_.end()
                         ? only_for->second
                         : std::vector<const facts::ClusterConfig*>()});
  }
  *options_ = std::move(options);
  read_files();
  *kustomize_ = *before.kustomize_;
  policy_manifests_ = before.policy_manifests_;
  spark_templates_ = before.spark_templates_;
  index_all();
}

/// The files to read, each once: those to lint first.
std::vector<Input> Workspace::inputs() const {
  std::vector<Input> facts;
  std::unordered_map<std::string, std::size_t> places;  // in `facts`
  const auto add_fact = [&](const std::string& path,
                            const std::vector<const facts::ClusterConfig*>* only_for) {
    if (!places.try_emplace(file_identity(path), facts.size()).second) return;
    facts.push_back({.path = path, .linted = false, .fact = true, .only_for = only_for});
  };
  for (const std::string& path : options_->cluster_files) add_fact(path, nullptr);
  for (const FactFile& file : options_->config_files) add_fact(file.path, &file.only_for);

  std::vector<Input> inputs;
  for (const std::string& path : options_->files) {
    const auto same = facts.empty() ? places.end() : places.find(file_identity(path));
    const bool is_fact = same != places.end();
    if (is_fact) facts[same->second].fact = false;
    inputs.push_back({.path = path, .fact = is_fact});
  }
  std::ranges::copy_if(facts, std::back_inserter(inputs), &Input::fact);
  std::ranges::move(memory_inputs(), std::back_inserter(inputs));
  return inputs;
}

std::vector<Input> Workspace::memory_inputs() const {
  std::vector<Input> inputs;
  for (const MemoryFile& memory : options_->memory_files) {
    inputs.push_back({.path = memory.path,
                      .linted = memory.linted,
                      .fact = memory.fact || !(memory.linted || memory.source),
                      .memory = &memory,
                      .rendered = memory.rendered,
                      .source = memory.source,
                      .only_for = memory.only_for.empty() ? nullptr : &memory.only_for});
  }
  return inputs;
}

void Workspace::read_files() {
  first_source_ = sources.size();
  uses_.resize(first_source_);  // of configurations
  unread_ = options_->unreadable;
  read(inputs());
  if (options_->late_files) {
    LateFiles late = options_->late_files();
    std::ranges::move(late.unreadable, std::back_inserter(unread_));
    options_->memory_files = std::move(late.files);
    std::vector<Input> inputs = memory_inputs();
    for (const std::string& path : late.on_disk) inputs.push_back({.path = path});
    read(inputs);
  }
  unreadable_.insert(unreadable_.begin(), unread_.begin(), unread_.end());
  options_->memory_files.clear();
}

void Workspace::read(const std::vector<Input>& inputs) {
  std::vector<FileContent> contents =
      read_inputs(inputs, static_cast<FileId>(sources.size()), *options_);
  for (std::size_t i = 0; i < inputs.size(); ++i) take(inputs[i], std::move(contents[i]));
}

void Workspace::take(const Input& input, FileContent content) {
  const SourceFile& file = *content.file;
  if (options_->replaceable && !is_plain(content)) not_plain_.insert(file.id());
  if (content.failure) {
    unread_.push_back(*std::move(content.failure));
  } else if (input.linted) {
    ++stats_.files;
  }
  policy_manifests_.merge(content.policy_manifests);
  spark_templates_.merge(content.spark_templates);
  if (input.linted) {
    note_templates(content);
    std::ranges::move(content.unfollowed, std::back_inserter(unfollowed_));
  }
  stats_.documents += content.out_of_scope;
  stats_.out_of_scope += content.out_of_scope;
  for (k8s::schema::Definition& definition : content.definitions) {
    definitions_.push_back({std::move(definition), file.id()});
  }
  std::ranges::copy(content.server_versions, std::back_inserter(server_versions_));
  std::ranges::move(content.kept_documents, std::back_inserter(kept_documents_));
  for (std::vector<LoadedObjects>& piece : content.pieces) {
    for (auto& [document, objects] : piece) {
      document->linted = input.linted;
      for (const k8s::Object& object : objects) {
        objects_.push_back(std::make_unique<k8s::Object>(object));
      }
      if (!input.linted && !document->document.problems.empty()) {
        const yaml::Problem& problem = document->document.problems.front();
        const Position at = file.position(problem.where.begin);
        unreadable_.push_back(
            {fmt::format("{}:{}:{}", file.path(), at.line, at.column), problem.message});
      }
      documents_.push_back(std::move(document));
    }
  }
  const facts::ClusterConfig* config =
      options_->config_for ? options_->config_for(file.path()) : nullptr;
  if (input.only_for != nullptr) {
    config = input.only_for->front();
    facts_only_for_[file.id()] = *input.only_for;
  }
  uses_.push_back({.linted = input.linted,
                   .fact = input.fact,
                   .rendered = input.rendered,
                   .source = input.source,
                   .variant = input.memory != nullptr ? input.memory->variant : RenderedVariant(),
                   .config = config});
  sources.push_back(std::move(content.file));
}

void Workspace::note_templates(const FileContent& content) {
  std::size_t templates = 0;
  for (const std::vector<LoadedObjects>& piece : content.pieces) {
    templates += static_cast<std::size_t>(
        std::ranges::count(piece, DocumentStatus::templated,
                           [](const LoadedObjects& loaded) { return loaded.document->status; }));
  }
  if (templates == 0) return;
  const std::string& file = content.file->path();
  Unfollowed found{.kind = Unfollowed::Kind::template_file, .path = file, .templates = templates};
  if (content.chart.empty()) {
    unfollowed_.push_back(std::move(found));
    return;
  }
  found.kind = Unfollowed::Kind::chart;
  found.path = name_of_chart(content.chart, file);
  const auto [chart, is_new] = charts_.try_emplace(content.chart, std::move(found));
  if (!is_new) chart->second.templates += templates;
}

bool Workspace::is_plain(const FileContent& content) const {
  const bool only_documents = content.definitions.empty() && content.server_versions.empty() &&
                              content.kept_documents.empty() && content.unfollowed.empty() &&
                              content.policy_manifests.empty() && content.spark_templates.empty() &&
                              content.chart.empty();
  if (!only_documents || content.failure || is_kustomization(content.file->path())) return false;
  const auto is_plain_document = [](const LoadedObjects& loaded) {
    return loaded.document->status != DocumentStatus::templated &&
           std::ranges::none_of(loaded.objects, facts::holds_facts);
  };
  return std::ranges::all_of(content.pieces, [&](const std::vector<LoadedObjects>& piece) {
    return std::ranges::all_of(piece, is_plain_document);
  });
}

/// See read_kustomizations.
bool Workspace::has_own_objects(FileId file) const {
  const auto own = std::ranges::equal_range(
      documents_, file, {}, [](const auto& loaded) { return loaded->document.span.file; });
  return std::ranges::any_of(own, [](const auto& loaded) {
    return loaded->status == DocumentStatus::checked || loaded->status == DocumentStatus::broken;
  });
}

std::optional<FileChange> Workspace::replace(FileId file) {
  const FileUse& use = uses_[file];
  const bool may_be = options_->replaceable && is_complete_ && use.linted && !use.fact &&
                      !use.rendered && !not_plain_.contains(file) && file >= first_source_;
  if (!may_be) return std::nullopt;
  const Input input{.path = sources[file]->path()};
  std::vector<FileContent> contents = read_inputs({&input, 1}, file, *options_);
  if (!is_plain(contents.front())) return std::nullopt;
  const bool had_own = has_own_objects(file);
  // What is replaced must live until the scopes know it.
  const std::unique_ptr<const SourceFile> before = std::move(sources[file]);
  FileChange change = exchange(file, std::move(contents.front()));
  if (has_own_objects(file) != had_own) return std::nullopt;
  auto scopes = scope_contents(*this, options_->clusters, kustomize_->users);
  if (!scopes || (*scopes).size() != scopes_.size()) return std::nullopt;
  std::size_t bytes = 0;
  std::size_t next = 0;
  std::vector<ClusterScope::Content> all = *std::move(scopes);
  for (ClusterScope& scope : scopes_) {
    const auto used = scope.replace(file, std::move(all[next++]), change);
    if (!used) return std::nullopt;
    bytes += *used;
  }
  if (bytes > merge_limit_) return std::nullopt;
  return change;
}

/// Puts the documents and objects of a file into the places of the old ones.
FileChange Workspace::exchange(FileId file, FileContent content) {
  FileChange change{.file = file};
  const auto note = [&](const k8s::Object& object) {
    change.keys.insert(k8s::key_of_kind(object.kind));
    change.keys.insert(k8s::key_of_name(object.kind, object.name));
  };
  change.keys.insert(key_of_file(file));
  std::vector<std::unique_ptr<LoadedDocument>> documents;
  std::vector<std::unique_ptr<k8s::Object>> objects;
  for (std::vector<LoadedObjects>& piece : content.pieces) {
    for (auto& [document, own] : piece) {
      for (const k8s::Object& object : own) {
        note(object);
        objects.push_back(std::make_unique<k8s::Object>(object));
      }
      documents.push_back(std::move(document));
    }
  }
  sources[file] = std::move(content.file);
  const auto old_objects = std::ranges::equal_range(
      objects_, file, {}, [](const auto& object) { return object->root->span.file; });
  for (const auto& object : old_objects) {
    note(*object);
    change.gone.insert(object.get());
    patches_.erase(object.get());
  }
  for (const auto& object : objects) {
    object->ns = {namespace_of(*object), packages_of(file)};
    if (is_written_as_patch(*object)) patches_.insert(object.get());
  }
  const auto old_documents = std::ranges::equal_range(
      documents_, file, {}, [](const auto& loaded) { return loaded->document.span.file; });
  for (const auto& loaded : old_documents) change.gone.insert(loaded.get());
  replace_range(objects_, old_objects, std::move(objects));
  replace_range(documents_, old_documents, std::move(documents));
  by_place_.clear();
  stats_ = {};
  collect_objects();
  return change;
}

void Workspace::collect_unfollowed() {
  for (auto& [path, chart] : charts_) unfollowed_.push_back(std::move(chart));
  for (const std::string& directory : kustomize_->unbuilt) {
    unfollowed_.push_back({.kind = Unfollowed::Kind::kustomization, .path = directory});
  }
  std::ranges::copy(options_->unfollowed, std::back_inserter(unfollowed_));
  for (Unfollowed& each : unfollowed_) {
    using enum Unfollowed::Kind;
    each.asked_for = (each.kind == chart && options_->rendered.charts) ||
                     (each.kind == kustomization && options_->rendered.overlays);
  }
  std::ranges::sort(unfollowed_);
}

void Workspace::read_kustomizations() {
  using enum DocumentStatus;
  std::vector<std::string> on_disk;
  std::vector<const SourceFile*> files;  // with objects, or with what will be some once it is fixed
  std::vector<std::string> facts;        // with nothing else
  // The documents of a file are adjacent.
  for (auto next = documents_.begin(); next != documents_.end();) {
    const FileId file = (*next)->document.span.file;
    bool is_ours = false;
    bool has_facts = false;
    for (; next != documents_.end() && (*next)->document.span.file == file; ++next) {
      if (!(*next)->linted) continue;
      is_ours = is_ours || (*next)->status == checked || (*next)->status == broken;
      has_facts = has_facts || (*next)->status == fact;
    }
    if (!is_ours && !has_facts) continue;
    if (is_ours) {
      files.push_back(sources[file].get());
    } else {
      facts.push_back(sources[file]->path());
    }
    if (file - first_source_ < options_->files.size()) on_disk.push_back(sources[file]->path());
  }
  Kustomizations search(std::move(files), std::move(facts));
  for (std::size_t i = first_source_; i < sources.size(); ++i) {
    if (uses_[i].linted && is_kustomization(sources[i]->path())) search.read(*sources[i]);
  }
  for (const std::string& file : on_disk) search.look_around(file);
  search.look_for_users(options_->walked);
  search.add_generator_inputs(policy_manifests_);
  *kustomize_ = search.result();
}

void Workspace::collect_objects() {
  for (const auto& loaded : documents_) {
    if (loaded->linted) {
      ++stats_.documents;
      const bool is_fact = loaded->status == DocumentStatus::fact;
      if (is_fact || loaded->status == DocumentStatus::out_of_scope) ++stats_.out_of_scope;
      if (loaded->status == DocumentStatus::templated) ++stats_.templates;
      if (loaded->status == DocumentStatus::broken) ++stats_.broken;
    }
  }
  for (const k8s::Object& object : objects()) {
    const SourceFile& file = file_of(object.root->span);
    if (is_linted(file.id()) && !k8s::scheduling_kind_of(object)) ++stats_.objects;
    by_place_.push_back(&object);
  }
  const auto place = [](const k8s::Object* object) { return object->root->span; };
  if (!std::ranges::is_sorted(by_place_, {}, place)) std::ranges::sort(by_place_, {}, place);
}

void Workspace::find_namespaces() {
  FileId last = 0;
  std::span<const k8s::PackageId> packages;
  for (const auto& object : objects_) {
    const FileId file = object->root->span.file;
    if (packages.empty() || file != last) packages = packages_of(file);
    last = file;
    object->ns = {namespace_of(*object), packages};
  }
}

/// The namespace that the object gets. That of an overlay replaces the written one.
std::string_view Workspace::namespace_of(const k8s::Object& object) const {
  const FileId file = object.root->span.file;
  const std::string_view written = object["metadata"]["namespace"].text();
  const std::string_view by_kubectl = options_->ns;
  if (is_rendered(file)) {
    const RenderedVariant& variant = variant_of(file);
    // Without a namespace, Helm's templates see "default".
    const bool is_assumed = variant.is_release && variant.ns.empty() && written == "default";
    if (!written.empty() && !is_assumed) return written;
    return variant.ns.empty() ? by_kubectl : variant.ns;
  }
  const auto built = kustomize_->namespaces.find(sources[file]->path());
  if (built == kustomize_->namespaces.end() || built->second.names.empty()) {
    return written.empty() ? by_kubectl : written;
  }
  const auto& [names, roots] = built->second;
  return names.size() == 1 && roots.empty() ? std::string_view(*names.begin()) : "";
}

std::span<const k8s::PackageId> Workspace::packages_of(FileId file) {
  const std::string& path = sources[file]->path();
  if (is_rendered(file)) return packages_with({path});
  const auto built = kustomize_->namespaces.find(path);
  if (built == kustomize_->namespaces.end()) {
    return packages_with({std::filesystem::path(path).lexically_normal().parent_path().string()});
  }
  std::set<std::string> keys = built->second.roots;
  for (const std::string& name : built->second.names) keys.insert("namespace:" + name);
  return packages_with(keys);
}

std::span<const k8s::PackageId> Workspace::packages_with(const std::set<std::string>& keys) {
  const auto [found, is_new] = packages_.try_emplace(keys);
  if (is_new) {
    for (const std::string& key : keys) {
      const auto next = static_cast<k8s::PackageId>(package_ids_.size() + 1);
      found->second.push_back(package_ids_.try_emplace(key, next).first->second);
    }
    std::ranges::sort(found->second);
  }
  return found->second;
}

void Workspace::find_patches() {
  constexpr std::size_t kWorthThread = 256;
  std::vector<char> is_patch(objects_.size());
  const auto look = [&](std::size_t i) {
    is_patch[i] = static_cast<char>(is_written_as_patch(*objects_[i]));
  };
  parallel_for(objects_.size(), options_->jobs, look, kWorthThread);
  for (std::size_t i = 0; i < is_patch.size(); ++i) {
    if (is_patch[i] != 0) patches_.insert(objects_[i].get());
  }
}

bool Workspace::is_written_as_patch(const k8s::Object& object) const {
  const SourceFile& file = file_of(object.root->span);
  return kustomize_->patches.contains(file.path()) || holds_directive(object, file);
}

const std::vector<facts::StatedRelease>& Workspace::stated_releases(
    Project project, const facts::ClusterConfig* config) const {
  const std::vector<facts::StatedRelease>& by_flags = options_->releases.of(project);
  return !by_flags.empty() || config == nullptr ? by_flags : config->releases.of(project);
}

bool Workspace::gives_facts(FileId file, const facts::ClusterConfig* config) const {
  const auto only = facts_only_for_.find(file);
  return only == facts_only_for_.end() ||
         std::ranges::find(only->second, config) != only->second.end();
}

void Workspace::note_from(const k8s::Object& first, const std::string& reason) {
  const SourceFile& file = file_of(first.root->span);
  const Position at = file.position(first.root->span.begin);
  unreadable_.push_back({fmt::format("{}:{}:{}", file.path(), at.line, at.column), reason});
}

const k8s::Object* Workspace::object_around(Span place) const {
  ReadLog::note(key_of_file(place.file));
  auto next = std::ranges::upper_bound(by_place_, std::pair(place.file, place.begin), {},
                                       [](const k8s::Object* object) {
                                         const Span span = object->root->span;
                                         return std::pair(span.file, span.begin);
                                       });
  if (next == by_place_.begin()) return nullptr;
  const k8s::Object* object = *--next;
  const Span root = object->root->span;
  return root.file == place.file && place.end <= root.end ? object : nullptr;
}

const LoadedDocument* Workspace::document_around(Span place) const {
  ReadLog::note(key_of_file(place.file));
  const auto next = std::ranges::upper_bound(
      documents_, std::pair(place.file, place.begin), {}, [](const auto& loaded) {
        return std::pair(loaded->document.span.file, loaded->document.span.begin);
      });
  if (next == documents_.begin()) return nullptr;
  const LoadedDocument& loaded = **std::prev(next);
  const Span all = loaded.document.span;
  return all.file == place.file && place.end <= all.end ? &loaded : nullptr;
}

bool Workspace::gets_selectors(const k8s::Object& object) const {
  return kustomize_->with_added_selectors.contains(file_of(object.root->span).path());
}

bool Workspace::is_generator_input(const k8s::Object& object) const {
  return kustomize_->generator_inputs.contains(file_of(object.root->span).path());
}

const KustomizeBuild* Workspace::build_of(const k8s::Object& object) const {
  const auto found = kustomize_->builds.find(file_of(object.root->span).path());
  return found == kustomize_->builds.end() ? nullptr : found->second.get();
}

bool Workspace::is_kustomize_var(const k8s::Object& object, std::string_view name) const {
  const KustomizeBuild* build = build_of(object);
  return build != nullptr && build->declares(name);
}

bool Workspace::may_get_field(const k8s::Object& object, std::string_view field) const {
  const KustomizeBuild* build = build_of(object);
  return build != nullptr && build->may_set(object, field);
}

bool Workspace::is_spark_template(const k8s::Object& object) const {
  if (!object.is("", "Pod")) return false;
  const std::string_view name = file_name_of(file_of(object.root->span).path());
  return is_named_as_spark_template(name) || spark_templates_.contains(std::string(name));
}

bool Workspace::is_fact(const k8s::Object& object) const {
  return uses_[object.root->span.file].fact;
}

bool Workspace::is_linted(const k8s::Object& object) const {
  return is_linted(object.root->span.file);
}

}  // namespace cnsched
