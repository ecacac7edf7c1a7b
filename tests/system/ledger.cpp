#include "tests/system/ledger.hpp"

#include "tests/waiting.hpp"

#include <simdjson.h>

#include <algorithm>

namespace credence::test {

void ledger::send(attempt& vote, http_client& client) {
  const auto body = R"({"voteType":")" + std::string{vote.profile % 3 ? "BULLISH" : "BEARISH"} + R"(","voteReason":")"
                    + vote.reason + "\"}";
  const auto began = std::chrono::steady_clock::now();
  const auto answer =
    client.post("/api/v2/projects/" + std::to_string(vote.project) + "/votes", body, service_.token(vote.profile));
  vote.took = std::chrono::steady_clock::now() - began;
  vote.sent_at = began;
  vote.status = answer.status;
  if (answer.status == 200) {
    vote.fate = attempt::acknowledged;
    ++acknowledged_;
  } else if (answer.status >= 400 && answer.status < 500 && answer.status != 429)
    vote.fate = attempt::refused;
  else
    vote.fate = attempt::unknown;
}

void ledger::vote(const std::vector<int>& profiles, const std::vector<int>& projects, int threads,
                  const std::atomic<bool>& stop) {
  const std::size_t first = attempts_.size();
  for (const int project : projects)
    for (const int profile : profiles)
      attempts_.push_back({profile, project, "r" + std::to_string(next_reason_++)});
  std::atomic<std::size_t> next{first};
  at_once(threads, [&] {
    auto client = service_.client();
    for (;;) {
      const auto at = next.fetch_add(1);
      if (at >= attempts_.size() || stop.load())
        return;
      send(attempts_[at], client);
      if (attempts_[at].fate == attempt::unknown) // a server that is away refuses quickly: do not spin
        std::this_thread::sleep_for(std::chrono::milliseconds{2});
    }
  });
  std::erase_if(attempts_, [](const attempt& a) { return a.fate == attempt::pending; });
}

bool ledger::is_there(const attempt& attempt, http_client& client) {
  const auto answer = client.get("/api/v2/projects/votes/bulk-totals?scope=global&projectId="
                                 + std::to_string(attempt.project) + "&profileIds=" + std::to_string(attempt.profile));
  return answer.status == 200 && answer.body.find("\"" + attempt.reason + "\"") != std::string::npos;
}

void ledger::resolve_unknown() {
  auto client = service_.client();
  const auto until = std::chrono::steady_clock::now() + wait_at_most;
  for (auto& each : attempts_) {
    if (each.fate == attempt::unknown && is_there(each, client))
      each.fate = attempt::acknowledged; // a retry in a later period would be another vote
    while (each.fate == attempt::unknown && std::chrono::steady_clock::now() < until) {
      send(each, client);
      if (each.fate == attempt::unknown) // as Retry-After asks, only sooner
        std::this_thread::sleep_for(std::chrono::milliseconds{20});
      // A refusal of the retry says that the first try did arrive.
      if (each.fate == attempt::refused)
        each.fate = attempt::acknowledged;
    }
  }
}

std::size_t ledger::count(decltype(attempt::fate) fate) const {
  return static_cast<std::size_t>(
    std::count_if(attempts_.begin(), attempts_.end(), [&](const attempt& a) { return a.fate == fate; }));
}

std::vector<std::string> ledger::violations(const std::vector<int>& projects) {
  std::map<std::string, std::int64_t> seen; // reason -> votes
  std::vector<std::string> out;
  auto client = service_.client();
  simdjson::dom::parser parser;
  for (const int project : projects)
    for (int offset = 0;; offset += 100) {
      const auto answer = client.get("/api/v2/projects/" + std::to_string(project)
                                     + "/voters?scope=global&limit=100&offset=" + std::to_string(offset));
      if (answer.status != 200) {
        out.push_back("voters answered " + std::to_string(answer.status) + ": " + answer.body);
        break;
      }
      const auto root = parser.parse(without_large_numbers(answer.body));
      const auto entries = root["values"].get_array().value();
      for (const auto entry : entries)
        for (const auto* side : {"bullishReasons", "bearishReasons"}) {
          const auto reasons = entry[side].get_array().value();
          for (const auto reason : reasons)
            if (reason["voteReason"].is_string())
              seen[std::string{reason["voteReason"].get_string().value()}] += reason["totalVotes"].get_int64().value();
        }
      if (entries.size() < 100)
        break;
    }
  for (const auto& each : attempts_) {
    const auto found = seen.find(each.reason);
    const auto times = found == seen.end() ? 0 : found->second;
    const auto at =
      each.reason + " of profile " + std::to_string(each.profile) + " on project " + std::to_string(each.project);
    if (each.fate == attempt::acknowledged && times != 1)
      out.push_back("acknowledged vote " + at + " is there " + std::to_string(times) + " times");
    if (each.fate == attempt::refused && times != 0)
      out.push_back("refused vote " + at + " is there");
    if (times > 1)
      out.push_back("vote " + at + " is there " + std::to_string(times) + " times");
  }
  return out;
}

} // namespace credence::test
