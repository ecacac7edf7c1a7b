#include "config/setting_table.hpp"

namespace credence::settings {

#define CREDENCE_AT(member)                                                                                            \
  [](all & s) -> auto& { return s.wallet_signing.member; }

void wallet_signing_section(table& t) {
  constexpr auto price = "a whole number of wei from 1 to 10^24";
  t.flag("wallets.signing", "managed wallets sign; false: they are switched off", CREDENCE_AT(signing));
  t.checked("wallets.fee_max_wei", "", "highest fee for a unit of gas, in wei", CREDENCE_AT(fee_max_wei), is_price,
            price);
  t.checked("wallets.priority_fee_max_wei", "", "most of that for the producer of the block, in wei",
            CREDENCE_AT(priority_fee_max_wei), is_price, price);
  t.checked("wallets.priority_fee_least_wei", "", "least of that, in wei, also where others pay less",
            CREDENCE_AT(priority_fee_least_wei), is_price, price);
  t.number("wallets.gas_max", "", "gas of one transaction", 21000, 30000000, CREDENCE_AT(gas_max));
  t.checked("wallets.value_max_wei", "", "what one action sends along at most, in wei", CREDENCE_AT(value_max_wei),
            is_price_or_none, "a whole number of wei from 0 to 10^24");
  t.number("wallets.signatures_per_day", "", "actions of one wallet in a day (UTC)", 0, 1000000,
           CREDENCE_AT(signatures_per_day));
  t.number("wallets.in_flight_max", "", "transactions of one wallet that are in no block yet", 1, 64,
           CREDENCE_AT(in_flight_max));
  t.milliseconds_of("wallets.stuck_after",
                    "time before a transaction that is in no block is replaced by one with a higher fee", 1000,
                    86400000, CREDENCE_AT(stuck_after));
  t.milliseconds_of("wallets.node_timeout", "time for a request of a wallet to a node", 100, 60000,
                    CREDENCE_AT(node_timeout));
  t.number("wallets.node_threads", "", "threads that ask nodes for wallets", 1, 64, CREDENCE_AT(node_threads));
  t.number("wallets.key_threads", "", "threads that sign", 1, 16, CREDENCE_AT(key_threads));
  t.flag("wallets.sponsor", "the funding account sends gas to wallets that lack it", CREDENCE_AT(sponsor));
  t.checked("wallets.sponsor_least_wei", "", "what it sends at a time at least, in wei", CREDENCE_AT(sponsor_least_wei),
            is_price, price);
  t.checked("wallets.sponsor_per_day_wei", "", "what it spends in a day (UTC) at most, with fees, in wei",
            CREDENCE_AT(sponsor_per_day_wei), is_price, price);
  t.checked("wallets.sponsor_per_wallet_wei", "",
            "what it spends on one wallet in a day (UTC) at most, with fees, in wei",
            CREDENCE_AT(sponsor_per_wallet_wei), is_price, price);
}

#undef CREDENCE_AT

} // namespace credence::settings
