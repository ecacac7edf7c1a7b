#include "actors/domain/keyed_hash.hpp"

#include <random>

namespace credence {

namespace {

sip_key random_key() {
  std::random_device dice;
  sip_key out;
  for (auto& word : out)
    word = std::uint64_t{dice()} << 32 | dice();
  return out;
}

sip_key& the_key() noexcept {
  static sip_key key = random_key();
  return key;
}

} // namespace

const sip_key& hash_key() noexcept { return the_key(); }
void set_hash_key(const sip_key& key) noexcept { the_key() = key; }

} // namespace credence
