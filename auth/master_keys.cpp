#include "auth/master_keys.hpp"

#include "actors/domain/hex.hpp"
#include "auth/digest.hpp"
#include "auth/open_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>
#include <span>
#include <stdexcept>
#include <utility>

namespace credence::auth {

namespace {

constexpr std::size_t key_digits = 2 * master_key_bytes;

/// Without line ends and blanks around it.
std::string_view trimmed(std::string_view text) {
  constexpr auto blanks = " \t\r\n";
  const auto first = text.find_first_not_of(blanks);
  return first == text.npos ? std::string_view{} : text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

/// Calls `use` with what is in a file that its owner alone may read. It is never in memory that is not wiped.
template <class Use>
auto with_private_file(const std::string& path, Use use) {
  const open_file file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  if (file.number < 0)
    throw std::runtime_error(path + ": cannot read the master key: " + std::strerror(errno));
  struct stat about {};
  if (::fstat(file.number, &about) != 0 || !S_ISREG(about.st_mode))
    throw std::runtime_error(path + ": the master key must be in a regular file");
  if ((about.st_mode & 0177) != 0)
    throw std::runtime_error(
      path
      + ": others may read or change the master key: chmod 600 or 400 it; where they may have read it, make a new one");
  locked_bytes text{key_digits + 64}; // room for blanks and line ends
  std::size_t size = 0;
  while (size < text.size()) {
    const auto got = ::read(file.number, text.data() + size, text.size() - size);
    if (got < 0 && errno != EINTR)
      throw std::runtime_error(path + ": cannot read the master key: " + std::strerror(errno));
    if (got == 0)
      break;
    size += got > 0 ? static_cast<std::size_t>(got) : 0;
  }
  return use(trimmed({reinterpret_cast<const char*>(text.data()), size}));
}

/// The key that a setting and its file may name; nothing where neither does.
std::optional<master_key> read_one(std::int32_t version, const secret& text, const std::string& path,
                                   const std::string& name) {
  if (!text.empty() && !path.empty())
    throw std::runtime_error(name + " and " + name + "_file are both set: one key, one place");
  if (!text.empty())
    return master_key{version, trimmed(text.reveal()), name};
  if (!path.empty())
    return with_private_file(path, [&](std::string_view hex) { return master_key{version, hex, path}; });
  return std::nullopt;
}

} // namespace

master_key::master_key(std::int32_t version, std::string_view hex, const std::string& what)
  : version_(version), key_(master_key_bytes) {
  if (hex.size() != key_digits || !decode_hex(hex, {reinterpret_cast<std::byte*>(key_.data()), key_.size()}))
    throw std::runtime_error(what + ": a master key is 32 random bytes as 64 hexadecimal digits: openssl rand -hex 32");
  if (std::all_of(key_.data(), key_.data() + key_.size(),
                  [this](unsigned char each) { return each == key_.data()[0]; }))
    throw std::runtime_error(what
                             + ": this master key is one byte repeated: make a random one with openssl rand -hex 32");
  const auto mark =
    hmac_sha256({reinterpret_cast<const char*>(key_.data()), key_.size()}, "credence: fingerprint of a master key");
  std::copy_n(mark.begin(), fingerprint_.size(), fingerprint_.begin());
}

master_keys::master_keys(master_key now, master_key before) {
  if (now.version() == before.version() || now.fingerprint() == before.fingerprint())
    throw std::runtime_error(
      "wallets.master_key and wallets.master_key_before are the same key: give the one that was used before, or none");
  keys_.push_back(std::move(now));
  keys_.push_back(std::move(before));
}

const master_key* master_keys::of(std::int32_t version) const noexcept {
  const auto found =
    std::find_if(keys_.begin(), keys_.end(), [=](const master_key& each) { return each.version() == version; });
  return found == keys_.end() ? nullptr : &*found;
}

std::string master_keys::named() const {
  std::string out;
  for (const auto& each : keys_)
    out += (out.empty() ? "" : " and ") + std::to_string(each.version()) + " (" + hex_of(each.fingerprint()) + ")";
  return out;
}

master_keys read_master_keys(const settings::wallet_keys& with) {
  auto now = read_one(with.master_version, with.master_key, with.master_key_file, "wallets.master_key");
  if (!now)
    throw std::runtime_error("there is no master key: set wallets.master_key_file to a file with 64 hexadecimal digits "
                             "(openssl rand -hex 32)");
  auto before =
    read_one(with.master_version - 1, with.master_key_before, with.master_key_before_file, "wallets.master_key_before");
  if (!before)
    return master_keys{std::move(*now)};
  if (with.master_version < 2)
    throw std::runtime_error(
      "wallets.master_key_before is set, so wallets.master_version must be one more than it was, at least 2");
  return {std::move(*now), std::move(*before)};
}

std::string hex_of(const master_fingerprint& fingerprint) {
  std::string out;
  append_hex(out, fingerprint);
  return out;
}

} // namespace credence::auth
