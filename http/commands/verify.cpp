#include "persistence/verify/verify.hpp"
#include "http/commands/command.hpp"
#include "http/commands/output.hpp"
#include "http/outside/client.hpp"

#include <simdjson.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <thread>

namespace credence::commands {

using persistence::side_totals;
using persistence::verified;

namespace {

using namespace std::chrono_literals;

constexpr std::size_t examples_max = 10;
constexpr std::int32_t balances_max = 500;
constexpr auto ask_timeout = 5s;
constexpr int tries_max = 10;
constexpr std::chrono::seconds retry_after_max = 10s;

using counts = std::map<std::int32_t, side_totals>;

/// What a server says about one id, or why it does not.
using question = std::function<side_totals(std::int32_t id)>;

side_totals numbers_of(const http::client_answer& answer, const char* bullish, const char* bearish) {
  if (answer.status != 200)
    throw http::client_error("the server answered " + std::to_string(answer.status) + ": "
                             + answer.body.substr(0, 200));
  thread_local simdjson::dom::parser parser;
  simdjson::dom::element root;
  side_totals out;
  if (parser.parse(answer.body).get(root) || root.at_pointer(bullish).get(out.bullish)
      || root.at_pointer(bearish).get(out.bearish))
    throw http::client_error("the server's answer is not what was expected: " + answer.body.substr(0, 200));
  return out;
}

/// Votes may be cast meanwhile, so what the server says must lie between two counts.
verified compare(const char* name, const char* promise, const counts& before, const counts& after,
                 const std::map<std::int32_t, std::pair<side_totals, std::string>>& said) {
  verified out{name, promise, 0, {}};
  for (const auto& [id, answer] : said) {
    const auto& [live, why] = answer;
    const auto least = before.at(id);
    const auto found = after.find(id);
    const auto most = found == after.end() ? least : found->second;
    if (why.empty() && live.bullish >= least.bullish && live.bullish <= most.bullish && live.bearish >= least.bearish
        && live.bearish <= most.bearish)
      continue;
    if (++out.differences > static_cast<std::int64_t>(examples_max))
      continue;
    out.examples.push_back(std::to_string(id) + ": stored are " + std::to_string(most.bullish) + " bullish and "
                           + std::to_string(most.bearish) + " bearish votes; the server "
                           + (why.empty()
                                ? "says " + std::to_string(live.bullish) + " and " + std::to_string(live.bearish)
                                : "gave no answer: " + why));
  }
  return out;
}

verified compare_live(const char* name, const char* promise, const std::function<counts()>& count, const question& ask,
                      ops::progress& told) {
  const auto before = count();
  told.begin(name, static_cast<double>(before.size()), static_cast<std::int64_t>(before.size()));
  std::int64_t asked = 0;
  std::map<std::int32_t, std::pair<side_totals, std::string>> said;
  for (const auto& [id, totals] : before) {
    try {
      said[id] = {ask(id), {}};
    } catch (const http::client_error& error) {
      said[id] = {{}, error.what()};
    }
    told.at(++asked);
  }
  return compare(name, promise, before, count(), said);
}

/// Asks again after the time that a server asks for which bounds its callers.
http::client_answer ask_patiently(http::client& client, const std::string& url, const std::string& bearer = {}) {
  for (int tries = 1;; ++tries) {
    auto answer = client.get(url, bearer);
    if (answer.status != 429 || tries == tries_max)
      return answer;
    std::this_thread::sleep_for(std::clamp<std::chrono::seconds>(answer.retry_after, 1s, retry_after_max));
  }
}

void verify_live(const settings::all& with, const std::string& server, persistence::connection& on, steady_time until,
                 ops::progress& told, std::vector<verified>& results) {
  http::client client{{.timeout = ask_timeout}};
  try {
    if (client.get(server + "/livez").status != 200)
      throw http::client_error(server + "/livez does not answer 200");
  } catch (const http::client_error& error) {
    throw ending{failed, std::string{"there is no server to compare with: "} + error.what()};
  }
  results.push_back(compare_live(
    "live_projects", "the totals that the server tells of a project are the sums of its votes",
    [&] { return persistence::count_by_project(on, until); },
    [&](std::int32_t id) {
      return numbers_of(
        ask_patiently(client, server + "/api/v2/projects/" + std::to_string(id) + "/voters?scope=global&limit=0"),
        "/totals/totalBullishVotes", "/totals/totalBearishVotes");
    },
    told));
  const auto rules = token_rules(with);
  results.push_back(compare_live(
    "live_balances", "the balance that the server tells a profile is the sum of its votes in the open period",
    [&] { return persistence::count_by_profile(on, balances_max, until); },
    [&](std::int32_t id) {
      const auto token = auth::mint_access_token(rules, profile_id{id}, false, now_seconds(), 60s);
      return numbers_of(ask_patiently(client, server + "/api/v2/projects/votes/balance", token),
                        "/balance/bullishVotesCast", "/balance/bearishVotesCast");
    },
    told));
}

/// For a textfile collector of Prometheus.
void write_metrics(const std::string& path, const std::vector<verified>& results) {
  std::string text = "# HELP credence_verify_differences Differences that `credence verify` found, by promise.\n"
                     "# TYPE credence_verify_differences gauge\n";
  for (const auto& each : results)
    text += "credence_verify_differences{promise=\"" + each.name + "\"} " + std::to_string(each.differences) + "\n";
  text += "# HELP credence_verify_finished_seconds When it last came to its end, in Unix time.\n"
          "# TYPE credence_verify_finished_seconds gauge\n"
          "credence_verify_finished_seconds "
          + std::to_string(now_seconds().time_since_epoch().count()) + "\n";
  // A scrape sees the old file or the new one.
  const auto fresh = path + ".new";
  std::ofstream out{fresh, std::ios::trunc};
  out << text;
  out.close();
  std::error_code error;
  if (out)
    std::filesystem::rename(fresh, path, error);
  if (!out || error)
    throw ending{failed, "cannot write " + path};
}

void print_json(const std::vector<verified>& results, bool good) {
  print_object([&](auto& to) {
    to.field("good", good);
    to.objects("promises", results, [&](const auto& each) {
      to.field("name", each.name);
      to.field("promise", each.promise);
      to.field("differences", each.differences);
      to.array("examples", each.examples, [&](const auto& line) { to.value(line); });
    });
  });
}

std::vector<verified> find_all(const command_line& line, const settings::all& with, persistence::connection& on) {
  const auto until = persistence::deadline_in(timeout);
  auto told = progress_of(line, "verify");
  auto results = persistence::verify_stored(on, until, told);
  if (!line.server.empty())
    verify_live(with, line.server, on, until, told, results);
  return results;
}

} // namespace

int verify(const command_line& line) {
  const auto with = good_settings(line);
  auto on = connect(with, "verify");
  const auto results = find_all(line, with, on);
  bool good = true;
  for (const auto& each : results) {
    good = good && each.differences == 0;
    if (line.json)
      continue;
    std::cout << (each.differences == 0 ? "holds   " : "BROKEN  ") << each.name << ": " << each.promise << "\n";
    for (const auto& example : each.examples)
      std::cout << "          " << example << "\n";
    if (each.differences > static_cast<std::int64_t>(each.examples.size()))
      std::cout << "          and " << each.differences - static_cast<std::int64_t>(each.examples.size()) << " more\n";
  }
  if (line.json)
    print_json(results, good);
  if (!line.metrics_file.empty())
    write_metrics(line.metrics_file, results);
  return good ? ok : differs;
}

} // namespace credence::commands
