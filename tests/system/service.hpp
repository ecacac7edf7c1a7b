#pragma once

#include "auth/access_token.hpp"
#include "tests/build_paths.hpp"
#include "tests/process.hpp"
#include "tests/system/held_port.hpp"
#include "tests/system/http_client.hpp"

#include <compare>
#include <filesystem>
#include <memory>
#include <sstream>
#include <type_traits>
#include <utility>

namespace credence::test {

class private_postgres;

/// What a server of a test begins with beside its flags, which win: it may be asked as often as the tests like, and has
/// the time to answer, and to hear from its database, that a busy machine takes.
const environment& patient_environment();

/// The whole product as a user runs it: a PostgreSQL that nobody else uses meanwhile, with a fresh database that holds
/// the demo data, and the real executable, on the same three ports at each of its starts. Everything goes when this
/// object goes, but PostgreSQL may stay for the next one.
class service {
public:
  struct size {
    int profiles = 60;
    int projects = 8;
    int votes = 1500;
    auto operator<=>(const size&) const = default;
  };

  service() : service(size{}) {}
  explicit service(size demo, environment postgres_environment = {});
  ~service();

  /// Starts the server and waits until it is ready; throws with its log when it is not in time.
  void start(const std::vector<std::string>& flags = {});
  /// Starts it without waiting for readiness, only for its listeners.
  void launch(const std::vector<std::string>& flags = {});
  /// Environment of the server from its next start on.
  void run_with(environment extra) { environment_ = std::move(extra); }
  /// From its next start on it waits for its database no longer than in production: for tests that let that stand
  /// still, or that look at how long something takes.
  void keep_production_times() { patient_ = false; }
  /// The database's address from the next start on, as seen by the server alone.
  void reach_database_by(std::string url) { url_ = std::move(url); }
  void kill_hard();
  /// SIGTERM; its exit code, -1 when it did not end for a long time.
  int terminate();
  /// Waits for it to end by itself; its exit code, -1 when it goes on.
  int ends() { return server_.wait(); }
  bool running() { return server_.running(); }
  pid_t pid() const { return server_.pid(); }

  std::uint16_t port() const { return port_.number(); }
  std::uint16_t operator_port() const { return operator_port_.number(); }
  std::uint16_t admin_port() const { return admin_port_.number(); }
  http_client client(int timeout_ms = http_client::answer_timeout_ms) const { return http_client{port(), timeout_ms}; }
  /// Access token of a demo profile.
  const std::string& token(int profile) const { return tokens_.at(profile); }
  const std::vector<int>& voters() const { return voters_; }
  /// Runs `credence <words…>` against the same data.
  finished command(std::vector<std::string> words, const std::string& program = built::executable) const;
  std::string log() const;
  /// Waits until this text is in the log; false when it never comes. What a server says in its log may come after its
  /// answer.
  bool logs(const std::string& text) const;
  private_postgres& database() { return *postgres_; }
  const std::filesystem::path& data_dir() const { return data_dir_; }
  /// Resident memory of the server in bytes.
  std::int64_t resident() const;
  /// True once /readyz answers 200; gives up after a long time.
  bool becomes_ready() const;

private:
  std::filesystem::path home_;
  std::filesystem::path data_dir_;
  std::shared_ptr<private_postgres> postgres_;
  environment environment_;
  bool patient_ = true; // with its database
  std::string url_;
  child_process server_;
  held_port port_;
  held_port operator_port_;
  held_port admin_port_;
  std::map<int, std::string> tokens_;
  std::vector<int> voters_;
  int starts_ = 0;
};

/// The service that the tests of one file share, which `begin` starts for the first of them. It ends before a test of
/// another file begins, so that no server and no cluster stands idle beside the tests of other files.
service& shared_service(void (*begin)(service&));

/// By what this service signs tokens.
auth::token_rules token_rules_of(const service& at);
/// An access token made just now, so that it may be traded for a session.
std::string fresh_token(const service& at, int profile);

/// Whether a program ended with this code, and said that: on standard error, or on standard output where the code is 0.
/// Says all that it said where not.
testing::AssertionResult ended(const finished& program, int code, std::string_view said = {});
/// Whether `verify` finds nothing; with `compared`, also not when it compares with what the server tells.
testing::AssertionResult sound(const service& what, bool compared = false);

/// The same JSON with whole numbers that do not fit into 64 bits as decimals, which simdjson takes.
std::string without_large_numbers(std::string_view json);
/// The number at `pointer` (a JSON pointer) of a JSON text; throws when there is none.
std::int64_t json_number(const std::string& json, const std::string& pointer);
std::string json_text(const std::string& json, const std::string& pointer);
/// Appends to `differences` what of these members is another text or number than the one behind its pointer.
template <class Value, class... Rest>
void compare_members(std::string& differences, const std::string& json, const char* pointer, const Value& value,
                     const Rest&... rest) {
  std::ostringstream differs;
  if constexpr (std::is_convertible_v<const Value&, std::string>) {
    if (const auto found = json_text(json, pointer); found != value)
      differs << pointer << " is '" << found << "', not '" << value << "'; ";
  } else if (const auto found = json_number(json, pointer); std::cmp_not_equal(found, value)) {
    differs << pointer << " is " << found << ", not " << value << "; ";
  }
  differences += differs.str();
  if constexpr (sizeof...(Rest) > 0)
    compare_members(differences, json, rest...);
}
/// Whether a JSON text has these members, each a pointer and its text or number: `tells(body, "/id", 3, "/name", "a")`.
/// Says which differ; throws where one is not there.
template <class... Members>
testing::AssertionResult tells(const std::string& json, const Members&... members) {
  std::string differences;
  compare_members(differences, json, members...);
  return differences.empty() ? testing::AssertionSuccess() : testing::AssertionFailure() << differences << json;
}

} // namespace credence::test
