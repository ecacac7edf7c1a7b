#include "tests/persistence/postgres_fixture.hpp"

#include "tests/scratch_directory.hpp"

#include <libpq-fe.h>
#include <pwd.h>
#include <signal.h>
#include <sys/shm.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <thread>

namespace credence::test {

namespace {

namespace fs = std::filesystem;

const std::string programs = "/usr/lib/postgresql/15/bin/";
const std::string timeout =
  "300"; // seconds: a checkpoint flushes what all tests have written, on a disk that others may use

/// PostgreSQL refuses to run as root, so root steps down to a system user.
std::string server_user() {
  if (::geteuid() != 0)
    return {};
  for (const auto* name : {"postgres", "nobody"})
    if (::getpwnam(name))
      return name;
  throw std::runtime_error("no unprivileged user to run PostgreSQL as");
}

std::vector<std::string> as_user(std::vector<std::string> command) {
  if (const auto user = server_user(); !user.empty())
    command.insert(command.begin(), {"setpriv", "--reuid=" + user, "--regid=" + user, "--clear-groups"});
  return command;
}

void must(const std::vector<std::string>& command, const environment& extra = {}) {
  if (const auto done = run_program(as_user(command), extra); done.code != 0)
    throw std::runtime_error(command.front() + " failed: " + done.err + done.out);
}

/// A directory that the server's user owns.
fs::path directory_of_server(const std::string& name = "pg", const fs::path& in = fs::temp_directory_path()) {
  auto fresh = fresh_directory(name, in);
  if (const auto user = server_user(); !user.empty()) {
    const auto* entry = ::getpwnam(user.c_str());
    if (::chown(fresh.c_str(), entry->pw_uid, entry->pw_gid) != 0)
      throw std::runtime_error("cannot give " + fresh.string() + " to " + user);
  }
  return fresh;
}

const fs::path memory = "/dev/shm";
const std::string of_process = "credence-kept-"; // and the process whose test has it

/// What tests that were killed had would stay in memory for good.
void remove_what_the_dead_had() {
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator{memory, ignored}) {
    const auto name = entry.path().filename().string();
    const int owner = name.starts_with(of_process) ? std::atoi(name.c_str() + of_process.size()) : 0;
    if (owner > 0 && ::kill(owner, 0) != 0 && errno == ESRCH)
      fs::remove_all(entry.path(), ignored);
  }
}

/// Bytes that the machine could give away.
std::uint64_t free_memory() {
  std::ifstream in{"/proc/meminfo"};
  for (std::string line; std::getline(in, line);)
    if (line.starts_with("MemAvailable:"))
      return std::strtoull(line.c_str() + line.find(':') + 1, nullptr, 10) * 1024;
  return 0;
}

/// A directory in memory; none where less than `least` bytes are left there.
fs::path directory_in_memory(std::uint64_t least) {
  static const bool swept = (remove_what_the_dead_had(), true);
  static_cast<void>(swept);
  struct statvfs about {};
  const bool roomy = ::statvfs(memory.c_str(), &about) == 0 && std::uint64_t{about.f_bavail} * about.f_frsize >= least
                     && free_memory() >= least;
  return roomy ? directory_of_server("kept-" + std::to_string(::getpid()), memory) : fs::path{};
}

constexpr std::uint64_t gigabyte = 1 << 30;

/// Where a cluster goes that a test copies for itself: into memory, as copying and starting it on a disk takes longer
/// than most tests.
fs::path directory_of_copy() {
  auto kept = directory_in_memory(4 * gigabyte);
  return kept.empty() ? directory_of_server() : kept;
}

/// Where a cluster's log goes: into memory, as each commit waits for the log, and the disk may stand still for seconds
/// while it takes what large tests have written. What survives the death of processes is the same there. Empty where
/// memory is short: then it stays with the rest of the cluster.
fs::path directory_of_log() { return directory_in_memory(gigabyte); }

/// A cluster that was initialised and stopped; others are copies of it.
const fs::path& template_cluster() {
  static const struct kept {
    kept() : path(directory_of_server()) {
      must({programs + "initdb", "-D", (path / "data").string(), "-U", "postgres", "-A", "trust", "-E", "UTF8",
            "--locale=C.UTF-8", "--no-sync", "--wal-segsize=1"}); // megabytes: there are many clusters
      std::ofstream settings{path / "data/postgresql.conf", std::ios::app};
      settings << "listen_addresses = ''\nfsync = on\nfull_page_writes = on\nsynchronous_commit = on\n"
                  "shared_buffers = 32MB\nmin_wal_size = 2MB\nmax_wal_size = 256MB\nmax_connections = "
                  "40\nlogging_collector = off\njit = off\n"
                  "log_min_messages = warning\n"
                  "dynamic_shared_memory_type = mmap\n"   // in the cluster's directory: those of killed clusters would
                                                          // fill the memory
                  "recovery_init_sync_method = syncfs\n"; // after a crash; file by file it takes minutes for the
                                                          // databases of many tests
    }
    ~kept() { fs::remove_all(path); }
    fs::path path;
  } one;
  return one.path;
}

std::string one_line(const fs::path& file) {
  std::ifstream in{file};
  std::string line;
  std::getline(in, line);
  return line;
}

/// Removes the shared memory segment of a server that was killed, which nobody else does: a system has room for few of
/// them.
void remove_segment(const fs::path& postmaster_pid) {
  std::ifstream in{postmaster_pid};
  std::string line;
  for (int skipped = 0; skipped < 6; ++skipped)
    std::getline(in, line);
  if (long key = 0, segment = 0; in >> key >> segment)
    ::shmctl(static_cast<int>(segment), IPC_RMID, nullptr);
}

} // namespace

private_postgres::private_postgres(environment extra)
  : private_postgres(template_cluster() / "data", directory_of_server(), {}, std::move(extra)) {}

private_postgres::private_postgres(const fs::path& data, fs::path home, std::vector<std::string> databases,
                                   environment extra)
  : home_(std::move(home)), extra_(std::move(extra)), databases_(std::move(databases)) {
  must({"cp", "-a", data.string(), (home_ / "data").string()});
  move_log(data / "pg_wal");
  start();
}

private_postgres::private_postgres(const private_postgres& primary, const std::string& follows_as)
  : home_(directory_of_copy()), extra_(primary.extra_), databases_(primary.databases_) {
  must({programs + "pg_basebackup", "-D", (home_ / "data").string(), "--write-recovery-conf", "--checkpoint=fast",
        "--no-sync", "-d", "host=" + primary.home_.string() + " user=postgres application_name=" + follows_as});
  start();
}

std::unique_ptr<private_postgres> private_postgres::standby_of(const private_postgres& primary,
                                                               const std::string& name) {
  return std::unique_ptr<private_postgres>{new private_postgres{primary, name}};
}

void private_postgres::move_log(const fs::path& of_the_other) {
  const auto here = home_ / "data/pg_wal";
  if (!in_memory())
    log_ = directory_of_log();
  if (log_.empty() && !fs::is_symlink(here))
    return;
  const auto to = log_.empty() ? here : log_ / "pg_wal";
  must({"rm", "-r", here.string()});
  must({"cp", "-a", fs::canonical(of_the_other).string(), to.string()});
  if (!log_.empty())
    must({"ln", "-s", to.string(), here.string()});
}

std::unique_ptr<private_postgres> private_postgres::copy_of(const private_postgres& stopped, environment extra) {
  return std::unique_ptr<private_postgres>{
    new private_postgres{stopped.home_ / "data", directory_of_copy(), stopped.databases_, std::move(extra)}};
}

private_postgres::~private_postgres() {
  resume();
  kill_hard();
  std::error_code ignored;
  fs::remove_all(home_, ignored);
  if (!log_.empty())
    fs::remove_all(log_, ignored);
}

void private_postgres::start() {
  must({programs + "pg_ctl", "-D", (home_ / "data").string(), "-l", (home_ / "log").string(), "-w", "-t", timeout, "-s",
        "-o", "-k " + home_.string(), "start"},
       extra_);
}

void private_postgres::stop(const std::string& mode) {
  must({programs + "pg_ctl", "-D", (home_ / "data").string(), "-m", mode, "-w", "-t", timeout, "-s", "stop"});
}

bool private_postgres::in_memory() const { return home_.parent_path() == memory; }

std::vector<int> private_postgres::processes() const {
  std::vector<int> out;
  const auto line = one_line(home_ / "data/postmaster.pid");
  const int postmaster = line.empty() ? 0 : std::stoi(line);
  if (postmaster <= 0 || ::kill(postmaster, 0) != 0)
    return out;
  out.push_back(postmaster);
  for (const auto& entry : fs::directory_iterator("/proc")) {
    const auto name = entry.path().filename().string();
    if (!std::all_of(name.begin(), name.end(), [](unsigned char c) { return std::isdigit(c); }))
      continue;
    const auto stat = one_line(entry.path() / "stat");
    const auto close = stat.rfind(')');
    if (close == std::string::npos)
      continue;
    std::istringstream rest{stat.substr(close + 2)};
    std::string state;
    int parent = 0;
    rest >> state >> parent;
    if (parent == postmaster)
      out.push_back(std::stoi(name));
  }
  return out;
}

void private_postgres::kill_hard() {
  const auto all = processes();
  for (const int pid : all)
    ::kill(pid, SIGKILL);
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds{60};
  for (const int pid : all)
    while (::kill(pid, 0) == 0 && std::chrono::steady_clock::now() < until) {
      // A zombie that nobody reaps counts as gone.
      const auto stat = one_line("/proc/" + std::to_string(pid) + "/stat");
      if (const auto close = stat.rfind(')'); close == std::string::npos || stat.substr(close + 2, 1) == "Z")
        break;
      std::this_thread::sleep_for(std::chrono::milliseconds{2});
    }
  remove_segment(home_ / "data/postmaster.pid");
  // Where nobody reaps orphans, the dead postmaster's id stays taken and its lock
  // files look valid. It is known to be dead.
  std::error_code ignored;
  fs::remove(home_ / "data/postmaster.pid", ignored);
  fs::remove(home_ / ".s.PGSQL.5432.lock", ignored);
}

void private_postgres::pause() {
  for (const int pid : processes())
    stop_process(pid);
}

void private_postgres::resume() {
  for (const int pid : processes())
    ::kill(pid, SIGCONT);
}

std::string private_postgres::sql(const std::string& text, const std::string& database) {
  const auto patient = " connect_timeout=" + timeout + " options='-c statement_timeout=" + timeout + "s'";
  const std::unique_ptr<PGconn, decltype(&PQfinish)> on{
    PQconnectdb(("host=" + home_.string() + " user=postgres dbname=" + database + patient).c_str()), PQfinish};
  PQsetNoticeProcessor(
    on.get(), [](void*, const char*) {}, nullptr);
  if (PQstatus(on.get()) != CONNECTION_OK || PQsendQuery(on.get(), text.c_str()) != 1)
    throw std::runtime_error(PQerrorMessage(on.get()));
  std::string out;
  std::string error;
  while (const std::unique_ptr<PGresult, decltype(&PQclear)> each{PQgetResult(on.get()), PQclear}) {
    if (PQresultStatus(each.get()) != PGRES_TUPLES_OK && PQresultStatus(each.get()) != PGRES_COMMAND_OK)
      error += PQresultErrorMessage(each.get());
    for (int row = 0; row < PQntuples(each.get()); ++row) {
      out += out.empty() ? "" : "\n";
      for (int column = 0; column < PQnfields(each.get()); ++column)
        out.append(column == 0 ? "" : "|").append(PQgetvalue(each.get(), row, column));
    }
  }
  if (!error.empty())
    throw std::runtime_error(error);
  return out;
}

std::string private_postgres::url(const std::string& database) {
  if (std::find(databases_.begin(), databases_.end(), database) == databases_.end()) {
    sql("CREATE DATABASE " + database, "postgres");
    databases_.push_back(database);
  }
  return "host=" + home_.string() + " user=postgres dbname=" + database;
}

} // namespace credence::test
