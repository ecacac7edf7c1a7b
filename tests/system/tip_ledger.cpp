#include "tests/system/tip_ledger.hpp"

#include "tests/persistence/postgres_fixture.hpp"
#include "tests/system/identity.hpp"
#include "tests/waiting.hpp"

#include <algorithm>
#include <sstream>

namespace credence::test {

void tip_ledger::send(tip_attempt& attempt, http_client& client) {
  const auto body = R"({"receiverUserkey":"profileId:)" + std::to_string(attempt.receiver) + R"(","amount":)"
                    + std::to_string(attempt.amount) + R"(,"message":")" + attempt.message + "\"}";
  const auto answer =
    client.send("POST", "/api/v2/xp/tip", with_json(by_bearer(service_.token(attempt.sender)), attempt.message), body);
  if (answer.status == 200) {
    attempt.fate = tip_attempt::acknowledged;
    attempt.tip = json_number(answer.body, "/tipId");
    ++acknowledged_;
  } else if (answer.status >= 400 && answer.status < 500 && answer.status != 429 && answer.status != 409)
    attempt.fate = tip_attempt::refused;
  else
    attempt.fate = tip_attempt::unknown;
}

void tip_ledger::tip(const std::vector<int>& profiles, int threads, const std::atomic<bool>& stop) {
  const auto enough = attempts_.size() + 20000;
  const auto any = [&] { return profiles[random_() % profiles.size()]; };
  std::atomic<std::size_t> next{attempts_.size()};
  while (attempts_.size() < enough) {
    tip_attempt each{any(), any(), static_cast<int>(1 + random_() % 9), "tip-" + std::to_string(attempts_.size())};
    if (each.sender != each.receiver)
      attempts_.push_back(std::move(each));
  }
  at_once(threads, [&] {
    auto client = service_.client();
    while (!stop) {
      const auto at = next.fetch_add(1);
      if (at >= attempts_.size())
        return;
      send(attempts_[at], client);
      if (attempts_[at].fate == tip_attempt::unknown) // a server that is away refuses quickly
        std::this_thread::sleep_for(std::chrono::milliseconds{20});
    }
  });
  std::erase_if(attempts_, [](const tip_attempt& each) { return each.fate == tip_attempt::pending; });
}

void tip_ledger::resolve_unknown() {
  const auto until = std::chrono::steady_clock::now() + wait_at_most;
  std::atomic<std::size_t> next{0};
  at_once(8, [&] {
    auto client = service_.client();
    for (auto at = next++; at < attempts_.size(); at = next++)
      while (attempts_[at].fate == tip_attempt::unknown && std::chrono::steady_clock::now() < until) {
        send(attempts_[at], client);
        if (attempts_[at].fate == tip_attempt::unknown) // as Retry-After asks, only sooner
          std::this_thread::sleep_for(std::chrono::milliseconds{20});
      }
  });
}

std::vector<std::string> tip_ledger::violations() {
  struct row {
    int times = 0;
    std::string text;
  };
  std::map<std::string, row> there;
  std::istringstream lines{service_.database().sql(
    "SELECT message, coalesce(seq, 0) || ' ' || from_account || ' ' || to_account || ' ' || amount FROM xp_movements"
    " WHERE kind = 'XP_TIP_SENT' AND message LIKE 'tip-%'")};
  for (std::string line; std::getline(lines, line);) {
    auto& found = there[line.substr(0, line.find('|'))];
    ++found.times;
    found.text = line.substr(line.find('|') + 1);
  }
  std::vector<std::string> out;
  for (const auto& each : attempts_) {
    const auto found = there[each.message];
    const auto wanted = std::to_string(each.tip) + " " + std::to_string(each.sender) + " "
                        + std::to_string(each.receiver) + " " + std::to_string(each.amount);
    if (found.times > 1)
      out.push_back(each.message + " is there " + std::to_string(found.times) + " times");
    if (each.fate == tip_attempt::acknowledged && (found.times != 1 || found.text != wanted))
      out.push_back(each.message + " was acknowledged as " + wanted + ", and there is '" + found.text + "'");
    if (each.fate == tip_attempt::refused && found.times != 0)
      out.push_back(each.message + " was refused and is there");
  }
  return out;
}

std::size_t tip_ledger::count(decltype(tip_attempt::fate) fate) const {
  return static_cast<std::size_t>(
    std::count_if(attempts_.begin(), attempts_.end(), [&](const tip_attempt& each) { return each.fate == fate; }));
}

std::int64_t xp_of(service& at, int profile) {
  return std::stoll(at.database().sql("SELECT balance FROM xp_accounts WHERE id = " + std::to_string(profile)));
}

void give_xp(service& at, int profile, std::int64_t amount) {
  at.database().sql("INSERT INTO xp_movements (at, amount, from_account, to_account, kind) VALUES (now(), "
                    + std::to_string(amount) + ", 0, " + std::to_string(profile) + ", 'CLAIM')");
}

xp_everywhere all_xp(service& at) {
  const auto text = at.database().sql("SELECT sum(balance), min(balance) FROM xp_accounts WHERE id > 0");
  return {std::stoll(text), std::stoll(text.substr(text.find('|') + 1))};
}

} // namespace credence::test
