#include "http/commands/run_mark.hpp"

#include "ops/log.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <sstream>

namespace credence::commands {

namespace {

constexpr std::string_view started = "started_at";
constexpr std::string_view admin_port = "admin_port";
constexpr std::string_view owner_name = "owner";

std::string path_of(const std::string& data_dir) { return data_dir + "/server.run"; }

std::string content_of(int file) {
  std::array<char, 256> text{};
  const auto got = ::pread(file, text.data(), text.size(), 0);
  return {text.data(), static_cast<std::size_t>(got > 0 ? got : 0)};
}

/// The lock on the whole file. It belongs to the open file, so that it ends with the process, and whoever only asks for
/// it holds none meanwhile.
struct flock lock_of(short type) {
  struct flock out {};
  out.l_type = type;
  out.l_whence = SEEK_SET;
  return out;
}

std::optional<std::string> field_of(const std::string& content, std::string_view wanted) {
  std::istringstream lines{content};
  for (std::string name, value; lines >> name >> value;)
    if (name == wanted)
      return value;
  return std::nullopt;
}

} // namespace

run_mark::run_mark(const std::string& data_dir)
  : file_(::open(path_of(data_dir).c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600)) {
  if (file_ < 0) {
    ops::log(ops::level::warn, "run_not_marked", {{"file", path_of(data_dir)}, {"error", std::strerror(errno)}});
    return;
  }
  const auto lock = lock_of(F_WRLCK);
  if (::fcntl(file_, F_OFD_SETLK, &lock) != 0) {
    ::close(file_);
    file_ = -1;
    return;
  }
  const auto content = content_of(file_);
  cut_off_ = field_of(content, started);
  cut_off_owner_ = field_of(content, owner_name).value_or("");
}

run_mark::~run_mark() {
  if (file_ >= 0)
    ::close(file_);
}

void run_mark::begin(timestamp at, std::uint16_t port, const std::string& owner) {
  if (file_ < 0)
    return;
  std::ostringstream out;
  out << started << " " << iso_text(at) << "\n"
      << admin_port << " " << port << "\n"
      << owner_name << " " << owner << "\n";
  const auto text = out.str();
  if (::ftruncate(file_, 0) != 0 || ::pwrite(file_, text.data(), text.size(), 0) != static_cast<ssize_t>(text.size())
      || ::fdatasync(file_) != 0)
    ops::log(ops::level::warn, "run_not_marked", {{"error", std::strerror(errno)}});
}

void run_mark::end() {
  if (file_ >= 0 && (::ftruncate(file_, 0) != 0 || ::fdatasync(file_) != 0))
    ops::log(ops::level::warn, "run_not_marked", {{"error", std::strerror(errno)}});
}

std::optional<std::uint16_t> admin_port_of_running(const std::string& data_dir) {
  const int file = ::open(path_of(data_dir).c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0)
    return std::nullopt;
  auto lock = lock_of(F_RDLCK);
  const bool runs = ::fcntl(file, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
  const auto content = content_of(file);
  ::close(file);
  const auto port = field_of(content, admin_port);
  if (!runs || !port)
    return std::nullopt;
  return static_cast<std::uint16_t>(std::strtoul(port->c_str(), nullptr, 10));
}

} // namespace credence::commands
