#include "auth/recovery_actor.hpp"

#include "actors/kernel/actor.hpp"
#include "auth/signature.hpp"

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

class recovery : public actor {
public:
  static inline const char* name = "signatures";
  using takes = wallet_signatures_handle::takes;

  void start() {}
  void on(const ask<credence::recover_signer>& question) {
    if (question.get()->expired(steady_clock::now()))
      return question.fail(failure::timed_out);
    question.answer(recover(*question));
  }
};

} // namespace

wallet_signatures_handle spawn_recovery(caf::actor_system& sys) {
  return wallet_signatures_handle{spawn_on_own_thread<recovery>(sys)};
}

} // namespace credence::auth
