#pragma once

#include "actors/chain/events.hpp"
#include "tests/process.hpp"
#include "tests/system/held_port.hpp"

#include <filesystem>

namespace credence::test {

/// anvil, an Ethereum node for tests, with contracts that emit whatever log they are told to, and return what they are
/// told to. Its chain is empty but for block 0; a transaction makes a block. Goes when this object goes.
class evm_node {
public:
  static constexpr std::uint64_t chain_id = 31337;

  /// `more`: further flags of anvil. Throws when it does not come up.
  explicit evm_node(std::vector<std::string> more = {});
  ~evm_node();
  evm_node(const evm_node&) = delete;
  evm_node& operator=(const evm_node&) = delete;

  /// Kills it, and starts it at the same port with the state that it last saved.
  void restart();
  void stop(); // it hangs until `go_on`, from the moment that this returns
  void go_on();

  std::uint16_t port() const noexcept { return port_.number(); }
  std::string url() const { return "http://127.0.0.1:" + std::to_string(port()); }
  /// The result of a request, as JSON; throws on an error.
  std::string ask(std::string_view method, std::string_view params = "[]");
  /// Runs a contract's function as anybody on the chain would; `input` is hex with `0x`. Returns its hash once it is in
  /// a block.
  std::string run(const std::string& contract, const std::string& input);
  /// Sends a transaction that makes one of our contracts emit a log; its hash.
  std::string send(const std::string& contract, const chain::log_content& log);
  /// The same, and waits until it is in a block.
  std::string emit(const std::string& contract, const chain::log_content& log);
  std::string emit(const std::string& contract, const chain::event& entry) {
    return emit(contract, chain::encode_log(entry));
  }
  /// Has a contract return these bytes to that call, from the next block on, which is made for it.
  void answer(const std::string& contract, const std::string& call, const std::string& returned);
  /// One block that holds all these logs, each in a transaction of its own, in that order; their hashes.
  std::vector<std::string> emit_together(const std::vector<std::pair<std::string, chain::log_content>>& logs);
  /// Takes so many of the newest blocks back; as many come in their place, the first of them with these logs.
  void reorganise(int blocks, const std::vector<std::pair<std::string, chain::log_content>>& logs = {});
  /// Empty blocks.
  void mine(int blocks);
  std::uint64_t head();
  bool has_in_block(const std::string& tx);
  /// Waits until it is in a block; throws where that takes too long.
  void await_block_of(const std::string& tx);

  /// The addresses of the contracts: `contract(1)` and so on, up to 3.
  static std::string contract(int number);
  /// Puts such a contract at another address, too.
  void put_contract(const std::string& address);

private:
  void launch();
  void put_contracts();
  /// What makes a contract emit the log, as JSON.
  static std::string transaction(const std::string& contract, const chain::log_content& log, const char* gas);

  std::vector<std::string> more_;
  std::filesystem::path home_;
  held_port port_; // it starts there each time
  child_process process_;
};

} // namespace credence::test
