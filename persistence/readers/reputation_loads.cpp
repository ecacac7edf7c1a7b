#include "actors/reputation/record_storage.hpp"
#include "persistence/readers/handlers.hpp"
#include "persistence/sql/activity_sql.hpp"
#include "persistence/sql/attestation_sql.hpp"
#include "persistence/sql/bond_sql.hpp"
#include "persistence/sql/broker_sql.hpp"
#include "persistence/sql/catalogue_sql.hpp"
#include "persistence/sql/join_sql.hpp"
#include "persistence/sql/notice_sql.hpp"
#include "persistence/sql/project_record_sql.hpp"
#include "persistence/sql/record_lists_sql.hpp"
#include "persistence/sql/reply_sql.hpp"
#include "persistence/sql/reputation_sql.hpp"
#include "persistence/sql/review_sql.hpp"
#include "persistence/sql/verification_sql.hpp"
#include "persistence/sql/vouch_sql.hpp"
#include "persistence/sql/xp_lists_sql.hpp"

namespace credence::persistence {

template std::vector<load_handler> handlers_of<reputation::storage>();

} // namespace credence::persistence
