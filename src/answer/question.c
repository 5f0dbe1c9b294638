#include "answer/question.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "answer/systems.h"
#include "base/clock.h"
#include "base/notes.h"
#include "estimate/system_file.h"

/* The process count, which a mesh says, too. */
static enum hs_status take_mesh(struct hs_question *question, struct hs_error *err)
{
    struct hs_range *np = &question->np;
    int64_t only = (int64_t)np->first;

    if (question->words.mesh && np->first != np->last)
        return hs_fail(err, HS_INVALID,
                       "--mesh: expected one process count, found a sweep of --np");
    if (hs_mesh_take(&question->mesh, &only, &question->words, err))
        return HS_INVALID;
    if (only == 0 && question->gpus.count > 0)
        *np = (struct hs_range){.first = question->gpus.count, .last = question->gpus.count};
    else if (only == 0)
        return hs_fail(err, HS_INVALID, "--np P[:P] is missing");
    if (question->mesh.count > 0)
        *np = (struct hs_range){.first = (uint64_t)only, .last = (uint64_t)only};
    return HS_OK;
}

/* Of so many processes, of which there is one count; 0: there are several. */
static int64_t only_np(const struct hs_question *question)
{
    return question->np.first == question->np.last ? (int64_t)question->np.first : 0;
}

bool hs_question_is_part(const struct hs_question *question, const struct hs_system *system)
{
    return hs_system_is_part(system, &question->gpus, only_np(question));
}

bool hs_question_changes(const struct hs_question *question, const struct hs_system *system)
{
    return question->algorithm || question->registered || question->operation != HS_SUM ||
           question->datatype >= HS_DATATYPE_COUNT || hs_question_is_part(question, system);
}

enum hs_status hs_question_choose(struct hs_system *system, const struct hs_question *question,
                                  struct hs_error *err)
{
    enum hs_status status = hs_system_choose_asked(system, &question->gpus, only_np(question), err);

    if (status == HS_OK && question->registered && !hs_system_is_nccl_native(system))
        return hs_fail(err, HS_INVALID,
                       "--registered: expected a machine in parts, such as '8xH100, 8xNDR400', "
                       "whose library is NCCL");
    system->nccl.use = (struct hs_nccl_use){.registered = question->registered,
                                            .datatype = question->datatype,
                                            .operation = question->operation};
    if (status || !question->algorithm)
        return status;
    free(system->library_algorithm);
    system->library_algorithm = hs_strdup(question->algorithm);
    if (!system->library_algorithm)
        return hs_no_memory(err);
    status = hs_system_take_algorithm(system, err);
    return status ? hs_error_prefix(err, status, "--algorithm") : HS_OK;
}

enum hs_status hs_question_take(struct hs_question *question, struct hs_error *err)
{
    bool containment = strcmp(question->search, "containment") == 0;

    if (question->bytes.first == 0)
        hs_bytes_range_parse(&question->bytes, HS_SIZE_ASKED, NULL);
    if (take_mesh(question, err))
        return HS_INVALID;
    if ((question->beam || question->widen) && !containment)
        return hs_fail(err, HS_INVALID, "--%s: only for --search containment",
                       question->beam ? "beam" : "widen");
    return hs_layout_check(question->collective, question->layout, err);
}

size_t hs_question_machines(const struct hs_question *question)
{
    return question->machines > 0 ? (size_t)question->machines : HS_MACHINES_USUAL;
}

size_t hs_question_sizes(const struct hs_question *question)
{
    const struct hs_range *bytes = &question->bytes;
    size_t count = 0;

    for (uint64_t b = bytes->first; b != 0; b = hs_range_next(bytes, b))
        count++;
    return count;
}

/* What has no price is no candidate: who asks for it shall know, but for those that "all" means. */
enum hs_status hs_asked_check(const struct hs_asked *asked, struct hs_error *err)
{
    unsigned algorithms = asked->question->algorithms;
    bool all = (algorithms & HS_ALGORITHMS_ALL) == HS_ALGORITHMS_ALL;

    for (int a = 0; a < HS_ALGORITHM_COUNT; a++) {
        bool on_links = hs_algorithms[a]->on_links;

        if (!(algorithms >> a & 1) || hs_system_prices(asked->system, (enum hs_algorithm)a) ||
            (on_links && all))
            continue;
        if (on_links)
            return hs_fail(err, HS_INVALID,
                           "--algorithms %s: the first level of %s has no single links that it "
                           "could go by",
                           hs_algorithm_names[a], asked->label);
        return hs_fail(err, HS_INVALID,
                       "--algorithms %s: %s names no MPI library (library: mpich or openmpi) "
                       "whose rule could price it%s",
                       hs_algorithm_names[a], asked->label,
                       asked->system->fits.count > 0 ? ", and none was measured" : "");
    }
    return HS_OK;
}

bool hs_asked_has_time(const struct hs_asked *asked)
{
    double budget = asked->question->budget_seconds;

    return budget <= 0 || hs_clock_seconds() - asked->began_seconds < budget;
}

void hs_asked_say_beyond(struct hs_text *notes, const struct hs_asked *asked)
{
    const struct hs_system *system = asked->system;
    int64_t capacity = hs_system_capacity(system);

    if (asked->question->np.last > (uint64_t)capacity)
        hs_say_warning(notes,
                       "%s describes %" PRId64 " processes, %" PRIu64
                       " are asked for: its outermost level (%s) is taken to go on",
                       asked->label, capacity, asked->question->np.last,
                       system->levels[system->level_count - 1].name);
}

unsigned hs_asked_algorithms(const struct hs_asked *asked)
{
    const struct hs_question *question = asked->question;

    return question->algorithms ? question->algorithms : hs_system_algorithms(asked->system);
}
