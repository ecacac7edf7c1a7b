#include "config/load.hpp"

#include "config/limits.hpp"
#include "config/setting_table.hpp"

#include <toml++/toml.h>

#include <algorithm>
#include <optional>
#include <sstream>

namespace credence::settings {

namespace {

#define CREDENCE_AT(member)                                                                                            \
  [](all & s) -> auto& { return s.member; }

void http_listeners(table& t) {
  t.checked("http.address", "", "address of the public listener", CREDENCE_AT(http.address), is_address,
            "an IPv4 or IPv6 address such as 127.0.0.1, 0.0.0.0 or ::");
  t.number("http.port", "--port", "port of the public listener, 0 for any free one", 0, 65535, CREDENCE_AT(http.port));
  t.checked("http.operator_address", "", "address of the operator listener (metrics, health)",
            CREDENCE_AT(http.operator_address), is_address, "an IPv4 or IPv6 address such as 127.0.0.1");
  t.number("http.operator_port", "--operator-port", "port of the operator listener, 0 for any free one", 0, 65535,
           CREDENCE_AT(http.operator_port));
  t.flag("http.public_demo",
         "serve others than this machine although the database holds the demo's wallets, whose keys are public",
         CREDENCE_AT(http.public_demo));
  t.number("http.io_threads", "", "threads that serve connections, 0 for one per core", 0, 64,
           CREDENCE_AT(http.io_threads));
  t.text("http.public_url", "--public-url", "absolute base of links in answers", CREDENCE_AT(http.public_url));
  t.checked("http.security_contact", "",
            "where holes are told of, for /.well-known/security.txt; empty: there is no such file",
            CREDENCE_AT(http.security_contact), is_contact_or_none,
            "a URI such as mailto:security@example.org or https://example.org/security, or nothing");
}

void http_bounds(table& t) {
  t.number("http.connections_max", "", "open connections", 1, 1000000, CREDENCE_AT(http.connections_max));
  t.number("http.connections_per_address_max", "",
           "open connections of one address (IPv6: of a /64); behind a trusted proxy its requests at once", 1, 1000000,
           CREDENCE_AT(http.connections_per_address_max));
  t.number("http.requests_per_connection_max", "", "requests before a connection is closed, 0 for no bound", 0,
           1000000000, CREDENCE_AT(http.requests_per_connection_max));
  t.number("http.header_bytes_max", "", "bytes of a request's header", 1024, 1048576,
           CREDENCE_AT(http.header_bytes_max));
  t.number("http.body_bytes_max", "", "bytes of a request's body", 1024, 16777216, CREDENCE_AT(http.body_bytes_max));
  t.milliseconds_of("http.header_timeout", "time for a request's header", 100, 600000,
                    CREDENCE_AT(http.header_timeout));
  t.milliseconds_of("http.request_timeout", "time for a whole request", 100, 600000, CREDENCE_AT(http.request_timeout));
  t.milliseconds_of("http.idle_timeout", "time between requests", 100, 3600000, CREDENCE_AT(http.idle_timeout));
  t.milliseconds_of("http.write_timeout", "time for a client to take its answer", 100, 600000,
                    CREDENCE_AT(http.write_timeout));
  t.milliseconds_of("http.answer_timeout", "time to answer before 503", 100, 60000, CREDENCE_AT(http.answer_timeout));
  t.number("http.requests_in_flight_max", "", "requests worked on at once", 1, 1000000,
           CREDENCE_AT(http.requests_in_flight_max));
  t.number("http.unsent_bytes_max", "", "bytes of answers that clients have not taken yet; large reads past it get 503",
           1048576, 17179869184, CREDENCE_AT(http.unsent_bytes_max));
  t.number("http.writes_in_flight_max", "",
           "writes worked on at once, 0 for no bound; latency at saturation is about this over the throughput", 0,
           1000000, CREDENCE_AT(http.writes_in_flight_max));
}

void http_lists(table& t) {
  t.texts("http.trusted_proxies",
          "proxies whose X-Forwarded-For is believed: addresses and networks, separated by commas",
          CREDENCE_AT(http.trusted_proxies), is_network,
          "addresses and networks such as 127.0.0.1 and 10.0.0.0/8, separated by commas");
  t.texts(
    "http.allowed_origins", "origins whose pages may call with credentials, separated by commas",
    CREDENCE_AT(http.allowed_origins), is_origin,
    "origins such as https://app.example.org, in lower case and with nothing behind the host, separated by commas");
  t.texts("http.operator_hosts",
          "names by which the operator listener is called besides localhost and addresses, separated by commas",
          CREDENCE_AT(http.operator_hosts), is_host_name,
          "host names in lower case without a port such as credence-1.example.org, separated by commas");
  t.texts(
    "http.deprecations",
    "endpoints announced as deprecated: METHOD path since [sunset] [link], days as YYYY-MM-DD, separated by commas",
    CREDENCE_AT(http.deprecations), is_any, "");
}

void http_rates(table& t) {
  t.flag("http.rate_limits", "bound the requests of each caller", CREDENCE_AT(http.rate_limits));
  t.rate_of("http.rate_read", "reads of one caller", CREDENCE_AT(http.rate_read));
  t.rate_of("http.rate_write", "writes of one caller", CREDENCE_AT(http.rate_write));
  t.rate_of("http.rate_wallet", "sign-ins, new keys, new markets and actions of managed wallets of one caller",
            CREDENCE_AT(http.rate_wallet));
  t.rate_of("http.rate_admin", "requests of one caller to what is for admins", CREDENCE_AT(http.rate_admin));
  t.rate_of("http.rate_anonymous", "requests of all callers without a credential or X-Service-Client together",
            CREDENCE_AT(http.rate_anonymous));
  t.rate_of("http.rate_credentials", "requests of one address with a credential that is refused",
            CREDENCE_AT(http.rate_credentials));
  t.rate_of("http.rate_address",
            "requests of one address without a credential, whatever name they come under (IPv6: of a /64)",
            CREDENCE_AT(http.rate_address));
}

void http_prices(table& t) {
  t.checked("http.eth_price_usd", "", "what an ether costs in US dollars; empty: nothing is told in dollars",
            CREDENCE_AT(http.eth_price_usd), is_dollars,
            "dollars above 0 and below a billion such as 3210.5, with at most 6 digits behind the point, or nothing");
}

void http_deprecated(table& t) {
  t.flag("http.keep_stats_vouch", "keep the deprecated stats.vouch past its removal date",
         CREDENCE_AT(http.keep_stats_vouch));
  t.checked("http.stats_vouch_removed_after", "", "last day of stats.vouch, YYYY-MM-DD",
            CREDENCE_AT(http.stats_vouch_removed_after), is_date, "a date such as 2026-10-20");
}

void actors_section(table& t) {
  t.number("actors.threads", "", "threads that run actors, 0 for one per core", 0, 64, CREDENCE_AT(actors.threads));
  t.number("actors.live_profiles_max", "", "profiles in memory", 1, 100000000, CREDENCE_AT(actors.live_profiles_max));
  t.number("actors.live_projects_max", "", "projects in memory", 1, 100000000, CREDENCE_AT(actors.live_projects_max));
  t.number("actors.live_markets_max", "", "markets in memory", 1, 100000000, CREDENCE_AT(actors.live_markets_max));
  t.number("actors.waiting_per_profile_max", "", "questions that wait for one profile", 1, 1000000,
           CREDENCE_AT(actors.waiting_per_profile_max));
  t.number("actors.waiting_per_project_max", "", "questions that wait for one project", 1, 1000000,
           CREDENCE_AT(actors.waiting_per_project_max));
  t.number("actors.waiting_per_market_max", "", "questions that wait for one market", 1, 1000000,
           CREDENCE_AT(actors.waiting_per_market_max));
  t.number("actors.idempotency_keys_per_day", "",
           "answers kept of one caller in a day, for requests with an Idempotency-Key", 1, 100000000,
           CREDENCE_AT(actors.idempotency_keys_per_day));
  t.milliseconds_of("actors.idle_stop", "time without a question before an entity leaves memory", 1000, 86400000,
                    CREDENCE_AT(actors.idle_stop));
  t.text("actors.period_advance", "", "when voting periods advance", CREDENCE_AT(actors.period_advance),
         {"monthly", "manual"});
}

void store_section(table& t) {
  t.secret_text("store.database_url", "--database-url", "PostgreSQL connection string or URL",
                CREDENCE_AT(store.database_url));
  t.number("store.readers", "", "connections for what actors load", 1, 64, CREDENCE_AT(store.readers));
  t.number("store.list_readers", "", "connections for lists, histories and searches", 1, 64,
           CREDENCE_AT(store.list_readers));
  t.number("store.batch_changes_max", "", "changes in one transaction", 1, 65536, CREDENCE_AT(store.batch_changes_max));
  t.number("store.batch_bytes_max", "", "bytes in one transaction", 1024, 67108864, CREDENCE_AT(store.batch_bytes_max));
  t.milliseconds_of("store.statement_timeout", "time for a batch before its outcome is in doubt", 100, 60000,
                    CREDENCE_AT(store.statement_timeout));
  t.milliseconds_of("store.load_timeout", "time for a read", 100, 60000, CREDENCE_AT(store.load_timeout));
  t.milliseconds_of("store.connect_timeout", "time to connect to a host", 100, 60000,
                    CREDENCE_AT(store.connect_timeout));
  t.milliseconds_of("store.reconnect_delay_max", "longest pause between attempts to connect", 10, 60000,
                    CREDENCE_AT(store.reconnect_delay_max));
  t.number("store.queue_max", "", "changes that wait for the writer", 1, 1000000, CREDENCE_AT(store.queue_max));
}

void auth_tokens(table& t) {
  t.secret_text("auth.token_secret", "", "key that signs access tokens, at least 32 bytes; empty: made in data_dir",
                CREDENCE_AT(auth.token_secret), limits::token_secret_bytes_min);
  t.secret_text("auth.token_secret_before", "", "key that was auth.token_secret before: what it signed still holds",
                CREDENCE_AT(auth.token_secret_before), limits::token_secret_bytes_min);
  t.text("auth.issuer", "", "issuer of access tokens", CREDENCE_AT(auth.issuer));
  t.text("auth.audience", "", "audience of access tokens", CREDENCE_AT(auth.audience));
  t.number("auth.clock_skew_seconds", "", "seconds by which clocks may differ", 0, 3600,
           CREDENCE_AT(auth.clock_skew_seconds));
  t.number("auth.verified_tokens_max", "", "verified tokens remembered per thread", 1, 100000000,
           CREDENCE_AT(auth.verified_tokens_max));
  t.ids("auth.admins", "--admin", "profile ids of admins", CREDENCE_AT(auth.admins));
}

void auth_wallets(table& t) {
  t.text("auth.origin", "", "origin that signed messages name, such as https://api.example; empty: http.public_url",
         CREDENCE_AT(auth.origin));
  t.number("auth.chain_id", "", "chain that signed messages name", 1, 9007199254740991, CREDENCE_AT(auth.chain_id));
  t.text("auth.key_prefix", "", "what API keys begin with", CREDENCE_AT(auth.key_prefix));
}

void auth_sessions(table& t) {
  t.number("auth.access_token_minutes", "", "life of an access token", 1, 1440, CREDENCE_AT(auth.access_token_minutes));
  t.number("auth.session_token_minutes", "", "life of the token in the access cookie", 1, 1440,
           CREDENCE_AT(auth.session_token_minutes));
  t.number("auth.session_days", "", "life of a browser's session", 1, 365, CREDENCE_AT(auth.session_days));
  t.number("auth.session_idle_days", "", "a session that is not refreshed for so long ends", 1, 365,
           CREDENCE_AT(auth.session_idle_days));
  t.flag("auth.secure_cookies", "cookies are sent over TLS only", CREDENCE_AT(auth.secure_cookies));
  t.text("auth.same_site", "", "SameSite of cookies", CREDENCE_AT(auth.same_site), {"Lax", "Strict", "None"});
}

void auth_provider(table& t) {
  t.text("auth.provider.issuer", "", "issuer of an outside identity provider's access tokens; empty: there is none",
         CREDENCE_AT(auth.provider.issuer));
  t.text("auth.provider.audience", "", "audience of its tokens", CREDENCE_AT(auth.provider.audience));
  t.text("auth.provider.jwks", "", "its keys (JWKS): a file or an https:// URL", CREDENCE_AT(auth.provider.jwks));
  t.text("auth.provider.userkey", "",
         "whom its tokens speak for: a userkey with a claim's name, such as address:{wallet_address}",
         CREDENCE_AT(auth.provider.userkey));
}

void market_tiers(table& t) {
  t.number("market.volatile.liquidity", "", "liquidity of new VOLATILE markets, in votes", 1, 1000000000,
           CREDENCE_AT(market.high_risk.liquidity));
  t.checked("market.volatile.base_price_wei", "", "both prices of new VOLATILE markets together, in wei",
            CREDENCE_AT(market.high_risk.base_price_wei), is_price, "a whole number of wei from 1 to 10^24");
  t.checked("market.volatile.creation_cost_wei", "", "what a VOLATILE market costs, in wei",
            CREDENCE_AT(market.high_risk.creation_cost_wei), is_price, "a whole number of wei from 1 to 10^24");
  t.number("market.normal.liquidity", "", "liquidity of new NORMAL markets, in votes", 1, 1000000000,
           CREDENCE_AT(market.normal.liquidity));
  t.checked("market.normal.base_price_wei", "", "both prices of new NORMAL markets together, in wei",
            CREDENCE_AT(market.normal.base_price_wei), is_price, "a whole number of wei from 1 to 10^24");
  t.checked("market.normal.creation_cost_wei", "", "what a NORMAL market costs, in wei",
            CREDENCE_AT(market.normal.creation_cost_wei), is_price, "a whole number of wei from 1 to 10^24");
  t.number("market.insulated.liquidity", "", "liquidity of new INSULATED markets, in votes", 1, 1000000000,
           CREDENCE_AT(market.low_risk.liquidity));
  t.checked("market.insulated.base_price_wei", "", "both prices of new INSULATED markets together, in wei",
            CREDENCE_AT(market.low_risk.base_price_wei), is_price, "a whole number of wei from 1 to 10^24");
  t.checked("market.insulated.creation_cost_wei", "", "what a INSULATED market costs, in wei",
            CREDENCE_AT(market.low_risk.creation_cost_wei), is_price, "a whole number of wei from 1 to 10^24");
}

void market_fees(table& t) {
  t.number("market.entry_fee_bps", "", "fee on purchases, in basis points", 0, 500, CREDENCE_AT(market.entry_fee_bps));
  t.number("market.donation_bps", "", "share of purchases for the market's owner, in basis points", 0, 500,
           CREDENCE_AT(market.donation_bps));
  t.number("market.exit_fee_bps", "", "fee on sales, in basis points", 0, 500, CREDENCE_AT(market.exit_fee_bps));
}

void news_section(table& t) {
  t.text("news.base_url", "",
         "where market news come from: the API of X (v2), such as https://api.x.com; empty: nowhere",
         CREDENCE_AT(news.base_url));
  t.secret_text("news.token", "", "bearer token for news.base_url", CREDENCE_AT(news.token));
  t.milliseconds_of("news.timeout", "time for a request to news.base_url", 100, 30000, CREDENCE_AT(news.timeout));
}

void log_section(table& t) {
  t.text("log.level", "", "least level that is logged", CREDENCE_AT(log.level),
         {"debug", "info", "warn", "error", "off"});
  t.flag("log.requests", "log a line for every request", CREDENCE_AT(log.requests));
}

/// All settings in the order in which they are shown.
table everything() {
  table t;
  t.text("data_dir", "", "directory for keys and demo data", CREDENCE_AT(data_dir));
  http_listeners(t);
  console_listener(t);
  http_bounds(t);
  http_lists(t);
  http_rates(t);
  http_prices(t);
  http_deprecated(t);
  actors_section(t);
  store_section(t);
  auth_tokens(t);
  console_roles(t);
  auth_wallets(t);
  auth_sessions(t);
  auth_provider(t);
  people_section(t);
  score_section(t);
  partner_section(t);
  market_tiers(t);
  market_fees(t);
  news_section(t);
  chain_section(t);
  wallet_keys_section(t);
  wallet_signing_section(t);
  log_section(t);
  return t;
}

#undef CREDENCE_AT

const std::vector<setting>& settings_table() {
  static const auto list = everything().entries;
  return list;
}

std::size_t distance(const std::string& a, const std::string& b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j)
    row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    auto diagonal = row[0]++;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const auto above = row[j];
      row[j] = std::min({above + 1, row[j - 1] + 1, diagonal + (a[i - 1] != b[j - 1])});
      diagonal = above;
    }
  }
  return row[b.size()];
}

template <class Spell>
std::string nearest_setting(const std::string& wrong, Spell spell) {
  std::vector<std::string> known;
  for (const auto& each : settings_table())
    known.push_back(spell(each.about.name));
  return nearest(wrong, known);
}

class loading {
public:
  void file(const std::string& path) {
    toml::table root;
    try {
      root = toml::parse_file(path);
    } catch (const toml::parse_error& error) {
      std::ostringstream where;
      where << path;
      if (error.source().begin.line > 0)
        where << ":" << error.source().begin.line;
      out.mistakes.push_back(where.str() + ": " + std::string{error.description()});
      return;
    }
    walk(root, "");
  }

  void environment(const std::vector<std::string>& variables) {
    for (const auto& each : variables) {
      const auto mark = each.find('=');
      if (mark == std::string::npos || !each.starts_with("CREDENCE_"))
        continue;
      const auto name = each.substr(0, mark);
      if (name == "CREDENCE_CONFIG")
        continue; // names the file
      const auto* found = find([&](const setting& s) { return variable_of(s.about.name) == name; });
      if (!found)
        out.mistakes.push_back("environment: " + name + " is not a setting; did you mean "
                               + nearest_setting(name, variable_of) + "?");
      else
        take(*found, each.substr(mark + 1), "environment", name);
    }
  }

  void flags(const given_flags& given) {
    for (const auto& [name, value] : given)
      if (const auto* found = find([&, wanted = name](const setting& s) { return s.about.name == wanted; }))
        take(*found, value, "flag", flag_of(name));
  }

  loaded finish() {
    for (const auto& each : settings_table()) {
      const auto& name = each.about.name;
      const auto found = origins_.find(name);
      if (name.ends_with("_file") && found == origins_.end())
        continue;
      out.list.push_back({name, name.ends_with("_file") ? given_[name] : each.tell(out.values),
                          found == origins_.end() ? "default" : found->second});
    }
    while (!out.values.http.public_url.empty() && out.values.http.public_url.back() == '/')
      out.values.http.public_url.pop_back();
    return std::move(out);
  }

  loaded out;

private:
  template <class Is>
  static const setting* find(Is is) {
    const auto& list = settings_table();
    const auto found = std::find_if(list.begin(), list.end(), is);
    return found == list.end() ? nullptr : &*found;
  }

  void take(const setting& setting, const std::string& text, const std::string& origin, const std::string& spelled) {
    if (const auto wanted = setting.take(out.values, text)) {
      out.mistakes.push_back(origin + ": " + spelled + " is " + (setting.about.is_secret ? "***" : "'" + text + "'")
                             + ", but must be " + *wanted);
      return;
    }
    origins_[setting.about.name] = origin;
    given_[setting.about.name] = text;
  }

  void walk(const toml::table& at, const std::string& prefix) {
    for (const auto& [key, node] : at) {
      const auto name = prefix + std::string{key.str()};
      if (const auto* deeper = node.as_table()) {
        walk(*deeper, name + ".");
        continue;
      }
      const auto origin = "file:" + std::to_string(node.source().begin.line);
      const auto* found = find([&](const setting& s) { return s.about.name == name; });
      if (!found) {
        out.mistakes.push_back(origin + ": " + name + " is not a setting; did you mean "
                               + nearest_setting(name, [](const std::string& n) { return n; }) + "?");
        continue;
      }
      if (const auto text = as_text(node))
        take(*found, *text, origin, name);
      else
        out.mistakes.push_back(origin + ": " + name + " has a value of the wrong type");
    }
  }

  static std::optional<std::string> as_text(const toml::node& node) {
    if (const auto* text = node.as_string())
      return text->get();
    if (const auto* number = node.as_integer())
      return std::to_string(number->get());
    if (const auto* flag = node.as_boolean())
      return flag->get() ? "true" : "false";
    if (const auto* list = node.as_array()) {
      std::string out;
      for (const auto& each : *list) {
        const auto text = each.is_array() ? std::nullopt : as_text(each);
        if (!text)
          return std::nullopt;
        out += (out.empty() ? "" : ",") + *text;
      }
      return out;
    }
    return std::nullopt;
  }

  std::map<std::string, std::string> origins_;
  std::map<std::string, std::string> given_;
};

} // namespace

std::string nearest(const std::string& wrong, const std::vector<std::string>& known) {
  const auto best = std::min_element(known.begin(), known.end(), [&](const std::string& a, const std::string& b) {
    return distance(wrong, a) < distance(wrong, b);
  });
  return best == known.end() ? std::string{} : *best;
}

const std::vector<description>& descriptions() {
  static const auto list = [] {
    std::vector<description> out;
    for (const auto& each : settings_table())
      out.push_back(each.about);
    return out;
  }();
  return list;
}

std::string flag_of(const std::string& name) {
  auto out = "--" + name;
  std::replace_if(
    out.begin(), out.end(), [](char c) { return c == '.' || c == '_'; }, '-');
  return out;
}

std::string variable_of(const std::string& name) {
  std::string out = "CREDENCE_";
  for (const char c : name)
    out += c == '.' ? '_' : static_cast<char>(c >= 'a' && c <= 'z' ? c - 32 : c);
  return out;
}

loaded load(const given_flags& flags, const std::vector<std::string>& environment, const std::string& file) {
  loading work;
  if (!file.empty())
    work.file(file);
  work.environment(environment);
  work.flags(flags);
  return work.finish();
}

} // namespace credence::settings
