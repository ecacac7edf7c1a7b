#include "tests/actors/reputation/record_examples.hpp"
#include "tests/persistence/sql/identity_store.hpp"

namespace credence::persistence {
namespace {

using namespace reputation;
using namespace std::chrono_literals;

/// Attestations and verifications as they are written and read. Profiles 1 to 20 have users of the same ids.
struct AttestationSql : test::store_tests {
  static account_attested attested(int id, const std::string& account, int profile,
                                   std::optional<user_id> before = std::nullopt) {
    account_attested out;
    out.record = {attestation_id{id},
                  profile_id{profile},
                  by_account(account),
                  account + "-name",
                  std::nullopt,
                  "seen",
                  false,
                  noon,
                  noon};
    out.user = user_id{profile};
    out.fresh = !before;
    out.before = before;
    out.by = profile_id{1};
    return out;
  }
  void review(int id, int author, const std::string& account, std::optional<fresh_subject> fresh = std::nullopt) {
    put(
      review_created{review_record{review_id{id}, profile_id{author}, std::nullopt, subject_ref{by_account(account), 0},
                                   review_score::positive, "x", "", false, noon, noon, 0},
                     std::move(fresh)});
  }
  /// The same of an account that nobody has named, whose user is 100 and whose row is 1.
  void review_unknown(const std::string& account) {
    review(1, 1, account,
           fresh_subject{by_account(account), 0, user_id{100}, fresh_user{"github/" + account, "data:,", 1}});
  }
  record_rows load(const std::string& account, std::set<attestation_id> ids = {}, int judge = 1) {
    record_keys keys;
    keys.accounts.emplace(by_account(account).key, by_account(account));
    keys.subjects.emplace(by_account(account).key, by_account(account));
    keys.attestations = std::move(ids);
    keys.judged.emplace(by_account(account).key, profile_id{judge});
    return record_rows{store.read(load_records{keys})};
  }
  std::int64_t owner(const std::string& account) {
    return store.number("SELECT user_id FROM attestations WHERE account = '" + account + "' AND NOT archived");
  }
  std::int64_t received(int user) {
    return store.number("SELECT reviews_positive FROM users WHERE id = " + std::to_string(user));
  }
};

TEST_F(AttestationSql, AnAccountIsWrittenAndRead) {
  put(attested(1, "a", 5));
  const auto rows = load("a");
  const auto* row = test::there(rows.attestation_of(by_account("a").key));
  EXPECT_EQ(row->record.profile, profile_id{5});
  EXPECT_EQ(row->record.username, "a-name");
  EXPECT_EQ(row->record.evidence, "seen");
  EXPECT_EQ(row->record.updated_at, noon);
  EXPECT_EQ(row->profile, profile_id{5});
  EXPECT_EQ(row->others, 0);
  EXPECT_FALSE(row->listed || row->superseded);
  const auto found = test::there(store.read(get_attestation{attestation_id{1}}));
  EXPECT_EQ(found->name.account, by_account("a").account);
  EXPECT_TRUE(refuses(attested(2, "a", 6))) << "it has a row";
  EXPECT_EQ(owner("a"), 5);
}

TEST_F(AttestationSql, AClaimBringsWhatTheAccountReceived) {
  review_unknown("a");
  EXPECT_FALSE(store.read(get_attestation{attestation_id{1}})) << "nobody has attested it";
  EXPECT_EQ(load("a").attestation_of(by_account("a").key)->owner, user_id{100});
  auto first = attested(1, "a", 5, user_id{100});
  first.merges = true;
  put(first);
  EXPECT_EQ(received(5), 1);
  EXPECT_EQ(store.number("SELECT merged_into FROM users WHERE id = 100 AND status = 'MERGED'"), 5);
  put(attested(1, "a", 6, user_id{5}));
  EXPECT_EQ(owner("a"), 6);
  EXPECT_EQ(received(5), 0);
  EXPECT_EQ(received(6), 1);
  EXPECT_TRUE(refuses(attested(1, "a", 7, user_id{5}))) << "it is not user 5's any more";
  review(2, 1, "a");
  EXPECT_EQ(received(6), 2);
}

TEST_F(AttestationSql, AnAdminWithoutAProfileLeavesNoIdBehind) {
  review_unknown("a");
  auto order = attested(1, "a", 5, user_id{100});
  order.merges = true;
  order.by = {};
  put(order);
  EXPECT_EQ(owner("a"), 5);
  EXPECT_EQ(store.how_many("attestations WHERE id = 1 AND profile_id = 5 AND attested_by IS NULL"), 1);
}

TEST_F(AttestationSql, AnArchivedAccountStillIsItsUsersForRecords) {
  put(attested(1, "a", 5));
  put(attestation_archived{attestation_id{1}, true, noon + 1s, profile_id{5}});
  const auto rows = load("a");
  EXPECT_TRUE(rows.attestation_of(by_account("a").key)->record.archived);
  EXPECT_EQ(rows.subject(by_account("a").key)->owner, user_id{5});
  EXPECT_FALSE(rows.subject_for(by_account("a"), "data:,").fresh->new_user) << "no other user is made for it";
  EXPECT_EQ(store.how_many("attestations WHERE archived AND updated_at > created_at"), 1);
}

TEST_F(AttestationSql, TheLiveRowOfAnAccountCountsOrElseTheNewest) {
  put(attested(1, "a", 5));
  put(attestation_archived{attestation_id{1}, true, noon, profile_id{5}});
  test::run_sql(store.url,
                "INSERT INTO attestations (id, hash, user_id, profile_id, service, account, archived, created_at)"
                " SELECT 2, hash, 6, 6, service, account, true, created_at FROM attestations WHERE id = 1");
  const auto both = load("a", {attestation_id{1}, attestation_id{2}});
  EXPECT_EQ(both.attestation_of(by_account("a").key)->record.id, attestation_id{2});
  EXPECT_TRUE(both.attestation(attestation_id{1})->superseded);
  test::run_sql(store.url, "UPDATE attestations SET archived = false WHERE id = 1");
  EXPECT_EQ(load("a").attestation_of(by_account("a").key)->record.id, attestation_id{1});
}

TEST_F(AttestationSql, ASlashAReviewAndAListingAreRead) {
  review_unknown("a");
  EXPECT_TRUE(load("a").judged(by_account("a").key, profile_id{1}));
  EXPECT_FALSE(load("a", {}, 2).judged(by_account("a").key, profile_id{2}));
  EXPECT_FALSE(load("a").slashed(by_account("a").key));
  slash::slash_record record{slash_id{1},
                             profile_id{9},
                             {},
                             slash::slash_type::score,
                             50,
                             48h,
                             "x",
                             "",
                             std::chrono::floor<std::chrono::seconds>(noon)};
  record.subject.account = slash::account{people::account_service::github, "a"};
  put(slash::slash_opened{record});
  EXPECT_TRUE(load("a").slashed(by_account("a").key));
  EXPECT_TRUE(refuses(attested(1, "a", 5, user_id{100}))) << "nor does the database move it";
  put(attested(2, "l", 5));
  test::run_sql(store.url, "UPDATE attestations SET user_id = 21, profile_id = NULL, attested_by = NULL WHERE id = 2");
  EXPECT_TRUE(load("l").attestation_of(by_account("l").key)->listed) << "user 21 is a listing's";
  EXPECT_TRUE(refuses(attested(2, "l", 5, user_id{21})));
}

TEST_F(AttestationSql, AVerificationIsWrittenAndRead) {
  const auto status = [&](int user) { return store.read(get_verification{user_id{user}}); };
  EXPECT_FALSE(status(5).status || status(5).record);
  verification_decided set{
    {profile_id{5}, user_id{5}, true, verification_method::voice, "met", profile_id{1}, noon, noon, noon}, {}};
  put(set);
  EXPECT_EQ(status(5).status, people::human_verification::verified);
  EXPECT_EQ(status(5).record->method, verification_method::voice);
  EXPECT_EQ(status(5).record->verified_at, noon);
  set.record.verified = false;
  set.record.comment = "was another";
  set.record.updated_at = noon + 1h;
  put(set);
  EXPECT_EQ(status(5).status, people::human_verification::revoked);
  EXPECT_EQ(status(5).record->comment, "was another");
  EXPECT_EQ(status(5).record->created_at, noon);
  record_keys keys;
  keys.verifications = {profile_id{5}, profile_id{6}, profile_id{99}};
  const record_rows rows{store.read(load_records{keys})};
  EXPECT_FALSE(rows.verification(profile_id{5})->record->verified);
  EXPECT_FALSE(rows.verification(profile_id{6})->status);
  EXPECT_FALSE(rows.verification(profile_id{99}));
}

using people::human_verification;

/// Bonds as they are written and read, and who is verified by them. Profiles 1 to 20 have users of the same ids.
struct BondSql : test::store_tests {
  static bond_created bond(int id, int author, int subject, bool first = false, timestamp expires_at = noon + 1h) {
    bond_created out;
    auto& record = out.record;
    record.id = bond_id{id};
    record.author = profile_id{author};
    record.subject = {by_profile(subject), 0};
    record.subject_profile = profile_id{subject};
    record.type = "HUMAN";
    record.amount = "500";
    record.amount_type = "XP";
    record.statement = "I met her";
    record.method = verification_method::voice;
    record.comment = "by phone";
    record.expires_at = expires_at;
    record.created_at = record.updated_at = noon;
    if (first)
      out.subject = fresh_subject{by_profile(subject), 0, user_id{subject}, std::nullopt};
    out.by = profile_id{1};
    return out;
  }
  static bond_archived end(int id, int author, int subject) {
    return {bond_id{id}, profile_id{author}, profile_id{subject}, {noon + 1h, profile_id{1}, "was another"}};
  }
  verification_status verification(int user) { return store.read(get_verification{user_id{user}}); }
  auto status(int user) { return verification(user).status; }
};

TEST_F(BondSql, EverythingAboutABondComesBack) {
  put(bond(1, 2, 5, true));
  const auto found = test::there(store.read(get_bond{bond_id{1}}));
  EXPECT_EQ(found->author, profile_id{2});
  EXPECT_EQ(found->subject_profile, profile_id{5});
  EXPECT_EQ(found->subject.name.key, by_profile(5).key);
  EXPECT_EQ(found->type + found->amount + found->amount_type + found->statement + found->comment,
            "HUMAN500XPI met herby phone");
  EXPECT_EQ(found->method, verification_method::voice);
  EXPECT_EQ(found->expires_at, noon + 1h);
  EXPECT_FALSE(found->ended);
  put(bond_expiration_set{bond_id{1}, profile_id{2}, profile_id{5}, noon + 1h, noon + 5h, profile_id{1}, noon + 1h});
  put(end(1, 2, 5));
  const auto ended = store.read(get_bond{bond_id{1}});
  EXPECT_EQ(ended->expires_at, noon + 5h);
  ASSERT_TRUE(ended->ended);
  EXPECT_EQ(ended->ended->at, noon + 1h);
  EXPECT_EQ(ended->ended->by, profile_id{1});
  EXPECT_EQ(ended->ended->reason, "was another");
  EXPECT_FALSE(store.read(get_bond{bond_id{2}}));
  const auto about = test::exactly(1, verification(5).bonds);
  EXPECT_EQ(about[0].author->id, user_id{2});
  EXPECT_TRUE(refuses(end(1, 2, 5))) << "it has ended";
  EXPECT_TRUE(refuses(bond(3, 2, 5))) << "numbers have no gaps";
}

TEST_F(BondSql, ThreeVerifiersAtOnceVerify) {
  put(bond(1, 2, 5, true));
  EXPECT_EQ(status(5), human_verification::pending);
  put(bond(2, 2, 5));
  put(bond(3, 3, 5));
  EXPECT_EQ(status(5), human_verification::pending) << "three bonds of two verifiers";
  put(bond(4, 4, 5));
  EXPECT_EQ(status(5), human_verification::verified);
  put(end(2, 2, 5));
  EXPECT_EQ(status(5), human_verification::verified) << "verifier 2 has another one";
  put(end(1, 2, 5));
  EXPECT_EQ(status(5), human_verification::revoked);
  put(bond(5, 6, 5));
  EXPECT_EQ(status(5), human_verification::verified);
}

TEST_F(BondSql, WhatAnAdminSaidStands) {
  put(bond(1, 2, 5, true));
  verification_decided said{{profile_id{5}, user_id{5}, false, {}, "bought", profile_id{1}, noon, noon, {}},
                            human_verification::pending};
  put(said);
  put(bond(2, 3, 5));
  put(bond(3, 4, 5));
  EXPECT_EQ(status(5), human_verification::revoked) << "bonds do not outvote an admin";
  said.record.verified = true;
  said.record.verified_at = said.record.updated_at = noon + 1h;
  put(said);
  put(end(3, 4, 5));
  put(end(2, 3, 5));
  put(end(1, 2, 5));
  EXPECT_EQ(status(5), human_verification::verified);
}

TEST_F(BondSql, AStatusThatWasThereIsNotMadeWorse) {
  test::run_sql(
    store.url,
    "UPDATE users SET human_verification = CASE id WHEN 5 THEN 'VERIFIED' ELSE 'REQUESTED' END WHERE id IN (5, 6)");
  put(bond(1, 2, 5, true));
  EXPECT_EQ(status(5), human_verification::verified);
  put(bond(2, 2, 6, true));
  EXPECT_EQ(status(6), human_verification::pending);
  put(end(2, 2, 6));
  EXPECT_EQ(status(6), human_verification::requested) << "as before";
}

TEST_F(BondSql, ABondEndsWhenItsTimeIsOver) {
  put(bond(1, 2, 5, true, noon + 1h));
  put(bond(2, 3, 5, false, noon + 2h));
  put(bond(3, 4, 5, false, noon + 3h));
  const auto lapse = [&](const char* at) {
    return store.number("SELECT lapse_bonds('2026-03-10 " + std::string{at} + "+00')");
  };
  EXPECT_EQ(lapse("12:59:59"), 0);
  EXPECT_EQ(status(5), human_verification::verified);
  EXPECT_EQ(lapse("13:00:00"), 1);
  EXPECT_EQ(lapse("13:00:00"), 0) << "once";
  EXPECT_EQ(status(5), human_verification::revoked);
  EXPECT_EQ(store.how_many("score_dirty WHERE user_id = 5"), 0) << "whose score is not worked out";
  put(bond_expiration_set{bond_id{1}, profile_id{2}, profile_id{5}, noon + 1h, noon + 9h, profile_id{1}, noon + 90min});
  EXPECT_EQ(status(5), human_verification::verified) << "it was made to last";
}

TEST_F(BondSql, AreInFeedsAndTakeVotes) {
  put(bond(1, 2, 5, true));
  put(bond(2, 3, 5));
  put(end(2, 3, 5));
  list_feed feed{feed_side::received, user_id{5}};
  feed.slice = {10, 0};
  const auto both = store.read(feed);
  ASSERT_EQ(both.rows.size(), 2u);
  EXPECT_EQ(both.rows[0].kind, feed_kind::bond);
  EXPECT_EQ(std::get<bond_record>(both.rows[0].record).id, bond_id{2});
  EXPECT_EQ(both.rows[0].author, user_id{3});
  feed.with_archived = false;
  EXPECT_EQ(store.read(feed).rows.size(), 1u);
  record_keys keys;
  keys.activities = {{activity_kind::bond, 1}, {activity_kind::bond, 2}, {activity_kind::bond, 3}};
  keys.verifications = {profile_id{7}};
  const record_rows rows{store.read(load_records{keys})};
  EXPECT_FALSE(rows.find({activity_kind::bond, 1})->archived);
  EXPECT_TRUE(rows.find({activity_kind::bond, 2})->archived);
  EXPECT_FALSE(rows.find({activity_kind::bond, 3}));
  EXPECT_EQ(rows.last().bond, 2);
  EXPECT_FALSE(rows.verification(profile_id{7})->verifier);
  test::run_sql(store.url,
                "UPDATE users SET human_verification = 'VERIFIED', score = 1601, validator_nft_count = 1 WHERE id = 7");
  EXPECT_TRUE(record_rows{store.read(load_records{keys})}.verification(profile_id{7})->verifier);
}

/// Profiles, addresses and invitations as they are written and read. Profiles 1 to 20 have users of the same ids and no
/// address.
struct JoinSql : test::store_tests {
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
  stored_records load(const record_keys& keys) { return store.read(load_records{keys}); }
  std::int64_t owner(int wallet) {
    return store.number("SELECT user_id FROM addresses WHERE address = decode('"
                        + lower_text(wallet_of(wallet)).substr(2) + "', 'hex')");
  }
  void review(int id, int author, int wallet, std::optional<fresh_subject> fresh = std::nullopt, int generation = 0) {
    put(review_created{review_record{review_id{id}, profile_id{author}, std::nullopt,
                                     subject_ref{by_wallet(wallet), generation}, review_score::positive, "x", "", false,
                                     noon, noon, 0},
                       std::move(fresh)});
  }
};

TEST_F(JoinSql, AProfileComesWithItsUserAddressAndNonce) {
  put(made(21, 100, 0xAB));
  EXPECT_EQ(owner(0xAB), 100);
  EXPECT_EQ(store.how_many("users WHERE id = 100 AND status = 'ACTIVE'"), 1);
  EXPECT_EQ(store.how_many("used_nonces WHERE profile_id = 21"), 1);
  EXPECT_EQ(store.how_many("xp_accounts WHERE id = 21"), 1) << "with an account for XP";
  EXPECT_TRUE(refuses(made(22, 101, 0xAB))) << "the address has one";
  EXPECT_TRUE(refuses(made(23, 101, 0xAC))) << "a gap";
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
  EXPECT_TRUE(refuses(invitation_sent{invitation_id{4}, profile_id{1}, wallet_of(0xAB), noon})) << "it is open";
  record_keys keys;
  keys.addresses = {wallet_of(0xAB)};
  keys.invitations = {invitation_id{3}};
  EXPECT_EQ(load(keys).invitations.size(), 3u);
  auto joined = made(21, 100, 0xAB);
  joined.accepted = invitation_id{2};
  joined.inviter = profile_id{2};
  put(joined);
  const auto found = [&](int id) { return *store.read(get_invitation{invitation_id{id}}); };
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
  EXPECT_TRUE(refuses(linked(6, 0xAB, user_id{5}))) << "it is a profile's, and its nonce was used";
  EXPECT_EQ(owner(0xAB), 5);
  put(linked(5, 0xAC));
  put(address_unlinked{wallet_of(0xAB), profile_id{5}, user_id{101}, {"0x00…ab", "data:,", 0}, 1, std::nullopt, noon});
  EXPECT_EQ(owner(0xAB), 101);
  EXPECT_EQ(store.number("SELECT reviews_positive FROM users WHERE id = 5"), 1) << "what it received stays";
  review(2, 1, 0xAB, std::nullopt, 1);
  EXPECT_EQ(store.number("SELECT reviews_positive FROM users WHERE id = 101"), 1);
  EXPECT_TRUE(refuses(address_unlinked{
    wallet_of(0xAC), profile_id{5}, user_id{102}, {"0x", "data:,", 0}, std::nullopt, std::nullopt, noon}))
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
  EXPECT_EQ(store.how_many("used_nonces"), 0);
  EXPECT_EQ(store.how_many("audit_log WHERE act = 'address_linked' AND profile_id = 5 AND before = 'user 100'"
                           " AND after = 'profile 5; by order, nothing was signed'"),
            1);
  put(linked(5, 0xAC));
  EXPECT_EQ(store.how_many("audit_log WHERE act = 'address_linked' AND after = 'profile 5'"), 1)
    << "one that was signed";
}

TEST_F(JoinSql, NoAddressMovesUnderAnOpenSlash) {
  put(linked(5, 0xAB));
  put(linked(5, 0xAC));
  const auto slash = [&](int id, const std::string& about) {
    test::run_sql(store.url, "INSERT INTO slashes (id, author_id, subject_address, subject_user_id, type, amount, "
                             "duration_s, comment, metadata, created_at, seq) VALUES ("
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
  EXPECT_TRUE(refuses(linked(6, 0xAD)));
  EXPECT_TRUE(refuses(made(21, 100, 0xAD)));
  EXPECT_TRUE(refuses(address_unlinked{
    wallet_of(0xAB), profile_id{5}, user_id{101}, {"0x", "data:,", 0}, std::nullopt, std::nullopt, noon}));
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
  const auto found = test::exactly(1, load(keys).invitations);
  EXPECT_EQ(found[0].id, invitation_id{2});
}

TEST_F(JoinSql, NamesAndStandingAreWrittenAndRead) {
  put(profile_edited{profile_id{5}, user_id{5}, {"A Name", "A_Name", "https://a.example/b.png", "words"}, noon});
  put(profile_archived{profile_id{6}, user_id{6}, true, noon});
  EXPECT_TRUE(
    refuses(profile_edited{profile_id{7}, user_id{7}, {"B", "a_NAME", "https://a.example/b.png", std::nullopt}, noon}))
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
  EXPECT_EQ(store.how_many("users WHERE status = 'INACTIVE'"), 1);
  put(profile_archived{profile_id{6}, user_id{6}, false, noon});
  EXPECT_EQ(store.how_many("users WHERE status = 'INACTIVE'"), 0);
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
