#include "core/accelerators/card.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

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

struct Numbers {
  unsigned slices = 0;
  unsigned gigabytes = 0;
  std::size_t length = 0;  ///< of "<slices>g.<gigabytes>gb"
};

std::optional<Numbers> numbers_in(std::string_view text) {
  std::string_view rest = text;
  const auto slices = take_number<unsigned>(rest);
  if (!slices || !rest.starts_with("g.")) return std::nullopt;
  rest.remove_prefix(2);
  const auto gigabytes = take_number<unsigned>(rest);
  if (!gigabytes || !rest.starts_with("gb")) return std::nullopt;
  return Numbers{*slices, *gigabytes, text.size() - rest.size() + 2};
}

bool is_variant(std::string_view suffix) {
  if (suffix.ends_with(".shared")) suffix.remove_suffix(std::string_view(".shared").size());
  return is_one_of(suffix, {"", ".me", ".me.all", ".gfx", "-me", ".all"});
}

/// The sizes that the card may have: all of the model if its size is not known.
std::vector<const CardSize*> card_sizes(const Card& card) {
  std::vector<const CardSize*> sizes;
  for (const CardSize& size : card.model->sizes) {
    const bool is_possible = card.model->sizes.size() == 1 || card.gigabytes == 0;
    if (is_possible || card.gigabytes == size.gigabytes) sizes.push_back(&size);
  }
  return sizes;
}

const MigProfile* find_profile(const CardSize& size, std::string_view name) {
  const auto found = std::ranges::find(size.mig_profiles, name, &MigProfile::name);
  return found == size.mig_profiles.end() ? nullptr : &*found;
}

/// The least memory that a profile with so many slices has on any card.
std::optional<unsigned> least_gigabytes(unsigned slices) {
  std::optional<unsigned> least;
  for (const std::string_view profile : mig_profiles()) {
    const auto numbers = numbers_in(profile);
    if (!numbers || numbers->slices != slices) continue;
    least = std::min(least.value_or(numbers->gigabytes), numbers->gigabytes);
  }
  return least;
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

std::vector<std::string_view> mig_profiles() {
  std::vector<std::string_view> names;
  for (const CardModel& model : records().models) {
    for (const CardSize& size : model.sizes) {
      for (const MigProfile& profile : size.mig_profiles) names.push_back(profile.name);
    }
  }
  return names;
}

std::string_view mig_profile_in(std::string_view text) {
  const auto numbers = numbers_in(text);
  if (!numbers || !is_variant(text.substr(numbers->length))) return {};
  return text.substr(0, numbers->length);
}

bool is_mig_profile(std::string_view profile) {
  const auto all = mig_profiles();
  return is_one_of(profile, all);
}

const MigProfile* find_mig_profile(const Card& card, std::string_view profile) {
  for (const CardSize* size : card_sizes(card)) {
    if (const MigProfile* found = find_profile(*size, profile)) return found;
  }
  return nullptr;
}

std::string mig_profiles_of(const Card& card) {
  std::vector<std::string> names;
  for (const CardSize* size : card_sizes(card)) {
    for (const MigProfile& profile : size->mig_profiles) {
      std::string name(profile.name);
      if (!is_one_of(name, names)) names.push_back(std::move(name));
    }
  }
  return join_words(names, "or");
}

std::string cards_with_mig_profile(std::string_view profile) {
  std::vector<std::string> cards;
  for (const CardModel& model : records().models) {
    for (const CardSize& size : model.sizes) {
      if (find_profile(size, profile) == nullptr) continue;
      cards.push_back(name_of(Card{&model, model.sizes.size() == 1 ? 0 : size.gigabytes}));
    }
  }
  return join_words(cards, "or");
}

std::optional<std::string> mig_profile_problem(std::string_view text) {
  const std::string_view profile = mig_profile_in(text);
  // Other forms may be compute instances (1c.3g.20gb), or variants of future drivers.
  if (profile.empty()) return std::nullopt;
  const auto numbers = numbers_in(profile);
  const auto least = least_gigabytes(numbers->slices);
  if (!least) return fmt::format("no card has MIG profiles of {}g", numbers->slices);
  if (numbers->gigabytes >= *least) return std::nullopt;
  return fmt::format("a MIG profile of {}g has {} GB or more", numbers->slices, *least);
}

}  // namespace cnsched::accelerators
