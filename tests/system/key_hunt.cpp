#include "tests/system/key_hunt.hpp"

#include "actors/domain/hash.hpp"
#include "auth/digest.hpp"
#include "auth/wallet_keys_local.hpp"
#include "tests/text_of_file.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <set>

namespace credence::test {

namespace {

std::string big_endian(std::uint64_t value, int size) {
  std::string out;
  for (int shift = 8 * (size - 1); shift >= 0; shift -= 8)
    out += static_cast<char>(value >> shift & 0xFF);
  return out;
}

/// 32 bytes.
std::string opened(const std::string& key, std::string_view sealed, const std::string& context) {
  std::string out(32, '\0');
  EXPECT_TRUE(auth::gcm_open(reinterpret_cast<const unsigned char*>(key.data()), sealed, context,
                             std::as_writable_bytes(std::span{out})));
  return out;
}

} // namespace

void key_hunt::add(const std::string& what, const std::string& bytes) {
  std::string small, large;
  append_hex(small, std::as_bytes(std::span{bytes}));
  for (const unsigned char c : small)
    large += static_cast<char>(std::toupper(c));
  const auto for_urls = auth::base64url(bytes);
  auto plain = for_urls;
  std::replace(plain.begin(), plain.end(), '-', '+');
  std::replace(plain.begin(), plain.end(), '_', '/');
  for (const auto& form : std::set<std::string>{bytes, small, large, for_urls, plain})
    all_.emplace_back(what, form);
}

void key_hunt::expect_none(const std::string& where, const std::string& text) const {
  for (const auto& [what, form] : all_)
    EXPECT_FALSE(holds(text, form)) << what << " is in " << where;
}

void key_hunt::expect_none_below(const std::filesystem::path& directory) const {
  for (const auto& each : std::filesystem::recursive_directory_iterator(directory))
    if (each.is_regular_file())
      expect_none(each.path().string(), text_of_file(each.path()));
}

bool holds(const std::string& text, const std::string& part) {
  return ::memmem(text.data(), text.size(), part.data(), part.size()) != nullptr;
}

std::string bytes_of(const std::string& digits) {
  std::string out(digits.size() / 2, '\0');
  EXPECT_TRUE(decode_hex(digits, std::as_writable_bytes(std::span{out})));
  return out;
}

std::string opened_key(std::int64_t wallet, const wallets::sealed_key& sealed, const std::string& master_key) {
  constexpr std::size_t fingerprint_at = 1, fingerprint_bytes = 8, one_key = 32 + auth::gcm_overhead;
  constexpr std::size_t data_key_at = fingerprint_at + fingerprint_bytes, private_key_at = data_key_at + one_key;
  if (sealed.bytes.size() != private_key_at + one_key) {
    ADD_FAILURE() << "the key of wallet " << wallet << " is sealed in another form";
    return {};
  }
  const std::string_view bytes{sealed.bytes};
  const auto number = big_endian(static_cast<std::uint64_t>(wallet), 8);
  const auto data_key = opened(master_key, bytes.substr(data_key_at, one_key),
                               "credence: data key of a managed wallet" + number
                                 + big_endian(static_cast<std::uint32_t>(sealed.master_version), 4)
                                 + std::string{bytes.substr(fingerprint_at, fingerprint_bytes)});
  return opened(data_key, bytes.substr(private_key_at), "credence: private key of a managed wallet" + number);
}

} // namespace credence::test
