#include "tests/actors/chain/random_vouches.hpp"

#include "actors/domain/hash.hpp"

namespace credence::chain {
namespace {

using samples::address_of;

const address ada = address_of(1), bob = address_of(2);

/// However many vouches contracts tell of, no event changes more than 256 of them.
class VouchBounds : public testing::Test, public fold_world {
public:
  VouchBounds() {
    join(1, ada);
    join(2, bob);
  }
  static address wallet(int number) {
    auto out = address_of(200);
    out.bytes[0] = static_cast<std::byte>(number >> 8);
    out.bytes[1] = static_cast<std::byte>(number);
    return out;
  }
  event whuf(int number) const {
    const auto target = "address:" + lower_text(wallet(number));
    return vouch_v2_events::vouched{ada, keccak256(target), {number}, target, 10, 0, ""};
  }
  std::size_t frozen() const {
    std::size_t out = 0;
    for (const auto& [key, row] : rows.vouches.all())
      out += row.frozen ? 1 : 0;
    return out;
  }
};

TEST_F(VouchBounds, AWalletHasSoManyInWhuf) {
  for (int i = 1; i <= 256; ++i)
    applied(whuf(i));
  EXPECT_EQ(fold(whuf(257)), "refused:vouches_at_most_256");
  applied(vouch_v2_events::frozen{ada, true});
  EXPECT_EQ(frozen(), 256u);
  applied(vouch_v2_events::unvouched{{7}, 10, 0, 10});
  applied(whuf(258));
}

TEST_F(VouchBounds, AnAccountComesToAProfileWithinThem) {
  const auto account = attestation_hash("x.com", "7");
  applied(profile_events::mock_profile_created{{9}});
  for (int i = 0; i < 257; ++i)
    applied(profile_events::profile_created{{100 + i}, wallet(i)});
  for (int i = 0; i < 200; ++i)
    applied(vouch_events::vouched{{i}, {100 + i}, {9}, {}, account, 5, 5});
  for (int i = 200; i < 257; ++i)
    applied(vouch_events::early_vouched{{i}, {100 + i}, {2}, 5, 5});
  EXPECT_EQ(fold(vouch_events::attestation_vouch_mapping_updated{account, {9}, {2}}), "refused:vouches_at_most_256");
  const auto pool = [this](int number) { return rows.vouches.find({contract_kind::vouch, {number}})->subject_profile; };
  EXPECT_EQ(pool(0), profile_id{9});
  applied(vouch_events::unvouched{{256}, {356}, {2}, 5});
  applied(vouch_events::attestation_vouch_mapping_updated{account, {9}, {2}});
  EXPECT_EQ(pool(0), profile_id{2});
  applied(vouch_events::attestation_vouch_mapping_updated{account, {9}, {2}}); // again: nothing moves
  EXPECT_EQ(fold(vouch_events::early_vouched{{257}, {356}, {2}, 5, 5}), "refused:vouches_at_most_256");
}

} // namespace
} // namespace credence::chain
