#include "persistence/sql/profile_sql.hpp"

#include "tests/persistence/sql/identity_store.hpp"
#include "tests/persistence/sql/kept_promises.hpp"

namespace credence::persistence {
namespace {

using profile::tip_source;
using profile::tip_source_kind;
using profile::xp_granted;
using profile::xp_tipped;

struct XpSql : test::store_tests {
  XpSql() { give(1, 100); }

  void give(int to, std::int64_t amount) {
    test::run_sql(store.url, "INSERT INTO xp_movements (at, amount, from_account, to_account, kind) VALUES (now(), "
                               + std::to_string(amount) + ", 0, " + std::to_string(to) + ", 'CLAIM')");
  }
  static xp_tipped tip(int from, int to, std::int64_t amount) {
    return {profile_id{from}, profile_id{to}, amount,
            std::nullopt,     std::nullopt,   timestamp{std::chrono::seconds{1767225600}}};
  }
  profile::stored_xp xp_of(int who) { return store.read(profile::load_xp{profile_id{who}}); }
  profile::tip_list tips_of(int who, profile::tip_side side, page slice = {}) {
    return store.read(profile::get_tips{profile_id{who}, side, slice});
  }
};

TEST_F(XpSql, ATipMovesXpAndIsNamedByItsNumber) {
  const auto outcome = store.write(tip(1, 2, 40));
  ASSERT_EQ(outcome.result, write_result::stored);
  EXPECT_GT(outcome.number, 0);
  EXPECT_EQ(outcome.as_of, outcome.number);
  EXPECT_EQ(xp_of(1).balance, 60);
  EXPECT_EQ(xp_of(2).balance, 40);
  EXPECT_EQ(xp_of(1).as_of, outcome.as_of);
  EXPECT_EQ(xp_of(99).balance, 0);
  EXPECT_EQ(xp_of(2).as_of, outcome.as_of) << "balance and number are of one snapshot";
  EXPECT_EQ(store.number("SELECT sum(balance) FROM xp_accounts"), 0);
}

TEST_F(XpSql, TheDatabaseRefusesWhatIsNotThere) {
  EXPECT_TRUE(refuses(tip(1, 2, 101)));
  EXPECT_TRUE(refuses(tip(2, 1, 1)));
  EXPECT_TRUE(refuses(tip(1, 99, 1))) << "nobody";
  EXPECT_TRUE(refuses(tip(1, 1, 1))) << "to oneself";
  EXPECT_TRUE(refuses(tip(1, 2, 0)));
  EXPECT_TRUE(refuses(tip(1, 2, -5)));
  EXPECT_EQ(xp_of(1).balance, 100);
  EXPECT_EQ(xp_of(2).balance, 0);
  EXPECT_EQ(store.how_many("xp_movements WHERE kind = 'XP_TIP_SENT'"), 0);
  EXPECT_EQ(store.result_of(tip(1, 2, 100)), write_result::stored) << "the writer goes on";
}

TEST_F(XpSql, EverythingAboutATipComesBack) {
  const struct {
    std::optional<std::string> message;
    std::optional<tip_source> source;
  } rows[] = {{std::nullopt, std::nullopt},
              {"", tip_source{tip_source_kind::profile, std::nullopt}},
              {"für \"dich\" 👍\n{},\\N", tip_source{tip_source_kind::review, 1}},
              {std::string(500, 'x'), tip_source{tip_source_kind::slash, 2147483647}},
              {"NULL", tip_source{tip_source_kind::vouch, 7}}};
  std::vector<global_seq> numbers;
  for (const auto& row : rows) {
    auto sent = tip(1, 2, static_cast<std::int64_t>(numbers.size()) + 1);
    sent.message = row.message;
    sent.source = row.source;
    const auto outcome = store.write(std::move(sent));
    ASSERT_EQ(outcome.result, write_result::stored);
    numbers.push_back(outcome.number);
  }
  for (const auto side : {profile::tip_side::sent, profile::tip_side::received}) {
    const auto found = tips_of(side == profile::tip_side::sent ? 1 : 2, side);
    ASSERT_EQ(found.values.size(), std::size(rows));
    EXPECT_EQ(found.total, 5);
    for (std::size_t i = 0; i < std::size(rows); ++i) {
      const auto& each = found.values[std::size(rows) - 1 - i]; // newest first
      EXPECT_EQ(each.id, numbers[i]);
      EXPECT_EQ(each.amount, static_cast<std::int64_t>(i) + 1);
      EXPECT_EQ(each.at, tip(1, 2, 1).at);
      EXPECT_EQ(each.sender, profile_id{1});
      EXPECT_EQ(each.receiver, user_id{2});
      EXPECT_EQ(each.message, rows[i].message);
      ASSERT_EQ(each.source.has_value(), rows[i].source.has_value());
      if (each.source) {
        EXPECT_EQ(each.source->kind, rows[i].source->kind);
        EXPECT_EQ(each.source->id, rows[i].source->id);
      }
    }
  }
  EXPECT_TRUE(tips_of(1, profile::tip_side::received).values.empty());
  page second;
  second.limit = 2;
  second.offset = 1;
  const auto some = tips_of(1, profile::tip_side::sent, second);
  ASSERT_EQ(some.values.size(), 2u);
  EXPECT_EQ(some.values[0].id, numbers[3]);
  EXPECT_EQ(some.total, 5);
}

TEST_F(XpSql, AGrantComesFromTheIssuerAndIsNamedByItsNumber) {
  const xp_granted grant{profile_id{2}, 40, tip(1, 2, 1).at, "an outage", 0};
  const auto outcome = store.write(grant);
  ASSERT_EQ(outcome.result, write_result::stored);
  EXPECT_GT(outcome.number, 0);
  EXPECT_EQ(xp_of(2).balance, 40);
  EXPECT_EQ(xp_of(2).as_of, outcome.as_of);
  EXPECT_EQ(store.number("SELECT balance FROM xp_accounts WHERE id = 0"), -140);
  EXPECT_EQ(store.number("SELECT points FROM xp_days WHERE account = 2 AND day = '2026-01-01'"), 40)
    << "it counts for the season";
  const auto receipt = [&](int who, std::int64_t number) {
    return store.read(profile::get_grant{profile_id{who}, number});
  };
  ASSERT_EQ(store.result_of(tip(2, 1, 15)), write_result::stored) << "it may be tipped";
  ASSERT_TRUE(receipt(2, outcome.number));
  EXPECT_EQ(receipt(2, outcome.number)->id, outcome.number);
  EXPECT_EQ(receipt(2, outcome.number)->balance, 25) << "of now";
  EXPECT_FALSE(receipt(1, outcome.number)) << "somebody else's";
  EXPECT_FALSE(receipt(2, outcome.number + 1)) << "a tip";
  EXPECT_TRUE(tips_of(2, profile::tip_side::received).values.empty()) << "it is none";
  test::expect_kept(store.url, promises_of("profile"));
}

TEST_F(XpSql, TheAuditKeepsWhyAGrantWasMadeWithTheXpBeforeAndAfter) {
  const auto outcome = store.write(xp_granted{profile_id{2}, 40, tip(1, 2, 1).at, "an outage", 60});
  ASSERT_EQ(outcome.result, write_result::stored);
  EXPECT_EQ(store.how_many("audit_log WHERE act = 'xp_granted' AND profile_id = 2 AND before = '60' AND after = '100'"
                           " AND subject = 'grant "
                           + std::to_string(outcome.number) + " of 40 XP: an outage'"),
            1);
  EXPECT_EQ(store.how_many("xp_movements WHERE message IS NOT NULL"), 0) << "the profile is not told why";
}

TEST_F(XpSql, TheDatabaseRefusesAGrantToNobodyAndOneOfNothing) {
  EXPECT_TRUE(refuses(xp_granted{profile_id{99}, 40, tip(1, 2, 1).at}));
  EXPECT_TRUE(refuses(xp_granted{profile_id{2}, 0, tip(1, 2, 1).at}));
  EXPECT_EQ(store.result_of(xp_granted{profile_id{2}, 1, tip(1, 2, 1).at}), write_result::stored)
    << "the writer goes on";
}

TEST_F(XpSql, AMessageThatIsTooLongIsRefused) {
  auto sent = tip(1, 2, 1);
  sent.message = std::string(501, 'x');
  EXPECT_TRUE(refuses(std::move(sent)));
}

TEST_F(XpSql, FiguresAndReceiptsAreOfTips) {
  give(2, 10);
  const auto first = store.write(tip(1, 2, 30));
  store.write(tip(1, 3, 20));
  store.write(tip(2, 1, 5));
  const auto figures = store.read(profile::get_tip_figures{profile_id{1}});
  EXPECT_EQ(figures.sent_count, 2);
  EXPECT_EQ(figures.sent_total, 50);
  EXPECT_EQ(figures.received_count, 1);
  EXPECT_EQ(figures.received_total, 5);
  const auto receipt = test::there(store.read(profile::get_receipt{profile_id{1}, first.number}));
  EXPECT_EQ(receipt->id, first.number);
  EXPECT_EQ(receipt->sender_balance, 55) << "of now";
  EXPECT_EQ(receipt->receiver_balance, 35);
  EXPECT_FALSE(store.read(profile::get_receipt{profile_id{2}, first.number})) << "somebody else's";
  EXPECT_FALSE(store.read(profile::get_receipt{profile_id{1}, 999}));
}

} // namespace
} // namespace credence::persistence
