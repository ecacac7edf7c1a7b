#include "actors/domain/address.hpp"
#include "actors/domain/text.hpp"
#include "ops/demo/parts.hpp"
#include "ops/demo/words.hpp"

namespace credence::persistence {

namespace {

namespace words = demo_words;

constexpr std::int32_t issuer_account = 0;
constexpr std::int32_t burn_account = -1;
constexpr std::int64_t vote_cost = 5;
constexpr std::int32_t active_spenders = 2000; // more would only make the ledger longer

bool spends(std::int32_t profile) { return profile > demo_account_count && profile % 4 == 0; }

std::array<std::byte, 20> made_up_address(std::uint64_t kind, std::int32_t profile) {
  std::array<std::byte, 20> out{};
  for (std::size_t i = 0; i < out.size(); ++i)
    out[i] = static_cast<std::byte>(demo_dice(kind, std::int64_t{profile} * 4 + static_cast<std::int64_t>(i / 8))
                                    >> (i % 8 * 8));
  return out;
}

/// PostgreSQL's binary form of numeric, for `thousandths` of an ether in wei.
std::string wei_from_milliether(std::uint32_t thousandths) {
  // Digits to the base of 10,000: those of thousandths * 1000, then three that are zero
  // (10^12) and left out; the weight says where the first one stands.
  const auto amount = std::uint64_t{thousandths} * 1000;
  const std::array<std::uint64_t, 4> digits{amount / 1'000'000'000'000, amount / 100'000'000 % 10000,
                                            amount / 10000 % 10000, amount % 10000};
  const auto first = std::find_if(digits.begin(), digits.end(), [](auto digit) { return digit != 0; });
  const auto count = digits.end() - first;
  std::string out;
  const auto put = [&out](std::uint64_t value) {
    out += static_cast<char>(value >> 8 & 0xFF);
    out += static_cast<char>(value & 0xFF);
  };
  put(static_cast<std::uint64_t>(count));
  put(static_cast<std::uint64_t>(count == 0 ? 0 : count - 1 + 3));
  put(0); // positive
  put(0); // no decimals
  std::for_each(first, digits.end(), put);
  return out;
}

class people_loader {
public:
  people_loader(connection& on, const demo_size& size, timestamp now, const attestation_hasher& hash,
                steady_time deadline, ops::progress& told)
    : on_(on), size_(size), now_(now), ring_(size, now), hash_(hash), deadline_(deadline), told_(told) {}

  void load() {
    users();
    profiles();
    addresses();
    attestations();
    x_usernames();
    xp();
  }

private:
  template <class Fill>
  void copy(const char* part, const char* sql, std::int32_t count, Fill fill) {
    told_.begin(part, count, count);
    demo_copy_each(on_, sql, count, deadline_, [&](binary_rows& out, std::int32_t i) {
      fill(out, i);
      told_.at(i);
    });
  }

  /// People joined one after the other over half a year, before the first period; those who act as one joined much
  /// later.
  timestamp born(std::int32_t profile) const {
    if (ring_.has(profile))
      return ring_.joined(profile);
    return now_ - std::chrono::days{400} + std::chrono::seconds{std::int64_t{profile} * 15'000'000 / size_.profiles};
  }

  /// So many days after somebody joined, as far as that is over.
  timestamp after_birth(std::int32_t profile, std::chrono::days later) const {
    return std::min(born(profile) + later, std::max(born(profile), now_ - std::chrono::hours{1}));
  }

  std::int32_t inviter_of(std::int32_t profile) const {
    if (ring_.has(profile) && profile > ring_.first())
      return ring_.first();
    // Whoever joined before.
    const auto others = (ring_.empty() ? profile : std::min(profile, ring_.first())) - 1;
    return 1 + static_cast<std::int32_t>(demo_dice(6, profile) % static_cast<std::uint64_t>(others));
  }

  void users() {
    copy("users",
         "COPY users (id, display_name, username, avatar_url, description, score, status, xp_streak_days,"
         " human_verification, validator_nft_count, holdings_wei,"
         " validator_acquired_at, verifier_blocked)"
         " FROM STDIN (FORMAT binary)",
         size_.profiles + size_.projects, [this](binary_rows& out, std::int32_t i) {
           if (i <= size_.profiles)
             person(out, i);
           else
             listed(out, i);
         });
  }

  void person(binary_rows& out, std::int32_t i) const {
    const auto r = demo_dice(4, i);
    const auto handle = demo_handle(i);
    static constexpr std::array<std::string_view, 4> names{"REQUESTED", "PENDING", "VERIFIED", "REVOKED"};
    std::optional<std::string_view> verification;
    if (i <= 3 || r % 17 == 0)
      verification = i <= 3 ? names[2] : names[r / 17 % names.size()];
    // A quarter was never computed, which is not the same as having none.
    std::optional<std::string> holdings;
    if (i <= demo_account_count || !(r >> 32 & 1 && r >> 33 & 1))
      holdings = wei_from_milliether(r >> 34 & 1 ? 0 : static_cast<std::uint32_t>(r >> 35 & 0xFFFFF));
    demo_row(out, i, demo_name(i), handle, "https://avatars.example/" + handle + ".png",
             r % 3 != 0 ? std::optional{"Member since " + std::to_string(2021 + r % 5)} : std::nullopt, demo_score(i),
             demo_archived_profile(i) ? "INACTIVE" : "ACTIVE", static_cast<std::int32_t>(r >> 8 & 63), verification,
             i <= 2 ? 1 : 0, holdings, i <= 2 ? std::optional{born(i) + std::chrono::days{20}} : std::nullopt,
             i % 61 == 0);
  }

  /// The user that a listing is about: an account at x.com that nobody has claimed.
  void listed(binary_rows& out, std::int32_t i) const {
    const auto name = demo_project_name(i - size_.profiles);
    const auto none = std::nullopt;
    demo_row(out, i, name, lower_case(name), "https://avatars.example/" + lower_case(name) + ".png", none, 1200,
             "INACTIVE", 0, none, 0, none, none, false);
  }

  void profiles() {
    copy("profiles",
         "COPY profiles (id, user_id, archived, created_at, updated_at, invites_available, invited_by, api_access)"
         " FROM STDIN (FORMAT binary)",
         size_.profiles, [this](binary_rows& out, std::int32_t i) {
           demo_row(out, i, i, demo_archived_profile(i), born(i), born(i),
                    static_cast<std::int32_t>(demo_dice(5, i) % 10),
                    i == 1 ? std::nullopt : std::optional{inviter_of(i)}, i != 9);
         });
  }

  void addresses() {
    const auto wallets = std::min(demo_account_count, size_.profiles);
    copy("addresses", "COPY addresses (address, user_id, kind, added_at) FROM STDIN (FORMAT binary)",
         size_.profiles + wallets, [this](binary_rows& out, std::int32_t i) {
           const bool embedded = i > size_.profiles;
           const auto profile = embedded ? i - size_.profiles : i;
           demo_row(out, embedded ? demo_embedded_wallet(profile) : demo_wallet(profile), profile,
                    embedded ? "embedded" : "primary", born(profile));
         });
  }

  void attestation(binary_rows& out, std::int32_t id, std::int32_t user, std::string_view service,
                   const std::string& account, const std::string& username) const {
    const bool has_profile = user <= size_.profiles;
    demo_row(out, id, hash_(service, account), user, has_profile ? std::optional{user} : std::nullopt, service, account,
             username, service == "x.com" ? std::optional{"https://x.com/" + username} : std::nullopt,
             has_profile ? born(user) : now_ - std::chrono::days{300});
  }

  void attestations() {
    const auto people = size_.profiles;
    const auto users = people + size_.projects;
    copy("attestations",
         "COPY attestations (id, hash, user_id, profile_id, service, account, username, url, created_at)"
         " FROM STDIN (FORMAT binary)",
         users + std::min(demo_account_count, people), [=, this](binary_rows& out, std::int32_t i) {
           if (i <= people)
             attestation(out, i, i, "x.com", demo_x_account(i), demo_handle(i));
           else if (i <= users)
             attestation(out, i, i, "x.com", demo_project_account(i - people),
                         lower_case(demo_project_name(i - people)));
           else
             attestation(out, i, i - users, "discord", demo_discord_account(i - users), demo_handle(i - users));
         });
  }

  /// Some have had another name before: the ten accounts, and every eighth of the others.
  static bool renamed(std::int32_t profile) { return profile <= demo_account_count || profile % 8 == 0; }

  void x_usernames() {
    std::vector<std::int32_t> who;
    for (std::int32_t i = 1; i <= size_.profiles; ++i)
      if (renamed(i))
        who.insert(who.end(), {i, i});
    const auto count = static_cast<std::int32_t>(who.size());
    copy("names at x.com", "COPY x_username_history (user_id, username, change_observed_at) FROM STDIN (FORMAT binary)",
         count, [&, this](binary_rows& out, std::int32_t row) {
           const auto profile = who[static_cast<std::size_t>(row - 1)];
           const bool first_name = row % 2 == 1;
           demo_row(out, profile, first_name ? "the_" + demo_handle(profile) : demo_handle(profile),
                    first_name ? std::nullopt : std::optional{after_birth(profile, std::chrono::days{90})});
         });
  }

  void xp() {
    constexpr auto ledger = "COPY xp_movements (from_account, to_account, amount, kind, at) FROM STDIN (FORMAT binary)";
    copy("XP", ledger, size_.profiles, [this](binary_rows& out, std::int32_t i) {
      movement(out, issuer_account, i, demo_xp(i) + (i <= active_spenders && spends(i) ? vote_cost : 0), "CLAIM",
               born(i));
    });
    // Some have spent a little since.
    const auto spenders = std::min(size_.profiles, active_spenders) / 4 - demo_account_count / 4;
    copy("XP", ledger, std::max(0, spenders), [this](binary_rows& out, std::int32_t i) {
      const auto profile = (i + demo_account_count / 4) * 4;
      movement(out, profile, burn_account, vote_cost, "VOTE_COST", after_birth(profile, std::chrono::days{30}));
    });
  }

  static void movement(binary_rows& out, std::int32_t from, std::int32_t to, std::int64_t amount, std::string_view kind,
                       timestamp at) {
    demo_row(out, from, to, amount, kind, at);
  }

  connection& on_;
  demo_size size_;
  timestamp now_;
  demo_ring ring_;
  const attestation_hasher& hash_;
  steady_time deadline_;
  ops::progress& told_;
};

} // namespace

std::string demo_name(std::int32_t profile) {
  const auto i = static_cast<std::size_t>(profile - 1);
  return std::string{words::first[i % words::first.size()]} + " "
         + std::string{words::last[(i / words::first.size() + i) % words::last.size()]};
}

std::string demo_handle(std::int32_t profile) {
  const auto i = static_cast<std::size_t>(profile - 1);
  return lower_case(words::first[i % words::first.size()]) + std::to_string(profile);
}

std::string demo_project_name(std::int32_t project) {
  const auto i = static_cast<std::size_t>(project - 1);
  std::string name{words::projects[i % words::projects.size()]};
  return i < words::projects.size() ? name : name + std::to_string(i / words::projects.size() + 1);
}

std::string demo_x_account(std::int32_t profile) {
  return std::to_string(1000000000000000000 + std::int64_t{profile} * 7919);
}
std::string demo_discord_account(std::int32_t profile) {
  return std::to_string(300000000000000000 + std::int64_t{profile} * 104729);
}
std::string demo_project_account(std::int32_t project) {
  return std::to_string(1500000000000000000 + std::int64_t{project} * 611953);
}

bool holds_demo_wallets(connection& on, steady_time deadline) {
  binary_array wallets{sql_type::bytea};
  for (const auto& each : words::wallets)
    wallets.bytes(parse_address(each.address)->bytes);
  return on
    .exec_params("SELECT EXISTS (SELECT 1 FROM addresses WHERE address = ANY($1::bytea[]))",
                 parameters{}.array(wallets), deadline)
    .value<bool>();
}

std::array<std::byte, 20> demo_wallet(std::int32_t profile) {
  return profile <= demo_account_count
           ? parse_address(words::wallets[static_cast<std::size_t>(profile - 1)].address)->bytes
           : made_up_address(7, profile);
}
std::array<std::byte, 20> demo_embedded_wallet(std::int32_t profile) { return made_up_address(8, profile); }

std::int32_t demo_score(std::int32_t profile) {
  if (profile <= demo_account_count)
    return 2850 - 150 * profile;
  // The sum of three dice: most are neutral or known, some at either end.
  const auto r = demo_dice(1, profile);
  const auto sum = static_cast<std::int32_t>((r & 0x3FF) + (r >> 10 & 0x3FF) + (r >> 20 & 0x3FF));
  return std::min(2800, 50 + sum * 2800 / 3069);
}

std::int64_t demo_xp(std::int32_t profile) {
  if (profile <= demo_account_count)
    return profile == 10 ? 50 : 5000;
  return static_cast<std::int64_t>(1 + demo_dice(2, profile) % 20000);
}

void load_demo_people(connection& on, const demo_size& size, timestamp now, const attestation_hasher& hash,
                      steady_time deadline, ops::progress& told) {
  people_loader{on, size, now, hash, deadline, told}.load();
}

} // namespace credence::persistence
