#include "tests/system/followed_chain.hpp"

#include "tests/persistence/database.hpp"

#include <simdjson.h>

#include <algorithm>
#include <iterator>

namespace credence::test {

using namespace chain;

namespace {

/// Hexadecimal digits of a member.
std::string digits(const simdjson::dom::element& of, const char* name) {
  return std::string{of[name].get_string().value()}.substr(2);
}
std::string decimal(const std::string& hex) { return std::to_string(std::stoull(hex, nullptr, 16)); }

/// A line for each log: block, place, transaction, hash of the block, contract, topics, data.
std::string lines_of(const std::string& logs) {
  simdjson::dom::parser parser;
  std::string out;
  const simdjson::dom::array all = parser.parse(logs).get_array().value(); // a loop would not keep it
  for (const auto log : all) {
    const simdjson::dom::array its_topics = log["topics"].get_array().value();
    std::string topics;
    for (const auto topic : its_topics)
      topics += std::string{topic.get_string().value()}.substr(2);
    out += decimal(digits(log, "blockNumber")) + " " + decimal(digits(log, "logIndex")) + " "
           + digits(log, "transactionHash") + " " + digits(log, "blockHash") + " " + digits(log, "address") + " "
           + topics + " " + digits(log, "data") + "\n";
  }
  return out;
}

} // namespace

std::vector<std::string> flags_for(const std::string& urls) {
  return {"--chain-endpoints",
          urls,
          "--chain-id",
          std::to_string(evm_node::chain_id),
          "--chain-start-block",
          "1",
          "--chain-contracts",
          "profile=" + profiles + ",review=" + reviews,
          "--chain-confirmations",
          "0",
          "--chain-poll",
          "100",
          "--chain-timeout",
          "20000", // a node that works answers within that, on a busy machine too
          "--chain-unavailable-after",
          "1000",
          "--chain-authority",
          "0"};
}

std::vector<std::string> hasty_flags_for(const std::string& urls) {
  auto out = flags_for(urls);
  *std::next(std::find(out.begin(), out.end(), "--chain-timeout")) = "2000";
  return out;
}

chain::event joined(int profile) {
  address who;
  who.bytes[18] = static_cast<std::byte>(profile >> 8);
  who.bytes[19] = static_cast<std::byte>(profile);
  return profile_events::profile_created{{profile}, who};
}

bool followed_chain::status_becomes(const std::string& pointer, const std::string& value,
                                    std::chrono::seconds timeout) {
  const bool good =
    comes_true([&] { return status().find("\"" + pointer + "\":" + value) != std::string::npos; }, timeout);
  if (!good)
    ADD_FAILURE() << status() << "\n" << own.log();
  return good;
}

bool followed_chain::reaches_head(std::chrono::seconds timeout) {
  return status_becomes("tip", "{\"number\":" + std::to_string(node.head()) + ",", timeout);
}

bool followed_chain::stands_at_head(std::chrono::seconds timeout) {
  simdjson::dom::parser parser;
  const auto newest = node.ask("eth_getBlockByNumber", R"(["latest", false])");
  const auto hash = std::string{parser.parse(newest)["hash"].get_string().value()};
  return status_becomes("tip", "{\"number\":" + std::to_string(node.head()) + ",\"hash\":\"" + hash + "\"", timeout);
}

std::int64_t followed_chain::number(const std::string& sql) { return number_from(own.database().url(), sql); }

std::int64_t followed_chain::metric(const std::string& name) {
  const auto all = http_client{own.operator_port()}.get("/metrics").body;
  const auto at = all.find("\n" + name + " ");
  return at == std::string::npos ? -1 : static_cast<std::int64_t>(std::stod(all.substr(at + name.size() + 2)));
}

bool followed_chain::metric_becomes(const std::string& name, std::int64_t value) {
  const bool good = comes_true([&] { return metric(name) == value; });
  if (!good)
    ADD_FAILURE() << name << " is " << metric(name) << ", not " << value;
  return good;
}

bool followed_chain::becomes(const std::string& sql, const std::string& value) {
  std::string last;
  const bool good = comes_true([&] { return (last = own.database().sql(sql)) == value; });
  if (!good)
    ADD_FAILURE() << last << " instead of " << value << "\n" << own.log();
  return good;
}

void followed_chain::expect_whole() {
  verify();
  std::vector<std::string> words{"chain", "replay", "--check"};
  words.insert(words.end(), flags_.begin(), flags_.end());
  EXPECT_TRUE(ended(own.command(words), 0));
}

void followed_chain::verify() { EXPECT_TRUE(sound(own)); }

void followed_chain::expect_stored_is_the_chain(const std::vector<std::string>& contracts) {
  std::string addresses;
  for (const auto& each : contracts)
    addresses += (addresses.empty() ? "\"" : ",\"") + each + "\"";
  const auto there =
    lines_of(node.ask("eth_getLogs", R"([{"fromBlock":"0x0","toBlock":"latest","address":[)" + addresses + "]}]"));
  auto here = own.database().sql(
    "SELECT concat_ws(' ', block_number, log_index, encode(tx_hash, 'hex'), encode(block_hash, 'hex'),"
    " encode(address, 'hex'), encode(topics, 'hex'), encode(data, 'hex')) FROM chain_events ORDER BY id");
  if (!here.empty() && here.back() != '\n')
    here += '\n';
  EXPECT_EQ(here, there);
}

void followed_behind_a_liar::two_events() {
  node.ask("evm_setAutomine", "[false]");
  for (int i = 0; i < 2; ++i)
    node.send(profiles, encode_log(joined(++profile)));
  node.mine(1);
  node.ask("evm_setAutomine", "[true]");
}

void followed_behind_a_liar::expect_no_trace() {
  expect_stored_is_the_chain();
  EXPECT_EQ(how_many("chain_events WHERE status = 'failed'"), 0);
  EXPECT_EQ(number("SELECT reorganisations FROM chain_follow"), 0);
  EXPECT_NE(status().find(R"("endpointsWrong":0)"), std::string::npos) << status();
  verify();
}

} // namespace credence::test
