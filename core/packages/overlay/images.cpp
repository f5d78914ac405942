#include <string>

#include "core/packages/overlay/transformers.h"

namespace cnsched::overlay {

namespace {

/// An image's name, tag and digest. Source: kustomize api/internal/image/image.go, Split.
struct Image {
  std::string_view name;
  std::string_view tag;
  std::string_view digest;
};

Image split_image(std::string_view text) {
  Image image;
  if (const std::size_t at = text.find('@'); at != std::string_view::npos) {
    image.digest = text.substr(at + 1);
    text = text.substr(0, at);
  }
  const std::size_t slash = text.find('/');
  const std::size_t from = slash == std::string_view::npos || slash == 0 ? 0 : slash;
  const std::size_t colon = text.find(':', from);
  image.name = text.substr(0, colon);
  if (colon != std::string_view::npos) image.tag = text.substr(colon + 1);
  return image;
}

/// Whether an entry of `images` is about the image: its name is a regular expression.
Match is_about(Maker& maker, std::string_view name, std::string_view image) {
  if (image.starts_with(name)) {
    const std::string_view rest = image.substr(name.size());
    if (rest.empty()) return Match::yes;
    const bool is_tag = rest.front() == ':' || rest.front() == '@';
    if (is_tag && rest.find('/') == std::string_view::npos) return Match::yes;
  }
  return match_pattern(maker, name, split_image(image).name);
}

void set_image(Maker& maker, Value& value, const yaml::Node& entry) {
  const Match match = is_about(maker, entry["name"].text(), value.text);
  if (match == Match::unknown) value.is_unknown = true;
  if (match != Match::yes) return;
  Image image = split_image(value.text);
  std::vector<const yaml::Node*> sources;
  const auto take = [&](std::string_view field) {
    const yaml::Node& node = entry[field];
    if (!node.text().empty()) sources.push_back(&node);
    return node.text();
  };
  if (const std::string_view name = take("newName"); !name.empty()) image.name = name;
  const std::string_view tag = take("newTag");
  const std::string_view digest = take("digest");
  std::string suffixed;
  if (!tag.empty() || !digest.empty()) {
    image.tag = tag;
    image.digest = digest;
  } else if (const std::string_view suffix = take("tagSuffix"); !suffix.empty()) {
    suffixed.append(image.tag).append(suffix);
    image.tag = suffixed;
    image.digest = {};
  }
  if (sources.empty()) return;
  std::string text(image.name);
  if (!image.tag.empty()) text.append(":").append(image.tag);
  if (!image.digest.empty()) text.append("@").append(image.digest);
  Maker::set(value, maker.keep(std::move(text)),
             sources.size() == 1 ? sources.front()->span : entry.span);
  value.is_derived = true;
  value.is_shared = true;
  value.is_vague = sources.size() > 1;
}

/// Every list `containers` or `initContainers`, wherever it is. Source: kustomize
/// api/filters/imagetag/legacy.go.
void set_images_below(Maker& maker, Value& value, const yaml::Node& entry) {
  maker.spend(kCostOfValue);
  if (maker.is_exhausted()) return;
  for (const auto& [key, member] : value.members) {
    set_images_below(maker, *member.value, entry);
    if (key != "containers" && key != "initContainers") continue;
    for (const auto& item : member.value->items) {
      Value* image = item->find("image");
      if (image != nullptr && image->is_scalar()) set_image(maker, *image, entry);
    }
  }
  for (const auto& item : value.items) set_images_below(maker, *item, entry);
}

}  // namespace

void apply_images(Maker& maker, Objects& objects, const TransformerOptions& options,
                  const yaml::Node& images) {
  for (const yaml::Node* entry : images.items()) {
    for (Object& object : objects) {
      if (maker.is_exhausted()) return;
      if (!object.is_deleted && object.id().kind != "CustomResourceDefinition") {
        if (options.has_more_fields) {
          doubt_scalars(maker, *object.root, [&](std::string_view text) {
            return is_about(maker, (*entry)["name"].text(), text) != Match::no;
          });
        }
        set_images_below(maker, *object.root, *entry);
      }
    }
  }
}

}  // namespace cnsched::overlay
