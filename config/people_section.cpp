#include "config/limits.hpp"
#include "config/setting_table.hpp"

namespace credence::settings {

#define CREDENCE_AT(member)                                                                                            \
  [](all & s) -> auto& { return s.member; }

void people_section(table& t) {
  t.flag("people.open_registration",
         "true: anyone who signs with an address may create a profile; false: only invited addresses",
         CREDENCE_AT(people.open_registration));
  t.number("people.default_invites", "", "invitations that a new profile may send", 0, limits::invites_max,
           CREDENCE_AT(people.default_invites));
  t.ids("people.attestors", "", "profile ids of those who may attest accounts for any profile, besides admins",
        CREDENCE_AT(people.attestors));
  t.text("people.default_avatar", "", "picture (URI) that new users get", CREDENCE_AT(people.default_avatar));
}

void score_section(table& t) {
  t.text("score.vouch_model", "", "how vouched ether counts in scores; hardened asks for more of it",
         CREDENCE_AT(score.vouch_model), {"standard", "hardened"});
}

void partner_section(table& t) {
  t.texts("wallets.partner_origins", "origins whose pages act for users through managed wallets, separated by commas",
          CREDENCE_AT(partners.origins), is_partner_origin,
          "origins such as https://partner.example, in lower case and with nothing behind the host, with https unless "
          "they are on this machine,"
          " separated by commas");
  t.flag("wallets.partner_actions", "pages of partners may act for users who let them", CREDENCE_AT(partners.actions));
}

#undef CREDENCE_AT

} // namespace credence::settings
