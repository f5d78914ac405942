#include "core/base/md5.h"

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>

namespace cnsched {

namespace {

using State = std::array<std::uint32_t, 4>;

constexpr std::size_t kBlock = 64;
constexpr std::size_t kRounds = 64;

/// The length in bits comes last, after a one and as many zeros as fill the block.
std::string padded(std::string_view bytes) {
  std::string text(bytes);
  text += '\x80';
  while (text.size() % kBlock != kBlock - sizeof(std::uint64_t)) text += '\0';
  const std::uint64_t bits = std::uint64_t{bytes.size()} * 8;
  for (unsigned shift = 0; shift < 64; shift += 8) text += static_cast<char>(bits >> shift);
  return text;
}

std::uint32_t word_at(std::string_view bytes) {
  std::uint32_t word = 0;
  for (unsigned i = 0; i < 4; ++i) {
    word |= std::uint32_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
  }
  return word;
}

/// What round `i` mixes of b, c and d, and which word of the block it takes.
struct Mix {
  std::uint32_t bits;
  std::size_t word;
};

Mix mix(std::size_t i, const State& s) {
  const auto [a, b, c, d] = s;
  if (i < 16) return {(b & c) | (~b & d), i};
  if (i < 32) return {(d & b) | (~d & c), (5 * i + 1) % 16};
  if (i < 48) return {b ^ c ^ d, (3 * i + 5) % 16};
  return {c ^ (b | ~d), (7 * i) % 16};
}

std::uint32_t constant(std::size_t i) {
  return static_cast<std::uint32_t>(std::abs(std::sin(static_cast<double>(i + 1))) * 4294967296.0);
}

void add_block(State& state, std::string_view block) {
  constexpr std::array<std::array<int, 4>, 4> kTurns = {
      {{7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}}};
  State s = state;
  for (std::size_t i = 0; i < kRounds; ++i) {
    const Mix mixed = mix(i, s);
    const std::uint32_t sum =
        mixed.bits + s[0] + constant(i) + word_at(block.substr(mixed.word * 4));
    s = {s[3], s[1] + std::rotl(sum, kTurns[i / 16][i % 4]), s[1], s[2]};
  }
  for (std::size_t i = 0; i < s.size(); ++i) state[i] += s[i];
}

}  // namespace

std::string md5_hex(std::string_view bytes) {
  State state = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476};
  const std::string text = padded(bytes);
  for (std::size_t at = 0; at < text.size(); at += kBlock) {
    add_block(state, std::string_view(text).substr(at, kBlock));
  }
  std::string hex;
  for (const std::uint32_t word : state) {
    for (unsigned shift = 0; shift < 32; shift += 8) {
      constexpr std::string_view kDigits = "0123456789abcdef";
      hex += kDigits[(word >> (shift + 4)) & 15U];
      hex += kDigits[(word >> shift) & 15U];
    }
  }
  return hex;
}

}  // namespace cnsched
