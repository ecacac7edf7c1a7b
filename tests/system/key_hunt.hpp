#pragma once

#include "actors/wallets/wallet_keys.hpp"

#include <filesystem>
#include <utility>
#include <vector>

namespace credence::test {

/// Keys that must be found nowhere: neither as they are, nor in digits, nor in base64.
class key_hunt {
public:
  void add(const std::string& what, const std::string& bytes);
  /// The test fails, naming the key, where the text holds one.
  void expect_none(const std::string& where, const std::string& text) const;
  /// The same of every file in that directory, and below.
  void expect_none_below(const std::filesystem::path& directory) const;

private:
  std::vector<std::pair<std::string, std::string>> all_; // what, and a form of it
};

/// Whether a part is in a text, of any size.
bool holds(const std::string& text, const std::string& part);
/// The bytes of these digits.
std::string bytes_of(const std::string& digits);
/// The private key of a wallet in the clear, as auth/wallet_keys_local.cpp opens it; fails the test where it does not
/// open.
std::string opened_key(std::int64_t wallet, const wallets::sealed_key& sealed, const std::string& master_key);

} // namespace credence::test
