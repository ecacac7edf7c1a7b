#include "auth/token_key.hpp"

#include "auth/digest.hpp"
#include "config/limits.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>

namespace credence::auth {

namespace {

[[noreturn]] void fail(const std::string& path, const char* what) {
  throw std::runtime_error(path + ": " + what + ": " + std::strerror(errno));
}

void create(const std::string& path) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file < 0) {
    if (errno == EEXIST)
      return; // another process was quicker: its key is as good
    fail(path, "cannot create the key");
  }
  const auto text = random_hex(32) + "\n";
  const bool written = ::write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size()) && ::fsync(file) == 0;
  ::close(file);
  if (!written)
    fail(path, "cannot write the key");
}

} // namespace

secret token_key(const secret& configured, const std::string& data_dir) {
  if (!configured.empty()) {
    if (configured.reveal().size() < limits::token_secret_bytes_min)
      throw std::runtime_error("auth.token_secret must have at least 32 bytes");
    return configured;
  }
  const auto path = data_dir + "/token.key";
  if (::access(path.c_str(), F_OK) != 0)
    create(path);
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0)
    fail(path, "cannot read the key");
  struct stat about {};
  char text[256];
  const bool known = ::fstat(file, &about) == 0;
  const auto length = ::read(file, text, sizeof text);
  ::close(file);
  if (!known || (about.st_mode & 077) != 0)
    throw std::runtime_error(path + ": others may read the key that signs access tokens: chmod 600 it, or delete it for a new one");
  std::string key{text, static_cast<std::size_t>(length > 0 ? length : 0)};
  while (!key.empty() && key.back() == '\n')
    key.pop_back();
  if (key.size() < limits::token_secret_bytes_min)
    throw std::runtime_error(path + ": the key is too short: delete the file for a new one");
  return secret{key};
}

} // namespace credence::auth
