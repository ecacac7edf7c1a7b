#include "config/setting_table.hpp"

namespace credence::settings {

#define CREDENCE_AT(member)                                                                                            \
  [](all & s) -> auto& { return s.member; }

void wallet_keys_section(table& t) {
  t.private_text("wallets.master_key",
                 "master key of managed wallets, 32 bytes in hex; without one there are no managed wallets",
                 CREDENCE_AT(wallet_keys.master_key));
  t.text("wallets.master_key_file", "",
         "file with wallets.master_key, which its owner alone may read (mode 0600 or 0400)",
         CREDENCE_AT(wallet_keys.master_key_file));
  t.number("wallets.master_version", "",
           "which master key wallets.master_key is: one more each time there is a new one", 1, 1000000,
           CREDENCE_AT(wallet_keys.master_version));
  t.private_text("wallets.master_key_before",
                 "master key of the version before, until credence wallets rotate is through",
                 CREDENCE_AT(wallet_keys.master_key_before));
  t.text("wallets.master_key_before_file", "", "file with wallets.master_key_before, which its owner alone may read",
         CREDENCE_AT(wallet_keys.master_key_before_file));
  const auto function = [&t](const char* name, const std::string& help, auto at) {
    t.text(std::string{"wallets.functions."} + name, "",
           "function of the contract of " + help + ", with the names of its parameters", at);
  };
  function("add_review", "reviews that adds one", CREDENCE_AT(wallet_functions.add_review));
  function("edit_review", "reviews that changes the texts of one", CREDENCE_AT(wallet_functions.edit_review));
  function("archive_review", "reviews that archives one", CREDENCE_AT(wallet_functions.archive_review));
  function("vote", "votes that votes, switches or withdraws", CREDENCE_AT(wallet_functions.vote));
  function("add_reply", "replies that adds one", CREDENCE_AT(wallet_functions.add_reply));
  function("invite", "profiles that invites an address", CREDENCE_AT(wallet_functions.invite));
  function("uninvite", "profiles that takes an invitation back", CREDENCE_AT(wallet_functions.uninvite));
  function("create_bond", "bonds that makes one; empty: wallets make none", CREDENCE_AT(wallet_functions.create_bond));
  function("archive_bond", "bonds that ends one; empty: wallets end none", CREDENCE_AT(wallet_functions.archive_bond));
  t.text("wallets.functions.errors", "",
         "errors of the contracts, with blanks between them, such as SelfReview(address): shown by name to clients",
         CREDENCE_AT(wallet_functions.errors));
}

#undef CREDENCE_AT

} // namespace credence::settings
