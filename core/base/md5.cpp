// RFC 1321: the message is padded to blocks of 64 bytes, each of which turns a state of four words
// in 64 steps.
#include "core/base/md5.h"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>

namespace cnsched {

namespace {

using State = std::array<std::uint32_t, 4>;
constexpr std::size_t kBlockBytes = 64;

/// The table T of section 3.4: the integer part of 4294967296 times abs(sin(i)), i in radians.
const std::array<std::uint32_t, 64>& sines() {
  static const auto kSines = [] {
    std::array<std::uint32_t, 64> table{};
    for (std::size_t i = 0; i < table.size(); ++i) {
      table[i] = static_cast<std::uint32_t>(4294967296.0 *
                                            std::fabs(std::sin(static_cast<double>(i + 1))));
    }
    return table;
  }();
  return kSines;
}

std::string padded(std::string_view bytes) {
  std::string message(bytes);
  message += '\x80';
  while (message.size() % kBlockBytes != kBlockBytes - 8) message += '\0';
  const std::uint64_t bits = std::uint64_t{bytes.size()} * 8;
  for (unsigned shift = 0; shift < 64; shift += 8) {
    message += static_cast<char>((bits >> shift) & 0xFF);
  }
  return message;
}

std::uint32_t word_at(std::string_view bytes, std::size_t at) {
  std::uint32_t word = 0;
  for (std::size_t i = 4; i-- > 0;) {
    word = (word << 8) | static_cast<unsigned char>(bytes[at + i]);
  }
  return word;
}

/// The mixing function and the index of the block's word for step `i`.
struct Mix {
  std::uint32_t value = 0;
  std::size_t word = 0;
};

Mix mix(std::size_t i, std::uint32_t b, std::uint32_t c, std::uint32_t d) {
  if (i < 16) return {(b & c) | (~b & d), i};
  if (i < 32) return {(b & d) | (c & ~d), (5 * i + 1) % 16};
  if (i < 48) return {b ^ c ^ d, (3 * i + 5) % 16};
  return {c ^ (b | ~d), (7 * i) % 16};
}

void add_block(State& state, std::string_view block) {
  constexpr std::array<std::array<std::uint8_t, 4>, 4> kTurns = {
      {{7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}}};
  auto [a, b, c, d] = state;
  for (std::size_t i = 0; i < kBlockBytes; ++i) {
    const Mix mixed = mix(i, b, c, d);
    const std::uint32_t sum = a + mixed.value + sines()[i] + word_at(block, mixed.word * 4);
    a = d;
    d = c;
    c = b;
    b += std::rotl(sum, kTurns[i / 16][i % 4]);
  }
  state[0] += a;
  state[1] += b;
  state[2] += c;
  state[3] += d;
}

}  // namespace

std::string md5_hex(std::string_view bytes) {
  State state = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476};
  const std::string message = padded(bytes);
  for (std::size_t at = 0; at < message.size(); at += kBlockBytes) {
    add_block(state, std::string_view(message).substr(at, kBlockBytes));
  }
  std::string hex;
  for (const std::uint32_t word : state) {
    for (unsigned shift = 0; shift < 32; shift += 8) {
      hex += fmt::format("{:02x}", (word >> shift) & 0xFF);
    }
  }
  return hex;
}

}  // namespace cnsched
