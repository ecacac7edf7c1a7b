#include "actors/people/people_index.hpp"
#include "actors/reputation/record_rules.hpp"
#include "config/settings.hpp"
#include "ops/demo/parts.hpp"
#include "ops/demo/words.hpp"
#include "persistence/sql/reputation_sql.hpp"

namespace credence::persistence {

namespace {

namespace words = demo_words;
using namespace reputation;
using std::chrono::days;
using std::chrono::hours;
using std::chrono::seconds;

constexpr auto half_a_year = days{180};
constexpr std::int32_t reviews_each = 2;
constexpr std::int32_t reviews_today = 8;

/// What somebody asks of the keeper, and when.
template <class Question>
struct asked_at {
  timestamp at;
  Question question;
};

class record_loader {
public:
  record_loader(connection& on, const demo_size& size, const attestation_hasher& hash, timestamp now,
                steady_time deadline)
    : on_(on), size_(size), hash_(hash), now_(std::chrono::floor<seconds>(now)), ring_(size, now), deadline_(deadline),
      writers_(std::min(ring_.empty() ? size.profiles : ring_.first() - 1, size.writers)) {}

  void load() {
    auto writer = read_demo_writer(on_, deadline_);
    seq_ = writer.last_seq + 1;
    invitations();
    reviews();
    vouches();
    votes_of_ring();
    what_became_of_reviews();
    what_became_of_vouches();
    replies();
    votes();
    records_of_today();
    if (seq_ > writer.last_seq + 1)
      demo_fence(on_, writer, seq_ - 1, deadline_);
  }

private:
  /// Decides and writes what was asked, in order. What the rules refuse, such as a second vouch for the same person, is
  /// left out.
  template <class Question>
  void ask(const std::vector<asked_at<Question>>& all) {
    if (all.empty())
      return;
    record_keys keys;
    for (const auto& each : all)
      add_keys(each.question, keys);
    record_rows rows{read_records_here(on_, keys, deadline_)};
    using told = std::remove_cvref_t<decltype(*decide(rows, all.front().question, how_, now_)->change)>;
    std::vector<told> changes;
    for (const auto& each : all)
      if (auto decided = decide(rows, each.question, how_, each.at); decided && decided->change) {
        rows.apply(*decided->change);
        changes.push_back(*std::move(decided->change));
      }
    write_now(on_, std::span<const told>{changes}, seq_, deadline_);
    if (fact<told>::numbers != numbering::none)
      seq_ += static_cast<global_seq>(changes.size());
  }

  /// A moment of the last half year, the later the larger `part` of `whole` is; the last two days are left out.
  timestamp moment(std::int64_t part, std::int64_t whole) const {
    return now_ - half_a_year + std::chrono::floor<seconds>((half_a_year - days{2}) * part / whole);
  }
  /// Any of the writers but this one.
  std::int32_t another(std::uint64_t bits, std::int32_t than) const {
    const auto out = 1 + static_cast<std::int32_t>(bits % static_cast<std::uint64_t>(writers_ - 1));
    return out < than ? out : out + 1;
  }
  named_subject wallet_of(std::int32_t profile) const {
    return {subject_key{address{demo_wallet(profile)}}, std::nullopt};
  }
  named_subject account_of(std::int32_t project) const {
    const account listed{people::account_service::x, demo_project_account(project)};
    return {subject_key{hash_("x.com", listed.id)}, listed};
  }
  template <class Words>
  static std::string one_of(const Words& list, std::uint64_t bits) {
    return std::string{list[bits % list.size()]};
  }

  void invitations() {
    const auto invited = on_.exec_params(
      "INSERT INTO invitations (id, sender, recipient, status, invited_at, accepted_at, profile, seq)"
      " SELECT n, sender, address, 'ACCEPTED', invited_at, created_at, id, $1::int8 + n - 1 FROM"
      " (SELECT row_number() OVER (ORDER BY p.id) AS n, s.id AS sender, a.address, p.id, p.created_at,"
      " greatest(s.created_at, p.created_at - interval '1 day') AS invited_at FROM profiles p"
      " JOIN profiles s ON s.id = p.invited_by JOIN addresses a ON a.user_id = p.user_id AND a.kind = 'primary') i",
      parameters{}.int8(seq_), deadline_);
    seq_ += invited.affected();
  }

  /// What somebody has to say, about a listing or about another writer.
  create_review review_by(std::int32_t author, std::uint64_t bits) const {
    create_review review;
    review.author = profile_id{author};
    review.subject =
      bits % 8 == 0 ? account_of(1 + static_cast<std::int32_t>(bits / 8 % static_cast<std::uint64_t>(size_.projects)))
                    : wallet_of(another(bits / 8, author));
    const auto opinion = bits >> 40;
    review.score = opinion % 10 < 7   ? review_score::positive
                   : opinion % 10 < 9 ? review_score::neutral
                                      : review_score::negative;
    review.comment = review.score == review_score::positive  ? one_of(words::praise, opinion / 10)
                     : review.score == review_score::neutral ? one_of(words::doubts, opinion / 10)
                                                             : one_of(words::warnings, opinion / 10);
    review.metadata = R"({"source":"demo"})";
    return review;
  }

  void reviews() {
    std::vector<asked_at<create_review>> all;
    const auto count = std::int64_t{writers_} * reviews_each;
    for (std::int64_t i = 0; writers_ > 1 && i < count; ++i)
      all.push_back({moment(i, count), review_by(1 + static_cast<std::int32_t>(i % writers_), demo_dice(21, i))});
    reviews_of_ring(all);
    reviews_ = static_cast<std::int32_t>(all.size());
    ask(all);
  }

  void vouches() {
    std::vector<asked_at<create_vouch>> all;
    for (std::int32_t i = 1; writers_ > 1 && i <= writers_; ++i) {
      const auto r = demo_dice(22, i);
      if (i > demo_account_count && r % 3 != 0)
        continue;
      const auto subject = another(r / 3, i);
      create_vouch vouch{profile_id{i},
                         {subject_key{profile_id{subject}}, std::nullopt},
                         r >> 40 & 1 ? vouch_token::eth : vouch_token::whuf,
                         wei{5'000'000'000'000'000} * (1 + (r >> 41) % 400),
                         one_of(words::vouched, r >> 50),
                         R"({"source":"demo"})"};
      all.push_back({moment(i, writers_ + 1), std::move(vouch)});
    }
    vouches_of_ring(all);
    ask(all);
  }

  /// When the members of the ring do the `which`-th thing of what they do `after` a day.
  timestamp together(seconds after, std::int64_t which, seconds each) const {
    return ring_.joined(ring_.first()) + days{1} + after + which * each;
  }

  /// Calls `does(member, neighbour)` for everybody in the ring and those who are at most `reach` places away.
  template <class Does>
  void each_neighbour(std::int32_t reach, Does does) const {
    for (std::int32_t place = 0; !ring_.empty() && place < demo_ring::members; ++place)
      for (auto away = -reach; away <= reach; ++away)
        if (away != 0)
          does(ring_.at_place(place), ring_.at_place(place + away));
  }

  /// In the order of time, as all records are.
  template <class Question>
  static void in_order(std::vector<asked_at<Question>>& all) {
    std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.at < b.at; });
  }

  void reviews_of_ring(std::vector<asked_at<create_review>>& all) const {
    std::int64_t made = 0;
    each_neighbour(2, [&](std::int32_t member, std::int32_t neighbour) {
      create_review review;
      review.author = profile_id{member};
      review.subject = wallet_of(neighbour);
      review.score = review_score::positive;
      review.comment = one_of(words::praise, demo_dice(25, made));
      review.metadata = demo_ring_mark;
      all.push_back({together(seconds{0}, made++, seconds{20}), std::move(review)});
    });
    in_order(all);
  }

  void vouches_of_ring(std::vector<asked_at<create_vouch>>& all) const {
    std::int64_t made = 0;
    each_neighbour(1, [&](std::int32_t member, std::int32_t neighbour) {
      create_vouch vouch{
        profile_id{member},         {subject_key{profile_id{neighbour}}, std::nullopt}, vouch_token::eth,
        wei{5'000'000'000'000'000}, one_of(words::vouched, demo_dice(26, made)),        R"({"source":"demo"})"};
      all.push_back({together(hours{1}, made++, seconds{15}), std::move(vouch)});
    });
    in_order(all);
  }

  /// They vote up what their neighbours wrote.
  void votes_of_ring() {
    const auto stored = on_.exec_params("SELECT id, author_profile FROM reviews WHERE metadata = $1::text ORDER BY id",
                                        parameters{}.text(demo_ring_mark), deadline_);
    const column<review_id> id{stored, "id"};
    const column<profile_id> author{stored, "author_profile"};
    std::vector<asked_at<put_vote>> all;
    each_neighbour(3, [&](std::int32_t member, std::int32_t neighbour) {
      for (int row = 0; row < stored.count(); ++row)
        if (author[row].value == neighbour)
          all.push_back({together(hours{2}, static_cast<std::int64_t>(all.size()), seconds{2}),
                         {{activity_kind::review, id[row].value}, profile_id{member}, true}});
    });
    ask(all);
  }

  /// A few are edited, and a few archived, by their authors.
  void what_became_of_reviews() {
    const auto stored =
      on_.exec_params("SELECT id, author_profile FROM reviews WHERE id % 12 IN (5, 9) ORDER BY id", {}, deadline_);
    const column<review_id> id{stored, "id"};
    const column<profile_id> author{stored, "author_profile"};
    std::vector<asked_at<edit_review>> edits;
    std::vector<asked_at<archive_review>> archives;
    for (int row = 0; row < stored.count(); ++row)
      if (id[row].value % 12 == 5)
        edits.push_back(
          {now_ - days{1}, {id[row], author[row], "Still holds after all that came since", std::nullopt}});
      else if (id[row].value % 24 == 9)
        archives.push_back({now_ - hours{12}, {id[row], author[row]}});
    ask(edits);
    ask(archives);
  }

  /// A few grow, and a few are withdrawn, one of these in anger.
  void what_became_of_vouches() {
    const auto stored = on_.exec_params(
      "SELECT number, author_profile, token FROM vouches WHERE number % 7 IN (2, 6) ORDER BY number", {}, deadline_);
    const column<vouch_id> number{stored, "number"};
    const column<profile_id> author{stored, "author_profile"};
    const column<vouch_token> token{stored, "token"};
    std::vector<asked_at<move_vouch>> moves;
    std::vector<asked_at<mark_unhealthy>> marks;
    for (int row = 0; row < stored.count(); ++row) {
      const bool grows = number[row].value % 7 == 2;
      moves.push_back({now_ - days{1},
                       {number[row], author[row], grows ? vouch_move::increase : vouch_move::withdraw,
                        grows ? wei{5'000'000'000'000'000} : wei{0}, token[row]}});
      if (number[row].value % 14 == 6)
        marks.push_back({now_ - hours{12}, {number[row], author[row]}});
    }
    ask(moves);
    ask(marks);
  }

  void replies() {
    std::vector<asked_at<create_reply>> all;
    for (std::int32_t i = 1; reviews_ > 0 && i <= writers_; i += 2) {
      const auto r = demo_dice(23, i);
      const bool on_review = i % 4 == 1;
      const auto about =
        1 + static_cast<std::int32_t>(r % static_cast<std::uint64_t>(on_review ? reviews_ : size_.projects));
      all.push_back({now_ - hours{22} + seconds{i},
                     {profile_id{i},
                      {on_review ? activity_kind::review : activity_kind::project, about},
                      std::nullopt,
                      one_of(words::answers, r >> 40),
                      R"({"source":"demo"})"}});
    }
    ask(all);
  }

  void votes() {
    std::vector<asked_at<put_vote>> all;
    for (std::int32_t i = 1; reviews_ > 0 && i <= writers_; ++i) {
      const auto r = demo_dice(24, i);
      const auto about = 1 + static_cast<std::int32_t>(r % static_cast<std::uint64_t>(reviews_));
      all.push_back(
        {now_ - hours{20} + seconds{i}, {{activity_kind::review, about}, profile_id{i}, (r >> 40) % 5 != 0}});
    }
    ask(all);
  }

  /// The last of the writers have more to say in the hours before now, so that a feed of today is not empty; those who
  /// write before them vote on it.
  void records_of_today() {
    std::vector<asked_at<create_review>> all;
    for (std::int32_t i = 0; i < std::min(reviews_today, writers_ - 1); ++i)
      if (const auto author = writers_ - i; !demo_archived_profile(author))
        all.push_back({now_ - hours{8} + i * hours{1}, review_by(author, demo_dice(27, i))});
    if (all.empty())
      return;
    ask(all);
    std::vector<asked_at<put_vote>> votes;
    const auto stored = on_.exec_params("SELECT id, created_at FROM reviews WHERE created_at >= $1::timestamptz"
                                        " ORDER BY id",
                                        parameters{}.time(all.front().at), deadline_);
    const column<review_id> id{stored, "id"};
    const column<timestamp> created{stored, "created_at"};
    for (int row = 0; row < stored.count(); ++row)
      for (std::int32_t voter = std::max(1, writers_ - 2 * reviews_today); voter <= writers_ - reviews_today; ++voter)
        if (const auto r = demo_dice(28, row * reviews_today + voter); r % 3 != 0)
          votes.push_back({created[row] + seconds{600 + r % 2400},
                           {{activity_kind::review, id[row].value}, profile_id{voter}, (r >> 40) % 5 != 0}});
    in_order(votes);
    ask(votes);
  }

  connection& on_;
  demo_size size_;
  const attestation_hasher& hash_;
  timestamp now_;
  demo_ring ring_;
  steady_time deadline_;
  settings::people how_{};
  std::int32_t writers_;
  std::int32_t reviews_ = 0;
  global_seq seq_ = 0;
};

} // namespace

void load_demo_records(connection& on, const demo_size& size, const attestation_hasher& hash, timestamp now,
                       steady_time deadline) {
  if (size.writers > 0)
    record_loader{on, size, hash, now, deadline}.load();
}

} // namespace credence::persistence
