#include "record/profile.h"

#include "base/units.h"
#include "record/result_parts.h"

#define CALL(member)    HS_AT(struct hs_profile_call, member)
#define CALLED(member)  HS_OWNED(struct hs_profile_call, member), .min = 1
#define PROFILE(member) HS_AT(struct hs_profile, member)
#define MOST            .max = 0x1p53

static const struct hs_field call_rows[] = {
    {"call", HS_TEXT, CALLED(call), .about = "The function, as the program calls it."},
    {"collective", HS_TEXT, CALLED(collective), .about = "What it does, whatever its form."},
    {"datatype", HS_TEXT, CALLED(datatype), HS_OPTIONAL,
     .about = "Type of the elements; other: a type of the program's own."},
    {"operation", HS_TEXT, CALLED(operation), HS_OPTIONAL,
     .about = "Of the reduction; user: an operation of the program's own."},
    {"group_ranks", HS_INTEGER, CALL(group_ranks), .min = 1, .max = HS_NP_MAX,
     .about = "Ranks that call together."},
    {"group_stride", HS_INTEGER, CALL(group_stride), HS_WITHOUT(0), .min = -HS_NP_MAX,
     .max = HS_NP_MAX,
     .about = "Ranks of the job from one of a group to the next; absent: they are no progression."},
    {"groups", HS_INTEGER, CALL(groups), .min = 1, MOST,
     .about = "Groups of different ranks that made such calls."},
    {"ranks", HS_INTEGER, CALL(ranks), .min = 1, .max = HS_NP_MAX,
     .about = "Ranks that made such calls."},
    {"calls", HS_INTEGER, CALL(calls), .min = 1, MOST, .about = "Of all these ranks."},
    {"bytes", HS_NUMBER, CALL(bytes), HS_NOT_NEGATIVE,
     .about = "Of all these calls: each counts the larger side of the collective, which for an "
              "allgather is what a rank gets. Those of a row differ by less than a factor of two."},
    {"begun", HS_BOOL, CALL(begun), HS_WITHOUT(0),
     .about = "Times are those of beginning the calls, on the host: a nonblocking call, or one of "
              "NCCL's, which a GPU carries out later. How long that takes is not known."},
    {"seconds", HS_TIME, CALL(seconds), .about = "In the calls, on all these ranks together."},
    {"rank_seconds", HS_TIME, CALL(rank_seconds), .about = "On the rank that took longest."},
    {"longest_seconds", HS_TIME, CALL(longest_seconds), .about = "The longest call."},
    {"sampled_calls", HS_INTEGER, CALL(sampled_calls), HS_WITHOUT(0), MOST,
     .about = "Calls of whole groups that were timed one by one, on each rank."},
    {"sampled_seconds", HS_TIME, CALL(sampled_seconds), HS_OPTIONAL,
     .about = "In these, mean over the ranks of a group."},
    {"waited_seconds", HS_TIME, CALL(waited_seconds), HS_OPTIONAL,
     .about = "Of it what ranks took longer than the one of their group that took shortest, as far "
              "as that had worked longer since its call before: they waited for its work."},
    {"skewed_seconds", HS_TIME, CALL(skewed_seconds), HS_OPTIONAL,
     .about =
         "What else of it they took longer: the calls before, or this one, let some go sooner."},
};
static const struct hs_fields call_fields = {HS_ROWS(call_rows, struct hs_profile_call)};

static const struct hs_field profile_rows[] = {
    {"format", HS_CONSTANT, .text = HS_PROFILE_FORMAT},
    {"command", HS_TEXT, HS_OWNED(struct hs_profile, command),
     .about = "What ran, as rank 0 had it."},
    {"library", HS_TEXT, HS_OWNED(struct hs_profile, library),
     .about = "The MPI library, or NCCL; both where the job called both."},
    {"created", HS_TEXT, HS_OWNED(struct hs_profile, created), .min = 1,
     .about = "When the job began: UTC, ISO 8601."},
    {"finished", HS_BOOL, PROFILE(finished),
     .about =
         "false: some rank did not reach MPI_Finalize (without MPI: a process's exit); what it "
         "had called until then counts."},
    {"ranks", HS_INTEGER, PROFILE(ranks), .min = 1, .max = HS_NP_MAX,
     .about = "Of MPI_COMM_WORLD; without MPI the GPUs of the processes that called NCCL."},
    {"rank_order", HS_TEXT, HS_OWNED(struct hs_profile, rank_order), HS_OPTIONAL, .min = 1,
     .about = "What the order of the ranks is by, where they are not MPI's."},
    {"missing_ranks", HS_INTEGER, PROFILE(missing_ranks), HS_WITHOUT(0), .max = HS_NP_MAX,
     .about = "Ranks of which there are no counts."},
    {"seconds", HS_TIME, PROFILE(seconds),
     .about = "From MPI_Init to MPI_Finalize, or to the last call, of the rank for which it was "
              "longest; of NCCL from its first communicator to exit."},
    {"uncounted_calls", HS_INTEGER, PROFILE(uncounted_calls), HS_WITHOUT(0), MOST,
     .about = "Calls for which there was no room, or between two groups of ranks."},
    {"nodes", HS_LIST, HS_LIST_AT(struct hs_profile, nodes, node_count), .max = HS_RESULT_NODES_MAX,
     .fields = &hs_placed_node_fields,
     .about =
         "Where the ranks were, in their order: a node stands once for each run of its ranks."},
    {"calls", HS_LIST, HS_LIST_AT(struct hs_profile, calls, call_count),
     .max = HS_PROFILE_CALLS_MAX, .fields = &call_fields,
     .about =
         "Calls that are alike; MPI's first, those that took longest; NCCL's largest bytes first."},
};

const struct hs_fields hs_profile_fields = {
    HS_ROWS(profile_rows, struct hs_profile), .id = HS_SCHEMA_ID HS_PROFILE_VERSION,
    .title = "hiersearch profile",
    .about =
        "What a job called of MPI's and NCCL's collectives, written by hiersearch profile. Times "
        "are in seconds, sizes in bytes."};

enum hs_status hs_profile_load(struct hs_profile *profile, const char *path, struct hs_error *err)
{
    return hs_fields_load(&hs_profile_fields, profile, path, err);
}

enum hs_status hs_profile_parse(struct hs_profile *profile, const char *name, const char *text,
                                size_t length, struct hs_error *err)
{
    return hs_fields_parse(&hs_profile_fields, profile, name, text, length, err);
}

enum hs_status hs_profile_print(struct hs_text *out, const struct hs_profile *profile,
                                struct hs_error *err)
{
    return hs_fields_print(out, &hs_profile_fields, profile, false, err);
}

void hs_profile_release(struct hs_profile *profile)
{
    hs_fields_release(&hs_profile_fields, profile);
}
