#include "config/setting_table.hpp"

namespace credence::settings {

#define CREDENCE_AT(member)                                                                                            \
  [](all & s) -> auto& { return s.member; }

void chain_section(table& t) {
  t.number("chain.id", "", "number of the chain that is followed", 1, 9007199254740991, CREDENCE_AT(chain.id));
  t.secret_text("chain.endpoints", "",
                "JSON-RPC URLs of nodes of the chain, separated by commas, those first that are preferred; they may "
                "hold keys. Empty: no chain is followed",
                CREDENCE_AT(chain.endpoints));
  t.number("chain.start_block", "", "first block whose events are stored; 0 while no chain is followed", 0,
           9007199254740991, CREDENCE_AT(chain.start_block));
  t.texts("chain.contracts", "contracts whose events are stored: name=0x…, separated by commas",
          CREDENCE_AT(chain.contracts), is_any, "");
  t.number("chain.confirmations", "", "the newest blocks, so many, are left alone", 0, 1000,
           CREDENCE_AT(chain.confirmations));
  t.milliseconds_of("chain.poll", "time between looks at the newest block", 50, 600000, CREDENCE_AT(chain.poll));
  t.number("chain.range_max", "", "blocks that are asked for at a time while catching up", 1, 1000000,
           CREDENCE_AT(chain.range_max));
  t.milliseconds_of("chain.timeout", "time for a request to a node", 100, 60000, CREDENCE_AT(chain.timeout));
  t.milliseconds_of("chain.unavailable_after",
                    "time without an answer of any node before the chain counts as unavailable", 1000, 3600000,
                    CREDENCE_AT(chain.unavailable_after));
  t.texts("chain.kinds",
          "kinds of records that are made of events instead of over the API, separated by commas: identity, review, "
          "vote, reply, vouch, bond, "
          "broker, project, token, slash, market",
          CREDENCE_AT(chain.kinds), is_any, "");
  t.number("chain.id_offset", "", "added to the ids that contracts give, so that they are above those of the API", 0,
           1000000000, CREDENCE_AT(chain.id_offset));
  t.text("chain.authority", "",
         "rights rest on records of blocks up to this one: safe or finalized, as nodes tag it, or a number: so many "
         "blocks behind the newest",
         CREDENCE_AT(chain.authority));
  t.checked(
    "chain.vouch_fees", "",
    "fees of vouches in basis points until their contract tells of others: protocol/subject/earlier vouchers/exit",
    CREDENCE_AT(chain.vouch_fees), are_fees, "four whole numbers such as 100/100/400/100, together at most 1000");
  t.text("chain.reads.bond", "",
         "function of the contract of bonds that returns one, such as bonds(uint256) returns (uint256 bondId, uint256 "
         "subjectProfileId, string "
         "statement, string expiration); empty: bonds are not read",
         CREDENCE_AT(chain.bond_getter));
  t.text("chain.reads.invite", "",
         "function of the contract of profiles that returns who invited a profile; empty: it is not read",
         CREDENCE_AT(chain.invite_getter));
  t.flag("chain.required", "the service is ready (/readyz) only while the chain is followed",
         CREDENCE_AT(chain.required));
}

#undef CREDENCE_AT

} // namespace credence::settings
