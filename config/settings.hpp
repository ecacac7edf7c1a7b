#pragma once

#include "config/secret.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

/// Everything an operator may set, one plain struct per folder. Defaults here
/// are the product's defaults; load.hpp fills in flags, environment and file.
namespace credence::settings {

using std::chrono::milliseconds;

/// So many requests in that time, and so many at once. A count of 0: no bound.
struct rate {
  std::uint32_t count = 0;
  std::chrono::seconds per{1};
  std::uint32_t burst = 0;
};

struct http {
  std::string address = "127.0.0.1"; // public listener
  std::uint16_t port = 8080;         // 0: any free port
  std::string operator_address = "127.0.0.1";
  std::uint16_t operator_port = 9464; // 0: any free port
  /// Serve on other addresses than loopback although the demo's wallets, whose keys are public, are in the database.
  bool public_demo = false;
  std::uint32_t io_threads = 0; // 0: one per core, at most 4
  /// Absolute base of links in answers, without a trailing slash.
  std::string public_url = "http://127.0.0.1:8080";
  /// Where holes are told of, as /.well-known/security.txt says (RFC 9116): a mailto: or https: URI; empty: there is no
  /// such file.
  std::string security_contact;
  std::uint32_t connections_max = 12000;
  std::uint32_t connections_per_address_max = 256; // IPv6 by /64; of those behind a trusted proxy, requests at once
  std::uint32_t requests_per_connection_max = 0;   // 0: no bound
  std::size_t header_bytes_max = 16 * 1024;
  std::size_t body_bytes_max = 64 * 1024;
  milliseconds header_timeout{10000};  // total, from the first byte of a request
  milliseconds request_timeout{30000}; // total, header and body
  milliseconds idle_timeout{80000};    // between requests; longer than proxies keep a connection
  milliseconds write_timeout{10000};
  milliseconds answer_timeout{2500}; // handler's deadline; then 503
  std::uint32_t requests_in_flight_max = 20000;
  /// Answers that clients have not taken yet, in bytes; a quarter of it for one address.
  std::size_t unsent_bytes_max = 128 * 1024 * 1024;
  /// Latency at saturation is about this over the throughput. 0: no bound.
  std::uint32_t writes_in_flight_max = 768;
  /// Proxies whose X-Forwarded-For is believed: addresses and networks.
  std::vector<std::string> trusted_proxies;
  /// Origins whose pages may call with credentials.
  std::vector<std::string> allowed_origins;
  /// Names by which the operator listener is called, besides addresses and localhost.
  std::vector<std::string> operator_hosts;
  /// `METHOD path YYYY-MM-DD [YYYY-MM-DD] [link]`: deprecated since, sunset, where it says why.
  std::vector<std::string> deprecations;
  /// false: none of the rates below holds.
  bool rate_limits = true;
  rate rate_read{200, std::chrono::seconds{1}, 2000};
  rate rate_write{50, std::chrono::seconds{1}, 500};
  rate rate_wallet{10, std::chrono::minutes{1}, 30};
  rate rate_admin{5, std::chrono::seconds{1}, 20};
  rate rate_anonymous{20, std::chrono::seconds{1}, 200};  // all of them together
  rate rate_credentials{5, std::chrono::seconds{1}, 100}; // refused ones, per address
  rate rate_address{500, std::chrono::seconds{1},
                    5000}; // of all without a credential at one address, whatever they call themselves
  /// What an ether costs in US dollars, as decimal text; empty: nothing is told in dollars.
  std::string eth_price_usd;
  /// Keep the deprecated `stats.vouch` past its removal date.
  bool keep_stats_vouch = false;
  /// Removal date of `stats.vouch`: gone after this day ends, UTC.
  std::string stats_vouch_removed_after = "2026-10-20";
};

struct actors {
  std::uint32_t threads = 0; // 0: one per core, at most 4
  std::uint32_t live_profiles_max = 100000;
  std::uint32_t live_projects_max = 10000;
  std::uint32_t live_markets_max = 10000;
  std::uint32_t waiting_per_profile_max = 64;
  std::uint32_t waiting_per_project_max = 4096;
  std::uint32_t waiting_per_market_max = 4096;
  std::uint32_t idempotency_keys_per_day = 200000; // answers kept of one caller
  milliseconds idle_stop{600000};                  // an entity nobody asked for this long stops
  /// `monthly`: the period advances by itself at the end of the calendar month
  /// (UTC) and by admins; `manual`: by admins only.
  std::string period_advance = "monthly";
};

struct store {
  /// libpq connection string or URL; may hold a password.
  secret database_url;
  std::uint32_t readers = 3;      // connections for what actors and admission load
  std::uint32_t list_readers = 2; // and for lists, histories and searches
  std::size_t batch_changes_max = 1024;
  std::size_t batch_bytes_max = 1024 * 1024;
  milliseconds statement_timeout{2000}; // our own deadline around libpq, per batch
  milliseconds load_timeout{2000};      // and per read
  milliseconds connect_timeout{1000};
  milliseconds reconnect_delay_max{500};
  std::uint32_t queue_max = 20000; // changes waiting for the writer
  milliseconds tidy_after{1000};   // from the start to the first round over old records
};

/// An outside identity provider whose access tokens are taken, too. All of it, or nothing.
struct provider {
  std::string issuer;
  std::string audience;
  std::string jwks;    // its keys: a file, or an https:// URL (http:// on this machine)
  std::string userkey; // whom a token speaks for, such as `address:{wallet_address}`
  bool on() const { return !issuer.empty(); }
};

struct auth {
  /// HS256 key, at least 32 bytes; empty: generated into `<data_dir>/token.key`, mode 0600.
  secret token_secret;
  /// The key that signed before: what it signed still holds.
  secret token_secret_before;
  std::string issuer = "credence";
  std::string audience = "credence-api";
  std::uint32_t clock_skew_seconds = 30;
  std::size_t verified_tokens_max = 100000; // cache, per I/O thread
  std::vector<std::int32_t> admins;         // profile ids
  /// Origin that signed messages must name, and whose host is their domain; empty: http.public_url.
  std::string origin;
  std::uint64_t chain_id = 8453;   // that signed messages must name
  std::string key_prefix = "crd_"; // of API keys
  std::uint32_t access_token_minutes = 60;
  std::uint32_t session_token_minutes = 15; // in the access cookie, then it has to be refreshed
  std::uint32_t session_days = 30;
  std::uint32_t session_idle_days = 14; // one that is not refreshed for so long ends
  bool secure_cookies = true;
  std::string same_site = "Lax";
  settings::provider provider;
};

/// Who may create a profile, and the picture that new users get.
struct people {
  bool open_registration =
    false; // true: anyone who signs with an address may create a profile; false: only invited addresses
  std::int32_t default_invites = 5;    // that a new profile may send
  std::vector<std::int32_t> attestors; // profiles that may attest accounts for any profile, besides admins
  std::string default_avatar =
    "data:image/svg+xml,%3Csvg%20xmlns='http://www.w3.org/2000/svg'%20viewBox='0%200%201%201'%3E"
    "%3Crect%20width='1'%20height='1'%20fill='%2389a'/%3E%3C/svg%3E";
};

/// Applications of others whose pages act for users through managed wallets.
struct partners {
  std::vector<std::string> origins; // of their pages; empty: there are none
  bool actions = true;              // false: no page of a partner acts for anybody
};

/// How scores are worked out.
struct score {
  std::string vouch_model = "standard"; // standard or hardened, which asks for more ether
};

/// What a market of one tier is like. Amounts are decimal text.
struct market_tier {
  std::int64_t liquidity = 0;    // in votes: the more, the less a vote moves the price
  std::string base_price_wei;    // both prices together
  std::string creation_cost_wei; // stays locked in the market
};

/// Markets of trust and distrust.
struct market {
  market_tier high_risk{200, "10000000000000000", "50000000000000000"};
  market_tier normal{1500, "10000000000000000", "100000000000000000"};
  market_tier low_risk{5000, "10000000000000000", "200000000000000000"};
  std::int32_t entry_fee_bps = 100; // of a purchase, for the service
  std::int32_t donation_bps = 100;  // of a purchase, for the market's owner
  std::int32_t exit_fee_bps = 100;  // of a sale, for the service
};

/// Where market news come from: the API of X, version 2, or what speaks it.
struct news {
  std::string base_url;       // such as https://api.x.com; empty: there are no news, nothing is asked
  secret token;               // bearer token
  milliseconds timeout{3000}; // of one request
  bool on() const { return !base_url.empty(); }
};

/// The chain that is followed, if any.
struct chain {
  std::uint64_t id = 8453;
  /// JSON-RPC URLs, those first that are preferred, with commas between them; they may hold keys. Empty: no chain is
  /// followed.
  secret endpoints;
  std::uint64_t start_block = 0;      // the first one whose events count, such as that of the contracts' deployment
  std::vector<std::string> contracts; // `name=0x…`, by the names of contracts in event records
  std::uint32_t confirmations = 2;    // the newest blocks are left alone
  milliseconds poll{2000};            // between looks at the head
  std::uint32_t range_max = 10000;    // blocks asked for at a time
  milliseconds timeout{10000};        // of one request
  milliseconds unavailable_after{10000};
  bool required = false;          // the service is ready only while the chain is followed
  std::vector<std::string> kinds; // of records that are made of events; each of the others comes over the API
  std::uint32_t id_offset = 0;    // added to the ids of contracts
  std::string authority = "safe"; // which block rights rest on: safe, finalized, or so many blocks behind the newest
  /// Basis points of vouches until their contract tells of others: to the protocol, to the subject, to earlier
  /// vouchers, and when they end.
  std::string vouch_fees = "100/100/400/100";
  /// Functions that return a bond, and by whom a profile was invited, as Solidity declares them; empty: these are not
  /// read.
  std::string bond_getter;
  std::string invite_getter = "inviteInfoForProfileId(uint256) returns ((address[] sent, uint256[] acceptedIds, "
                              "uint256 available, uint256 invitedBy))";
  bool on() const { return !endpoints.empty(); }
};

/// The master keys that seal the keys of managed wallets (auth/master_keys.hpp).
struct wallet_keys {
  secret master_key;           // 64 hexadecimal digits; or in a file, which auth/ reads into locked memory
  std::string master_key_file; // mode 0600 or 0400
  std::int32_t master_version = 1;
  secret master_key_before; // of the version before
  std::string master_key_before_file;
  bool on() const { return !master_key.empty() || !master_key_file.empty(); }
};

/// Functions that managed wallets run, as Solidity declares them; their parameters take values by name
/// (actors/wallets/action_calls.hpp).
struct wallet_functions {
  std::string add_review =
    "addReview(uint8 score, address subject, address paymentToken, string comment, string metadata, "
    "(string account, string service) attestationDetails)";
  std::string edit_review = "editReview(uint256 reviewId, string comment, string metadata)";
  std::string archive_review = "archiveReview(uint256 reviewId)";
  std::string vote = "voteFor(address targetContract, uint256 targetId, bool isUpvote)";
  std::string add_reply = "addReply(address targetContract, uint256 parentId, string content, string metadata)";
  std::string invite = "inviteAddress(address invitee)";
  std::string uninvite = "uninviteUser(address invitee)";
  std::string create_bond, archive_bond; // empty: wallets neither make bonds nor end them
  std::string errors;                    // of the contracts, with blanks between them, such as `SelfReview(address)`
};

/// What managed wallets may sign, and how they send it. Amounts are decimal text, in wei.
struct wallet_signing {
  bool signing = true;                             // false: nothing is signed
  std::string fee_max_wei = "200000000000";        // for a unit of gas
  std::string priority_fee_max_wei = "5000000000"; // of that, for the block's producer
  std::string priority_fee_least_wei = "1000000";  // to the producer, also where others pay nothing
  std::uint64_t gas_max = 2'000'000;               // of one transaction
  std::string value_max_wei = "10000000000000000"; // that one action sends along
  std::uint32_t signatures_per_day = 500;          // of one wallet, by UTC days
  std::uint32_t in_flight_max = 16;                // transactions of one wallet that are in no block yet
  milliseconds stuck_after{60000};                 // then a transaction is replaced by one with a higher fee
  milliseconds node_timeout{2000}; // of one request; shorter than http.answer_timeout, so that whoever waits is told
  std::uint32_t node_threads = 8;  // that ask nodes
  std::uint32_t key_threads = 2;   // that sign
  bool sponsor = false;            // the funding account pays for the gas of wallets that lack it
  std::string sponsor_least_wei = "20000000000000"; // that it sends at a time
  std::string sponsor_per_day_wei = "50000000000000000";
  std::string sponsor_per_wallet_wei = "1000000000000000"; // a day
};

struct log {
  std::string level = "info"; // debug, info, warn, error, off
  /// Write one line per request; failures are logged either way.
  bool requests = false;
};

/// The operator console and its API.
struct console {
  bool listener = true; // false: nothing listens for it
  std::string address = "127.0.0.1";
  std::uint16_t port = 9465; // 0: any free port
  /// Where browsers find it behind a proxy, with the proxy's prefix and without a slash at its end; empty: at its own
  /// address.
  std::string url;
  /// Origins besides its own whose pages may change anything by it.
  std::vector<std::string> origins;
  std::vector<std::int32_t> operators; // profile ids: who runs the service by it
  std::vector<std::int32_t> viewers;   // and who may look at it
};

struct all {
  std::string data_dir = "var";
  settings::http http;
  settings::actors actors;
  settings::store store;
  settings::auth auth;
  settings::people people;
  settings::market market;
  settings::news news;
  settings::log log;
  settings::chain chain;
  settings::score score;
  settings::partners partners;
  settings::wallet_keys wallet_keys;
  settings::wallet_signing wallet_signing;
  settings::wallet_functions wallet_functions;
  settings::console console;
};

} // namespace credence::settings
