#include "auth/recovery_actor.hpp"

#include "actors/kernel/behaviour.hpp"
#include "auth/signature.hpp"

#include <caf/actor_system.hpp>
#include <caf/stateful_actor.hpp>

namespace credence::auth {

namespace {

refusal bad(signature_error why) { return {refusal_code::invalid_signature, "signature " + std::string{explain(why)}}; }

outcome<address> recover(const credence::recover_signer& question) {
  const auto read = parse_signature(question.signature);
  if (!read)
    return bad(read.why());
  const auto signer = auth::recover_signer(personal_message_hash(question.message), *read);
  if (!signer)
    return bad(signer.why());
  return *signer;
}

using recoverer = outcome<address> (*)(const credence::recover_signer&);

struct recovery_state {
  static inline const char* name = "signatures";
};

caf::behavior behave(caf::stateful_actor<recovery_state>*, recoverer work) {
  return behaviour_by<wallet_signatures_handle>([work](const ask<credence::recover_signer>& question) {
    if (question.get()->expired(steady_clock::now()))
      return question.fail(failure::timed_out);
    question.answer(work(*question));
  });
}

} // namespace

// CAF 0.17.6 forms a reference from a null pointer for a function that takes nothing but the actor.
wallet_signatures_handle spawn_recovery(caf::actor_system& sys) {
  return spawn_as<wallet_signatures_handle, caf::detached>(sys, behave, &recover);
}

} // namespace credence::auth
