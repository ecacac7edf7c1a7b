#include "tests/actors/reputation/record_examples.hpp"
#include "tests/persistence/sql/identity_store.hpp"

namespace credence::persistence {
namespace {

using namespace reputation;
using namespace std::chrono_literals;

/// Profiles, addresses and invitations as they are written and read. Profiles 1 to 20 have users of the same ids and no
/// address.
class JoinSql : public testing::Test {
protected:
  static profile::signed_nonce nonce(int wallet) {
    return {wallet_of(wallet), "n0nce-of-" + std::to_string(wallet), noon + 5min};
  }
  static profile_created made(int id, int user, int wallet, bool fresh = true) {
    profile_created out;
    out.id = profile_id{id};
    out.user = user_id{user};
    if (fresh)
      out.fresh = fresh_user{"0x00…" + std::to_string(wallet), "data:,", 0};
    out.account = wallet_of(wallet);
    out.invites = 5;
    out.by = nonce(wallet);
    out.at = noon;
    return out;
  }
  static address_linked linked(int profile, int wallet, std::optional<user_id> before = std::nullopt,
                               bool merges = false) {
    return {wallet_of(wallet), profile_id{profile}, user_id{profile}, before, merges, false, nonce(wallet), noon};
  }
  void put(change change) { ASSERT_EQ(store.result_of(std::move(change)), write_result::stored); }
  stored_records load(const record_keys& keys) { return store.read<stored_records>(load_records{keys}); }
  std::int64_t owner(int wallet) {
    return store.number("SELECT user_id FROM addresses WHERE address = decode('"
                        + lower_text(wallet_of(wallet)).substr(2) + "', 'hex')");
  }
  void review(int id, int author, int wallet, std::optional<fresh_subject> fresh = std::nullopt, int generation = 0) {
    put(review_created{{review_id{id},
                        profile_id{author},
                        std::nullopt,
                        {by_wallet(wallet), generation},
                        review_score::positive,
                        "x",
                        "",
                        false,
                        noon,
                        noon,
                        0},
                       std::move(fresh)});
  }

  test::one_store store;
};

TEST_F(JoinSql, AProfileComesWithItsUserAddressAndNonce) {
  put(made(21, 100, 0xAB));
  EXPECT_EQ(owner(0xAB), 100);
  EXPECT_EQ(store.number("SELECT count(*) FROM users WHERE id = 100 AND status = 'ACTIVE'"), 1);
  EXPECT_EQ(store.number("SELECT count(*) FROM used_nonces WHERE profile_id = 21"), 1);
  EXPECT_EQ(store.number("SELECT count(*) FROM xp_accounts WHERE id = 21"), 1) << "with an account for XP";
  EXPECT_EQ(store.result_of(made(22, 101, 0xAB)), write_result::failed) << "the address has one";
  EXPECT_EQ(store.result_of(made(23, 101, 0xAC)), write_result::failed) << "a gap";
  put(made(22, 101, 0xAC));
}

TEST_F(JoinSql, WhoWasReviewedBeforeKeepsTheUser) {
  review(1, 1, 0xAB, fresh_subject{by_wallet(0xAB), 0, user_id{100}, fresh_user{"0x00…ab", "data:,", 0}});
  put(made(21, 100, 0xAB, false));
  EXPECT_EQ(store.number("SELECT reviews_positive FROM users u JOIN profiles p ON p.user_id = u.id WHERE p.id = 21 AND "
                         "u.status = 'ACTIVE'"),
            1);
}

TEST_F(JoinSql, OneInvitationIsAcceptedAndTheOthersAreClosed) {
  test::run_sql(store.url, "UPDATE profiles SET invites_available = 3");
  for (int i = 1; i <= 3; ++i)
    put(invitation_sent{invitation_id{i}, profile_id{i}, wallet_of(i == 3 ? 0xAC : 0xAB), noon});
  EXPECT_EQ(store.number("SELECT invites_available FROM profiles WHERE id = 1"), 2);
  EXPECT_EQ(store.result_of(invitation_sent{invitation_id{4}, profile_id{1}, wallet_of(0xAB), noon}),
            write_result::failed)
    << "it is open";
  record_keys keys;
  keys.addresses = {wallet_of(0xAB)};
  keys.invitations = {invitation_id{3}};
  EXPECT_EQ(load(keys).invitations.size(), 3u);
  auto joined = made(21, 100, 0xAB);
  joined.accepted = invitation_id{2};
  joined.inviter = profile_id{2};
  put(joined);
  const auto found = [&](int id) { return *store.read<found_invitation>(load_invitation{invitation_id{id}}).record; };
  EXPECT_EQ(found(1).status, invitation_status::accepted_other);
  EXPECT_EQ(found(2).status, invitation_status::accepted);
  EXPECT_EQ(found(2).profile, profile_id{21});
  EXPECT_EQ(found(3).status, invitation_status::invited);
  put(invitation_withdrawn{invitation_id{3}, profile_id{3}, noon});
  EXPECT_EQ(found(3).status, invitation_status::withdrawn);
  EXPECT_EQ(store.number("SELECT invites_available FROM profiles WHERE id = 3"), 3);
}

TEST_F(JoinSql, ALinkedAddressBringsWhatItReceived) {
  review(1, 1, 0xAB, fresh_subject{by_wallet(0xAB), 0, user_id{100}, fresh_user{"0x00…ab", "data:,", 0}});
  put(linked(5, 0xAB, user_id{100}, true));
  EXPECT_EQ(owner(0xAB), 5);
  EXPECT_EQ(store.number("SELECT reviews_positive FROM users WHERE id = 5"), 1);
  EXPECT_EQ(store.number("SELECT merged_into FROM users WHERE id = 100 AND status = 'MERGED'"), 5);
  EXPECT_EQ(store.result_of(linked(6, 0xAB, user_id{5})), write_result::failed)
    << "it is a profile's, and its nonce was used";
  EXPECT_EQ(owner(0xAB), 5);
  put(linked(5, 0xAC));
  put(address_unlinked{wallet_of(0xAB), profile_id{5}, user_id{101}, {"0x00…ab", "data:,", 0}, 1, std::nullopt, noon});
  EXPECT_EQ(owner(0xAB), 101);
  EXPECT_EQ(store.number("SELECT reviews_positive FROM users WHERE id = 5"), 1) << "what it received stays";
  review(2, 1, 0xAB, std::nullopt, 1);
  EXPECT_EQ(store.number("SELECT reviews_positive FROM users WHERE id = 101"), 1);
  EXPECT_EQ(store.result_of(address_unlinked{
              wallet_of(0xAC), profile_id{5}, user_id{102}, {"0x", "data:,", 0}, std::nullopt, std::nullopt, noon}),
            write_result::failed)
    << "the last one";
}

TEST_F(JoinSql, ALinkByOrderUsesNoNonceAndTheAuditSaysSo) {
  review(1, 1, 0xAB, fresh_subject{by_wallet(0xAB), 0, user_id{100}, fresh_user{"0x00…ab", "data:,", 0}});
  auto order = linked(5, 0xAB, user_id{100}, true);
  order.by.reset();
  put(order);
  EXPECT_EQ(owner(0xAB), 5);
  EXPECT_EQ(store.number("SELECT merged_into FROM users WHERE id = 100 AND status = 'MERGED'"), 5);
  EXPECT_EQ(store.number("SELECT reviews_positive FROM users WHERE id = 5"), 1);
  EXPECT_EQ(store.number("SELECT count(*) FROM used_nonces"), 0);
  EXPECT_EQ(store.number(
              "SELECT count(*) FROM audit_log WHERE act = 'address_linked' AND profile_id = 5 AND before = 'user 100'"
              " AND after = 'profile 5; by order, nothing was signed'"),
            1);
  put(linked(5, 0xAC));
  EXPECT_EQ(store.number("SELECT count(*) FROM audit_log WHERE act = 'address_linked' AND after = 'profile 5'"), 1)
    << "one that was signed";
}

TEST_F(JoinSql, NoAddressMovesUnderAnOpenSlash) {
  put(linked(5, 0xAB));
  put(linked(5, 0xAC));
  const auto slash = [&](int id, const std::string& about) {
    test::run_sql(store.url, "INSERT INTO slashes (id, author_id, subject_address, subject_user_id, type, amount, "
                             "duration_s, comment, metadata,"
                             " created_at, seq) VALUES ("
                               + std::to_string(id) + ", " + std::to_string(id) + ", " + about
                               + ", 'SCORE', 5, 86400, 'x', '', now(), " + std::to_string(1000000 + id) + ")");
  };
  slash(1, "'\\x00000000000000000000000000000000000000ac', 5");
  slash(2, "'\\x00000000000000000000000000000000000000ad', NULL");
  record_keys keys;
  for (int i = 0xAB; i <= 0xAE; ++i)
    keys.addresses.insert(wallet_of(i));
  const record_rows rows{load(keys)};
  EXPECT_TRUE(rows.at(wallet_of(0xAC))->slashed);
  EXPECT_TRUE(rows.at(wallet_of(0xAB))->slashed) << "the user is";
  EXPECT_TRUE(rows.at(wallet_of(0xAD))->slashed) << "nobody's";
  EXPECT_FALSE(rows.at(wallet_of(0xAE)));
  EXPECT_EQ(store.result_of(linked(6, 0xAD)), write_result::failed);
  EXPECT_EQ(store.result_of(made(21, 100, 0xAD)), write_result::failed);
  EXPECT_EQ(store.result_of(address_unlinked{
              wallet_of(0xAB), profile_id{5}, user_id{101}, {"0x", "data:,", 0}, std::nullopt, std::nullopt, noon}),
            write_result::failed);
  put(linked(6, 0xAE));
}

TEST_F(JoinSql, WhatAProfileHasJudgedIsRead) {
  review(1, 1, 0xAB, fresh_subject{by_wallet(0xAB), 0, user_id{100}, fresh_user{"0x00…ab", "data:,", 0}});
  review(2, 2, 0xAB);
  put(review_archived{review_id{2}, true, noon, profile_id{2}, false});
  record_keys keys;
  for (int profile = 1; profile <= 3; ++profile)
    keys.judged.emplace(subject_key{wallet_of(0xAB)}, profile_id{profile});
  keys.authors = {profile_id{1}};
  const record_rows rows{load(keys)};
  EXPECT_TRUE(rows.judged(subject_key{wallet_of(0xAB)}, profile_id{1}));
  EXPECT_FALSE(rows.judged(subject_key{wallet_of(0xAB)}, profile_id{2})) << "archived";
  EXPECT_FALSE(rows.judged(subject_key{wallet_of(0xAB)}, profile_id{3}));
}

TEST_F(JoinSql, InvitationsOfWhomIsArchivedDoNotCount) {
  test::run_sql(store.url, "UPDATE profiles SET invites_available = 3");
  put(invitation_sent{invitation_id{1}, profile_id{1}, wallet_of(0xAB), noon});
  put(invitation_sent{invitation_id{2}, profile_id{2}, wallet_of(0xAB), noon});
  put(profile_archived{profile_id{1}, user_id{1}, true, noon});
  record_keys keys;
  keys.addresses = {wallet_of(0xAB)};
  const auto found = load(keys).invitations;
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].id, invitation_id{2});
}

TEST_F(JoinSql, NamesAndStandingAreWrittenAndRead) {
  put(profile_edited{profile_id{5}, user_id{5}, {"A Name", "A_Name", "https://a.example/b.png", "words"}, noon});
  put(profile_archived{profile_id{6}, user_id{6}, true, noon});
  EXPECT_EQ(store.result_of(profile_edited{
              profile_id{7}, user_id{7}, {"B", "a_NAME", "https://a.example/b.png", std::nullopt}, noon}),
            write_result::failed)
    << "somebody has it";
  record_keys keys;
  keys.profiles = {profile_id{5}, profile_id{6}};
  keys.usernames = {"a_name", "nobody"};
  const auto found = load(keys);
  ASSERT_EQ(found.profiles.size(), 2u);
  EXPECT_EQ(found.profiles[0].texts, (profile_texts{"A Name", "A_Name", "https://a.example/b.png", "words"}));
  EXPECT_TRUE(found.profiles[1].archived);
  ASSERT_EQ(found.usernames.size(), 1u);
  EXPECT_EQ(found.usernames[0].user, user_id{5});
  EXPECT_EQ(store.number("SELECT count(*) FROM users WHERE status = 'INACTIVE'"), 1);
  put(profile_archived{profile_id{6}, user_id{6}, false, noon});
  EXPECT_EQ(store.number("SELECT count(*) FROM users WHERE status = 'INACTIVE'"), 0);
}

TEST_F(JoinSql, AnAddressIsReadWithWhatItsOwnerHasBesides) {
  test::run_sql(store.url,
                "INSERT INTO users (id, display_name, avatar_url, status) VALUES (100, 'x', 'y', 'INACTIVE');"
                "INSERT INTO addresses (address, user_id, kind, added_at) VALUES"
                " ('\\x00000000000000000000000000000000000000ab', 100, 'primary', now()),"
                " ('\\x00000000000000000000000000000000000000ac', 100, 'linked', now()),"
                " ('\\x0000000000000000000000000000000000000001', 1, 'primary', now()),"
                " ('\\x0000000000000000000000000000000000000002', 21, 'primary', now())");
  put(made(21, 101, 7));
  record_keys keys;
  keys.addresses = {wallet_of(0xAB), wallet_of(1), wallet_of(2), wallet_of(9)};
  keys.nonces = {{wallet_of(7), "n0nce-of-7"}, {wallet_of(7), "another"}};
  const record_rows rows{load(keys)};
  EXPECT_EQ(rows.at(wallet_of(0xAB))->others, 1);
  EXPECT_FALSE(rows.at(wallet_of(0xAB))->profile);
  EXPECT_EQ(rows.at(wallet_of(1))->profile, profile_id{1});
  EXPECT_TRUE(rows.at(wallet_of(2))->listed);
  EXPECT_FALSE(rows.at(wallet_of(9)));
  EXPECT_TRUE(rows.used(nonce(7)));
  EXPECT_FALSE(rows.used({wallet_of(7), "another", noon}));
}

} // namespace
} // namespace credence::persistence
