#pragma once

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace credence::load {

enum class scenario : std::uint8_t { constant, votes, balance, voters, listings, score, tips, trades, market };

/// A stretch of the open loop.
struct phase {
  double rate = 0; // requests per second
  double seconds = 0;
};

struct options {
  std::string host = "127.0.0.1";
  std::uint16_t port = 8080;
  unsigned connections = 64;
  unsigned threads = 1;
  double seconds = 10;
  double warmup = 0;              // seconds, before those that are measured
  std::int64_t requests_most = 0; // 0: no bound
  std::vector<phase> phases;      // of the open loop, one after another; none: closed loop
  double patience = 0;            // seconds a due request waits for a free connection; 0: for ever
  scenario what = scenario::constant;
  std::string path = "/api/v2/healthcheck"; // of constant
  std::vector<std::int32_t> projects{1};
  std::int64_t profiles_most = 0; // of the tokens file; 0: all
  std::int32_t limit = 50;
  std::uint64_t start_pair = 0;
  bool wrap = false; // begin again when every pair was used
  std::string advance_token;
  std::vector<std::pair<std::int32_t, std::string>> tokens;
  bool keys = false;      // the tokens are API keys
  std::string idempotent; // votes come with an Idempotency-Key each, which begins with this; empty: without
};

inline constexpr std::string_view help_text = R"(credence_load: a load generator for one HTTP/1.1 server

  credence_load [options] constant|votes|balance|voters|listings|score|tips|trades|market

  constant   GET of one --path            votes     each (profile, project) pair at most once
  balance    each profile's vote balance  voters    a page of --limit voters of the projects
  listings   a page of --limit listings      score     by x.com account, of the first --profiles [1000] demo profiles
  tips       1 XP from one of --tokens to another
  trades     one vote bought on a market of --projects       market    one of these, as v1 shows it

  --host H --port P         where to [127.0.0.1 8080]; H is an IPv4 address
  --connections N           kept alive [64]       --threads N       of the generator [1]
  --seconds S | --requests N  length [10 s]       --warmup S        before it is measured [0]
  --rate R                  open loop: R requests a second on a fixed schedule, latency counted from the
                            moment a request was due; without it every connection asks as fast as it is answered
  --rates R:S[,R:S…]        the same at rate R for S seconds, then at the next rate; instead of --rate and --seconds.
                            What became of every phase, second by second, is told under `phases`
  --patience-ms M           a request that finds no free connection for M ms is never sent (`unsent`) [waits for ever]
  --tokens FILE             `profileId<TAB>token` lines (votes, balance, tips, trades)
  --keys FILE               the same with API keys
  --profiles N              the first N of them       --projects A-B[,C-D…]  [1]
  --project-only P          the same as --projects P  --limit N         [50]   --path P
  --start-pair K            first pair of a vote run: `next_pair` of the run before it
  --advance-file FILE       admin token: when the pairs run out, let everything be answered, open the next voting
                            period and go on from pair 0; the pause is not measured
  --idempotent PREFIX       votes come with an Idempotency-Key each: the prefix, the period's turn and the pair
  --wrap                    when the pairs run out, begin again without that (servers that do not count)

One JSON object on standard output. Exit codes: 0 done, 1 failed, 2 usage.
)";

[[noreturn]] inline void give_up(const std::string& why, int code = 2) {
  std::cerr << "credence_load: " << why << "\n";
  std::exit(code);
}

template <class T>
T number(std::string_view name, const std::string& text, T low, T high = std::numeric_limits<T>::max()) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || value < low || value > high)
    give_up(std::string{name} + ": '" + text + "' is not a number in its range");
  return value;
}

/// `1-12,14,20-30`
inline std::vector<std::int32_t> id_list(std::string_view name, const std::string& text) {
  std::vector<std::int32_t> out;
  for (std::size_t from = 0; from <= text.size();) {
    const auto comma = std::min(text.find(',', from), text.size());
    const auto part = text.substr(from, comma - from);
    const auto dash = part.find('-');
    const auto first = number<std::int32_t>(name, part.substr(0, dash), 1);
    const auto last = dash == std::string::npos ? first : number<std::int32_t>(name, part.substr(dash + 1), first);
    for (std::int64_t id = first; id <= last; ++id)
      out.push_back(static_cast<std::int32_t>(id));
    from = comma + 1;
  }
  return out;
}

/// `5000:10,2500:3`
inline std::vector<phase> phase_list(std::string_view name, const std::string& text) {
  constexpr double seconds_most = 3600; // each has its tally
  std::vector<phase> out;
  for (std::size_t from = 0; from <= text.size();) {
    const auto comma = std::min(text.find(',', from), text.size());
    const auto part = text.substr(from, comma - from);
    const auto colon = part.find(':');
    if (colon == std::string::npos)
      give_up(std::string{name} + ": '" + part + "' is not RATE:SECONDS");
    out.push_back({number<double>(name, part.substr(0, colon), 0.01, 1e8), number<double>(name, part.substr(colon + 1), 0.01, seconds_most)});
    from = comma + 1;
  }
  return out;
}

inline void read_tokens(const std::string& file, std::vector<std::pair<std::int32_t, std::string>>& to) {
  std::ifstream in{file};
  if (!in)
    give_up("cannot read " + file);
  for (std::string line; std::getline(in, line);) {
    const auto tab = line.find('\t');
    if (tab == std::string::npos)
      give_up(file + ": a line is not `profileId<TAB>token`");
    to.emplace_back(number<std::int32_t>(file, line.substr(0, tab), 1), line.substr(tab + 1));
  }
}

inline std::string first_line(const std::string& file) {
  std::ifstream in{file};
  std::string line;
  if (!std::getline(in, line))
    give_up("cannot read " + file);
  return line;
}

inline options read_options(const std::vector<std::string>& words) {
  options out;
  bool named = false;
  double rate = 0;
  bool seconds_given = false;
  std::string tokens_file;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const auto& word = words[i];
    const auto next = [&]() -> const std::string& {
      if (i + 1 == words.size())
        give_up(word + " needs a value");
      return words[++i];
    };
    if (word == "--help" || word == "-h") {
      std::cout << help_text;
      std::exit(0);
    } else if (word == "--host") {
      out.host = next();
    } else if (word == "--port") {
      out.port = number<std::uint16_t>(word, next(), 1);
    } else if (word == "--connections") {
      out.connections = number<unsigned>(word, next(), 1, 60000);
    } else if (word == "--threads") {
      out.threads = number<unsigned>(word, next(), 1, 64);
    } else if (word == "--seconds") {
      out.seconds = number<double>(word, next(), 0.01, 1e6);
      seconds_given = true;
    } else if (word == "--warmup") {
      out.warmup = number<double>(word, next(), 0, 1e6);
    } else if (word == "--requests") {
      out.requests_most = number<std::int64_t>(word, next(), 1);
    } else if (word == "--rate") {
      rate = number<double>(word, next(), 0.01, 1e8);
    } else if (word == "--rates") {
      out.phases = phase_list(word, next());
    } else if (word == "--patience-ms") {
      out.patience = number<double>(word, next(), 0, 1e6) / 1000;
    } else if (word == "--path") {
      out.path = next();
    } else if (word == "--tokens" || word == "--keys") {
      out.keys = word == "--keys";
      tokens_file = next();
    } else if (word == "--profiles") {
      out.profiles_most = number<std::int64_t>(word, next(), 1);
    } else if (word == "--projects" || word == "--project-only" || word == "--project") {
      out.projects = id_list(word, next());
    } else if (word == "--limit") {
      out.limit = number<std::int32_t>(word, next(), 0);
    } else if (word == "--start-pair") {
      out.start_pair = number<std::uint64_t>(word, next(), 0);
    } else if (word == "--idempotent") {
      out.idempotent = next();
    } else if (word == "--wrap") {
      out.wrap = true;
    } else if (word == "--advance-file") {
      out.advance_token = first_line(next());
    } else if (word == "constant" || word == "votes" || word == "balance" || word == "voters" || word == "listings" || word == "score"
               || word == "tips" || word == "trades" || word == "market") {
      out.what = word == "constant"  ? scenario::constant
                 : word == "votes"   ? scenario::votes
                 : word == "balance" ? scenario::balance
                 : word == "voters"  ? scenario::voters
                 : word == "score"   ? scenario::score
                 : word == "tips"    ? scenario::tips
                 : word == "trades"  ? scenario::trades
                 : word == "market"  ? scenario::market
                                     : scenario::listings;
      named = true;
    } else {
      give_up("'" + word + "' is not an option; see --help");
    }
  }
  if (!named)
    give_up("name a scenario: constant, votes, balance, voters, listings, score, tips, trades or market");
  if (out.requests_most > 0 && !seconds_given)
    out.seconds = 1e6;
  if (!out.phases.empty() && (rate > 0 || seconds_given || out.requests_most > 0))
    give_up("--rates says how long: neither --rate nor --seconds nor --requests go with it");
  if (!out.phases.empty()) {
    out.seconds = 0;
    for (const auto& each : out.phases)
      out.seconds += each.seconds;
  } else if (rate > 0) {
    out.phases.push_back({rate, out.seconds});
  }
  if (out.requests_most > 0 && out.warmup > 0)
    give_up("--requests and --warmup exclude each other");
  if (out.threads > out.connections)
    give_up("more threads than connections");
  if (out.what == scenario::votes || out.what == scenario::balance || out.what == scenario::tips || out.what == scenario::trades) {
    if (tokens_file.empty())
      give_up("this scenario needs --tokens FILE");
    read_tokens(tokens_file, out.tokens);
    if (out.profiles_most > 0 && static_cast<std::size_t>(out.profiles_most) < out.tokens.size())
      out.tokens.resize(static_cast<std::size_t>(out.profiles_most));
    if (out.tokens.empty())
      give_up(tokens_file + " holds no token");
  }
  return out;
}

} // namespace credence::load
