#include "ops/demo/demo.hpp"

#include "actors/domain/hash.hpp"
#include "actors/domain/text.hpp"
#include "actors/score/score_state.hpp"
#include "ops/demo/parts.hpp"
#include "ops/demo/words.hpp"
#include "persistence/sql/score_sql.hpp"

#include <numeric>
#include <stdexcept>

namespace credence::persistence {

namespace {

namespace words = demo_words;

class listing_loader {
public:
  listing_loader(connection& on, const demo_size& size, timestamp now, steady_time deadline)
    : on_(on), size_(size), now_(now), deadline_(deadline) {}

  void load() {
    names("COPY categories (id, name, slug, description) FROM STDIN (FORMAT binary)", words::categories);
    names("COPY chains (id, name, url, icon_url) FROM STDIN (FORMAT binary)", words::chains);
    projects();
    links();
    team();
    attach("COPY project_categories (project_id, category_id) FROM STDIN (FORMAT binary)", words::categories.size());
    attach("COPY project_chains (project_id, chain_id) FROM STDIN (FORMAT binary)", words::chains.size());
  }

private:
  template <class Fill>
  void copy(const char* sql, std::int32_t count, Fill fill) {
    demo_copy_each(on_, sql, count, deadline_, fill);
  }

  template <class Names>
  void names(const char* sql, const Names& list) {
    copy(sql, static_cast<std::int32_t>(list.size()), [&](binary_rows& out, std::int32_t i) {
      const auto& each = list[static_cast<std::size_t>(i - 1)];
      demo_row(out, i, each.name, each.slug, each.about.empty() ? std::nullopt : std::optional{each.about});
    });
  }

  void projects() {
    copy("COPY projects (id, user_id, userkey, banner_image_url, is_promoted, show_archived, description,"
         " created_at, updated_at) FROM STDIN (FORMAT binary)",
         size_.projects, [this](binary_rows& out, std::int32_t i) {
           const auto r = demo_dice(9, i);
           demo_row(out, i, size_.profiles + i, "service:x.com:" + demo_project_account(i),
                    "https://banners.example/" + lower_case(demo_project_name(i)) + ".png", r % 9 == 0,
                    demo_archived_project(i), words::about[static_cast<std::size_t>(i - 1) % words::about.size()],
                    now_ - std::chrono::days{250 + r / 512 % 50}, now_ - std::chrono::days{r % 200});
         });
  }

  void links() {
    copy("COPY project_links (project_id, position, type, url) FROM STDIN (FORMAT binary)", 2 * size_.projects,
         [](binary_rows& out, std::int32_t i) {
           const auto project = (i + 1) / 2;
           const bool site = i % 2 == 1;
           const auto name = lower_case(demo_project_name(project));
           demo_row(out, project, site ? 0 : 1, site ? "WEBSITE" : "TWITTER",
                    site ? "https://" + name + ".example" : "https://x.com/" + name);
         });
  }

  void team() {
    if (size_.profiles < 2)
      return;
    copy("COPY project_team (project_id, profile_id) FROM STDIN (FORMAT binary)", 2 * size_.projects,
         [this](binary_rows& out, std::int32_t i) {
           const auto project = (i + 1) / 2;
           demo_row(out, project, 1 + static_cast<std::int32_t>((std::int64_t{project} * 2 + i % 2) % size_.profiles));
         });
  }

  void attach(const char* sql, std::size_t among) {
    copy(sql, size_.projects,
         [among](binary_rows& out, std::int32_t i) { demo_row(out, i, 1 + i % static_cast<std::int32_t>(among)); });
  }

  connection& on_;
  demo_size size_;
  timestamp now_;
  steady_time deadline_;
};

void must_fit(const demo_size& size) {
  if (size.profiles < 1 || size.projects < 1 || size.votes < 0)
    throw std::invalid_argument("at least one profile and one project are needed");
  if (std::int64_t{size.profiles} + size.projects + demo_account_count > INT32_MAX || size.projects > INT32_MAX / 2)
    throw std::invalid_argument("so many profiles and projects do not have an id each");
  const auto most = demo_votes_max(size);
  if (size.votes > most)
    throw std::invalid_argument(std::to_string(size.profiles) + " profiles can cast at most " + std::to_string(most)
                                + " votes on " + std::to_string(size.projects) + " projects; "
                                + std::to_string(size.votes) + " were asked for");
}

} // namespace

std::vector<demo_account> demo_accounts(std::int32_t profiles) {
  std::vector<demo_account> out;
  for (std::int32_t i = 1; i <= std::min(demo_account_count, profiles); ++i) {
    const auto& wallet = words::wallets[static_cast<std::size_t>(i - 1)];
    demo_account account;
    account.profile = profile_id{i};
    account.name = demo_name(i);
    account.username = demo_handle(i);
    account.address = wallet.address;
    account.private_key = wallet.key;
    account.embedded_wallet = hex_text(demo_embedded_wallet(i));
    account.userkeys = {"profileId:" + std::to_string(i), "address:" + lower_case(wallet.address),
                        "service:x.com:" + demo_x_account(i), "service:discord:" + demo_discord_account(i)};
    account.xp = demo_xp(i);
    account.admin = i == 1;
    account.api_access = i != 9;
    out.push_back(std::move(account));
  }
  return out;
}

bool has_data(connection& on, steady_time deadline) {
  return on.exec_params("SELECT EXISTS (SELECT 1 FROM users)", deadline).value<bool>();
}

namespace {

double weight_of_markets(const demo_size& size) { return demo_weights::market * size.markets; }
double weight_of_records(const demo_size& size) { return demo_weights::writer * std::min(size.writers, size.profiles); }
double weight_of_tidying(const demo_size& size) {
  return demo_weights::row_tidied * (demo_weights::rows_of_person * size.profiles + static_cast<double>(size.votes));
}
double weight_of_all(const demo_size& size) {
  return demo_weights::rows_of_person * size.profiles + demo_weights::listing * size.projects
         + (demo_weights::vote + demo_weights::vote_in_tallies) * static_cast<double>(size.votes)
         + weight_of_records(size) + weight_of_markets(size) + weight_of_tidying(size);
}

} // namespace

demo_report load_demo(connection& on, const demo_size& size, const market::terms& trading, timestamp now,
                      const attestation_hasher& hash, steady_time deadline, ops::progress& told) {
  must_fit(size);
  transaction all_of_it{on, deadline};
  // Nobody else adds users from here on, so the look is good until the end.
  on.exec("LOCK TABLE users IN SHARE ROW EXCLUSIVE MODE", deadline);
  if (has_data(on, deadline))
    throw std::invalid_argument("the database holds users already; demo data goes into an empty one only");
  told.expect(weight_of_all(size));
  load_demo_people(on, size, now, hash, deadline, told);
  told.begin("listings", demo_weights::listing * size.projects);
  listing_loader{on, size, now, deadline}.load();
  const auto periods = load_demo_history(on, size, now, deadline, told);
  told.begin("records", weight_of_records(size));
  load_demo_slashes(on, size, now, deadline);
  load_demo_records(on, size, hash, now, deadline);
  told.begin("markets and scores", weight_of_markets(size));
  load_demo_markets(on, size, trading, now, deadline);
  load_demo_scores(on, now, deadline);
  all_of_it.commit(deadline);
  told.begin("tidying up", weight_of_tidying(size));
  // At once rather than by the server whenever it gets to it, in the middle of somebody's measurement.
  on.exec("VACUUM (ANALYZE) users, user_vouches, profiles, addresses, attestations, x_username_history, xp_accounts, "
          "xp_movements,"
          " projects, votes, project_tallies, project_period_tallies, project_rollups, listing_marks, slashes, "
          "slash_votes, slash_ballots, "
          "slash_tallies, subjects, reviews, vouches, vouch_parts, replies, activity_votes, activity_tallies, "
          "activities, invitations, epoch_scores, "
          "score_inputs, score_history, score_latest, score_reviews, score_votes, score_vouches, score_pairs, "
          "influences, influence_due, recounts_due, "
          "slash_penalties, wei_accounts, "
          "wei_transfers, "
          "markets, market_trades, market_positions, page_marks",
          deadline);
  return {size.profiles, size.projects, size.votes, periods};
}

void load_demo_scores(connection& on, timestamp now, steady_time deadline) {
  const auto today =
    on.exec_params("SELECT max(day) FROM score_epochs WHERE finished_at IS NOT NULL", deadline).value<score::day>();
  const auto found = on.exec_params(
    "SELECT f.*, d.mark FROM score_dirty d JOIN full_score_inputs f USING (user_id) ORDER BY user_id", deadline);
  auto all = score_inputs_in(found);
  const column<user_id> user{found, "user_id"};
  const column<std::int64_t> mark{found, "mark"};
  std::vector<score::score_changed> changes;
  binary_array users{sql_type::int4}, starting{sql_type::int4};
  for (int i = 0; i < found.count(); ++i) {
    auto& inputs = all[static_cast<std::size_t>(i)];
    const auto points = score::points_of(score::breakdown_of(inputs, today));
    const auto sum = std::accumulate(points.begin(), points.begin() + static_cast<int>(score::element::limits), 0);
    inputs.starting = std::clamp(inputs.starting - sum, 0, 2800);
    const auto breakdown = score::breakdown_of(inputs, today);
    changes.push_back({user[i], breakdown.score, score::points_of(breakdown), today, "demo", now, mark[i]});
    users.int4(user[i].value);
    starting.int4(inputs.starting);
  }
  on.exec_params(
    "UPDATE score_inputs i SET starting = k.starting FROM unnest($1::int4[], $2::int4[]) k(user_id, starting)"
    " WHERE i.user_id = k.user_id",
    parameters{}.array(users).array(starting), deadline);
  write_now(on, std::span<const score::score_changed>{changes}, 0, deadline);
  on.exec("SELECT work_out_influence()", deadline);
}

} // namespace credence::persistence
