#include "tests/system/service.hpp"

#include "auth/token_key.hpp"
#include "config/settings.hpp"
#include "tests/each_of.hpp"
#include "tests/persistence/postgres_fixture.hpp"
#include "tests/scratch_directory.hpp"
#include "tests/system/exchange_log.hpp"
#include "tests/text_of_file.hpp"
#include "tests/waiting.hpp"

#include <signal.h>
#include <simdjson.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace credence::test {

namespace {

namespace fs = std::filesystem;
using std::chrono::steady_clock;

/// What a service begins with: the schema, the demo's data, keys and tokens. Made once for each size and day, so that
/// no epoch of scores is due in what a test begins with; services have copies of it, as making it takes longer than
/// most tests.
class beginning {
public:
  explicit beginning(const service::size& demo) : home_(fresh_directory("service")) {
    fs::create_directory(data_dir());
    run({test::built::executable, "migrate", "up"});
    run({test::built::demo, "--profiles", std::to_string(demo.profiles), "--projects", std::to_string(demo.projects),
         "--votes", std::to_string(demo.votes), "--markets", "0", "--writers", "0", "--tokens", tokens()});
    database_.stop();
  }
  beginning(const beginning&) = delete;
  beginning& operator=(const beginning&) = delete;
  ~beginning() {
    std::error_code ignored;
    fs::remove_all(home_, ignored);
  }

  static const beginning& of(const service::size& demo) {
    static std::map<std::pair<service::size, std::chrono::sys_days>, beginning> made;
    const auto today = std::chrono::floor<std::chrono::days>(std::chrono::system_clock::now());
    return made.try_emplace({demo, today}, demo).first->second;
  }

  fs::path data_dir() const { return home_ / "data"; }
  std::string tokens() const { return (home_ / "tokens").string(); }
  const private_postgres& database() const { return database_; }

private:
  void run(std::vector<std::string> words) {
    words.insert(words.end(), {"--data-dir", data_dir().string(), "--database-url", database_.url()});
    if (const auto done = run_program(words); done.code != 0)
      throw std::runtime_error(words[0] + " failed: " + done.err + done.out);
  }

  fs::path home_;
  private_postgres database_;
};

/// Flags that undo what `patient_environment` says of the database.
const std::vector<std::string> production_times = [] {
  const settings::store production;
  const auto number = [](std::chrono::milliseconds time) { return std::to_string(time.count()); };
  return std::vector<std::string>{"--store-statement-timeout", number(production.statement_timeout),
                                  "--store-load-timeout",      number(production.load_timeout),
                                  "--store-connect-timeout",   number(production.connect_timeout)};
}();

/// The cluster that services have one after the other: starting one for each takes longer than most tests.
class standing_cluster {
public:
  /// With a fresh database for a service that begins so; null while another service has it, and where it would lie on a
  /// disk, which would have to be waited for when a database is made.
  static std::shared_ptr<private_postgres> lend(const beginning& first) {
    static standing_cluster one;
    if (one.lent_)
      return nullptr;
    one.prepare(first);
    if (!one.cluster_)
      return nullptr;
    one.lent_ = true;
    return {one.cluster_.get(), [](private_postgres*) { one.lent_ = false; }};
  }

private:
  void prepare(const beginning& first) {
    if (made_from_ != &first) {
      made_from_ = &first;
      cluster_ = private_postgres::copy_of(first.database());
      if (!cluster_->in_memory())
        cluster_.reset();
      else
        cluster_->sql("ALTER DATABASE credence RENAME TO beginning", "postgres");
    }
    if (!cluster_)
      return;
    cluster_->resume();
    if (cluster_->processes().empty())
      cluster_->start();
    cluster_->sql("DROP DATABASE IF EXISTS credence WITH (FORCE)", "postgres");
    cluster_->sql("CREATE DATABASE credence TEMPLATE beginning STRATEGY file_copy", "postgres");
  }

  std::unique_ptr<private_postgres> cluster_;
  const beginning* made_from_ = nullptr;
  bool lent_ = false;
};

} // namespace

const environment& patient_environment() {
  static const environment all{
    {"CREDENCE_HTTP_RATE_LIMITS", "false"},                 // tests ask often and say seldom who they are,
    {"CREDENCE_HTTP_CONNECTIONS_PER_ADDRESS_MAX", "12000"}, // and all come from one
    {"CREDENCE_HTTP_ANSWER_TIMEOUT", "20000"},
    {"CREDENCE_STORE_STATEMENT_TIMEOUT", "20000"},
    {"CREDENCE_STORE_LOAD_TIMEOUT", "20000"},
    {"CREDENCE_STORE_CONNECT_TIMEOUT", "10000"},
  };
  return all;
}

service::service(size demo, environment postgres_environment)
  : home_(fresh_directory("service")), data_dir_(home_ / "data") {
  const auto& first = beginning::of(demo);
  if (demo == size{} && postgres_environment.empty())
    postgres_ = standing_cluster::lend(first);
  if (!postgres_)
    postgres_ = private_postgres::copy_of(first.database(), std::move(postgres_environment));
  fs::copy(first.data_dir(), data_dir_, fs::copy_options::recursive);
  std::ifstream in{first.tokens()};
  int profile = 0;
  std::string token;
  while (in >> profile >> token)
    tokens_[profile] = token;
  // The tests that let many vote keep to profiles that surely may.
  for (int i = 2; i <= std::min(30, demo.profiles); ++i)
    if (tokens_.contains(i))
      voters_.push_back(i);
}

service::~service() {
  exchange_log::forget(port());
  kill_hard();
  std::error_code ignored;
  fs::remove_all(home_, ignored);
}

finished service::command(std::vector<std::string> words, const std::string& program) const {
  words.insert(words.begin(), program);
  words.insert(words.end(), {"--data-dir", data_dir_.string(), "--database-url", postgres_->url()});
  return run_program(words);
}

void service::launch(const std::vector<std::string>& flags) {
  const auto log = home_ / ("log." + std::to_string(++starts_));
  auto command = texts(test::built::executable, "serve", "--data-dir", data_dir_.string(), "--database-url",
                       url_.empty() ? postgres_->url() : url_, "--port", std::to_string(port()), "--http-operator-port",
                       std::to_string(operator_port()), "--http-admin-port", std::to_string(admin_port()));
  if (!patient_)
    command.insert(command.end(), production_times.begin(), production_times.end());
  command.insert(command.end(), flags.begin(), flags.end());
  auto around = environment_;
  around.insert(around.end(), patient_environment().begin(), patient_environment().end());
  server_ = child_process{command, log.string(), around};
  const auto until = steady_clock::now() + wait_at_most;
  simdjson::dom::parser parser;
  while (steady_clock::now() < until && server_.running()) {
    std::istringstream lines{text_of_file(log)};
    for (std::string line; std::getline(lines, line);) {
      simdjson::dom::element event;
      if (line.find("\"listening\"") == std::string::npos || parser.parse(line).get(event) != simdjson::SUCCESS)
        continue;
      if (event["port"].get_int64().value() != port())
        throw std::runtime_error("the server listens elsewhere: " + line);
      exchange_log::watch(port());
      return;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds{5});
  }
  throw std::runtime_error("the server did not come up: " + text_of_file(log));
}

void service::start(const std::vector<std::string>& flags) {
  launch(flags);
  if (!becomes_ready())
    throw std::runtime_error("the server did not become ready: " + log());
}

bool service::becomes_ready() const {
  const auto until = steady_clock::now() + wait_at_most;
  while (steady_clock::now() < until) {
    http_client probe{port(), 10'000}; // it may stand still
    if (probe.get("/readyz").status == 200)
      return true;
    std::this_thread::sleep_for(std::chrono::milliseconds{10});
  }
  return false;
}

void service::kill_hard() {
  child_process gone;
  gone = std::move(server_); // its end kills and reaps
}

int service::terminate() {
  server_.signal(SIGTERM);
  return server_.wait();
}

std::string service::log() const {
  std::string all;
  for (int i = 1; i <= starts_; ++i)
    all += text_of_file(home_ / ("log." + std::to_string(i)));
  return all;
}

bool service::logs(const std::string& text) const {
  return comes_true([&] { return log().find(text) != std::string::npos; });
}

std::int64_t service::resident() const {
  std::ifstream in{"/proc/" + std::to_string(server_.pid()) + "/statm"};
  std::int64_t virtual_pages = 0;
  std::int64_t pages = 0;
  in >> virtual_pages >> pages;
  return pages * ::sysconf(_SC_PAGESIZE);
}

namespace {

/// Holds what the tests of one file share.
class shared_slot : public testing::EmptyTestEventListener {
public:
  /// The slot of this process, which GoogleTest owns.
  static shared_slot& only() {
    static shared_slot& one = *[] {
      auto* made = new shared_slot;
      testing::UnitTest::GetInstance()->listeners().Append(made);
      return made;
    }();
    return one;
  }

  service& get(void (*begin)(service&)) {
    if (!held_ || begin_ != begin) { // a suite may have tests in two files
      held_.reset();
      auto made = std::make_unique<service>();
      begin(*made);
      held_ = std::move(made);
      begin_ = begin;
      file_ = file_of(*testing::UnitTest::GetInstance()->current_test_suite());
    }
    return *held_;
  }

  void OnTestSuiteStart(const testing::TestSuite& suite) override { // before the suite's own SetUpTestSuite
    if (file_of(suite) != file_)
      held_.reset();
  }
  void OnTestProgramEnd(const testing::UnitTest&) override { held_.reset(); }

private:
  static std::string file_of(const testing::TestSuite& suite) { return suite.GetTestInfo(0)->file(); }

  std::unique_ptr<service> held_;
  void (*begin_)(service&) = nullptr;
  std::string file_;
};

} // namespace

service& shared_service(void (*begin)(service&)) { return shared_slot::only().get(begin); }

auth::token_rules token_rules_of(const service& at) {
  const settings::auth defaults;
  return {auth::read_signing_keys({}, {}, at.data_dir().string()).now, defaults.issuer, defaults.audience,
          std::chrono::seconds{defaults.clock_skew_seconds}};
}

std::string fresh_token(const service& at, int profile) {
  return auth::mint_access_token(token_rules_of(at), profile_id{profile}, false,
                                 std::chrono::floor<std::chrono::seconds>(system_now()), std::chrono::hours{1});
}

http_response ok(http_response answer, const char* file, int line) {
  if (answer.status != 200)
    throw std::runtime_error(std::string{file} + ":" + std::to_string(line) + ": " + std::to_string(answer.status) + " "
                             + answer.body);
  return answer;
}

std::string code(const http_response& answer) {
  return std::to_string(answer.status) + (answer.status == 200 ? "" : " " + json_text(answer.body, "/code"));
}

testing::AssertionResult has(std::string_view text, std::string_view part) {
  const bool found = text.find(part) != std::string_view::npos;
  return (found ? testing::AssertionSuccess() : testing::AssertionFailure())
         << "\"" << part << (found ? "\" is in " : "\" is not in ") << text;
}

testing::AssertionResult ended(const finished& program, int code, std::string_view said) {
  if (program.code == code && (code == 0 ? program.out : program.err).find(said) != std::string::npos)
    return testing::AssertionSuccess();
  return testing::AssertionFailure() << "it ended with " << program.code << ", not with " << code << " and \"" << said
                                     << "\":\n"
                                     << program.out << program.err;
}

testing::AssertionResult sound(const service& what, bool compared) {
  std::vector<std::string> words{"verify"};
  if (compared)
    words.insert(words.end(), {"--server", "http://127.0.0.1:" + std::to_string(what.port())});
  return ended(what.command(words), 0);
}

std::string without_large_numbers(std::string_view json) {
  constexpr std::string_view digits = "0123456789";
  constexpr std::size_t fit = 18;
  std::string out;
  bool in_text = false;
  for (std::size_t at = 0; at < json.size();) {
    const auto end = std::min(json.find_first_not_of(digits, at), json.size());
    const auto length = std::max<std::size_t>(end - at, 1);
    out += json.substr(at, length);
    if (!in_text && end - at > fit && (end == json.size() || json[end] != '.'))
      out += ".0";
    if (json[at] == '"')
      in_text = !in_text;
    else if (json[at] == '\\' && at + 1 < json.size())
      out += json[++at];
    at += length;
  }
  return out;
}

std::int64_t json_number(const std::string& json, const std::string& pointer) {
  simdjson::dom::parser parser;
  std::int64_t out = 0;
  if (parser.parse(without_large_numbers(json)).at_pointer(pointer).get(out) != simdjson::SUCCESS)
    throw std::runtime_error("no number at " + pointer + " in " + json.substr(0, 500));
  return out;
}

std::string json_text(const std::string& json, const std::string& pointer) {
  simdjson::dom::parser parser;
  std::string_view out;
  if (parser.parse(without_large_numbers(json)).at_pointer(pointer).get(out) != simdjson::SUCCESS)
    throw std::runtime_error("no text at " + pointer + " in " + json.substr(0, 500));
  return std::string{out};
}

} // namespace credence::test
