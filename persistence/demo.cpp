#include "persistence/demo.hpp"

#include "persistence/demo_history.hpp"
#include "persistence/demo_words.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace credence::persistence {

namespace {

namespace words = demo_words;

constexpr std::size_t copy_chunk = 256 * 1024;
constexpr std::int64_t issuer_account = 1;

/// Random bits that are a function of what they are for, so that nothing depends on order.
std::uint64_t dice(std::uint64_t what, std::uint64_t which) { return demo_mix(what * 0x9E3779B97F4A7C15ull + which); }

bool archived(std::int32_t profile) { return demo_archived_profile(profile); }

std::int32_t score_of(std::int32_t profile) {
  if (profile <= 10)
    return 2650 - 130 * profile;
  // The sum of three dice: most are neutral or known, some at either end.
  const auto r = dice(1, static_cast<std::uint64_t>(profile));
  const auto sum = (r & 0x3FF) + (r >> 10 & 0x3FF) + (r >> 20 & 0x3FF);
  return static_cast<std::int32_t>(std::min<std::uint64_t>(2800, 300 + sum * 2200 / 3069));
}

std::int64_t xp_of(std::int32_t profile) {
  if (profile <= 10)
    return profile == 10 ? 50 : 5000;
  return static_cast<std::int64_t>(dice(2, static_cast<std::uint64_t>(profile)) % 20001);
}

std::string name_of(std::int32_t profile) {
  const auto i = static_cast<std::size_t>(profile - 1);
  return std::string{words::first[i % words::first.size()]} + " "
         + std::string{words::last[(i / words::first.size() + i) % words::last.size()]};
}

std::string handle_of(std::int32_t profile) {
  auto name = name_of(profile);
  name.resize(name.find(' '));
  for (auto& c : name)
    c = static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c);
  return name + std::to_string(profile);
}

std::string project_name(std::int32_t project) {
  const auto i = static_cast<std::size_t>(project - 1);
  std::string name{words::projects[i % words::projects.size()]};
  return i < words::projects.size() ? name : name + std::to_string(i / words::projects.size() + 1);
}

std::string lower(std::string text) {
  for (auto& c : text)
    c = static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c);
  return text;
}

int hex_digit(char c) { return c <= '9' ? c - '0' : (c | 32) - 'a' + 10; }

std::array<std::byte, 20> address_bytes(std::string_view text) {
  std::array<std::byte, 20> out{};
  for (std::size_t i = 0; i < out.size(); ++i)
    out[i] = static_cast<std::byte>(hex_digit(text[2 + 2 * i]) * 16 + hex_digit(text[3 + 2 * i]));
  return out;
}

std::array<std::byte, 20> made_up_address(std::uint64_t kind, std::int32_t profile) {
  std::array<std::byte, 20> out{};
  for (std::size_t i = 0; i < out.size(); ++i)
    out[i] = static_cast<std::byte>(dice(kind, static_cast<std::uint64_t>(profile) * 4 + i / 8) >> (i % 8 * 8));
  return out;
}

std::string hex_text(const std::array<std::byte, 20>& bytes) {
  static constexpr char digits[] = "0123456789abcdef";
  std::string out = "0x";
  for (const auto b : bytes) {
    out += digits[static_cast<unsigned>(b) >> 4];
    out += digits[static_cast<unsigned>(b) & 15];
  }
  return out;
}

std::string x_account(std::int32_t profile) { return std::to_string(1000000000000000000 + std::int64_t{profile} * 7919); }
std::string discord_account(std::int32_t profile) { return std::to_string(300000000000000000 + std::int64_t{profile} * 104729); }
std::string project_account(std::int32_t project) { return std::to_string(1500000000000000000 + std::int64_t{project} * 611953); }

/// Copies one row for every number from 1 to `count`; `fill` adds the fields.
template <class F>
void copy_each(connection& on, const char* sql, std::int32_t count, steady_time deadline, F fill) {
  std::int32_t next = 1;
  binary_rows out;
  on.copy_in(
    sql,
    [&](std::string& buffer) {
      while (next <= count && out.size() < copy_chunk)
        fill(out, next++);
      const bool more = next <= count;
      if (!more)
        out.end();
      buffer = out.take();
      return more;
    },
    deadline);
}

class loader {
public:
  loader(connection& on, const demo_size& size, timestamp now, const attestation_hasher& hash, steady_time deadline)
    : on_(on), size_(size), now_(now), hash_(hash), deadline_(deadline) {}

  void people() {
    users();
    profiles();
    addresses();
    attestations();
    vouches();
    xp();
  }

  void listings() {
    names("COPY categories (id, name, slug, description) FROM STDIN (FORMAT binary)", words::categories, false);
    names("COPY chains (id, name, url, icon_url) FROM STDIN (FORMAT binary)", words::chains, true);
    projects();
  }

private:
  timestamp born(std::int32_t profile) const {
    return now_ - std::chrono::days{400} + std::chrono::seconds{dice(3, static_cast<std::uint64_t>(profile)) % 15'000'000};
  }

  void users() {
    copy_each(on_,
              "COPY users (id, display_name, username, avatar_url, description, score, status, xp_streak_days,"
              " influence_factor, influence_percentile, human_verification, validator_nft_count,"
              " reviews_negative, reviews_neutral, reviews_positive) FROM STDIN (FORMAT binary)",
              size_.profiles + size_.projects, deadline_, [this](binary_rows& out, std::int32_t i) { user(out, i); });
  }

  void user(binary_rows& out, std::int32_t i) {
    const bool person = i <= size_.profiles;
    const auto r = dice(4, static_cast<std::uint64_t>(i));
    const auto name = person ? name_of(i) : project_name(i - size_.profiles);
    const auto handle = person ? handle_of(i) : lower(name);
    out.row(15);
    out.int4(i);
    out.text(name);
    out.text(handle);
    out.text("https://avatars.example/" + handle + ".png");
    if (person && r % 3 != 0)
      out.text("Member since " + std::to_string(2021 + r % 5));
    else
      out.null();
    out.int4(person ? score_of(i) : 1200);
    out.text(person && !archived(i) ? "ACTIVE" : "INACTIVE");
    out.int4(person ? static_cast<std::int32_t>(r >> 8 & 63) : 0);
    // Reach grows with the score: ln(1 + points above neutral / 400).
    const auto above = person ? std::max(0, score_of(i) - 1200) : 0;
    out.float8(std::round(std::log1p(above / 400.0) * 1000) / 1000);
    out.float8(std::round(above / 16.0 * 10) / 10);
    if (person && i <= 3)
      out.text("VERIFIED");
    else if (person && r % 17 == 0)
      out.text("REQUESTED");
    else
      out.null();
    out.int4(person && i <= 2 ? 1 : 0);
    out.int8(static_cast<std::int64_t>(r >> 16 & 3));
    out.int8(static_cast<std::int64_t>(r >> 20 & 7));
    out.int8(static_cast<std::int64_t>(r >> 24 & 31));
  }

  void profiles() {
    copy_each(on_,
              "COPY profiles (id, user_id, archived, created_at, updated_at, invites_available, invited_by, api_access)"
              " FROM STDIN (FORMAT binary)",
              size_.profiles, deadline_, [this](binary_rows& out, std::int32_t i) {
                out.row(8);
                out.int4(i);
                out.int4(i);
                out.boolean(archived(i));
                out.time(born(i));
                out.time(born(i));
                out.int4(static_cast<std::int32_t>(dice(5, static_cast<std::uint64_t>(i)) % 10));
                if (i == 1)
                  out.null();
                else
                  out.int4(1 + static_cast<std::int32_t>(dice(6, static_cast<std::uint64_t>(i)) % static_cast<std::uint64_t>(i - 1)));
                out.boolean(i != 9);
              });
  }

  void addresses() {
    const auto wallets = std::min<std::int32_t>(10, size_.profiles);
    copy_each(on_, "COPY addresses (address, user_id, kind, added_at) FROM STDIN (FORMAT binary)",
              size_.profiles + wallets, deadline_, [this](binary_rows& out, std::int32_t i) {
                const bool embedded = i > size_.profiles;
                const auto profile = embedded ? i - size_.profiles : i;
                const auto address = embedded      ? made_up_address(8, profile)
                                     : profile <= 10 ? address_bytes(words::wallets[static_cast<std::size_t>(profile - 1)].address)
                                                     : made_up_address(7, profile);
                out.row(4);
                out.bytes(address);
                out.int4(profile);
                out.text(embedded ? "embedded" : "primary");
                out.time(born(profile));
              });
  }

  void attestation(binary_rows& out, std::int32_t id, std::int32_t user, bool has_profile, std::string_view service,
                   const std::string& account, const std::string& username) {
    out.row(9);
    out.int4(id);
    out.bytes(hash_(service, account));
    out.int4(user);
    if (has_profile)
      out.int4(user);
    else
      out.null();
    out.text(service);
    out.text(account);
    out.text(username);
    if (service == "x.com")
      out.text("https://x.com/" + username);
    else
      out.null();
    out.time(has_profile ? born(user) : now_ - std::chrono::days{300});
  }

  void attestations() {
    const auto people = size_.profiles;
    const auto chatters = std::min<std::int32_t>(10, people);
    copy_each(on_,
              "COPY attestations (id, hash, user_id, profile_id, service, account, username, url, created_at)"
              " FROM STDIN (FORMAT binary)",
              people + size_.projects + chatters, deadline_, [this, people](binary_rows& out, std::int32_t i) {
                if (i <= people)
                  return attestation(out, i, i, true, "x.com", x_account(i), handle_of(i));
                if (i <= people + size_.projects)
                  return attestation(out, i, i, false, "x.com", project_account(i - people), lower(project_name(i - people)));
                const auto profile = i - people - size_.projects;
                attestation(out, i, profile, true, "discord", discord_account(profile), handle_of(profile));
              });
  }

  void vouches() {
    // SQL arithmetic on row numbers: as deterministic as dice, and fast at any size.
    parameters with;
    with.int4(size_.profiles);
    on_.exec_params("INSERT INTO user_vouches SELECT id, token, given, received, given_n, received_n, given * 2,"
                    " received * 2, given_n + 1, received_n + 1 FROM (SELECT i AS id, t.token,"
                    " (i::numeric * 7919 % 400) * 5000000000000000 AS given,"
                    " (i::numeric * 104729 % 500) * 5000000000000000 AS received,"
                    " i::bigint * 7919 % 5 AS given_n, i::bigint * 104729 % 7 AS received_n"
                    " FROM generate_series(1, $1::int4) i, (VALUES ('eth'), ('whuf')) t(token) WHERE i % 3 = 0) v",
                    with, deadline_);
  }

  void xp() {
    on_.exec("INSERT INTO xp_accounts (id, kind) VALUES (1, 'issuer'), (2, 'burn')", deadline_);
    parameters with;
    with.int4(size_.profiles);
    on_.exec_params("INSERT INTO xp_accounts (id, profile_id, kind) SELECT i + 2, i, 'profile' FROM generate_series(1, $1::int4) i",
                    with, deadline_);
    on_.exec("SELECT setval(pg_get_serial_sequence('xp_accounts', 'id'), (SELECT max(id) FROM xp_accounts))", deadline_);
    copy_each(on_, "COPY xp_movements (from_account, to_account, amount, kind, at) FROM STDIN (FORMAT binary)",
              size_.profiles, deadline_, [this](binary_rows& out, std::int32_t i) {
                out.row(5);
                out.int8(issuer_account);
                out.int8(i + 2);
                out.int8(std::max<std::int64_t>(1, xp_of(i)));
                out.text("CLAIM");
                out.time(born(i));
              });
  }

  template <class Names>
  void names(const char* sql, const Names& list, bool chain) {
    copy_each(on_, sql, static_cast<std::int32_t>(list.size()), deadline_, [&](binary_rows& out, std::int32_t i) {
      const auto& each = list[static_cast<std::size_t>(i - 1)];
      out.row(4);
      out.int4(i);
      out.text(each.name);
      out.text(each.slug);
      if (chain)
        out.null();
      else
        out.text(each.about);
    });
  }

  void projects() {
    const auto count = size_.projects;
    copy_each(on_,
              "COPY projects (id, user_id, userkey, banner_image_url, is_promoted, show_archived, description,"
              " created_at, updated_at, comment_count) FROM STDIN (FORMAT binary)",
              count, deadline_, [this](binary_rows& out, std::int32_t i) {
                const auto r = dice(9, static_cast<std::uint64_t>(i));
                out.row(10);
                out.int4(i);
                out.int4(size_.profiles + i);
                out.text("service:x.com:" + project_account(i));
                out.text("https://banners.example/" + lower(project_name(i)) + ".png");
                out.boolean(r % 9 == 0);
                out.boolean(demo_archived_project(i));
                out.text(words::about[static_cast<std::size_t>(i - 1) % words::about.size()]);
                out.time(now_ - std::chrono::days{250});
                out.time(now_ - std::chrono::days{r % 200});
                out.int8(static_cast<std::int64_t>(r >> 8 & 63));
              });
    copy_each(on_, "COPY project_links (project_id, position, type, url) FROM STDIN (FORMAT binary)", 2 * count, deadline_,
              [](binary_rows& out, std::int32_t i) {
                const auto project = (i + 1) / 2;
                const bool site = i % 2 == 1;
                out.row(4);
                out.int4(project);
                out.int4(site ? 0 : 1);
                out.text(site ? "WEBSITE" : "TWITTER");
                out.text((site ? "https://" : "https://x.com/") + lower(project_name(project)) + (site ? ".example" : ""));
              });
    copy_each(on_, "COPY project_team (project_id, profile_id) FROM STDIN (FORMAT binary)",
              size_.profiles >= 3 ? 2 * count : 0, deadline_, [this](binary_rows& out, std::int32_t i) {
                const auto project = (i + 1) / 2;
                out.row(2);
                out.int4(project);
                out.int4(1 + (project * 2 + i % 2) % size_.profiles);
              });
    const auto attach = [&](const char* sql, std::size_t among) {
      copy_each(on_, sql, count, deadline_, [among](binary_rows& out, std::int32_t i) {
        out.row(2);
        out.int4(i);
        out.int4(1 + i % static_cast<std::int32_t>(among));
      });
    };
    attach("COPY project_categories (project_id, category_id) FROM STDIN (FORMAT binary)", words::categories.size());
    attach("COPY project_chains (project_id, chain_id) FROM STDIN (FORMAT binary)", words::chains.size());
  }

  connection& on_;
  demo_size size_;
  timestamp now_;
  const attestation_hasher& hash_;
  steady_time deadline_;
};

} // namespace

std::vector<demo_account> demo_accounts(std::int32_t profiles) {
  std::vector<demo_account> out;
  for (std::int32_t i = 1; i <= std::min<std::int32_t>(10, profiles); ++i) {
    const auto& wallet = words::wallets[static_cast<std::size_t>(i - 1)];
    demo_account account;
    account.profile = profile_id{i};
    account.name = name_of(i);
    account.username = handle_of(i);
    account.address = wallet.address;
    account.private_key = wallet.key;
    account.embedded_wallet = hex_text(made_up_address(8, i));
    account.userkeys = {"profileId:" + std::to_string(i), "address:" + lower(std::string{wallet.address}),
                        "service:x.com:" + x_account(i), "service:discord:" + discord_account(i)};
    account.xp = xp_of(i);
    account.admin = i == 1;
    account.api_access = i != 9;
    out.push_back(std::move(account));
  }
  return out;
}

bool has_data(connection& on, steady_time deadline) {
  return on.exec_params("SELECT EXISTS (SELECT 1 FROM users)", deadline).boolean(0, 0);
}

demo_report load_demo(connection& on, const demo_size& size, timestamp now, const attestation_hasher& hash,
                      steady_time deadline) {
  if (size.profiles < 1 || size.projects < 1 || size.votes < 0)
    throw std::invalid_argument("at least one profile and one project are needed");
  const auto most = demo_votes_max(size);
  if (size.votes > most)
    throw std::invalid_argument(std::to_string(size.profiles) + " profiles can cast at most " + std::to_string(most)
                                + " votes on " + std::to_string(size.projects) + " projects; "
                                + std::to_string(size.votes) + " were asked for");
  transaction all_of_it{on, deadline};
  loader load{on, size, now, hash, deadline};
  load.people();
  load.listings();
  const auto periods = load_demo_history(on, size, now, deadline);
  all_of_it.commit(deadline);
  on.exec("ANALYZE", deadline);
  return {size.profiles, size.projects, size.votes, periods};
}

} // namespace credence::persistence
