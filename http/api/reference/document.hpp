#pragma once

#include <string_view>

namespace credence::http {

/// The OpenAPI document of the API, as `GET /openapi.json` answers it (ops/reference.py makes it).
std::string_view openapi_document();

} // namespace credence::http
