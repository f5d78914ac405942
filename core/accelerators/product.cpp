// Users know an accelerator by many names. Each product has one name, Google's where Google has
// one, and the others are aliases of it. Where GPU feature discovery or GKE have several names for
// one card, each of these names is a product too: it means the cards with exactly that name.
#include "core/accelerators/product.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <tuple>

#include "core/accelerators/card.h"
#include "core/base/suggest.h"
#include "core/base/text.h"
#include "core/k8s/label.h"

namespace cnsched::accelerators {

using Names = std::map<std::string, const Accelerator*, std::less<>>;

/// Derived from the records for the lookups below.
struct Records::ProductIndex {
  std::vector<Accelerator> accelerators;
  Names names;
  std::vector<Product> products;
};

namespace {

/// Prefixes that users omit.
constexpr auto kPrefixes = std::to_array<std::string_view>(
    {"", "nvidia-", "nvidia-tesla-", "nvidia-rtx-", "nvidia-geforce-", "amd-", "amd-instinct-",
     "intel-", "aws-", "google-", "google-tpu-"});

constexpr std::string_view kMig = "-mig-";

std::string normal(std::string_view name) {
  std::string text = lower(name);
  std::ranges::replace_if(
      text, [](char c) { return c == ' ' || c == '_'; }, '-');
  return text;
}

std::string title_of(const Card& card) {
  if (card.gigabytes != 0 && card.model->sizes.size() == 1) {
    return fmt::format("NVIDIA {}", card.model->name);
  }
  return fmt::format("NVIDIA {}", name_of(card));
}

Accelerator whole(const Card& card, const CardName* exact_name) {
  Accelerator a;
  a.card = card;
  a.exact_name = exact_name;
  a.product.vendor = Vendor::nvidia;
  a.product.name =
      exact_name != nullptr ? std::string(exact_name->value) : product_name(records(), card);
  a.product.title = title_of(card);
  a.whole = a.product.name;
  if (exact_name != nullptr) a.product.title += fmt::format(", only as {}", exact_name->value);
  return a;
}

Accelerator slice(const Accelerator& of, std::string_view profile) {
  const bool as_discovered =
      of.exact_name != nullptr && of.exact_name->naming == Naming::feature_discovery;
  Accelerator a = of;
  a.mig_profile = profile;
  a.whole = product_name(records(), *of.card);
  a.product.name += fmt::format("{}{}", as_discovered ? "-MIG-" : kMig, profile);
  a.product.title = fmt::format("{} slice of {}", profile, of.product.title);
  return a;
}

void add_with_slices(std::vector<Accelerator>& all, const Accelerator& of) {
  all.push_back(of);
  const CardSize* size = of.card->model->find_size(of.card->gigabytes);
  for (const MigProfile& profile : size->mig_profiles) {
    Accelerator a = slice(of, profile.name);
    // No node can be labelled with the longest names.
    if (!k8s::label_value_problem(a.product.name)) all.push_back(std::move(a));
  }
}

/// Adds each of several GFD names of a card, and its GKE names except the first, which is the name
/// of the card.
void add_spelled(std::vector<Accelerator>& all, const Card& card) {
  const auto discovered = spellings_of(card, Naming::feature_discovery);
  if (discovered.size() > 1) {
    for (const CardName* name : discovered) add_with_slices(all, whole(card, name));
  }
  const auto of_gke = spellings_of(card, Naming::gke);
  for (std::size_t i = 1; i < of_gke.size(); ++i) all.push_back(whole(card, of_gke[i]));
}

void add_model(std::vector<Accelerator>& all, const CardModel& model) {
  for (const CardSize& size : model.sizes) {
    const Card card{&model, size.gigabytes};
    add_with_slices(all, whole(card, nullptr));
    add_spelled(all, card);
  }
  const Card open{&model, 0};
  if (model.sizes.size() > 1 && !spellings_of(open, Naming::karpenter).empty()) {
    all.push_back(whole(open, nullptr));
  }
}

std::vector<Accelerator> make_accelerators() {
  std::vector<Accelerator> all;
  for (const CardModel& model : records().models) add_model(all, model);
  for (const Device& device : records().devices) {
    Accelerator a;
    a.product = {std::string(device.name), device.vendor, std::string(device.title)};
    a.whole = a.product.name;
    a.device = &device;
    all.push_back(std::move(a));
  }
  std::ranges::sort(all, [](const Accelerator& a, const Accelerator& b) {
    return std::tie(a.product.vendor, a.product.name) < std::tie(b.product.vendor, b.product.name);
  });
  return all;
}

bool is_product(const std::vector<Accelerator>& all, const CardName& name) {
  return std::ranges::any_of(all, [&](const Accelerator& a) { return a.exact_name == &name; });
}

/// Other names of a whole accelerator, except those that are products.
std::vector<std::string> aliases_of(const std::vector<Accelerator>& all, const Accelerator& a) {
  if (a.device != nullptr) return {normal(a.device->label_value)};
  if (a.exact_name != nullptr || !a.mig_profile.empty()) return {};
  std::vector<std::string> aliases = {systematic_name(*a.card)};
  for (const CardName& name : records().card_names) {
    if (name.card == *a.card && !is_product(all, name)) aliases.push_back(normal(name.value));
  }
  return aliases;
}

/// If a name differs from an exact name by case only, it means the card.
Names make_names(const std::vector<Accelerator>& all) {
  Names names;
  for (const bool exact_name : {false, true}) {
    for (const Accelerator& a : all) {
      if ((a.exact_name != nullptr) == exact_name) names.emplace(normal(a.product.name), &a);
    }
    for (const Accelerator& a : all) {
      if ((a.exact_name != nullptr) != exact_name) continue;
      for (std::string& alias : aliases_of(all, a)) names.emplace(std::move(alias), &a);
    }
  }
  names.erase("");
  return names;
}

const Accelerator* accelerator_named(std::string_view name) {
  const auto& [all, names, products] = records().products();
  const auto exact =
      std::ranges::find_if(all, [&](const Accelerator& a) { return a.product.name == name; });
  if (exact != all.end()) return &*exact;
  const auto found = names.find(normal(name));
  return found == names.end() ? nullptr : found->second;
}

const Accelerator* named_with_prefix(std::string_view name) {
  for (const std::string_view prefix : kPrefixes) {
    const Accelerator* found = accelerator_named(fmt::format("{}{}", prefix, normal(name)));
    if (found != nullptr) return found;
  }
  return nullptr;
}

/// The model that the name means without its size.
const CardModel* model_named(std::string_view name) {
  const std::string text = normal(name);
  for (const CardModel& model : records().models) {
    const std::string systematic = systematic_name({&model, 0});
    const bool has_systematic_name =
        text == systematic || fmt::format("nvidia-{}", text) == systematic;
    if (has_systematic_name && model.sizes.size() > 1) return &model;
  }
  return nullptr;
}

Error unknown(std::string_view name) {
  std::vector<std::string_view> names;
  for (const Accelerator& a : all_accelerators()) names.push_back(a.product.name);
  return Error{fmt::format("unknown accelerator '{}'{}", name, did_you_mean(name, names))};
}

Error no_such_slice(std::string_view called, const Card& card, std::string_view profile) {
  const std::string profiles = mig_profiles_of(card);
  if (profiles.empty()) return Error{fmt::format("'{}' does not support MIG", called)};
  return Error{fmt::format("'{}' has no MIG profile '{}', only {}", called, profile, profiles)};
}

/// The card in each size that has the profile.
std::vector<const Accelerator*> all_sizes(const CardModel& model, std::string_view profile) {
  std::vector<const Accelerator*> found;
  for (const CardSize& size : model.sizes) {
    const Card card{&model, size.gigabytes};
    const bool has_it = profile.empty() || find_mig_profile(card, profile) != nullptr;
    if (has_it) found.push_back(any_card(card, profile));
  }
  return found;
}

Error open_size(std::string_view name, const std::vector<const Accelerator*>& sizes) {
  return Error{fmt::format("'{}' exists in several sizes; choose {}", name, choice_of(sizes))};
}

std::size_t slice_in(std::string_view name) { return normal(name).find(kMig); }

std::string profile_in(std::string_view name) {
  const std::size_t at = slice_in(name);
  return at == std::string::npos ? "" : lower(name.substr(at + kMig.size()));
}

Result<const Accelerator*> find_slice(std::string_view name, std::size_t at) {
  const std::string_view base = name.substr(0, at);
  const std::string profile = profile_in(name);
  // The profile may determine the size.
  if (const CardModel* model = model_named(base)) {
    const auto sizes = all_sizes(*model, profile);
    if (sizes.size() == 1) return sizes.front();
    if (!sizes.empty()) return open_size(name, sizes);
    return no_such_slice(base, {model, 0}, profile);
  }
  const Accelerator* of = accelerator_named(base);
  if (of == nullptr) of = named_with_prefix(base);
  if (of == nullptr) return unknown(name);
  if (!of->card) return Error{fmt::format("'{}' does not support MIG", base)};
  const auto& all = all_accelerators();
  const auto found = std::ranges::find_if(all, [&](const Accelerator& a) {
    return a.card == of->card && a.exact_name == of->exact_name && a.mig_profile == profile;
  });
  if (found == all.end()) return no_such_slice(base, *of->card, profile);
  return &*found;
}

}  // namespace

std::vector<const CardName*> spellings_of(const Card& card, Naming naming) {
  std::vector<const CardName*> found;
  for (const CardName& name : records().card_names) {
    if (name.naming == naming && name.card == card) found.push_back(&name);
  }
  return found;
}

std::vector<const Accelerator*> sizes_of(std::string_view name) {
  const Accelerator* found = accelerator_named(name);
  if (found != nullptr) {
    return found->has_open_size() ? all_sizes(*found->card->model, "")
                                  : std::vector<const Accelerator*>{};
  }
  const CardModel* model = model_named(name.substr(0, slice_in(name)));
  return model == nullptr ? std::vector<const Accelerator*>{} : all_sizes(*model, profile_in(name));
}

std::string choice_of(const std::vector<const Accelerator*>& sizes) {
  std::vector<std::string> words;
  for (const Accelerator* a : sizes) {
    words.push_back(fmt::format("{} ({} GB)", a->product.name, a->card->gigabytes));
  }
  return join_words(words, "or");
}

const Records::ProductIndex& Records::products() const {
  std::call_once(products_made_, [this] {
    auto index = std::make_shared<ProductIndex>();
    index->accelerators = make_accelerators();
    index->names = make_names(index->accelerators);
    for (const Accelerator& a : index->accelerators) index->products.push_back(a.product);
    products_ = std::move(index);
  });
  return *products_;
}

const std::vector<Accelerator>& all_accelerators() { return records().products().accelerators; }

const Accelerator* any_card(const Card& card, std::string_view profile) {
  const auto& all = all_accelerators();
  const auto found = std::ranges::find_if(all, [&](const Accelerator& a) {
    return a.card == card && a.exact_name == nullptr && a.mig_profile == profile;
  });
  return found == all.end() ? nullptr : &*found;
}

Result<const Accelerator*> find_accelerator(std::string_view name) {
  if (const Accelerator* found = accelerator_named(name)) return found;
  const std::size_t slice = slice_in(name);
  if (slice != std::string::npos) return find_slice(name, slice);
  // A name of Karpenter that covers several sizes is a product.
  const CardModel* model = model_named(name);
  const Accelerator* open =
      model == nullptr ? nullptr : accelerator_named(systematic_name({model, 0}));
  if (open != nullptr) return open;
  if (model != nullptr) return open_size(name, all_sizes(*model, ""));
  if (const Accelerator* found = named_with_prefix(name)) return found;
  return unknown(name);
}

const std::vector<Product>& products() { return records().products().products; }

const Product* product_named(std::string_view name) {
  const auto found = find_accelerator(name);
  const auto sizes = found ? std::vector{*found} : sizes_of(name);
  if (sizes.empty()) return nullptr;
  return &products()[static_cast<std::size_t>(sizes.front() - all_accelerators().data())];
}

}  // namespace cnsched::accelerators
