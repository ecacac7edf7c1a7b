#include "auth/token_key.hpp"

#include "auth/access_token.hpp"
#include "auth/digest.hpp"
#include "auth/open_file.hpp"
#include "config/limits.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <sstream>
#include <stdexcept>

namespace credence::auth {

namespace {

constexpr std::size_t file_size_max = 4096;

[[noreturn]] void fail(const std::string& path, const char* text) {
  throw std::runtime_error(path + ": " + text + ": " + std::strerror(errno));
}

std::string path_in(const std::string& data_dir) { return data_dir + "/token.key"; }
secret fresh_key() { return secret{random_hex(32)}; }

/// Holds others who would change the ring off until it goes.
struct ring_lock {
  explicit ring_lock(const std::string& data_dir) {
    folder.number = ::open(data_dir.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder.number < 0 || ::flock(folder.number, LOCK_EX) != 0)
      fail(data_dir, "cannot lock the keys");
  }
  open_file folder;
};

/// Writes beside the ring, then puts that in its place: whoever reads finds the old ring or the new one.
void write_ring(const std::string& data_dir, const std::vector<secret>& keys) {
  const auto path = path_in(data_dir);
  const auto beside = path + ".new";
  std::string text;
  for (const auto& each : keys)
    text += each.reveal() + "\n";
  ::unlink(beside.c_str());
  open_file file{::open(beside.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600)};
  if (file.number < 0)
    fail(beside, "cannot create the keys");
  // Root may rotate what the server's own user reads.
  struct stat before {};
  if (::stat(path.c_str(), &before) == 0 && before.st_uid != ::geteuid()
      && ::fchown(file.number, before.st_uid, before.st_gid) != 0)
    fail(beside, "cannot give the keys to the server's user");
  if (::write(file.number, text.data(), text.size()) != static_cast<ssize_t>(text.size()) || ::fsync(file.number) != 0)
    fail(beside, "cannot write the keys");
  if (std::rename(beside.c_str(), path.c_str()) != 0)
    fail(path, "cannot replace the keys");
  open_file folder{::open(data_dir.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
  if (folder.number < 0 || ::fsync(folder.number) != 0)
    fail(data_dir, "cannot make the keys durable");
}

std::vector<secret> read_ring(const std::string& data_dir) {
  const auto path = path_in(data_dir);
  open_file file{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  if (file.number < 0)
    fail(path, "cannot read the keys");
  struct stat about {};
  if (::fstat(file.number, &about) != 0 || (about.st_mode & 077) != 0)
    throw std::runtime_error(
      path + ": others may read the keys that sign access tokens: chmod 600 it, or delete it for a new one");
  char text[file_size_max];
  const auto length = ::read(file.number, text, sizeof text);
  std::istringstream lines{std::string{text, static_cast<std::size_t>(length > 0 ? length : 0)}};
  std::vector<secret> out;
  for (std::string line; std::getline(lines, line);) {
    if (line.empty())
      continue;
    if (line.size() < limits::token_secret_bytes_min)
      throw std::runtime_error(path + ": a key is too short: delete the file for a new one");
    out.emplace_back(line);
  }
  if (out.empty())
    throw std::runtime_error(path + ": the key is too short: delete the file for a new one");
  if (out.size() > signing_keys_max)
    throw std::runtime_error(path + ": there are more than " + std::to_string(signing_keys_max) + " keys: retire some");
  return out;
}

} // namespace

signing_keys read_signing_keys(const secret& configured, const secret& before, const std::string& data_dir) {
  for (const auto* each : {&configured, &before})
    if (!each->empty() && each->reveal().size() < limits::token_secret_bytes_min)
      throw std::runtime_error("auth.token_secret and auth.token_secret_before must have at least 32 bytes");
  if (!configured.empty())
    return {configured, before.empty() ? std::vector<secret>{} : std::vector<secret>{before}};
  if (::access(path_in(data_dir).c_str(), F_OK) != 0) {
    const ring_lock alone{data_dir};
    if (::access(path_in(data_dir).c_str(), F_OK) != 0) // another process may have been quicker
      write_ring(data_dir, {fresh_key()});
  }
  auto keys = read_ring(data_dir);
  signing_keys out{keys.front(), {}};
  out.older.assign(keys.begin() + 1, keys.end());
  return out;
}

std::string rotate_signing_keys(const std::string& data_dir) {
  const ring_lock alone{data_dir};
  auto keys = read_ring(data_dir);
  if (keys.size() >= signing_keys_max)
    throw std::runtime_error("there are " + std::to_string(keys.size())
                             + " signing keys, which is the most: retire the oldest first");
  keys.insert(keys.begin(), fresh_key());
  write_ring(data_dir, keys);
  return signing_key_id(keys.front());
}

void retire_signing_key(const std::string& data_dir, const std::string& id) {
  const ring_lock alone{data_dir};
  auto keys = read_ring(data_dir);
  const auto found =
    std::find_if(keys.begin(), keys.end(), [&](const secret& each) { return signing_key_id(each) == id; });
  if (found == keys.end())
    throw std::runtime_error("there is no signing key " + id);
  if (found == keys.begin())
    throw std::runtime_error("the key " + id + " signs: rotate first, then retire it");
  keys.erase(found);
  write_ring(data_dir, keys);
}

} // namespace credence::auth
