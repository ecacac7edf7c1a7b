#include "tests/system/evm_node.hpp"

#include "actors/domain/hash.hpp"
#include "tests/each_of.hpp"
#include "tests/scratch_directory.hpp"
#include "tests/system/service.hpp"
#include "tests/waiting.hpp"

#include <simdjson.h>

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <stdexcept>

namespace credence::test {

namespace {

namespace fs = std::filesystem;

std::string byte_text(int value) {
  const auto one = static_cast<std::byte>(value);
  std::string out;
  append_hex(out, std::span{&one, 1});
  return out;
}
/// The code of a contract that emits and returns what it is told to, as ops/chain makes it.
std::string emitter_code() {
  auto ran = run_program({"node", test::built::source + "/ops/chain/contracts.mjs", "code"});
  if (ran.code != 0 || !ran.out.starts_with("0x"))
    throw std::runtime_error("ops/chain/contracts.mjs makes no code: " + ran.err);
  ran.out.resize(ran.out.find_last_not_of('\n') + 1);
  return ran.out;
}

} // namespace

std::string evm_node::contract(int number) {
  return "0x00000000000000000000000000000000000c0d0" + std::to_string(number);
}

evm_node::evm_node(std::vector<std::string> more) : more_(std::move(more)) {
  home_ = fresh_directory("evm");
  launch();
  put_contracts();
}

evm_node::~evm_node() {
  process_ = child_process{};
  std::error_code ignored;
  fs::remove_all(home_, ignored);
}

void evm_node::launch() {
  auto command = texts(test::built::source + "/tests/market/node_modules/@foundry-rs/anvil-linux-amd64/bin/anvil",
                       "--host", "127.0.0.1", "--port", std::to_string(port()), "--state",
                       (home_ / "state.json").string(), "--state-interval", "1", "--silent");
  command.insert(command.end(), more_.begin(), more_.end());
  process_ = child_process{command, (home_ / "log").string()};
  const auto answers = [&] {
    http_client probe{port(), 1000};
    return probe.post("/", R"({"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":[]})").status == 200;
  };
  if (!comes_true([&] { return answers() || !process_.running(); }) || !answers())
    throw std::runtime_error("anvil did not come up; in tests/market: npm ci --ignore-scripts");
}

void evm_node::put_contract(const std::string& address) {
  static const auto code = emitter_code();
  ask("anvil_setCode", "[\"" + address + "\",\"" + code + "\"]");
}

void evm_node::put_contracts() {
  for (int i = 1; i <= 3; ++i)
    put_contract(contract(i));
}

void evm_node::restart() {
  process_.signal(SIGTERM); // it saves its state
  process_.wait();
  launch();
}

void evm_node::stop() { stop_process(process_.pid()); }
void evm_node::go_on() { process_.signal(SIGCONT); }

std::string evm_node::ask(std::string_view method, std::string_view params) {
  http_client to{port()};
  const auto answer = to.post("/", R"({"jsonrpc":"2.0","id":1,"method":")" + std::string{method} + R"(","params":)"
                                     + std::string{params} + "}");
  simdjson::dom::parser parser;
  simdjson::dom::element root, result;
  if (parser.parse(answer.body).get(root) || root["result"].get(result))
    throw std::runtime_error(std::string{method} + ": " + answer.body.substr(0, 500));
  return simdjson::to_string(result);
}

std::string evm_node::transaction(const std::string& contract, const chain::log_content& log, const char* gas) {
  std::string data = byte_text(static_cast<int>(log.topics.size()));
  for (const auto& each : log.topics)
    append_hex(data, each);
  append_hex(data, log.data);
  static constexpr auto wallet =
    "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266"; // the first of the well-known development wallets
  return std::string{"{\"from\":\""} + wallet + "\",\"to\":\"" + contract + "\",\"gas\":\"" + gas + "\",\"data\":\"0x"
         + data + "\"}";
}

void evm_node::answer(const std::string& contract, const std::string& call, const std::string& returned) {
  std::string data =
    "0xfe" + byte_text(static_cast<int>(call.size() >> 8)) + byte_text(static_cast<int>(call.size() & 0xFF));
  append_hex(data, std::as_bytes(std::span{call}));
  append_hex(data, std::as_bytes(std::span{returned}));
  ask("eth_sendTransaction", R"([{"from":"0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266","to":")" + contract
                               + R"(","gas":"0x1000000","data":")" + data + "\"}]");
}

std::string evm_node::send(const std::string& contract, const chain::log_content& log) {
  auto hash = ask("eth_sendTransaction", "[" + transaction(contract, log, "0x1000000") + "]");
  return hash.substr(1, hash.size() - 2);
}

std::vector<std::string> evm_node::emit_together(const std::vector<std::pair<std::string, chain::log_content>>& logs) {
  std::string body;
  for (const auto& [contract, log] : logs)
    body +=
      (body.empty() ? "[" : ",")
      + (R"({"jsonrpc":"2.0","id":)" + std::to_string(body.size()) + R"(,"method":"eth_sendTransaction","params":[)")
      + transaction(contract, log, "0x40000") + "]}";
  ask("evm_setAutomine", "[false]");
  const auto answer = http_client{port()}.post("/", body + "]").body;
  mine(1);
  ask("evm_setAutomine", "[true]");
  std::vector<std::string> hashes;
  simdjson::dom::parser parser;
  simdjson::dom::array all;
  if (!logs.empty() && parser.parse(answer).get(all))
    throw std::runtime_error("eth_sendTransaction: " + answer.substr(0, 500));
  for (const auto each : all) {
    std::string_view hash;
    if (each["result"].get(hash))
      throw std::runtime_error("eth_sendTransaction: " + simdjson::to_string(each));
    hashes.emplace_back(hash);
  }
  return hashes;
}

bool evm_node::has_in_block(const std::string& tx) {
  return ask("eth_getTransactionReceipt", "[\"" + tx + "\"]") != "null";
}

std::string evm_node::emit(const std::string& contract, const chain::log_content& log) {
  auto tx = send(contract, log);
  await_block_of(tx);
  return tx;
}

std::string evm_node::run(const std::string& contract, const std::string& input) {
  const auto hash = ask("eth_sendTransaction", R"([{"from":"0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266","to":")"
                                                 + contract + R"(","gas":"0x100000","data":")" + input + "\"}]");
  auto tx = hash.substr(1, hash.size() - 2);
  await_block_of(tx);
  return tx;
}

void evm_node::await_block_of(const std::string& tx) {
  if (!comes_true([&] { return has_in_block(tx); }))
    throw std::runtime_error(tx + " is in no block");
}

void evm_node::reorganise(int blocks, const std::vector<std::pair<std::string, chain::log_content>>& logs) {
  std::string all;
  for (const auto& [contract, log] : logs)
    all += (all.empty() ? "[" : ",[") + transaction(contract, log, "0x40000") + ",0]";
  ask("anvil_reorg", "[" + std::to_string(blocks) + ",[" + all + "]]");
}

void evm_node::mine(int blocks) {
  constexpr int at_once = 100; // or a request takes too long
  for (; blocks > 0; blocks -= at_once)
    ask("anvil_mine", "[" + std::to_string(std::min(blocks, at_once)) + "]");
}

std::uint64_t evm_node::head() {
  const auto text = ask("eth_blockNumber");
  return std::stoull(text.substr(3, text.size() - 4), nullptr, 16);
}

} // namespace credence::test
