#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/sim/simulation.h"

// What the parts of the page that shows a simulation have in common.
namespace cnsched::cli {

constexpr std::size_t kLongestName = 48;
constexpr std::size_t kLongestText = 300;

/// What becomes of a workload.
enum class Fate : unsigned char { fits, nowhere, unknown, no_pod };
constexpr std::size_t kFates = 4;

Fate fate_of(const sim::Simulated& simulated);
/// "fits nowhere".
std::string_view words_of(Fate fate);
/// "2 fit nowhere".
std::string counted(std::size_t n, Fate fate);
/// "does not fit".
std::string_view words_of(sim::Verdict verdict);

/// The class of the style sheet that shows the sign and the colours.
std::string_view class_of(Fate fate);
std::string_view class_of(sim::Verdict verdict);

/// Printable; what is longer loses its middle, for names differ at their ends.
std::string shortened(std::string_view raw, std::size_t most = kLongestName);
/// Printable; what is longer ends early.
std::string cut(std::string_view raw, std::size_t most = kLongestText);
/// Lines that tell of one thing, as HTML, and not more of them than a reader wants to see.
class Lines {
 public:
  void add(std::string_view text);
  /// One that may be longer than others.
  void add_long(std::string_view text);
  template <typename Texts, typename TextOf>
  void add_all(std::string_view before, const Texts& texts, TextOf text_of) {
    constexpr std::size_t kMost = 12;
    std::size_t left = std::size(texts);
    for (std::size_t i = 0; i < kMost && left > 0; ++i, --left) {
      add(std::string(before) + std::string(text_of(texts[i])));
    }
    if (left > 0) add(std::string(before) + std::to_string(left) + " more");
  }
  bool empty() const { return lines_.empty(); }
  std::string html() const;

 private:
  std::vector<std::string> lines_;
};

/// What the panel of the page shows while the element that it stands in is pointed at.
std::string panel(std::string_view heading, const Lines& lines);

}  // namespace cnsched::cli
