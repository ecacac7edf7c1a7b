#pragma once

#include "persistence/sql/activity_sql.hpp"
#include "persistence/sql/attestation_sql.hpp"
#include "persistence/sql/audit_sql.hpp"
#include "persistence/sql/catalogue_sql.hpp"
#include "persistence/sql/credential_sql.hpp"
#include "persistence/sql/idempotency_sql.hpp"
#include "persistence/sql/join_sql.hpp"
#include "persistence/sql/listing_sql.hpp"
#include "persistence/sql/lookup_sql.hpp"
#include "persistence/sql/market_lists_sql.hpp"
#include "persistence/sql/market_sql.hpp"
#include "persistence/sql/news_sql.hpp"
#include "persistence/sql/people_sql.hpp"
#include "persistence/sql/period_sql.hpp"
#include "persistence/sql/profile_sql.hpp"
#include "persistence/sql/project_record_sql.hpp"
#include "persistence/sql/project_sql.hpp"
#include "persistence/sql/record_lists_sql.hpp"
#include "persistence/sql/reply_sql.hpp"
#include "persistence/sql/reputation_sql.hpp"
#include "persistence/sql/review_sql.hpp"
#include "persistence/sql/score_sql.hpp"
#include "persistence/sql/slash_sql.hpp"
#include "persistence/sql/verification_sql.hpp"
#include "persistence/sql/vouch_sql.hpp"
#include "persistence/sql/xp_sql.hpp"
#ifdef CREDENCE_EXAMPLE
#include "tests/example/note_sql.hpp"
#endif

/// The SQL of all entities, for whoever writes any change or answers any question.
