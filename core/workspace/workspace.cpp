#include "core/workspace/workspace.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <iterator>

#include "core/base/parallel.h"
#include "core/base/text.h"
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

}  // namespace

Workspace::Workspace()
    : options_(std::make_unique<LoadOptions>()), kustomize_(std::make_unique<KustomizeResult>()) {}
Workspace::~Workspace() = default;

bool Workspace::are_scopes_guessed() const { return options_->clusters.empty(); }
std::size_t Workspace::jobs() const { return options_->jobs; }
packages::OriginFinder* Workspace::origins() const { return options_->origins.get(); }

void Workspace::load(LoadOptions options) {
  *options_ = std::move(options);
  begin();
  read(inputs());
  if (options_->late_files) {
    LateFiles late = options_->late_files();
    std::ranges::copy(late.unreadable, std::back_inserter(unread_));
    std::ranges::move(late.unreadable, std::back_inserter(options_->unreadable));
    options_->memory_files = std::move(late.files);
    std::vector<Input> inputs = memory_inputs();
    for (const std::string& path : late.on_disk) inputs.push_back({.path = path});
    read(inputs);
  }
  options_->memory_files.clear();
  options_->parsed = nullptr;
  read_kustomizations();
  index_all();
}

void Workspace::load_edited(const Workspace& before,
                            const std::map<std::string, std::string>& texts, const Limits& limits) {
  progress().begin_again();
  *options_ = *before.options_;
  options_->limits = limits;
  // Configurations and all files keep their ids, because facts and trees point into them.
  const auto first = static_cast<std::ptrdiff_t>(before.first_source_);
  sources.assign(before.sources.begin(), before.sources.begin() + first);
  begin();
  std::vector<Input> inputs;
  for (FileId id = static_cast<FileId>(first_source_); id < before.sources.size(); ++id) {
    // Places in a source are those before the fixes.
    const FileUse& use = before.uses_[id];
    const std::string& path = before.sources[id]->path();
    const auto text = use.source ? texts.end() : texts.find(path);
    const bool is_edited = text != texts.end();
    const auto only_for = before.facts_only_for_.find(id);
    inputs.push_back(
        {.path = path,
         .linted = use.linted,
         .fact = use.fact,
         .rendered = use.rendered,
         .source = use.source,
         .variant = use.variant,
         .text = is_edited ? &text->second : nullptr,
         .parsed = is_edited ? nullptr : before.parsed_[id],
         .only_for = only_for != before.facts_only_for_.end() ? &only_for->second : nullptr});
  }
  read(inputs);
  const bool as_before =
      used_files() == before.used_files() && std::ranges::none_of(texts, [](const auto& text) {
        return packages::is_kustomization(text.first);
      });
  if (as_before) {
    *kustomize_ = *before.kustomize_;
    kustomizations_ = before.kustomizations_;
  } else {
    read_kustomizations();
  }
  index_all();
}

void Workspace::begin() {
  first_source_ = sources.size();
  uses_.resize(first_source_);  // of configurations
  parsed_.resize(first_source_);
  unread_ = options_->unreadable;
}

void Workspace::index_all() {
  unreadable_.insert(unreadable_.begin(), unread_.begin(), unread_.end());
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
    note_from(objects_.front(), contents.error().message +
                                    ": no object is checked (lint fewer directories at a time)");
    contents = std::vector<ClusterScope::Content>(1);
  }
  std::size_t total = 0;
  for (ClusterScope::Content& content : *std::move(contents)) {
    total += content.objects.size();
    scopes_.emplace_back(*this, std::move(content));
  }
  std::vector<ClusterScope*> scopes;
  for (ClusterScope& scope : scopes_) scopes.push_back(&scope);
  const std::size_t jobs_of_each = scopes.size() > 1 ? 1 : jobs();
  parallel_for(scopes.size(), jobs(),
               [&](std::size_t i) { scopes[i]->index_objects(jobs_of_each); });
  // Many services may be built on one huge runtime: only the product is too much.
  constexpr std::size_t kFree = std::size_t{256} << 20U;
  constexpr std::size_t kTimesInput = 32;
  std::size_t input = 0;
  for (const auto& loaded : documents_) {
    if (loaded->status == DocumentStatus::checked || loaded->status == DocumentStatus::fact)
      input += loaded->document.span.end - loaded->document.span.begin;
  }
  std::size_t limit =
      options_->merge_limit != 0 ? options_->merge_limit : kFree + kTimesInput * input;
  progress().begin(Step::merging, total);
  const std::vector<const ClusterScope*> all(scopes.begin(), scopes.end());
  for (std::size_t i = 0; i < scopes.size(); ++i) {
    const auto [bytes, left_out] = scopes[i]->add_workloads(limit, std::span(all).first(i));
    limit -= std::min(bytes, limit);
    if (left_out == nullptr) continue;
    note_from(*left_out,
              "the pods of this object and of the objects after it are not checked: all merged "
              "pods together are too large");
    break;
  }
  for (ClusterScope& scope : scopes_) scope.forget_builds();
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
                      .rendered = memory.rendered,
                      .source = memory.source,
                      .variant = memory.variant,
                      .text = &memory.bytes,
                      .only_for = memory.only_for.empty() ? nullptr : &memory.only_for});
  }
  return inputs;
}

void Workspace::read(const std::vector<Input>& inputs) {
  ParsedFiles contents = read_inputs(inputs, static_cast<FileId>(sources.size()), *options_);
  for (std::size_t i = 0; i < inputs.size(); ++i) take(inputs[i], std::move(contents[i]));
}

void Workspace::take(const Input& input, std::shared_ptr<const FileContent> parsed) {
  const FileContent& content = *parsed;
  const SourceFile& file = *content.file;
  if (content.failure) {
    unread_.push_back(*content.failure);
  } else if (input.linted) {
    ++stats_.files;
  }
  policy_manifests_.insert(content.policy_manifests.begin(), content.policy_manifests.end());
  spark_templates_.insert(content.spark_templates.begin(), content.spark_templates.end());
  if (input.linted) {
    note_templates(content);
    std::ranges::copy(content.unfollowed, std::back_inserter(unfollowed_));
  }
  stats_.documents += content.out_of_scope;
  stats_.out_of_scope += content.out_of_scope;
  for (const k8s::schema::Definition& definition : content.definitions) {
    definitions_.push_back({definition, file.id()});
  }
  std::ranges::copy(content.server_versions, std::back_inserter(server_versions_));
  for (const std::vector<LoadedObjects>& piece : content.pieces) {
    for (const auto& [document, objects] : piece) {
      objects_.insert(objects_.end(), objects.begin(), objects.end());
      if (!input.linted && !document->document.problems.empty()) {
        const yaml::Problem& problem = document->document.problems.front();
        const Position at = file.position(problem.where.begin);
        unreadable_.push_back(
            {fmt::format("{}:{}:{}", file.path(), at.line, at.column), problem.message});
      }
      documents_.push_back(document.get());
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
                   .variant = input.variant,
                   .config = config});
  sources.push_back(content.file);
  parsed_.push_back(std::move(parsed));
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
  found.path = packages::name_of_chart(content.chart, file);
  const auto [chart, is_new] = charts_.try_emplace(content.chart, std::move(found));
  if (!is_new) chart->second.templates += templates;
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

/// The documents of a file are adjacent.
Workspace::UsedFiles Workspace::used_files() const {
  using enum DocumentStatus;
  UsedFiles used;
  for (auto next = documents_.begin(); next != documents_.end();) {
    const FileId file = (*next)->document.span.file;
    bool has_objects = false;
    bool has_facts = false;
    for (; next != documents_.end() && (*next)->document.span.file == file; ++next) {
      if (!(*next)->linted) continue;
      has_objects = has_objects || (*next)->status == checked || (*next)->status == broken;
      has_facts = has_facts || (*next)->status == fact;
    }
    if (has_objects) used.with_objects.push_back(file);
    if (has_facts && !has_objects) used.with_facts.push_back(file);
  }
  return used;
}

void Workspace::read_kustomizations() {
  const UsedFiles used = used_files();
  Sources files;
  for (const FileId file : used.with_objects) files.push_back(sources[file]);
  std::vector<std::string> facts;
  for (const FileId file : used.with_facts) facts.push_back(sources[file]->path());
  kustomizations_ = std::make_shared<Kustomizations>(std::move(files), std::move(facts));
  Kustomizations& search = *kustomizations_;
  for (std::size_t i = first_source_; i < sources.size(); ++i) {
    if (uses_[i].linted && packages::is_kustomization(sources[i]->path())) search.read(*sources[i]);
  }
  for (const auto* each : {&used.with_objects, &used.with_facts}) {
    for (const FileId file : *each) {
      const bool is_on_disk = file - first_source_ < options_->files.size();
      if (is_on_disk) search.look_around(sources[file]->path());
    }
  }
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
  using Packages = std::span<const k8s::PackageId>;
  std::array<Packages, 2> packages;  // of objects of the file whose namespace is not known, or is
  FileId last = 0;
  for (k8s::Object& object : objects_) {
    const FileId file = object.root->span.file;
    if (file != last) packages = {};
    last = file;
    object.ns = {namespace_of(object)};
    Packages& of_object = packages[object.ns.is_known() ? 1 : 0];
    if (of_object.empty()) of_object = packages_of(file, object.ns.is_known());
    object.ns.packages = of_object;
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

/// Of the files in a directory, some may name a namespace and others not, because they are separate
/// examples. In one file they are together.
std::span<const k8s::PackageId> Workspace::packages_of(FileId file, bool is_namespace_known) {
  const std::string& path = sources[file]->path();
  if (is_rendered(file)) return packages_with({path});
  const auto built = kustomize_->namespaces.find(path);
  if (built == kustomize_->namespaces.end()) {
    const std::filesystem::path normal = std::filesystem::path(path).lexically_normal();
    std::set<std::string> keys = {normal.string()};
    if (!is_namespace_known) keys.insert(normal.parent_path().string());
    return packages_with(keys);
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
    const SourceFile& file = file_of(objects_[i].root->span);
    is_patch[i] = static_cast<char>(kustomize_->patches.contains(file.path()) ||
                                    holds_directive(objects_[i], file));
  };
  parallel_for(objects_.size(), options_->jobs, look, kWorthThread);
  for (std::size_t i = 0; i < is_patch.size(); ++i) {
    if (is_patch[i] != 0) patches_.insert(&objects_[i]);
  }
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
  return kustomizations_->build_of(file_of(object.root->span).path());
}

bool Workspace::is_kustomize_var(const k8s::Object& object, std::string_view name) const {
  const KustomizeBuild* build = build_of(object);
  return build != nullptr && build->declares(name);
}

bool Workspace::may_get_field(const k8s::Object& object, std::string_view field) const {
  return may_get_field(object, {field});
}

bool Workspace::may_get_field(const k8s::Object& object,
                              std::initializer_list<std::string_view> any_of) const {
  const KustomizeBuild* build = build_of(object);
  return build != nullptr && std::ranges::any_of(any_of, [&](std::string_view field) {
           return build->may_set(object, field);
         });
}

bool Workspace::is_spark_template(const k8s::Object& object) const {
  if (!object.is("", "Pod")) return false;
  const std::string_view name = file_name_of(file_of(object.root->span).path());
  return is_named_as_spark_template(name) || spark_templates_.contains(std::string(name));
}

bool Workspace::is_fact(const k8s::Object& object) const {
  return uses_[object.root->span.file].fact;
}

}  // namespace cnsched
