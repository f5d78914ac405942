#include "cli/output/simulation_page.h"

#include <fmt/format.h>

#include <array>

#include "cli/output/xml.h"
#include "core/base/text.h"

namespace cnsched::cli {

namespace {

struct FateWords {
  std::string_view name;
  std::string_view of_one;   ///< behind the number one
  std::string_view of_some;  ///< behind another
  std::string_view style;
};

constexpr std::array<FateWords, kFates> kWords = {
    {{"fits", "fits", "fit", "o"},
     {"fits nowhere", "fits nowhere", "fit nowhere", "x"},
     {"not known", "not known", "not known", "u"},
     {"no pod", "gets no pod", "get no pod", "n"}}};

const FateWords& all_words_of(Fate fate) { return kWords[static_cast<std::size_t>(fate)]; }

bool is_inside_character(const std::string& text, std::size_t i) {
  return i < text.size() && (static_cast<unsigned char>(text[i]) & 0xC0U) == 0x80;
}

}  // namespace

Fate fate_of(const sim::Simulated& simulated) {
  if (!simulated.diagnosis) return Fate::no_pod;
  if (simulated.diagnosis->fits_nowhere()) return Fate::nowhere;
  return simulated.diagnosis->feasible().empty() ? Fate::unknown : Fate::fits;
}

std::string_view words_of(Fate fate) { return all_words_of(fate).name; }

std::string counted(std::size_t n, Fate fate) {
  const FateWords& words = all_words_of(fate);
  return fmt::format("{} {}", n, n == 1 ? words.of_one : words.of_some);
}

std::string_view words_of(sim::Verdict verdict) {
  switch (verdict) {
    case sim::Verdict::ok:
      return "fits";
    case sim::Verdict::unknown:
      return "not known";
    case sim::Verdict::infeasible:
      break;
  }
  return "does not fit";
}

std::string_view class_of(Fate fate) { return all_words_of(fate).style; }

std::string_view class_of(sim::Verdict verdict) {
  switch (verdict) {
    case sim::Verdict::ok:
      return class_of(Fate::fits);
    case sim::Verdict::unknown:
      return class_of(Fate::unknown);
    case sim::Verdict::infeasible:
      break;
  }
  return class_of(Fate::nowhere);
}

std::string shortened(std::string_view raw, std::size_t most) {
  const std::string text = printable(raw);
  if (text.size() <= most) return text;
  std::size_t head = most / 2;
  std::size_t tail = text.size() - most / 2;
  while (is_inside_character(text, head)) --head;
  while (is_inside_character(text, tail)) ++tail;
  return text.substr(0, head) + "…" + text.substr(tail);
}

std::string cut(std::string_view raw, std::size_t most) {
  const std::string text = printable(raw);
  if (text.size() <= most) return text;
  while (is_inside_character(text, most)) --most;
  return text.substr(0, most) + "…";
}

void Lines::add(std::string_view text) { lines_.push_back(xml_escaped(cut(text))); }

void Lines::add_long(std::string_view text) {
  lines_.push_back(xml_escaped(cut(text, 8 * kLongestText)));
}

std::string Lines::html() const { return fmt::format("{}", fmt::join(lines_, "\n")); }

std::string panel(std::string_view heading, const Lines& lines) {
  return fmt::format("<i><b>{}</b>\n{}</i>", xml_escaped(heading), lines.html());
}

}  // namespace cnsched::cli
