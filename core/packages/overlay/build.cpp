#include "core/packages/overlay/build.h"

#include <algorithm>
#include <array>
#include <utility>

#include "core/k8s/object.h"
#include "core/packages/kustomization.h"
#include "core/packages/overlay/generators.h"
#include "core/packages/overlay/json_patch.h"
#include "core/packages/overlay/replacements.h"

namespace cnsched::overlay {

namespace {

/// Bases of bases, and all kustomizations, each as often as it is used.
constexpr std::size_t kMaxDepth = 50;
constexpr std::size_t kMaxKustomizations = 1'000;

void doubt_all(Objects& objects) {
  for (Object& object : objects) object.is_unknown = true;
}

/// Fields whose effects this simulates, or that change no value.
bool is_known_field(std::string_view field) {
  constexpr auto kFields = std::to_array<std::string_view>({"apiVersion",
                                                            "bases",
                                                            "buildMetadata",
                                                            "commonAnnotations",
                                                            "commonLabels",
                                                            "components",
                                                            "configMapGenerator",
                                                            "configurations",
                                                            "crds",
                                                            "generatorOptions",
                                                            "generators",
                                                            "imageTags",
                                                            "images",
                                                            "kind",
                                                            "labels",
                                                            "metadata",
                                                            "namePrefix",
                                                            "nameSuffix",
                                                            "namespace",
                                                            "openapi",
                                                            "patches",
                                                            "patchesJson6902",
                                                            "patchesStrategicMerge",
                                                            "replacements",
                                                            "replicas",
                                                            "resources",
                                                            "secretGenerator",
                                                            "sortOptions",
                                                            "transformers",
                                                            "validators",
                                                            "vars"});
  return std::ranges::find(kFields, field) != kFields.end();
}

/// Whether a file of `configurations` only adds fields to transformers that are simulated. Names
/// and variables that it adds change the text.
bool adds_known_fields(const yaml::Node& root) {
  constexpr auto kFields = std::to_array<std::string_view>(
      {"commonAnnotations", "commonLabels", "images", "labels", "namePrefix", "nameReference",
       "nameSuffix", "namespace", "replicas", "templateLabels", "varReference"});
  return std::ranges::all_of(root.entries(), [&](const yaml::Entry& entry) {
    return std::ranges::find(kFields, entry.key->text()) != kFields.end();
  });
}

}  // namespace

Build::Build(Texts& texts, const std::string& root) : texts_(texts) {
  add_kustomization(normalized(root), objects_);
}

void Build::add_kustomization(const std::string& directory, Objects& objects) {
  std::optional<FileId> text;
  for (const std::string_view name : kKustomizationNames) {
    if (!text) text = texts_.find(path_in(directory, name));
  }
  if (!text || ++kustomizations_ > kMaxKustomizations || depth_ >= kMaxDepth ||
      texts_.documents(*text).size() != 1 || texts_.has_problem(*text)) {
    is_unknown_ = true;
    return;
  }
  const yaml::Document& document = texts_.documents(*text).front();
  const yaml::Node& root = *document.root;
  texts_.count_use(document.span);
  check_fields(directory, root);
  if (is_unknown()) return;
  ++depth_;
  add_resources(directory, root["resources"], objects);
  add_resources(directory, root["bases"], objects);
  run_generators(directory, root, objects);
  for (const yaml::Node* component : root["components"].items()) {
    if (!is_unknown()) add_kustomization(path_in(directory, component->text()), objects);
  }
  run_transformers(directory, root, objects);
  --depth_;
}

void Build::check_fields(const std::string& directory, const yaml::Node& root) {
  for (const yaml::Entry& entry : root.entries()) {
    if (!is_known_field(entry.key->text())) is_unknown_ = true;
  }
  if (root["openapi"]) has_own_schema_ = true;
  for (const yaml::Node* name : root["configurations"].items()) {
    options_.has_more_fields = true;
    const auto text = texts_.find(path_in(directory, name->text()));
    if (!text || texts_.documents(*text).size() != 1 || texts_.has_problem(*text) ||
        !adds_known_fields(*texts_.documents(*text).front().root)) {
      is_unknown_ = true;
    }
  }
}

void Build::add_resources(const std::string& directory, const yaml::Node& names, Objects& objects) {
  for (const yaml::Node* name : names.items()) {
    if (is_unknown()) return;
    const std::string path = path_in(directory, name->text());
    if (const auto text = texts_.find(path)) {
      add_file(*text, objects);
    } else {
      add_directory(path, objects);
    }
  }
}

void Build::add_directory(const std::string& directory, Objects& objects) {
  Objects below;
  add_kustomization(directory, below);
  std::ranges::move(below, std::back_inserter(objects));
}

void Build::add_file(FileId text, Objects& objects) {
  if (texts_.has_problem(text)) is_unknown_ = true;
  for (const yaml::Document& document : texts_.documents(text)) {
    texts_.count_use(document.span);
    for (const k8s::Object& object : k8s::objects_in(document)) {
      objects.push_back({.root = maker_.value(*object.root)});
      if (maker_.is_exhausted()) return;
    }
  }
}

void Build::run_generators(const std::string& directory, const yaml::Node& root, Objects& objects) {
  const GeneratorContext context{texts_, maker_, directory, root["generatorOptions"]};
  for (const auto& [field, kind] :
       {std::pair("configMapGenerator", "ConfigMap"), std::pair("secretGenerator", "Secret")}) {
    for (const yaml::Node* each : root[field].items()) {
      if (is_unknown()) return;
      if (!apply_generator(context, objects, *each, kind)) is_unknown_ = true;
    }
  }
  if (!root["generators"].is_empty()) doubt_all(objects);
}

void Build::run_transformers(const std::string& directory, const yaml::Node& root,
                             Objects& objects) {
  for (const yaml::Node* patch : root["patchesStrategicMerge"].items()) {
    const auto file = texts_.find(path_in(directory, patch->text()));
    apply_patch(file ? *file : texts_.inside(*patch), yaml::missing_node(), objects);
  }
  apply_patches(directory, root["patches"], objects);
  apply_namespace(maker_, objects, options_, root["namespace"]);
  apply_name_prefix(maker_, objects, root["namePrefix"]);
  apply_name_suffix(maker_, objects, root["nameSuffix"]);
  apply_labels(maker_, objects, options_, root["labels"]);
  apply_common_labels(maker_, objects, options_, root["commonLabels"]);
  apply_common_annotations(maker_, objects, options_, root["commonAnnotations"]);
  apply_patches(directory, root["patchesJson6902"], objects);
  apply_replicas(maker_, objects, options_, root["replicas"]);
  apply_images(maker_, objects, options_, root["images"]);
  apply_images(maker_, objects, options_, root["imageTags"]);
  run_replacements(directory, root, objects);
  if (!root["transformers"].is_empty()) doubt_all(objects);
}

void Build::run_replacements(const std::string& directory, const yaml::Node& root,
                             Objects& objects) {
  for (const yaml::Node* each : root["replacements"].items()) {
    if (is_unknown()) return;
    if (!(*each)["path"]) {
      apply_replacement(maker_, objects, *each);
      continue;
    }
    const auto text = texts_.find(path_in(directory, (*each)["path"].text()));
    if (!text || texts_.has_problem(*text) || texts_.documents(*text).size() != 1) {
      is_unknown_ = true;
      return;
    }
    const yaml::Node& file = *texts_.documents(*text).front().root;
    if (file.is_mapping()) apply_replacement(maker_, objects, file);
    for (const yaml::Node* item : file.items()) apply_replacement(maker_, objects, *item);
  }
}

std::optional<FileId> Build::patch_text(const std::string& directory, const yaml::Node& patch) {
  // The first versions had `patches: [FILE]`.
  const yaml::Node& path = patch.is_scalar() ? patch : patch["path"];
  if (!path.text().empty()) return texts_.find(path_in(directory, path.text()));
  if (!patch["patch"].is_scalar()) return std::nullopt;
  return texts_.inside(patch["patch"]);
}

void Build::apply_patches(const std::string& directory, const yaml::Node& patches,
                          Objects& objects) {
  for (const yaml::Node* patch : patches.items()) {
    if (is_unknown()) return;
    if (const auto text = patch_text(directory, *patch)) {
      apply_patch(*text, *patch, objects);
    } else {
      is_unknown_ = true;
    }
  }
}

void Build::apply_patch(FileId text, const yaml::Node& patch, Objects& objects) {
  if (texts_.has_problem(text)) is_unknown_ = true;
  const yaml::Node& target = patch["target"];
  MergeOptions options{.allows_name_change = is_true(patch["options"]["allowNameChange"]),
                       .allows_kind_change = is_true(patch["options"]["allowKindChange"]),
                       .has_own_schema = has_own_schema_};
  for (const yaml::Document& document : texts_.documents(text)) {
    if (is_unknown()) return;
    if (target.is_mapping()) {
      apply_to_selected(document, target, objects, options);
    } else if (document.root->is_mapping()) {
      apply_to_named(document, objects, options);
    } else {
      is_unknown_ = true;
    }
  }
}

void Build::apply_to_named(const yaml::Document& patch, Objects& objects,
                           const MergeOptions& options) {
  const yaml::Node& root = *patch.root;
  const Id id{.api_version = root["apiVersion"].text(),
              .kind = root["kind"].text(),
              .ns = root["metadata"]["namespace"].text(),
              .name = root["metadata"]["name"].text()};
  Object* chosen = nullptr;
  for (Object& object : objects) {
    maker_.spend(kCostOfObject);
    if (maker_.is_exhausted()) return;
    if (object.is_deleted) continue;
    const bool is_same =
        object.id().is_same(id) ||
        std::ranges::any_of(object.previous, [&](const Id& each) { return each.is_same(id); });
    if (!is_same) continue;
    // kustomize would have failed.
    if (chosen != nullptr) is_unknown_ = true;
    chosen = &object;
  }
  if (chosen == nullptr) {
    is_unknown_ = true;
    return;
  }
  texts_.count_use(patch.span);
  apply_strategic_merge(maker_, *chosen, root, options);
}

void Build::apply_to_selected(const yaml::Document& patch, const yaml::Node& target,
                              Objects& objects, const MergeOptions& options) {
  std::vector<Object*> selected;
  for (Object& object : objects) {
    if (maker_.is_exhausted()) return;
    if (object.is_deleted) continue;
    const Match match = selects(maker_, target, object);
    if (match == Match::unknown) object.is_unknown = true;
    if (match == Match::yes) selected.push_back(&object);
  }
  MergeOptions each = options;
  each.is_shared = selected.size() > 1;
  for (Object* object : selected) {
    if (maker_.is_exhausted()) return;
    texts_.count_use(patch.span);
    if (patch.root->is_sequence()) {
      apply_json_patch(maker_, *object, *patch.root, each.is_shared);
    } else {
      apply_strategic_merge(maker_, *object, *patch.root, each);
    }
  }
}

}  // namespace cnsched::overlay
