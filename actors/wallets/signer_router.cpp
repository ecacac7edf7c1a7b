#include "actors/wallets/signer_family.hpp"
#include "ops/chain_metrics.hpp"

#include <utility>

namespace credence::wallets {

namespace {

constexpr std::int32_t wallets_at_once = 1000;
constexpr profile_id before_all{-1};

class signer_router : public entity_router<signer_router, signers, signing_context> {
public:
  static inline const char* name = "wallets";
  using entity_router::on;

  static family_bounds bounds(const settings::actors& limits) {
    return {limits.live_profiles_max, limits.waiting_per_profile_max, failure::too_many};
  }
  auto spawn(birth<signers, signing_context> born) { return spawn_signer(system(), std::move(born)); }

  void start_up() {
    // Nothing works here without these threads, and they end with this actor.
    for (const auto& threads : {with_->nodes, with_->keys, with_->exports})
      link_to(threads);
    after(std::chrono::milliseconds{0}, look_due{});
  }

  /// Tells each wallet with open transactions where they are. So it is loaded, too, if it is not in memory.
  void on(const look_due&) {
    open_funding_account();
    storage_.read(*this, load_followed{after_, wallets_at_once})
      .then(
        [this](followed_outbox& found) {
          deal_out(found);
          look_soon();
        },
        [this](failure) { look_soon(); });
  }

  void on(const funding_opened&) { funding_opened_ = true; }
  void on(const gas_wanted& wanted) { kids().tell(funding_account, wanted); }
  void on(const gas_answered& answer) { kids().tell_if_live(answer.whose, answer); }

private:
  /// Again and again until it is there: its load, its key or its row may come to nothing.
  void open_funding_account() {
    if (with_->bounds.sponsoring && !funding_opened_)
      kids().tell(funding_account, open_funding{});
  }
  void look_soon() { after(with_->look_every, look_due{}); }

  void deal_out(followed_outbox& found) {
    std::int32_t wallets = 0;
    auto row = found.rows.begin();
    while (row != found.rows.end()) {
      const auto whose = row->profile;
      followed_outbox of_one{{}, found.tip, found.authority};
      for (; row != found.rows.end() && row->profile == whose; ++row)
        of_one.rows.push_back(*row);
      kids().tell(whose, look_after{std::move(of_one)});
      ++wallets;
    }
    open_ += static_cast<std::int64_t>(found.rows.size());
    const bool all = wallets < wallets_at_once;
    after_ = all ? before_all : found.rows.back().profile;
    if (all)
      ops::the_wallet_metrics().open.set(std::exchange(open_, 0));
  }

  bool funding_opened_ = false;
  profile_id after_ = before_all;
  std::int64_t open_ = 0; // transactions, of the wallets before `after_`
};

} // namespace

wallet_handle spawn_signers(caf::actor_system& sys, std::shared_ptr<const signing_context> with,
                            port<outbox_storage> storage) {
  return spawn_router<signer_router>(sys, std::move(with), std::move(storage));
}

} // namespace credence::wallets
