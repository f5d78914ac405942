#include "core/accelerators/card.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/text.h"

namespace cnsched::accelerators {

namespace {

bool has_words_of(const std::vector<std::string>& words, std::string_view model) {
  return std::ranges::all_of(split(model, ' '), [&](std::string_view part) {
    return std::ranges::any_of(
        words, [&](const std::string& word) { return equals_ignoring_case(word, part); });
  });
}

const CardModel* model_in(const std::vector<std::string>& words) {
  for (const std::string& word : words) {
    if (const CardModel* model = find_card(word)) return model;
  }
  const auto& models = records().models;
  const auto model =
      std::ranges::find_if(models, [&](const CardModel& m) { return has_words_of(words, m.name); });
  return model == models.end() ? nullptr : &*model;
}

/// The size in a word such as 80GB, if the model has several sizes and this is one of them.
unsigned gigabytes_in(const std::vector<std::string>& words, const CardModel& model) {
  if (model.sizes.size() < 2) return 0;
  for (std::string_view word : words) {
    const auto size = take_number<unsigned>(word);
    if (size && word == "GB" && model.find_size(*size) != nullptr) return *size;
  }
  return 0;
}

}  // namespace

std::vector<std::string> words_of(std::string_view product) {
  std::vector<std::string> words(1);
  for (const char c : product) {
    if (c == '-' || c == '_' || c == '.') {
      words.emplace_back();
    } else {
      words.back() += c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    }
  }
  return words;
}

const CardModel* find_card(std::string_view name) {
  const auto& models = records().models;
  const auto model = std::ranges::find(models, name, &CardModel::name);
  return model == models.end() ? nullptr : &*model;
}

std::optional<Card> card_in(std::string_view product) {
  const auto certain = std::ranges::find_if(records().card_names, [&](const CardName& name) {
    return name.says_size && name.value == product;
  });
  if (certain != records().card_names.end()) return certain->card;
  const std::vector<std::string> words = words_of(product.substr(0, product.find("-MIG-")));
  const CardModel* model = model_in(words);
  if (model == nullptr) return std::nullopt;
  return Card{model, gigabytes_in(words, *model)};
}

Card with_only_size(Card card) {
  const auto& sizes = card.model->sizes;
  if (card.gigabytes == 0 && sizes.size() == 1) card.gigabytes = sizes.front().gigabytes;
  return card;
}

std::string name_of(const Card& card) {
  return card.gigabytes == 0 ? std::string(card.model->name)
                             : fmt::format("{} with {} GB", card.model->name, card.gigabytes);
}

unsigned long long mebibytes_at_most(const Card& card) {
  constexpr unsigned long long kPerGibibyte = 1024;
  const unsigned gigabytes =
      card.gigabytes != 0 ? card.gigabytes : card.model->sizes.back().gigabytes;
  return gigabytes * kPerGibibyte;
}

std::optional<unsigned> mebibytes_of(const Card& card, Naming naming) {
  const auto& sizes = card.model->sizes;
  const CardSize* size = sizes.size() == 1 ? &sizes.front() : card.model->find_size(card.gigabytes);
  if (size == nullptr || naming == Naming::gke) return std::nullopt;
  const unsigned mebibytes =
      naming == Naming::karpenter ? size->karpenter_mib : size->feature_discovery_mib;
  return mebibytes == 0 ? std::nullopt : std::optional(mebibytes);
}

std::optional<Naming> naming_of(std::string_view key) {
  if (key == "nvidia.com/gpu.product") return Naming::feature_discovery;
  if (key == "cloud.google.com/gke-accelerator") return Naming::gke;
  if (key == "karpenter.k8s.aws/instance-gpu-name" ||
      key == "eks.amazonaws.com/instance-gpu-name") {
    return Naming::karpenter;
  }
  return std::nullopt;
}

}  // namespace cnsched::accelerators
