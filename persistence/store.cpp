#include "persistence/store.hpp"

#include "persistence/migrations/migrate.hpp"
#include "persistence/postgres/connection.hpp"
#include "persistence/readers/reader_pool.hpp"
#include "persistence/tidying.hpp"
#include "persistence/writer/batch_writer.hpp"
#include "persistence/writer/takeover.hpp"

namespace credence::persistence {

namespace {

template <class... F>
constexpr bool without_numbers(types<F...>) {
  return ((fact<F>::numbers == numbering::none) && ...);
}
static_assert(without_numbers(chain::storage::facts{}) && without_numbers(score::storage::facts{}),
              "only the first shard gives numbers");

} // namespace

store open_store(caf::actor_system& sys, const settings::store& how, store_status& status, const claim& mine) {
  session checking;
  checking.application_name = "credence-check";
  connection on{how.database_url, checking, how.connect_timeout};
  const auto until = deadline_in(how.load_timeout);
  if (on.exec_params("SELECT pg_is_in_recovery()", until).value<bool>()) // a failover may be under way
    throw database_error(trouble::refused, {}, in_recovery);
  if (const auto why = unfit(on, until))
    throw unfit_database(*why);
  if (const auto* why = what_to_do(check_schema(on, until)))
    throw unfit_database(why);
  on.close();
  return open_store_later(sys, how, status, mine);
}

store open_store_later(caf::actor_system& sys, const settings::store& how, store_status& status, const claim& mine) {
  store out{spawn_writer(sys, how, status, mine), spawn_readers(sys, how, status), &status};
  out.tidying = spawn_tidying(sys, how, status, out.writer);
  return out;
}

store open_chain_store(caf::actor_system& sys, const settings::store& how, store_status& status,
                       const std::string& owner, const store& of) {
  return {spawn_writer(sys, how, status, {owner, 0, shard::chain}), of.reader, &status};
}

} // namespace credence::persistence
