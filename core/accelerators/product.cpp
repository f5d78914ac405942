// Users know an accelerator by many names. Each has one of its own here, Google's where Google has
// one, and all the others lead to it. Where GPU feature discovery or GKE write several names for
// the same card, each of those is a product as well: it is the card, but only under that name.
#include "core/accelerators/product.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <tuple>

#include "core/accelerators/mig.h"
#include "core/base/suggest.h"
#include "core/base/text.h"
#include "core/k8s/label.h"

namespace cnsched::accelerators {

namespace {

struct Unsaid {
  std::string_view name;
  unsigned gigabytes;
};

/// Sizes that names of cards leave out although no card of another size bears them.
constexpr auto kUnsaid = std::to_array<Unsaid>({
    {"NVIDIA-H100-PCIe", 80},
    {"NVIDIA-H100-NVL", 94},
    {"NVIDIA-GH200-480GB", 96},
    {"nvidia-tesla-p100", 16},
    {"nvidia-tesla-v100", 16},
});

/// What users leave out in front of a name.
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

/// The size stays open only if cards of several sizes bear that name.
Card card_meant_by(const CardName& name) {
  Card card = *card_in(name.value);
  const auto* unsaid = std::ranges::find(kUnsaid, name.value, &Unsaid::name);
  if (unsaid != kUnsaid.end()) card.gigabytes = unsaid->gigabytes;
  if (card.model->gigabytes.size() == 1) card.gigabytes = card.model->gigabytes.front();
  return card;
}

struct Spelling {
  const CardName* name;
  Card card;
};

const std::vector<Spelling>& spellings() {
  static const std::vector<Spelling> all = [] {
    std::vector<Spelling> made;
    for (const CardName& name : card_names()) made.push_back({&name, card_meant_by(name)});
    return made;
  }();
  return all;
}

/// "nvidia-l40s", "nvidia-v100-32gb".
std::string systematic_name(const Card& card) {
  const std::string model = normal(card.model->name);
  const bool sized = card.gigabytes != 0 && card.model->gigabytes.size() > 1;
  return sized ? fmt::format("nvidia-{}-{}gb", model, card.gigabytes)
               : fmt::format("nvidia-{}", model);
}

std::string portable_name(const Card& card) {
  const auto of_gke = spellings_of(card, Naming::gke);
  if (card.gigabytes == 0 || of_gke.empty()) return systematic_name(card);
  return std::string(of_gke.front()->value);
}

std::string title_of(const Card& card) {
  if (card.gigabytes != 0 && card.model->gigabytes.size() == 1) {
    return fmt::format("NVIDIA {}", card.model->name);
  }
  return fmt::format("NVIDIA {}", name_of(card));
}

Accelerator whole(const Card& card, const CardName* spelled) {
  Accelerator a;
  a.card = card;
  a.spelled = spelled;
  a.product.vendor = Vendor::nvidia;
  a.product.name = spelled != nullptr ? std::string(spelled->value) : portable_name(card);
  a.product.title = title_of(card);
  a.whole = a.product.name;
  if (spelled != nullptr) a.product.title += fmt::format(", only as {}", spelled->value);
  return a;
}

Accelerator slice(const Accelerator& of, std::string_view profile) {
  const bool as_discovered =
      of.spelled != nullptr && of.spelled->naming == Naming::feature_discovery;
  Accelerator a = of;
  a.profile = profile;
  a.whole = portable_name(*of.card);
  a.product.name += fmt::format("{}{}", as_discovered ? "-MIG-" : kMig, profile);
  a.product.title = fmt::format("{} slice of {}", profile, of.product.title);
  return a;
}

void add_with_slices(std::vector<Accelerator>& all, const Accelerator& of) {
  all.push_back(of);
  for (const MigCard& row : mig_cards()) {
    const bool same_size = row.gigabytes == 0 || row.gigabytes == of.card->gigabytes;
    if (row.card != of.card->model->name || !same_size) continue;
    for (const MigProfile& profile : row.profiles) {
      Accelerator a = slice(of, profile.name);
      // No node can be labelled with the longest names.
      if (!k8s::label_value_problem(a.product.name)) all.push_back(std::move(a));
    }
  }
}

/// Of several spellings of a card, each; of GKE's, all but the first, which is the card's name.
void add_spelled(std::vector<Accelerator>& all, const Card& card) {
  const auto discovered = spellings_of(card, Naming::feature_discovery);
  if (discovered.size() > 1) {
    for (const CardName* name : discovered) add_with_slices(all, whole(card, name));
  }
  const auto of_gke = spellings_of(card, Naming::gke);
  for (std::size_t i = 1; i < of_gke.size(); ++i) all.push_back(whole(card, of_gke[i]));
}

void add_model(std::vector<Accelerator>& all, const CardModel& model) {
  for (const unsigned gigabytes : model.gigabytes) {
    const Card card{&model, gigabytes};
    add_with_slices(all, whole(card, nullptr));
    add_spelled(all, card);
  }
  const Card open{&model, 0};
  if (model.gigabytes.size() > 1 && !spellings_of(open, Naming::karpenter).empty()) {
    all.push_back(whole(open, nullptr));
  }
}

std::vector<Accelerator> make_accelerators() {
  std::vector<Accelerator> all;
  for (const CardModel& model : card_models()) add_model(all, model);
  for (const Device& device : devices()) {
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
  return std::ranges::any_of(all, [&](const Accelerator& a) { return a.spelled == &name; });
}

/// Other names of a whole accelerator, without those that are products of their own.
std::vector<std::string> aliases_of(const std::vector<Accelerator>& all, const Accelerator& a) {
  if (a.device != nullptr) return {normal(a.device->label_value)};
  if (a.spelled != nullptr || !a.profile.empty()) return {};
  std::vector<std::string> aliases = {systematic_name(*a.card)};
  for (const auto& [name, card] : spellings()) {
    if (card == *a.card && !is_product(all, *name)) aliases.push_back(normal(name->value));
  }
  return aliases;
}

using Names = std::map<std::string, const Accelerator*, std::less<>>;

/// Of a name that differs only by case from that of one spelling, the card comes first.
Names make_names() {
  Names names;
  const auto& all = all_accelerators();
  for (const bool spelled : {false, true}) {
    for (const Accelerator& a : all) {
      if ((a.spelled != nullptr) == spelled) names.emplace(normal(a.product.name), &a);
    }
    for (const Accelerator& a : all) {
      if ((a.spelled != nullptr) != spelled) continue;
      for (std::string& alias : aliases_of(all, a)) names.emplace(std::move(alias), &a);
    }
  }
  names.erase("");
  return names;
}

const Accelerator* named_so(std::string_view name) {
  static const Names names = make_names();
  const auto& all = all_accelerators();
  const auto exact =
      std::ranges::find_if(all, [&](const Accelerator& a) { return a.product.name == name; });
  if (exact != all.end()) return &*exact;
  const auto found = names.find(normal(name));
  return found == names.end() ? nullptr : found->second;
}

const Accelerator* named_with_prefix(std::string_view name) {
  for (const std::string_view prefix : kPrefixes) {
    const Accelerator* found = named_so(fmt::format("{}{}", prefix, normal(name)));
    if (found != nullptr) return found;
  }
  return nullptr;
}

/// The model that such a name leaves the size of open.
const CardModel* model_named(std::string_view name) {
  const std::string text = normal(name);
  for (const CardModel& model : card_models()) {
    const std::string systematic = systematic_name({&model, 0});
    const bool is_called_so = text == systematic || fmt::format("nvidia-{}", text) == systematic;
    if (is_called_so && model.gigabytes.size() > 1) return &model;
  }
  return nullptr;
}

Error unknown(std::string_view name) {
  std::vector<std::string_view> names;
  for (const Accelerator& a : all_accelerators()) names.push_back(a.product.name);
  return Error{fmt::format("there is no accelerator '{}'{}", name, did_you_mean(name, names))};
}

Error no_such_slice(std::string_view called, const Card& card, std::string_view profile) {
  const std::string profiles = mig_profiles_of(card);
  if (profiles.empty()) return Error{fmt::format("'{}' cannot be cut into slices", called)};
  return Error{fmt::format("'{}' has no slice '{}', only {}", called, profile, profiles)};
}

/// In each size that has the profile.
std::vector<const Accelerator*> all_sizes(const CardModel& model, std::string_view profile) {
  std::vector<const Accelerator*> found;
  for (const unsigned gigabytes : model.gigabytes) {
    const Card card{&model, gigabytes};
    const bool has_it = profile.empty() || has_mig_profile(card, profile);
    if (has_it) found.push_back(portable(card, profile));
  }
  return found;
}

Error open_size(std::string_view name, const std::vector<const Accelerator*>& sizes) {
  return Error{
      fmt::format("'{}' leaves the size of the card open; choose {}", name, choice_of(sizes))};
}

std::size_t slice_in(std::string_view name) { return normal(name).find(kMig); }

std::string profile_in(std::string_view name) {
  const std::size_t at = slice_in(name);
  return at == std::string::npos ? "" : lower(name.substr(at + kMig.size()));
}

Result<const Accelerator*> find_slice(std::string_view name, std::size_t at) {
  const std::string_view base = name.substr(0, at);
  const std::string profile = profile_in(name);
  // The profile may tell the size that the name of the card leaves open.
  if (const CardModel* model = model_named(base)) {
    const auto sizes = all_sizes(*model, profile);
    if (sizes.size() == 1) return sizes.front();
    if (!sizes.empty()) return open_size(name, sizes);
    return no_such_slice(base, {model, 0}, profile);
  }
  const Accelerator* of = named_so(base);
  if (of == nullptr) of = named_with_prefix(base);
  if (of == nullptr) return unknown(name);
  if (!of->card) return Error{fmt::format("'{}' cannot be cut into slices", base)};
  const auto& all = all_accelerators();
  const auto found = std::ranges::find_if(all, [&](const Accelerator& a) {
    return a.card == of->card && a.spelled == of->spelled && a.profile == profile;
  });
  if (found == all.end()) return no_such_slice(base, *of->card, profile);
  return &*found;
}

}  // namespace

std::vector<const CardName*> spellings_of(const Card& card, Naming naming) {
  std::vector<const CardName*> found;
  for (const Spelling& spelling : spellings()) {
    if (spelling.name->naming == naming && spelling.card == card) found.push_back(spelling.name);
  }
  return found;
}

std::vector<const Accelerator*> sizes_of(std::string_view name) {
  const Accelerator* found = named_so(name);
  if (found != nullptr) {
    return found->is_open() ? all_sizes(*found->card->model, "")
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

const std::vector<Accelerator>& all_accelerators() {
  static const std::vector<Accelerator> all = make_accelerators();
  return all;
}

const Accelerator* portable(const Card& card, std::string_view profile) {
  const auto& all = all_accelerators();
  const auto found = std::ranges::find_if(all, [&](const Accelerator& a) {
    return a.card == card && a.spelled == nullptr && a.profile == profile;
  });
  return found == all.end() ? nullptr : &*found;
}

Result<const Accelerator*> find_accelerator(std::string_view name) {
  if (const Accelerator* found = named_so(name)) return found;
  const std::size_t slice = slice_in(name);
  if (slice != std::string::npos) return find_slice(name, slice);
  // Karpenter has names that leave the size open, which are products.
  const CardModel* model = model_named(name);
  const Accelerator* open = model == nullptr ? nullptr : named_so(systematic_name({model, 0}));
  if (open != nullptr) return open;
  if (model != nullptr) return open_size(name, all_sizes(*model, ""));
  if (const Accelerator* found = named_with_prefix(name)) return found;
  return unknown(name);
}

const std::vector<Product>& products() {
  static const std::vector<Product> all = [] {
    std::vector<Product> made;
    for (const Accelerator& a : all_accelerators()) made.push_back(a.product);
    return made;
  }();
  return all;
}

const Product* product_named(std::string_view name) {
  const auto found = find_accelerator(name);
  const auto sizes = found ? std::vector{*found} : sizes_of(name);
  if (sizes.empty()) return nullptr;
  return &products()[static_cast<std::size_t>(sizes.front() - all_accelerators().data())];
}

}  // namespace cnsched::accelerators
