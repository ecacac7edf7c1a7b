#include "actors/chain/calls.hpp"

#include "actors/domain/hash.hpp"

namespace credence::chain {

std::string selector_of(std::string_view signature) {
  const auto hash = keccak256(signature);
  return {reinterpret_cast<const char*>(hash.data()), 4};
}

} // namespace credence::chain
