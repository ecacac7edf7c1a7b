#include "actors/domain/hash.hpp"
#include "tests/actors/reputation/record_examples.hpp"
#include "tests/persistence/sql/identity_store.hpp"

namespace credence::persistence {
namespace {

using namespace reputation;
using namespace std::chrono_literals;

/// Attestations and verifications as they are written and read. Profiles 1 to 20 have users of the same ids.
class AttestationSql : public testing::Test {
protected:
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
  void put(change change) { ASSERT_EQ(store.result_of(std::move(change)), write_result::stored); }
  void review(int id, int author, const std::string& account, std::optional<fresh_subject> fresh = std::nullopt) {
    put(review_created{{review_id{id},
                        profile_id{author},
                        std::nullopt,
                        {by_account(account), 0},
                        review_score::positive,
                        "x",
                        "",
                        false,
                        noon,
                        noon,
                        0},
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
    return record_rows{store.read<stored_records>(load_records{keys})};
  }
  std::int64_t owner(const std::string& account) {
    return store.number("SELECT user_id FROM attestations WHERE account = '" + account + "' AND NOT archived");
  }
  std::int64_t received(int user) {
    return store.number("SELECT reviews_positive FROM users WHERE id = " + std::to_string(user));
  }

  test::one_store store;
};

TEST_F(AttestationSql, AnAccountIsWrittenAndRead) {
  put(attested(1, "a", 5));
  const auto rows = load("a");
  const auto* row = rows.attestation_of(by_account("a").key);
  ASSERT_TRUE(row);
  EXPECT_EQ(row->record.profile, profile_id{5});
  EXPECT_EQ(row->record.username, "a-name");
  EXPECT_EQ(row->record.evidence, "seen");
  EXPECT_EQ(row->record.updated_at, noon);
  EXPECT_EQ(row->profile, profile_id{5});
  EXPECT_EQ(row->others, 0);
  EXPECT_FALSE(row->listed || row->superseded);
  const auto found = store.read<found_attestation>(load_attestation{attestation_id{1}}).record;
  ASSERT_TRUE(found);
  EXPECT_EQ(found->name.account, by_account("a").account);
  EXPECT_EQ(store.result_of(attested(2, "a", 6)), write_result::failed) << "it has a row";
  EXPECT_EQ(owner("a"), 5);
}

TEST_F(AttestationSql, AClaimBringsWhatTheAccountReceived) {
  review_unknown("a");
  EXPECT_FALSE(store.read<found_attestation>(load_attestation{attestation_id{1}}).record) << "nobody has attested it";
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
  EXPECT_EQ(store.result_of(attested(1, "a", 7, user_id{5})), write_result::failed) << "it is not user 5's any more";
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
  EXPECT_EQ(store.number("SELECT count(*) FROM attestations WHERE id = 1 AND profile_id = 5 AND attested_by IS NULL"),
            1);
}

TEST_F(AttestationSql, AnArchivedAccountStillIsItsUsersForRecords) {
  put(attested(1, "a", 5));
  put(attestation_archived{attestation_id{1}, true, noon + 1s, profile_id{5}});
  const auto rows = load("a");
  EXPECT_TRUE(rows.attestation_of(by_account("a").key)->record.archived);
  EXPECT_EQ(rows.subject(by_account("a").key)->owner, user_id{5});
  EXPECT_FALSE(rows.subject_for(by_account("a"), "data:,").fresh->new_user) << "no other user is made for it";
  EXPECT_EQ(store.number("SELECT count(*) FROM attestations WHERE archived AND updated_at > created_at"), 1);
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
  EXPECT_EQ(store.result_of(attested(1, "a", 5, user_id{100})), write_result::failed)
    << "nor does the database move it";
  put(attested(2, "l", 5));
  test::run_sql(store.url, "UPDATE attestations SET user_id = 21, profile_id = NULL, attested_by = NULL WHERE id = 2");
  EXPECT_TRUE(load("l").attestation_of(by_account("l").key)->listed) << "user 21 is a listing's";
  EXPECT_EQ(store.result_of(attested(2, "l", 5, user_id{21})), write_result::failed);
}

TEST_F(AttestationSql, AVerificationIsWrittenAndRead) {
  const auto status = [&](int user) { return store.read<verification_status>(load_verification{user_id{user}}); };
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
  const record_rows rows{store.read<stored_records>(load_records{keys})};
  EXPECT_FALSE(rows.verification(profile_id{5})->record->verified);
  EXPECT_FALSE(rows.verification(profile_id{6})->status);
  EXPECT_FALSE(rows.verification(profile_id{99}));
}

} // namespace
} // namespace credence::persistence
