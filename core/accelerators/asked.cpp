// A name may leave the size of a card open. Karpenter has such names itself; everywhere else it is
// enough if the platform has the card in one size only.
#include "core/accelerators/asked.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <vector>

#include "core/accelerators/site.h"
#include "core/base/text.h"

namespace cnsched::accelerators {

namespace {

using Accelerators = std::vector<const Accelerator*>;

/// How far `other` is from what was asked for: the same vendor, then the same generation, then the
/// nearest size.
auto distance(const Accelerator& asked, const Accelerator& other) {
  const bool cards = asked.card && other.card;
  const unsigned a = cards ? asked.card->gigabytes : 0;
  const unsigned b = cards ? other.card->gigabytes : 0;
  const bool model = cards && asked.card->model == other.card->model;
  const bool family = cards && asked.card->model->family == other.card->model->family;
  return std::tuple(asked.product.vendor != other.product.vendor, !model, !family,
                    a > b ? a - b : b - a);
}

/// What the platform has instead, the nearest first: slices for a slice, if it has any.
Accelerators alternatives(Platform platform, const Accelerator& asked, bool slices) {
  Accelerators found;
  for (const Accelerator& a : all_accelerators()) {
    if (a.spelled != nullptr || a.profile.empty() == slices) continue;
    if (a.is_open() && platform != Platform::karpenter) continue;
    if (lack_of(platform, a, a.product.name)) continue;
    found.push_back(&a);
  }
  if (found.empty() && slices) return alternatives(platform, asked, false);
  std::ranges::stable_sort(found, [&](const Accelerator* a, const Accelerator* b) {
    return distance(asked, *a) < distance(asked, *b);
  });
  return found;
}

std::string has_instead(Platform platform, const Accelerator& asked) {
  constexpr std::size_t kMost = 8;
  const auto all = alternatives(platform, asked, !asked.profile.empty());
  std::vector<std::string> names;
  for (const Accelerator* a : all) {
    if (names.size() < kMost) names.push_back(a->product.name);
  }
  if (all.size() > kMost) names.push_back(fmt::format("{} more", all.size() - kMost));
  return join_words(names);
}

/// What the name may mean, in each size that it leaves open.
Result<Accelerators> meanings(Platform platform, std::string_view called) {
  const auto found = find_accelerator(called);
  const bool is_open = found && (*found)->is_open() && platform != Platform::karpenter;
  if (found && !is_open) return Accelerators{&as_known_on(platform, **found)};
  auto sizes = sizes_of(called);
  if (sizes.empty()) return found.error();
  return sizes;
}

Accelerators had_by(Platform platform, Accelerators all, std::string_view called) {
  std::erase_if(all, [&](const Accelerator* a) { return bool(lack_of(platform, *a, called)); });
  return all;
}

std::string open_size(Platform platform, std::string_view called, const Accelerators& sizes) {
  return fmt::format("'{}' leaves the size of the card open; on {} choose {}", called,
                     title_of(platform), choice_of(sizes));
}

}  // namespace

std::optional<std::string> lack_on(Platform platform, std::string_view called) {
  const auto all = meanings(platform, called);
  if (!all) return all.error().message;
  const auto has = had_by(platform, *all, called);
  if (has.size() > 1) return open_size(platform, called, has);
  return has.empty() ? lack_of(platform, *all->front(), called) : std::nullopt;
}

Result<const Accelerator*> find_on(Platform platform, std::string_view called) {
  const auto all = meanings(platform, called);
  if (!all) return all.error();
  const auto has = had_by(platform, *all, called);
  if (has.size() == 1) return has.front();
  const std::string why = *lack_on(platform, called);
  if (!has.empty()) return Error{why};
  const std::string_view title = title_of(platform);
  return Error{fmt::format("{}; {} has {}", why, why.starts_with(title) ? "it" : title,
                           has_instead(platform, *all->front()))};
}

}  // namespace cnsched::accelerators
