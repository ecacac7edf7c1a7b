#include "actors/slash/slash_state.hpp"
#include "ops/demo/parts.hpp"
#include "persistence/writer/fact_sql.hpp"

#include <optional>
#include <string_view>

namespace credence::persistence {

namespace {

using std::chrono::hours;
using std::chrono::seconds;

/// Who votes: profiles from the first to the last one, but the subject.
constexpr std::int32_t first_voter = 11;
constexpr std::int32_t last_voter = 60;
constexpr std::int32_t profiles_needed = 40;

struct story {
  std::int32_t author;
  std::int32_t subject;
  bool by_account; // named by an account at x.com, or by a wallet
  slash::slash_type type;
  std::int64_t amount;
  hours ago;
  hours lasts;
  std::optional<hours> cancelled_after;
  double share; // of voters for it
  std::string_view comment;
};

using enum slash::slash_type;
constexpr story stories[]{
  {2, 21, false, score, 150, hours{960}, hours{48}, {}, 0.9, "Sold another team's audit as its own"},
  {3, 22, true, financial, 500, hours{720}, hours{48}, {}, 0.1, "Its vouches come from accounts of its own"},
  {4, 23, false, score, 100, hours{480}, hours{48}, {}, 0.4, "Promised a refund and went silent"},
  {5, 24, true, score, 200, hours{240}, hours{48}, hours{5}, 0.6, "Posted an invitation that drains wallets"},
  {6, 25, false, score, 100, hours{26}, hours{168}, {}, 0.7, "Reviews in exchange for reviews, dozens a day"},
  {7, 26, true, financial, 250, hours{10}, hours{168}, {}, 0.4, "Took deposits for a list that nobody is on"},
};

class slash_loader {
public:
  slash_loader(connection& on, const demo_size& size, timestamp now, steady_time deadline)
    : on_(on), size_(size), now_(std::chrono::floor<seconds>(now)), deadline_(deadline) {}

  void load() {
    auto writer = read_demo_writer(on_, deadline_);
    seq_ = writer.last_seq + 1;
    for (const auto& each : stories)
      tell(each);
    demo_fence(on_, writer, seq_ - 1, deadline_);
  }

private:
  slash::subject subject_of(const story& from) const {
    slash::subject out;
    if (from.by_account)
      out.account = slash::account{people::account_service::x, demo_x_account(from.subject)};
    else
      out.wallet = on_
                     .exec_params("SELECT address FROM addresses WHERE user_id = $1::int4 AND kind = 'primary'",
                                  parameters{}.int4(from.subject), deadline_)
                     .value<address>();
    out.user = user_id{from.subject};
    out.profile = profile_id{from.subject};
    return out;
  }

  void tell(const story& from) {
    slash::slash_record fresh{
      slash_id{++last_id_}, profile_id{from.author},   subject_of(from),       from.type,      from.amount,
      from.lasts,           std::string{from.comment}, R"({"source":"demo"})", now_ - from.ago};
    const auto until = from.cancelled_after ? fresh.created_at + *from.cancelled_after : fresh.ends_at();
    write_now(on_, slash::slash_opened{fresh}, seq_++, deadline_);
    const auto votes = cast(from, fresh, std::min(until, now_));
    if (until <= now_)
      write_now(
        on_,
        slash::slash_closed{
          fresh.id, {until, from.cancelled_after ? slash::verdict::cancelled : slash::verdict_of(votes), votes}},
        seq_++, deadline_);
  }

  slash::weights cast(const story& from, const slash::slash_record& on, timestamp until) {
    slash::weights sum;
    std::vector<slash::slash_voted> votes;
    entity_seq number = 0;
    const auto last = std::min(size_.profiles, last_voter);
    const auto step = (until - on.created_at) / (2 * (last - first_voter + 2));
    auto at = on.created_at;
    for (auto voter = first_voter; voter <= last; ++voter) {
      if (voter == from.subject || demo_archived_profile(voter))
        continue;
      const auto r = demo_dice(16, std::int64_t{on.id.value} * 1000 + voter);
      const bool for_it = demo_fraction(r) < from.share;
      const auto weight = people::vote_weight_of(demo_score(voter));
      const auto vote = [&](bool this_way) {
        votes.push_back({on.id, ++number, profile_id{voter},
                         this_way ? slash::vote_side::slash : slash::vote_side::defend, weight, at += step});
      };
      if (r % 8 == 0) // somebody who thinks better of it
        vote(!for_it);
      vote(for_it);
      (for_it ? sum.slash : sum.defend) += weight;
    }
    write_now(on_, std::span<const slash::slash_voted>{votes}, seq_, deadline_);
    seq_ += static_cast<global_seq>(votes.size());
    return sum;
  }

  connection& on_;
  demo_size size_;
  timestamp now_;
  steady_time deadline_;
  std::int32_t last_id_ = 0;
  global_seq seq_ = 0;
};

} // namespace

void load_demo_slashes(connection& on, const demo_size& size, timestamp now, steady_time deadline) {
  if (size.profiles >= profiles_needed)
    slash_loader{on, size, now, deadline}.load();
}

} // namespace credence::persistence
