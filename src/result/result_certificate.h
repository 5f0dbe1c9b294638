/*
 * result_certificate.h - the member `certificate` of a message size in a result file: what a lazy
 * search found (model/certificate.h). Internal to result.
 */
#ifndef HS_RESULT_RESULT_CERTIFICATE_H
#define HS_RESULT_RESULT_CERTIFICATE_H

#include "base/json.h"
#include "model/certificate.h"

struct cJSON;

/* The JSON object, owned by the caller; NULL when out of memory. */
struct cJSON *hs_result_certificate_to_json(const struct hs_certificate *certificate);
/* Reads one of np processes. HS_INVALID, HS_MEMORY; *certificate is {0} then. */
enum hs_status hs_result_certificate_read(struct hs_certificate *certificate,
                                          const struct hs_json *at, int64_t np,
                                          struct hs_error *err);

#endif
