#pragma once

#include "actors/kernel/fact.hpp"
#include "actors/profile/signed_nonce.hpp"

/// How a nonce of a signed message is written, as a part of what it was signed for.
namespace credence {

template <>
struct part<profile::signed_nonce> {
  using of = profile::signed_nonce;
  static constexpr field_list fields{field{"address", &of::signer}, field{"nonce", &of::nonce},
                                     field{"expires_at", &of::expires_at}};
};

} // namespace credence
