// Master keys as an operator has them: files, the commands about wallets, and a server that must not start with the
// wrong one.
#include "auth/signature.hpp"
#include "persistence/sql/wallet_sql.hpp"
#include "tests/auth/master_key.hpp"
#include "tests/persistence/database.hpp"
#include "tests/system/service.hpp"

#include <sys/stat.h>

#include <fstream>
#include <thread>

namespace credence::test {
namespace {

using namespace std::chrono_literals;
using auth::master;
using auth::master_hex;
using persistence::deadline_in;

constexpr int wallets_many = 1200; // more than two pieces of a rotation

struct WalletKeysOfAServer : testing::Test {
  explicit WalletKeysOfAServer(int profiles = 60) : server(service::size{profiles, 8, 500}) {
    old_file = write_key("old.key", master_hex('a'));
    new_file = write_key("new.key", master_hex('b'));
  }

  std::string write_key(const std::string& name, const std::string& hex, unsigned mode = 0600) {
    const auto path = (server.data_dir() / name).string();
    std::ofstream{path} << hex << "\n";
    ::chmod(path.c_str(), mode);
    return path;
  }
  std::vector<std::string> with_old() const { return {"--wallets-master-key-file", old_file}; }
  std::vector<std::string> with_new() const {
    return {"--wallets-master-key-file", new_file, "--wallets-master-version", "2"};
  }
  std::vector<std::string> with_both() const {
    auto out = with_new();
    out.insert(out.end(), {"--wallets-master-key-before-file", old_file});
    return out;
  }
  finished run(std::vector<std::string> words, const std::vector<std::string>& flags) {
    words.insert(words.end(), flags.begin(), flags.end());
    return server.command(words);
  }

  /// A wallet for each of the first profiles, under the old master key.
  void make_wallets(int count = 3) {
    auth::wallet_keys_local keys{auth::master_keys{master(1, 'a')}};
    std::vector<wallets::wallet_made> made;
    for (int each = 1; each <= count; ++each) {
      const auto key = keys.make(each);
      made.push_back({profile_id{each}, each, key.at, key.key, timestamp{1767225600s}});
    }
    auto on = look_into(server.database().url());
    persistence::write_now<wallets::wallet_made>(on, made, 0, deadline_in(60s));
  }
  std::int64_t sealed_under(int version) {
    return number_from(server.database().url(),
                       "SELECT count(*) FROM managed_wallets WHERE master_version = " + std::to_string(version));
  }

  service server;
  std::string old_file, new_file;
};

struct ManyWalletKeys : WalletKeysOfAServer {
  ManyWalletKeys() : WalletKeysOfAServer(wallets_many) {}
};

TEST_F(ManyWalletKeys, ARotationThatIsKilledIsFinishedByTheNextOne) {
  make_wallets(wallets_many);
  auto holds = look_into(server.database().url());
  holds.exec("BEGIN; SELECT FROM managed_wallets WHERE id = 1100 FOR UPDATE",
             deadline_in(60s)); // the third piece waits for this
  auto words = with_both();
  words.insert(words.begin(), {built::executable, "wallets", "rotate", "--database-url", server.database().url()});
  child_process rotation{words, (server.data_dir() / "rotation.log").string()};
  const auto until = steady_clock::now() + 60s;
  while (sealed_under(2) < 1000 && steady_clock::now() < until)
    std::this_thread::sleep_for(5ms);
  rotation.signal(SIGKILL);
  rotation.wait();
  holds.close();
  EXPECT_EQ(sealed_under(2), 1000);
  const auto finished = run({"wallets", "rotate", "--json"}, with_both());
  EXPECT_EQ(finished.code, 0) << finished.err;
  EXPECT_TRUE(tells(finished.out, "/sealed", 200, "/masterVersion", 2));
  EXPECT_EQ(sealed_under(2), wallets_many);
  EXPECT_EQ(run({"wallets", "rotate"}, with_both()).out, "0 wallets were sealed anew under master key 2\n");
  // The key before is needed no longer.
  server.start(with_new());
  EXPECT_EQ(server.terminate(), 0);
  EXPECT_EQ(run({"verify"}, {}).code, 0);
  EXPECT_EQ(
    number_from(server.database().url(),
                "SELECT sum(split_part(subject, ' ', 1)::int) FROM audit_log WHERE act = 'wallets_sealed_anew'"),
    wallets_many);
}

TEST_F(WalletKeysOfAServer, AWrongMasterKeyKeepsTheServerFromStarting) {
  make_wallets();
  for (const auto& [flags, part] :
       {std::pair{std::vector<std::string>{"--wallets-master-key-file", new_file}, "with the fingerprint"},
        std::pair{with_new(), "is sealed under master key 1"}}) {
    const auto refused = run({"serve", "--port", "0", "--operator-port", "0", "--admin-port", "0"}, flags);
    EXPECT_EQ(refused.code, 2) << refused.out;
    EXPECT_NE(refused.err.find("the master key does not fit the wallets of this database"), std::string::npos)
      << refused.err;
    EXPECT_NE(refused.err.find(part), std::string::npos) << refused.err;
    EXPECT_EQ(refused.err.find(master_hex('b')), std::string::npos);
  }
  server.start(with_old());
  EXPECT_EQ(server.terminate(), 0);
  server.start(with_both());
  EXPECT_EQ(server.terminate(), 0);
  server.start(); // without a master key there are no managed wallets; all else is served
  EXPECT_EQ(server.client().get("/api/v2/healthcheck").status, 200);
}

TEST_F(WalletKeysOfAServer, AKeyThatOthersMayReadIsRefusedByTheCheckAndByTheServer) {
  const auto open = write_key("open.key", master_hex('a'), 0640);
  for (const auto* word : {"serve", "check"}) {
    std::vector<std::string> words =
      std::string{word} == "serve"
        ? std::vector<std::string>{"serve", "--port", "0", "--operator-port", "0", "--admin-port", "0"}
        : std::vector<std::string>{"config", "check"};
    const auto refused = run(words, {"--wallets-master-key-file", open});
    EXPECT_EQ(refused.code, 2) << word;
    EXPECT_NE(refused.err.find("chmod 600"), std::string::npos) << refused.err;
  }
  EXPECT_EQ(run({"config", "check"}, with_both()).code, 0);
  EXPECT_EQ(run({"wallets", "rotate"}, {}).code, 2) << "without a master key";
}

TEST_F(WalletKeysOfAServer, ALaterMasterKeyIsNotTakenBack) {
  make_wallets();
  ASSERT_EQ(run({"wallets", "rotate"}, with_both()).code, 0);
  const auto back = run({"wallets", "rotate"}, with_old());
  EXPECT_EQ(back.code, 2);
  EXPECT_NE(back.err.find("versions only grow"), std::string::npos) << back.err;
}

TEST_F(ManyWalletKeys, AnOperatorListsWalletsWithoutTheirKeys) {
  EXPECT_EQ(run({"wallets", "list"}, {}).out, "there are no managed wallets\n");
  EXPECT_EQ(run({"wallets", "list", "--json"}, {}).out, "[]\n");
  make_wallets(wallets_many);
  const auto listed = run({"wallets", "list", "--json"}, {});
  EXPECT_EQ(listed.code, 0) << listed.err;
  EXPECT_TRUE(tells(listed.out, "/0/profileId", 1, "/1199/profileId", wallets_many, "/0/masterVersion", 1));
  const auto address = json_text(listed.out, "/0/address");
  EXPECT_NE(run({"wallets", "list"}, {}).out.find(address + " of profile 1"), std::string::npos);
  const auto key =
    server.database().sql("SELECT encode(sealed_key, 'hex') FROM managed_wallets WHERE id = 1").substr(0, 64);
  EXPECT_EQ(listed.out.find(key), std::string::npos);
}

TEST_F(WalletKeysOfAServer, AManagedWalletLeadsToItsUser) {
  make_wallets();
  server.start(with_old());
  const auto listed = run({"wallets", "list", "--json"}, {});
  const auto address = json_text(listed.out, "/2/address");
  auto client = server.client();
  EXPECT_TRUE(tells(ok(client.get("/api/v2/user/by/managed-wallet/" + address)).body, "/profileId", 3));
  const auto bundle = ok(client.get("/api/v2/internal/users/embedded-wallet/" + address));
  EXPECT_EQ(json_text(bundle.body, "/allAddresses/embeddedWallet"), address);
}

TEST_F(WalletKeysOfAServer, NoMasterKeyIsInALogOrInTheSettingsThatAreShown) {
  make_wallets();
  server.run_with({{"CREDENCE_WALLETS_MASTER_KEY", master_hex('a')}});
  server.start({"--log-level", "debug", "--log-requests", "true"});
  server.client().get("/api/v2/healthcheck");
  EXPECT_EQ(server.terminate(), 0);
  EXPECT_EQ(server.log().find(master_hex('a').substr(0, 16)), std::string::npos);
  const auto shown =
    run_program({built::executable, "config", "show"}, {{"CREDENCE_WALLETS_MASTER_KEY", master_hex('a')}});
  EXPECT_NE(shown.out.find("wallets.master_key = ***"), std::string::npos) << shown.out;
  EXPECT_EQ(shown.out.find(master_hex('a').substr(0, 16)), std::string::npos);
}

} // namespace
} // namespace credence::test
