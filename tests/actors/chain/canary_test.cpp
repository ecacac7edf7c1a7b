#include "actors/chain/endpoints.hpp"
#include "tests/actors/chain/fake_chain.hpp"

#include <gtest/gtest.h>

namespace credence::chain {
namespace {

using namespace test;

class Canary : public testing::Test {
protected:
  Canary() {
    how.start_block = 2;
    how.contracts = {{profile_contract, contract_kind::profile}};
  }
  fake_chain node;
  follow_settings how;
};

TEST_F(Canary, SingsWhereLogsOfTheFirstBlockAreThere) {
  node.add_empty(1);
  EXPECT_EQ(canary_of(node, how), canary::absent);
  node.add({joined_log(1)});
  EXPECT_EQ(canary_of(node, how), canary::answers);
  node.logs_max = 0;
  EXPECT_EQ(canary_of(node, how), canary::answers) << "there are more than the node sends";
}

TEST_F(Canary, IsSilentWhereTheHeaderTellsOfLogsThatTheNodeDoesNotHave) {
  node.add_empty(1);
  node.add({joined_log(1)});
  node.blocks()[2].logs.clear();
  EXPECT_EQ(canary_of(node, how), canary::silent);
  node.blocks()[2].header.bloom = {};
  EXPECT_EQ(canary_of(node, how), canary::answers) << "there may be none";
}

TEST_F(Canary, SingsWhereTheBlockHasNoLogsOfOurs) {
  node.add_empty(1);
  auto foreign = joined_log(1);
  foreign.from = foreign_contract;
  node.add({foreign});
  EXPECT_EQ(canary_of(node, how), canary::answers);
}

} // namespace
} // namespace credence::chain
