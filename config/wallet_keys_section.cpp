#include "config/setting_table.hpp"

namespace credence::settings {

#define CREDENCE_AT(member)                                                                                                                          \
  [](all & s) -> auto& { return s.member; }

void wallet_keys_section(table& t) {
  t.private_text("wallets.master_key", "master key of managed wallets, 32 bytes in hex; without one there are no managed wallets",
                 CREDENCE_AT(wallet_keys.master_key));
  t.text("wallets.master_key_file", "", "file with wallets.master_key, which its owner alone may read (mode 0600 or 0400)",
         CREDENCE_AT(wallet_keys.master_key_file));
  t.number("wallets.master_version", "", "which master key wallets.master_key is: one more each time there is a new one", 1, 1000000,
           CREDENCE_AT(wallet_keys.master_version));
  t.private_text("wallets.master_key_before", "master key of the version before, until credence wallets rotate is through",
                 CREDENCE_AT(wallet_keys.master_key_before));
  t.text("wallets.master_key_before_file", "", "file with wallets.master_key_before, which its owner alone may read",
         CREDENCE_AT(wallet_keys.master_key_before_file));
}

#undef CREDENCE_AT

} // namespace credence::settings
