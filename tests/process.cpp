#include "tests/process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <thread>

namespace credence::test {

namespace {

pid_t spawn(const std::vector<std::string>& command, int out, int err, const environment& extra) {
  std::vector<char*> argv;
  for (const auto& word : command)
    argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  const auto pid = ::fork();
  if (pid != 0)
    return pid;
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  for (const auto& [name, value] : extra)
    ::setenv(name.c_str(), value.c_str(), 1);
  const int nothing = ::open("/dev/null", O_RDONLY);
  ::dup2(nothing, 0);
  ::dup2(out, 1);
  ::dup2(err, 2);
  ::execvp(argv[0], argv.data());
  ::_exit(127);
}

int code_of(int status) { return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status); }

} // namespace

finished run_program(const std::vector<std::string>& command, const environment& extra) {
  int out[2];
  int err[2];
  if (::pipe2(out, O_CLOEXEC) != 0 || ::pipe2(err, O_CLOEXEC) != 0)
    throw std::runtime_error("pipe");
  const auto pid = spawn(command, out[1], err[1], extra);
  ::close(out[1]);
  ::close(err[1]);
  finished result;
  pollfd ends[2]{{out[0], POLLIN, 0}, {err[0], POLLIN, 0}};
  int open = 2;
  while (open > 0 && ::poll(ends, 2, static_cast<int>(std::chrono::milliseconds{silence}.count())) > 0)
    for (int i = 0; i < 2; ++i) {
      if (!ends[i].revents)
        continue;
      char chunk[4096];
      const auto n = ::read(ends[i].fd, chunk, sizeof chunk);
      if (n <= 0) {
        ::close(ends[i].fd);
        ends[i].fd = -1;
        --open;
      } else {
        (i == 0 ? result.out : result.err).append(chunk, static_cast<std::size_t>(n));
      }
    }
  if (open > 0) {
    ::kill(pid, SIGKILL);
    result.err += "\nkilled, as it had said nothing for " + std::to_string(silence.count()) + " minutes\n";
  }
  int status = 0;
  ::waitpid(pid, &status, 0);
  result.code = code_of(status);
  return result;
}

void stop_process(pid_t pid) {
  if (pid <= 0 || ::kill(pid, SIGSTOP) != 0) // 0 and -1 would be many processes
    return;
  const auto runs = [&] {
    std::error_code gone;
    for (const auto& thread : std::filesystem::directory_iterator{"/proc/" + std::to_string(pid) + "/task", gone}) {
      std::string stat;
      std::getline(std::ifstream{thread.path() / "stat"}, stat);
      const auto name_ends = stat.rfind(')');
      if (name_ends != std::string::npos
          && std::string_view{"TtZX"}.find(stat[name_ends + 2]) == std::string_view::npos)
        return true;
    }
    return false;
  };
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds{60};
  while (runs()) {
    if (std::chrono::steady_clock::now() > until)
      throw std::runtime_error("process " + std::to_string(pid) + " goes on after SIGSTOP");
    std::this_thread::sleep_for(std::chrono::milliseconds{1});
  }
}

child_process::child_process(const std::vector<std::string>& command, const std::string& log_file,
                             const environment& extra) {
  const int log = ::open(log_file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  const int out = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
  pid_ = spawn(command, out, log, extra);
  ::close(log);
  ::close(out);
}

child_process& child_process::operator=(child_process&& other) noexcept {
  std::swap(pid_, other.pid_);
  std::swap(code_, other.code_);
  return *this;
}

child_process::~child_process() {
  if (pid_ <= 0)
    return;
  ::kill(pid_, SIGKILL);
  ::waitpid(pid_, nullptr, 0);
}

void child_process::signal(int number) const {
  if (pid_ > 0)
    ::kill(pid_, number);
}

int child_process::wait(int timeout_ms) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds{timeout_ms};
  while (running()) {
    if (std::chrono::steady_clock::now() > until)
      return -1;
    std::this_thread::sleep_for(std::chrono::milliseconds{5});
  }
  return code_;
}

bool child_process::running() {
  int status = 0;
  if (pid_ > 0 && ::waitpid(pid_, &status, WNOHANG) == pid_) {
    pid_ = -1;
    code_ = code_of(status);
  }
  return pid_ > 0;
}

} // namespace credence::test
