#include "core/workloads/workspace.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "core/base/parallel.h"
#include "core/base/progress.h"
#include "core/base/text.h"
#include "core/k8s/patch_directive.h"
#include "core/k8s/scope.h"
#include "core/k8s/workloads.h"
#include "core/kserve/fields.h"
#include "core/kserve/pods.h"
#include "core/seldon/pods.h"
#include "core/workloads/patch_search.h"
#include "core/yaml/parse.h"
#include "core/yaml/split.h"

namespace cnsched {

namespace fs = std::filesystem;

namespace {

/// One input on its way: read and parsed on some thread, put into the workspace in order.
struct Input {
  std::string path;
  bool linted = true;
  const MemoryFile* memory = nullptr;
  const FactFile* config_file = nullptr;
  std::unique_ptr<const SourceFile> file;
  std::vector<std::unique_ptr<LoadedDocument>> documents;
  std::optional<Unreadable> failure;
};

std::unique_ptr<LoadedDocument> load_document(const SourceFile& file, Span where) {
  auto loaded = std::make_unique<LoadedDocument>();
  loaded->document.span = where;
  const std::string_view text = file.text(where);
  if (!k8s::may_be_in_scope(text)) return loaded;

  loaded->document = yaml::parse(file, where);
  const yaml::Document& document = loaded->document;
  if (document.templated) {
    loaded->fate = Fate::templated;
  } else if (!document.problems.empty()) {
    loaded->fate = k8s::broken_text_in_scope(text) ? Fate::broken : Fate::out_of_scope;
  } else if (std::ranges::any_of(k8s::objects_in(document), k8s::in_scope)) {
    loaded->fate = Fate::checked;
  }
  return loaded;
}

/// Where a file goes beyond what a run takes on.
struct Excess {
  std::size_t line = 0;
  std::string reason;
};

/// The first line that is too long.
std::optional<Excess> long_line(const SourceFile& file, const Limits& limits) {
  if (file.bytes().size() <= limits.line_length) return std::nullopt;
  for (std::size_t line = 1; line <= file.line_count(); ++line) {
    if (file.line(line).size() <= limits.line_length) continue;
    return Excess{line, fmt::format("the line is longer than the limit of {}: break it, leave the "
                                    "file out, or allow more with {}",
                                    text_of_size(limits.line_length), kLineLengthFlag)};
  }
  return std::nullopt;
}

/// The first document that is one too many.
std::optional<Excess> one_document_more(const SourceFile& file, const std::vector<Span>& documents,
                                        const Limits& limits) {
  if (documents.size() <= limits.documents) return std::nullopt;
  return Excess{file.line_of(documents[limits.documents].begin),
                fmt::format("the file has more than {}: split it, leave it out, or allow more "
                            "with {}",
                            count_of(limits.documents, "document"), kDocumentsFlag)};
}

Result<std::string> bytes_of(const Input& input, const Limits& limits) {
  if (input.memory != nullptr) return input.memory->bytes;
  // A pipe or a terminal that a configuration names would keep us waiting for ever.
  std::error_code error;
  if (input.config_file != nullptr && fs::exists(input.path, error) &&
      !fs::is_regular_file(input.path, error)) {
    return Error{"is no regular file"};
  }
  return read_file(input.path, limits.file_size, kFileSizeFlag);
}

void read_input(Input& input, FileId id, const LoadOptions& options) {
  const std::string& shown = input.path == "-" ? options.stdin_name : input.path;
  const auto fail = [&](std::size_t line, std::string reason) {
    input.failure = {shown, std::move(reason), line};
    input.file = std::make_unique<SourceFile>(id, shown, "");
  };
  Result<std::string> bytes = bytes_of(input, options.limits);
  if (!bytes) return fail(0, bytes.error().message);
  input.file = std::make_unique<SourceFile>(id, shown, *std::move(bytes));
  const std::vector<Span> documents = yaml::split(*input.file);
  if (input.memory == nullptr) {
    std::optional<Excess> excess = long_line(*input.file, options.limits);
    if (!excess) excess = one_document_more(*input.file, documents, options.limits);
    if (excess) return fail(excess->line, std::move(excess->reason));
  }
  for (const Span where : documents) {
    input.documents.push_back(load_document(*input.file, where));
  }
}

/// A pod that is only patches, or built on some, may hold anything that they do not.
void add_what_patches_leave_open(const Workspace& run, Workload& workload) {
  std::vector<const k8s::Object*> parts = {workload.object};
  for (const k8s::Base& base : workload.bases) {
    if (std::ranges::find(parts, base.object) == parts.end()) parts.push_back(base.object);
  }
  for (const k8s::Object* part : parts) {
    if (!run.is_patch(*part)) continue;
    workload.unknown.push_back(
        {fmt::format("what is made with the patch of {} '{}'", part->kind, part->name),
         k8s::Unknown::Kind::named});
  }
}

}  // namespace

void Workspace::load(LoadOptions options) {
  options_ = std::move(options);
  read_files();
  find_patch_files();
  index_all();
}

void Workspace::index_all() {
  collect_objects();
  // Each of many services may be built on the same huge runtime: only their product is too much.
  constexpr std::size_t kFree = std::size_t{256} << 20U;
  constexpr std::size_t kTimesInput = 32;
  std::size_t input = 0;
  for (const auto& loaded : documents_) {
    if (loaded->fate == Fate::checked)
      input += loaded->document.span.end - loaded->document.span.begin;
  }
  add_all_workloads(options_.merge_limit != 0 ? options_.merge_limit : kFree + kTimesInput * input);
  ledger_.unreadable = unreadable_.size();
}

void Workspace::load_again(const Workspace& before,
                           const std::map<std::string, std::string>& texts) {
  progress().begin_again();
  // Configurations keep their places, for facts point into them.
  for (std::size_t i = 0; i < before.first_source_; ++i) {
    const SourceFile& file = *before.sources[i];
    sources.push_back(
        std::make_unique<SourceFile>(file.id(), file.path(), std::string(file.bytes())));
  }
  LoadOptions options = before.options_;
  options.files.clear();
  options.cluster_files.clear();
  options.memory_files.clear();
  options.unreadable = before.unread_;
  for (std::size_t i = before.first_source_; i < before.sources.size(); ++i) {
    const SourceFile& file = *before.sources[i];
    const bool is_unread =
        std::ranges::find(before.unread_, file.path(), &Unreadable::path) != before.unread_.end();
    if (is_unread) continue;
    const auto text = texts.find(file.path());
    options.memory_files.push_back(
        {.path = file.path(),
         .bytes = text != texts.end() ? text->second : std::string(file.bytes()),
         .linted = before.linted_files_[i]});
  }
  options_ = std::move(options);
  read_files();
  patch_files_ = before.patch_files_;
  index_all();
}

void Workspace::read_files() {
  const LoadOptions& options = options_;
  std::vector<Input> inputs;
  for (const std::string& path : options.files) inputs.push_back({.path = path});
  for (const std::string& path : options.cluster_files) {
    inputs.push_back({.path = path, .linted = false});
  }
  for (const FactFile& file : options.config_files) {
    inputs.push_back({.path = file.path, .linted = false, .config_file = &file});
  }
  for (const MemoryFile& memory : options.memory_files) {
    inputs.push_back({.path = memory.path, .linted = memory.linted, .memory = &memory});
  }
  unread_ = options.unreadable;
  const std::size_t first_id = first_source_ = sources.size();
  progress().begin(Step::reading, inputs.size());
  parallel_for(inputs.size(), options.jobs, [&](std::size_t i) {
    read_input(inputs[i], static_cast<FileId>(first_id + i), options);
    progress().count();
  });

  config_of_file_.resize(first_id);
  linted_files_.resize(first_id);
  for (Input& input : inputs) {
    if (input.failure) {
      unread_.push_back(*std::move(input.failure));
    } else if (input.linted) {
      ++ledger_.files;
    }
    for (auto& document : input.documents) {
      document->linted = input.linted;
      if (!input.linted && !document->document.problems.empty()) {
        const yaml::Problem& problem = document->document.problems.front();
        const Position at = input.file->position(problem.where.begin);
        unreadable_.push_back(
            {fmt::format("{}:{}:{}", input.file->path(), at.line, at.column), problem.message});
      }
      documents_.push_back(std::move(document));
    }
    const ClusterConfig* config =
        options.config_for ? options.config_for(input.file->path()) : nullptr;
    if (input.config_file != nullptr) {
      config = input.config_file->only_for.front();
      tells_only_[input.file->id()] = input.config_file->only_for;
    }
    config_of_file_.push_back(config);
    linted_files_.push_back(input.linted);
    sources.push_back(std::move(input.file));
  }
  unreadable_.insert(unreadable_.begin(), unread_.begin(), unread_.end());
  options_.memory_files.clear();
}

void Workspace::find_patch_files() {
  std::set<FileId> with_objects;  // or that will have them, once they are mended
  for (const auto& loaded : documents_) {
    const bool is_ours = loaded->fate == Fate::checked || loaded->fate == Fate::broken;
    if (loaded->linted && is_ours) with_objects.insert(loaded->document.span.file);
  }
  std::vector<std::string> files;
  for (const FileId file : with_objects) files.push_back(sources[file]->path());
  PatchSearch search(files);
  for (std::size_t i = first_source_; i < sources.size(); ++i) {
    if (linted_files_[i] && is_kustomization(sources[i]->path())) search.read(*sources[i]);
  }
  for (const FileId file : with_objects) {
    const bool on_disk = file - first_source_ < options_.files.size();
    if (on_disk) search.look_around(sources[file]->path());
  }
  patch_files_ = search.found();
}

void Workspace::collect_objects() {
  for (const auto& loaded : documents_) {
    if (loaded->linted) {
      ++ledger_.documents;
      if (loaded->fate == Fate::out_of_scope) ++ledger_.out_of_scope;
      if (loaded->fate == Fate::templated) ++ledger_.templates;
      if (loaded->fate == Fate::broken) ++ledger_.broken;
    }
    if (loaded->fate != Fate::checked) continue;
    for (const k8s::Object& object : k8s::objects_in(loaded->document)) {
      if (!k8s::in_scope(object)) continue;
      objects_.push_back(object);
      if (loaded->linted) ++ledger_.objects;
    }
  }

  std::vector<const k8s::Object*> all;
  for (const k8s::Object& object : objects_) {
    const std::string& path = file_of(object.root->span).path();
    all.push_back(&object);
    index_.add(object, path);
    if (patch_files_.contains(path) || k8s::holds_patch_directive(*object.root)) {
      patches_.insert(&object);
    }
  }
  std::ranges::sort(all, {}, [](const k8s::Object* object) { return object->root->span; });
  by_place_ = std::move(all);
  collect_facts();
}

bool Workspace::tells(FileId file, const ClusterConfig* config) const {
  const auto only = tells_only_.find(file);
  return only == tells_only_.end() || std::ranges::find(only->second, config) != only->second.end();
}

void Workspace::collect_facts() {
  const auto facts_for = [&](const ClusterConfig* config) {
    std::vector<const k8s::Object*> objects;
    for (const k8s::Object& object : objects_) {
      if (tells(object.root->span.file, config)) objects.push_back(&object);
    }
    return facts_in(objects);
  };
  facts_[nullptr] = facts_for(nullptr);
  for (const ClusterConfig* config : config_of_file_) {
    if (config == nullptr || facts_.contains(config)) continue;
    facts_[config] =
        with_config(tells_only_.empty() ? facts_[nullptr] : facts_for(config), *config);
  }
}

void Workspace::add_all_workloads(std::size_t limit) {
  progress().begin(Step::merging, objects_.size());
  for (const k8s::Object& object : objects_) {
    if (arena_.used() > limit) {
      const SourceFile& file = file_of(object.root->span);
      const Position at = file.position(object.root->span.begin);
      unreadable_.push_back({fmt::format("{}:{}:{}", file.path(), at.line, at.column),
                             "the pods of this object and of those behind it are not looked at: "
                             "what is merged into all pods is too large"});
      return;
    }
    add_workloads(object);
    progress().count();
  }
}

void Workspace::add_workloads(const k8s::Object& object) {
  const ClusterFacts& known = facts(object);
  const bool kserve_group = kserve::is_kserve_group(object.group());
  kserve::ModeOf mode{kserve::DeploymentMode::standard, nullptr};
  if (kserve_group && (object.kind == "InferenceService" || object.kind == "InferenceGraph")) {
    mode = kserve::deployment_mode_of(object, known.default_mode, known.kserve);
  }
  const kserve::Surroundings around{index_, known.kserve, known.default_mode, known.kserve_config,
                                    arena_};
  for (auto& pods : {k8s::pod_templates(object), kserve::pod_templates(object, around),
                     seldon::pod_templates(object, index_, arena_)}) {
    for (const k8s::PodTemplate& pod : pods) {
      workloads_.push_back({{pod}, &object, mode});
      add_what_patches_leave_open(*this, workloads_.back());
      workloads_of_[&object].push_back(&workloads_.back());
      for (const k8s::Base& base : pod.bases) {
        if (base.object != &object) built_on_.insert(base.object);
      }
    }
  }
}

std::span<const Workload* const> Workspace::workloads_of(const k8s::Object& object) const {
  const auto found = workloads_of_.find(&object);
  if (found == workloads_of_.end()) return {};
  return found->second;
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

const ClusterFacts& Workspace::facts(const k8s::Object& object) const {
  return facts_.at(config_of_file_[object.root->span.file]);
}

bool Workspace::is_linted(const k8s::Object& object) const {
  return is_linted(object.root->span.file);
}

}  // namespace cnsched
