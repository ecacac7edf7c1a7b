#include "tests/system/signer_world.hpp"

#include "tests/waiting.hpp"

#include <memory>

/// Who pays for the gas of managed wallets and who does not, and keys that their owners take out.
namespace credence::test {
namespace {

using namespace std::chrono_literals;

/// Somebody waits here until the test lets them go on.
class gate {
public:
  void pass() {
    std::unique_lock lock{guard_};
    ++waiting_;
    changed_.wait_for(lock, wait_at_most, [this] { return open_; });
  }
  void open() {
    const std::lock_guard lock{guard_};
    open_ = true;
    changed_.notify_all();
  }
  int reached() const {
    const std::lock_guard lock{guard_};
    return waiting_;
  }

private:
  mutable std::mutex guard_;
  std::condition_variable changed_;
  int waiting_ = 0;
  bool open_ = false;
};

/// Keys that are written down when the gate opens.
class slow_exports final : public wallets::wallet_keys {
public:
  slow_exports(std::shared_ptr<wallets::wallet_keys> behind, std::shared_ptr<gate> at)
    : behind_(std::move(behind)), at_(std::move(at)) {}
  wallets::made_key make(std::int64_t wallet) override { return behind_->make(wallet); }
  wallets::key_signature sign(std::int64_t wallet, const wallets::sealed_key& key, const digest32& hash) override {
    return behind_->sign(wallet, key, hash);
  }
  wallets::sealed_key rotate(std::int64_t wallet, const wallets::sealed_key& key) override {
    return behind_->rotate(wallet, key);
  }
  std::string export_keystore(std::int64_t, const wallets::sealed_key&, const std::string&) override {
    at_->pass();
    return "a keystore";
  }

private:
  std::shared_ptr<wallets::wallet_keys> behind_;
  std::shared_ptr<gate> at_;
};

struct WalletGas : signer_world {
  void pay_for_gas() {
    with.wallet_signing.sponsor = true;
    with.wallet_signing.sponsor_per_wallet_wei = "200000000000000000";
    with.wallet_signing.sponsor_least_wei = "10000000000000000";
    with.wallet_signing.sponsor_per_day_wei = "400000000000000000";
  }
  std::int64_t grants_to(int profile) {
    return how_many("wallet_transactions WHERE beneficiary = " + std::to_string(profile));
  }
};

TEST_F(WalletGas, KeysThatAreWrittenDownStopNoSignature) {
  const auto held = std::make_shared<gate>();
  keys = std::make_shared<slow_exports>(keys, held);
  start();
  for (int profile = 1; profile <= 4; ++profile)
    admit(profile);
  std::optional<outcome<std::string>> told[3];
  std::vector<std::thread> owners;
  owners.emplace_back([&] { told[0] = export_key(1); });
  ASSERT_TRUE(await("the first export", [&] { return held->reached() == 1; }));
  EXPECT_EQ(export_key(1).why().code, refusal_code::rate_limited) << "one at a time of a wallet";
  owners.emplace_back([&] { told[1] = export_key(2); });
  owners.emplace_back([&] { told[2] = export_key(3); });
  for (const int profile : {1, 4})
    EXPECT_TRUE(send(profile, review_of(somebody(2)))) << profile;
  held->open();
  for (auto& each : owners)
    each.join();
  for (const auto& each : told)
    EXPECT_TRUE(*each);
}

TEST_F(WalletGas, AWalletWhoseKeyIsOutPaysItself) {
  pay_for_gas();
  const auto held = std::make_shared<gate>();
  held->open();
  keys = std::make_shared<slow_exports>(keys, held);
  start();
  fund();
  admit(1, "0x0");
  EXPECT_TRUE(wallet(1)->sponsorship_eligible);
  ASSERT_TRUE(export_key(1));
  EXPECT_FALSE(wallet(1)->sponsorship_eligible);
  EXPECT_EQ(send(1, review_of(somebody(2))).why().code, refusal_code::insufficient_funds);
  stop();
  start();
  EXPECT_EQ(send(1, review_of(somebody(2))).why().code, refusal_code::insufficient_funds) << "also after a restart";
  EXPECT_EQ(grants_to(1), 0);
}

TEST_F(WalletGas, FeesCountInTheBudget) {
  pay_for_gas();
  with.wallet_signing.sponsor_per_wallet_wei = "10000000000000001"; // one more than is sent at least
  start();
  fund();
  admit(1, "0x0");
  const auto told = send(1, review_of(somebody(2)));
  ASSERT_FALSE(told);
  EXPECT_NE(told.why().detail.find("no more gas"), std::string::npos) << told.why().detail;
  EXPECT_EQ(grants_to(1), 0);
}

/// The funding account is loaded afresh while a node still thinks about gas for somebody.
TEST_F(WalletGas, WhoeverWaitsForGasIsAnsweredAlsoWhenTheFundingAccountStartsAfresh) {
  pay_for_gas();
  with.wallet_signing.node_timeout = 10'000ms;
  start(liar.url());
  fund();
  admit(1, "0x0");
  admit(2, "0x0");
  const auto quote = std::make_shared<gate>();
  const auto first = R"("to":")" + lower_text(wallet(1)->at) + '"';
  liar.lie_whole([quote, first](const std::string& body) {
    if (body.find(first) != std::string::npos)
      quote->pass();
    return std::optional<rpc_reply>{};
  });
  std::optional<outcome<wallets::transaction_receipt>> told;
  std::thread waits{[&] { told = send(1, review_of(somebody(2))); }};
  EXPECT_TRUE(await("the quote of the funding account", [&] { return quote->reached() == 1; }));
  run("CREATE TRIGGER no_gas BEFORE INSERT ON wallet_transactions FOR EACH ROW WHEN (NEW.wallet_id = 0) EXECUTE "
      "FUNCTION refuse_change()");
  EXPECT_FALSE(send(2, review_of(somebody(3)))) << "its gas cannot be stored: the funding account is loaded afresh";
  run("DROP TRIGGER no_gas ON wallet_transactions");
  quote->open();
  waits.join();
  EXPECT_FALSE(*told) << "answered, as that gas is lost";
  liar.tell_the_truth();
  for (const int profile : {1, 2})
    EXPECT_TRUE(await("gas again", [&] { return static_cast<bool>(send(profile, review_of(somebody(2)))); }))
      << profile;
}

} // namespace
} // namespace credence::test
