#include "tests/actors/chain/fold_world.hpp"

namespace credence::chain {
namespace {

using namespace bond_events;

const address ada = samples::address_of(1), bob = samples::address_of(2);

class BondFold : public testing::Test, public fold_world {
public:
  BondFold() {
    join(1, ada);
    join(2, bob);
    applied(bond_created{{1}, {1}, "HUMAN", "five hundred", "XP"});
  }
  const bond_row& row(int number) const { return *rows.bonds.find({number}); }
};

TEST_F(BondFold, ABondSaysItsAmountAsAText) {
  EXPECT_EQ(row(1).author, profile_id{1});
  EXPECT_EQ(row(1).type, "HUMAN");
  EXPECT_EQ(row(1).amount, "five hundred");
  EXPECT_EQ(row(1).amount_type, "XP");
  EXPECT_EQ(row(1).created_at, unix_time{time - 1});
  EXPECT_FALSE(row(1).expires_at);
  EXPECT_EQ(fold(bond_created{{1}, {2}, "HUMAN", "1", "XP"}), "duplicate");
  EXPECT_EQ(fold(bond_created{{2}, {7}, "HUMAN", "1", "XP"}), "missing_profile");
}

TEST_F(BondFold, ABondIsArchivedForGood) {
  applied(bond_archived{{1}, {1}, bob, "broken"});
  EXPECT_EQ(row(1).archived_at, unix_time{time - 1});
  EXPECT_EQ(row(1).archived_by, bob);
  EXPECT_EQ(row(1).archive_reason, "broken");
  applied(bond_archived{{1}, {1}, ada, "again"});
  EXPECT_EQ(row(1).archive_reason, "broken");
  EXPECT_EQ(fold(bond_archived{{9}, {1}, bob, ""}), "missing_bond");
}

TEST_F(BondFold, AnExpirationThatCannotBeReadIsKeptWithoutEffect) {
  applied(bond_expiration_updated{{1}, {1}, ada, "2029-01-31T12:00:00Z"});
  EXPECT_EQ(row(1).expires_at, unix_time{1'864'555'200});
  applied(bond_expiration_updated{{1}, {1}, ada, "when she likes"});
  EXPECT_EQ(row(1).expiration, "when she likes");
  EXPECT_EQ(row(1).expires_at, unix_time{1'864'555'200});
  EXPECT_EQ(row(1).updated_at, unix_time{time - 1});
  EXPECT_EQ(fold(bond_expiration_updated{{9}, {1}, ada, "0"}), "missing_bond");
}

TEST(BondExpiration, IsIsoOrUnix) {
  const auto read = [](const char* text) {
    const auto at = expiration_in(text);
    return at ? at->seconds : -1;
  };
  EXPECT_EQ(read("1864555200"), 1'864'555'200);
  EXPECT_EQ(read("1864555200123"), 1'864'555'200) << "milliseconds";
  EXPECT_EQ(read("2029-01-31T12:00:00Z"), 1'864'555'200);
  EXPECT_EQ(read("2029-01-31T12:00:00.123456Z"), 1'864'555'200);
  EXPECT_EQ(read("2029-01-31T14:00:00+02:00"), 1'864'555'200);
  EXPECT_EQ(read("2029-01-31T10:30:00-01:30"), 1'864'555'200);
  EXPECT_EQ(read("2029-01-31"), 1'864'598'399) << "its last second";
  for (const char* text :
       {"", "soon", "2029-02-30", "2029-01-31T12:00:00", "2029-01-31T24:00:00Z", "2029-01-31 12:00:00Z", "-5", "1e9",
        "2029-1-31", "99999999999999999999", "2029-01-31T12:00:00.Z", "1960-01-01"})
    EXPECT_EQ(read(text), -1) << text;
}

} // namespace
} // namespace credence::chain
