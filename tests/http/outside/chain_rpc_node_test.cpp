#include "http/outside/chain_rpc_node.hpp"
#include "tests/http/outside/key_server.hpp"

#include <gtest/gtest.h>

namespace credence::http {
namespace {

using namespace std::chrono_literals;

const address contract{{std::byte{7}}};

/// A node that gives one answer, whatever it is asked. Requests are numbered from 1.
class ChainRpcNode : public testing::Test {
protected:
  void answers(std::string body, std::string head = "200 OK") { server.answer(std::move(body), std::move(head)); }
  chain::range_logs logs() { return node.logs_in({5, 9}, std::span{&contract, 1}); }

  static std::string block(int id, int number) {
    const std::string hash(64, 'a');
    return R"({"jsonrpc":"2.0","id":)" + std::to_string(id) + R"(,"result":{"number":"0x)" + std::to_string(number)
           + R"(","hash":"0x)" + hash + R"(","parentHash":"0x)" + hash + R"(","timestamp":"0x5"}})";
  }
  static std::string error(int id, const std::string& code, const std::string& message) {
    return R"({"jsonrpc":"2.0","id":)" + std::to_string(id) + R"(,"error":{"code":)" + code + R"(,"message":")"
           + message + R"("}})";
  }

  std::atomic<bool> given_up{false};
  test::key_server server{"[]"};
  chain_rpc_node node{server.url(), 2000ms, given_up};
};

TEST_F(ChainRpcNode, BlocksWithNamesThatItDoesNotKnowAreNone) {
  answers("[" + block(1, 9) + "," + block(2, 4) + "," + error(3, "-39001", "safe block not found")
          + R"(,{"jsonrpc":"2.0","id":4,"result":null}])");
  const auto heads = node.heads(4);
  EXPECT_EQ(heads.latest.number, 9u);
  ASSERT_TRUE(heads.block);
  EXPECT_EQ(heads.block->number, 4u);
  EXPECT_FALSE(heads.safe);
  EXPECT_FALSE(heads.finalized);
}

TEST_F(ChainRpcNode, SaysThatARangeIsTooLargeAndWhatIsNot) {
  answers("[" + block(1, 9) + ","
          + error(2, "-32005", "query returned more than 10000 results. Try with this block range [0x5, 0x6].") + "]");
  try {
    logs();
    FAIL() << "nothing was thrown";
  } catch (const chain::range_too_large& why) {
    EXPECT_EQ(why.suggested, (chain::block_range{5, 6}));
  }
}

TEST_F(ChainRpcNode, WithoutTheLastBlockItIsBehind) {
  answers(R"([{"jsonrpc":"2.0","id":1,"result":null},{"jsonrpc":"2.0","id":2,"result":[]}])");
  EXPECT_FALSE(logs().last);
}

TEST_F(ChainRpcNode, IsLeftAloneForAsLongAsItSays) {
  answers("slow down", "429 Too Many Requests\r\nRetry-After: 7");
  try {
    logs();
    FAIL() << "nothing was thrown";
  } catch (const chain::node_busy& why) {
    EXPECT_EQ(why.length, 7s);
  }
}

TEST_F(ChainRpcNode, NonsenseIsItsFailure) {
  for (const auto* body : {"<html>", "{}", "[1]", R"([{"jsonrpc":"2.0","id":77,"result":[]}])"}) {
    answers(body);
    chain_rpc_node fresh{server.url(), 2000ms, given_up};
    EXPECT_THROW(fresh.chain_id(), chain::node_error) << body;
  }
}

TEST_F(ChainRpcNode, AKeyInTheUrlIsNotTold) {
  const auto url = [&] {
    test::key_server gone{""};
    return gone.url();
  }();
  chain_rpc_node nobody{url + "/a-secret-key", 2000ms, given_up};
  try {
    nobody.chain_id();
    FAIL() << "nothing was thrown";
  } catch (const chain::node_error& why) {
    EXPECT_EQ(std::string{why.what()}.find("secret"), std::string::npos) << why.what();
    EXPECT_NE(std::string{why.what()}.find("127.0.0.1"), std::string::npos) << why.what();
  }
}

settings::chain good() {
  settings::chain out;
  out.endpoints = secret{"https://one.example/key, http://127.0.0.1:8545"};
  out.start_block = 5;
  out.contracts = {"review=0x6D3A8Fd5cF89f9a429BFaDFd970968F646AFF325",
                   "vouchV2=0x0000000000000000000000000000000000000001"};
  return out;
}

TEST(ChainSettings, AreReadIntoContractsAndNodes) {
  EXPECT_TRUE(chain_mistakes(good()).empty());
  EXPECT_TRUE(chain_mistakes({}).empty()) << "no chain";
  const std::atomic<bool> given_up{false};
  EXPECT_EQ(chain_nodes(good(), given_up).size(), 2u);
  const auto how = follow_settings_of(good());
  EXPECT_EQ(chain::text_of(how.contracts),
            "review=0x6d3a8fd5cf89f9a429bfadfd970968f646aff325,vouchV2=0x0000000000000000000000000000000000000001");
}

TEST(ChainSettings, MistakesAreNamedWithoutKeys) {
  const auto mistake = [](auto change) {
    auto with = good();
    change(with);
    const auto all = chain_mistakes(with);
    return all.size() == 1 ? all[0] : std::to_string(all.size()) + " mistakes";
  };
  EXPECT_EQ(mistake([](auto& s) {
              s.endpoints = secret{"https://one.example,http://two.example/key"};
            }).find("number 2 of chain.endpoints is ***"),
            0u);
  EXPECT_EQ(mistake([](auto& s) { s.endpoints = {}; }).find("chain.endpoints is empty, but chain.contracts is given"),
            0u);
  EXPECT_EQ(mistake([](auto& s) { s.contracts.clear(); }).find("chain.contracts is empty"), 0u);
  EXPECT_EQ(mistake([](auto& s) { s.contracts[0] = "revue=0x01"; }).find("chain.contracts holds 'revue=0x01'"), 0u);
  EXPECT_EQ(mistake([](auto& s) {
              s.contracts[1] = "review=0x0000000000000000000000000000000000000001";
            }).find("chain.contracts holds 'review="),
            0u);
  EXPECT_EQ(mistake([](auto& s) { s.start_block = 0; }).find("chain.start_block is 0"), 0u);
  EXPECT_EQ(mistake([](auto& s) {
              s.kinds = {"identity", "revue"};
            }).find("chain.kinds holds 'revue', but may hold identity, review, vote, reply"),
            0u);
  EXPECT_EQ(mistake([](auto& s) {
              s.bond_getter = "bonds(uint256)";
            }).find("chain.reads.bond is 'bonds(uint256)', but must be a function"),
            0u);
  EXPECT_EQ(mistake([](auto& s) {
              s.invite_getter = "of(uint256) returns (bool a)";
            }).find("chain.reads.invite is 'of(uint256)"),
            0u);
  EXPECT_EQ(mistake([](auto& s) { s.kinds = {"reply"}; }).find("chain.kinds holds 'reply' without identity"), 0u);
}

TEST(ChainSettings, SayWhichFeesWereInForceAtFirstAndWhatIsRead) {
  auto with = good();
  EXPECT_TRUE(follow_settings_of(with).invites) << "as the contract was published";
  EXPECT_FALSE(follow_settings_of(with).bonds);
  EXPECT_EQ(follow_settings_of(with).fees_at_first.pool, 400u);
  with.vouch_fees = "1/2/3/4";
  with.bond_getter = "bonds(uint256) returns (uint256 subject)";
  EXPECT_TRUE(chain_mistakes(with).empty());
  const auto how = follow_settings_of(with);
  EXPECT_TRUE(how.bonds);
  EXPECT_EQ(how.fees_at_first.protocol, 1u);
  EXPECT_EQ(how.fees_at_first.donation, 2u);
  EXPECT_EQ(how.fees_at_first.pool, 3u);
  EXPECT_EQ(how.fees_at_first.exit, 4u);
}

TEST(ChainSettings, KindsOfRecordsAreFollowedByName) {
  auto with = good();
  with.kinds = {"identity", "reply", "vouch"};
  EXPECT_TRUE(chain_mistakes(with).empty());
  const auto followed = follow_settings_of(with).kinds;
  EXPECT_EQ(chain::text_of(followed), "identity,reply,vouch");
  EXPECT_TRUE(followed.contains(chain::contract_kind::discussion));
  EXPECT_TRUE(followed.contains(chain::contract_kind::vouch_v2));
  EXPECT_FALSE(followed.contains(chain::contract_kind::review));
}

} // namespace
} // namespace credence::http
