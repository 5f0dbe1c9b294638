/* The journal: what is written is read back, and what a kill can leave is understood. */
#include "runner/journal.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/text.h"
#include "test.h"

static char folder[] = "/tmp/hs-journal-XXXXXX";
static char path[64];
static struct hs_fact facts[] = {{"np", "8"}, {"size", "1KiB"}};
static struct hs_fact other_facts[] = {{"np", "4"}, {"size", "1KiB"}};
static const struct hs_journal_run this_run = {facts, 2}, other_run = {other_facts, 2};

static struct hs_race new_race(void)
{
    struct hs_race race = {0};
    struct hs_plan plan;

    assert_int_equal(hs_race_add_baseline(&race, "library", 0, NULL), HS_OK);
    assert_int_equal(hs_plan_parse(&plan, "2x4", 8, NULL), HS_OK);
    assert_int_equal(hs_race_add(&race, &plan, NULL), HS_OK);
    assert_int_equal(hs_plan_parse(&plan, "8", 8, NULL), HS_OK);
    assert_int_equal(hs_race_add(&race, &plan, NULL), HS_OK);
    return race;
}

static void add_sample(struct hs_race *race, size_t index, double seconds)
{
    struct hs_step step = {.item = index, .verify = true};
    double device = seconds / 2;
    struct hs_step_outcome outcome = {.seconds = {&seconds, 1, 1}, .device = {&device, 1, 1}};

    assert_int_equal(hs_race_tell(race, &step, &outcome, NULL), HS_OK);
}

/* A journal of one session: "2x4" finished after 3 samples in two lines, "8" open after 1. */
static void write_session(void)
{
    struct hs_race race = new_race();
    struct hs_journal journal;
    struct hs_error err = {0};
    struct hs_step timed = {.item = 1, .timed = true};
    double whole = 1.5;
    struct hs_step_outcome stages = {.seconds = {&whole, 1, 1}, .stage_seconds = {0.25, 0.5, 0.75}};

    unlink(path);
    assert_status_is(hs_journal_create(&journal, path, NULL, &this_run, &err), HS_OK, &err);
    add_sample(&race, 1, 0.1);
    add_sample(&race, 2, 1.0 / 3);
    assert_status_is(hs_journal_write(&journal, 1024, &race.items[1], &err), HS_OK, &err);
    assert_status_is(hs_journal_write(&journal, 1024, &race.items[2], &err), HS_OK, &err);
    assert_false(hs_journal_wants(&race.items[2]));
    add_sample(&race, 1, 0.2);
    add_sample(&race, 1, 0.3);
    race.items[1].ending = HS_ENDING_PRECISE;
    assert_int_equal(hs_race_tell(&race, &timed, &stages, NULL), HS_OK);
    assert_true(hs_journal_wants(&race.items[1]));
    assert_status_is(hs_journal_write(&journal, 1024, &race.items[1], &err), HS_OK, &err);
    assert_status_is(hs_journal_sync(&journal, &err), HS_OK, &err);
    hs_journal_close(&journal, false);
    hs_race_release(&race);
}

static void append(const char *text)
{
    int fd = open(path, O_WRONLY | O_APPEND);

    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    close(fd);
}

static off_t file_bytes(void)
{
    struct stat about;

    return stat(path, &about) == 0 ? about.st_size : -1;
}

static void check_restored(const struct hs_race *race)
{
    const struct hs_arm *item = &race->items[1];

    assert_int_equal(item->seconds.count, 3);
    assert_true(item->seconds.values[0] == 0.1 && item->seconds.values[2] == 0.3);
    assert_int_equal(item->device.count, 3);
    assert_int_equal(item->ending, HS_ENDING_PRECISE);
    assert_true(hs_arm_done(item));
    assert_int_equal(item->layers.runs, 1);
    assert_true(hs_samples_median(&item->layers.stages[1].seconds) == 0.5);
    assert_true(hs_samples_median(&item->layers.stages[2].seconds) == 0.75);
    assert_false(hs_journal_wants(item));
    assert_int_equal(race->items[2].seconds.count, 1);
    assert_true(race->items[2].seconds.values[0] == 1.0 / 3);
    assert_int_equal(race->items[2].ending, HS_ENDING_OPEN);
    assert_int_equal(race->items[0].seconds.count, 0);
}

static void resume(struct hs_journal *journal, struct hs_race *race, bool retry)
{
    struct hs_error err = {0};

    *race = new_race();
    assert_status_is(hs_journal_resume(journal, path, NULL, &this_run, &err), HS_OK, &err);
    assert_status_is(hs_journal_restore(journal, race, 1024, retry, &err), HS_OK, &err);
}

static void comes_back_as_written(void **state)
{
    struct hs_journal journal;
    struct hs_race race;

    (void)state;
    write_session();
    resume(&journal, &race, false);
    check_restored(&race);
    hs_journal_close(&journal, false);
    hs_race_release(&race);
}

static void other_sizes_stay_out(void **state)
{
    struct hs_journal journal;
    struct hs_race race = new_race();
    struct hs_error err = {0};

    (void)state;
    write_session();
    assert_status_is(hs_journal_resume(&journal, path, NULL, &this_run, &err), HS_OK, &err);
    assert_status_is(hs_journal_restore(&journal, &race, 2048, false, &err), HS_OK, &err);
    assert_int_equal(race.items[1].seconds.count, 0);
    hs_journal_close(&journal, false);
    hs_race_release(&race);
}

/* Cut anywhere in the last line, it reads as if that line had not been written. */
static void torn_line_is_cut_off(void **state)
{
    struct hs_journal journal;
    struct hs_race race;
    off_t whole;

    (void)state;
    for (int torn = 1; torn <= 40; torn += 13) {
        write_session();
        whole = file_bytes();
        append("{\"bytes\":1024,\"name\":\"8\",\"samples\":[7]}\n");
        assert_int_equal(truncate(path, file_bytes() - torn), 0);
        resume(&journal, &race, false);
        check_restored(&race);
        assert_int_equal(file_bytes(), whole);
        hs_journal_close(&journal, false);
        hs_race_release(&race);
    }
}

/* A power cut leaves zeros where a line was to be. */
static void lines_of_zeros_are_counted_and_gone_past(void **state)
{
    static const char zeros[] = "\0\0\0\0\0\n{\"bytes\":10\0\0\0\n"
                                "{\"bytes\":1024,\"name\":\"8\",\"samples\":[7]}\n\0\0\n\0\0";
    int fd;
    struct hs_journal journal;
    struct hs_race race;

    (void)state;
    write_session();
    fd = open(path, O_WRONLY | O_APPEND);
    assert_int_equal(write(fd, zeros, sizeof(zeros) - 1), sizeof(zeros) - 1);
    close(fd);
    resume(&journal, &race, false);
    assert_int_equal(journal.lost_lines, 3);
    assert_int_equal(race.items[2].seconds.count, 2);
    assert_true(race.items[2].seconds.values[1] == 7);
    hs_journal_close(&journal, false);
    hs_race_release(&race);
}

static void goes_on_behind_the_old_lines(void **state)
{
    struct hs_journal journal;
    struct hs_race race;
    struct hs_error err = {0};

    (void)state;
    write_session();
    append("{\"torn");
    resume(&journal, &race, false);
    add_sample(&race, 2, 2);
    assert_status_is(hs_journal_write(&journal, 1024, &race.items[2], &err), HS_OK, &err);
    hs_journal_close(&journal, false);
    hs_race_release(&race);
    resume(&journal, &race, false);
    assert_int_equal(race.items[2].seconds.count, 2);
    assert_true(race.items[2].seconds.values[1] == 2);
    hs_journal_close(&journal, false);
    hs_race_release(&race);
}

static void another_run_is_refused(void **state)
{
    struct hs_journal journal;
    struct hs_error err = {0};
    off_t before;

    (void)state;
    write_session();
    before = file_bytes();
    assert_status_is(hs_journal_resume(&journal, path, NULL, &other_run, &err), HS_INVALID, &err);
    assert_has(err.message, "np was \"8\" there and is \"4\" here");
    assert_int_equal(file_bytes(), before);
}

static void no_journal_begins_one(void **state)
{
    struct hs_journal journal;
    struct hs_error err = {0};

    (void)state;
    unlink(path);
    assert_status_is(hs_journal_resume(&journal, path, NULL, &this_run, &err), HS_OK, &err);
    assert_null(journal.old);
    assert_true(file_bytes() > 0);
    hs_journal_close(&journal, true);
    assert_int_equal(file_bytes(), -1);
}

static void torn_header_begins_anew(void **state)
{
    struct hs_journal journal;
    struct hs_race race;

    (void)state;
    write_session();
    assert_int_equal(truncate(path, 20), 0);
    resume(&journal, &race, false);
    assert_int_equal(race.items[1].seconds.count, 0);
    hs_journal_close(&journal, false);
    hs_race_release(&race);
    resume(&journal, &race, false);
    hs_journal_close(&journal, false);
    hs_race_release(&race);
}

static void wrong_line_is_named(void **state)
{
    static const char *const lines[] = {"{\"bytes\":1024,\"name\":\"8\",\"samples\":[-1]}\n",
                                        "{\"bytes\":1024,\"name\":\"8\",\"samples\":[1,1e308]}\n",
                                        "{\"bytes\":1024,\"name\":\"8\",\"samples\":[5e-324]}\n",
                                        "nonsense\n",
                                        "{\"name\":\"8\"}\n",
                                        "{\"bytes\":1024,\"name\":\"8\",\"ended\":\"x\"}\n"};

    (void)state;
    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
        struct hs_race race = new_race();
        struct hs_journal journal;
        struct hs_error err = {0};

        write_session();
        append(lines[i]);
        assert_status_is(hs_journal_resume(&journal, path, NULL, &this_run, &err), HS_OK, &err);
        assert_status_is(hs_journal_restore(&journal, &race, 1024, false, &err), HS_INVALID, &err);
        assert_has(err.message, "line 5");
        hs_journal_close(&journal, false);
        hs_race_release(&race);
    }
}

static void timeouts_are_kept_or_retried(void **state)
{
    static const char line[] =
        "{\"bytes\":1024,\"name\":\"8\",\"ended\":\"fault\",\"status\":\"timeout\","
        "\"reason\":\"too long\"}\n";
    struct hs_journal journal;
    struct hs_race race;

    (void)state;
    write_session();
    append(line);
    resume(&journal, &race, false);
    assert_int_equal(race.items[2].status, HS_MEASURE_TIMEOUT);
    assert_string_equal(race.items[2].reason, "too long");
    assert_true(hs_arm_done(&race.items[2]));
    hs_journal_close(&journal, false);
    hs_race_release(&race);
    resume(&journal, &race, true);
    assert_int_equal(race.items[2].status, HS_MEASURE_OK);
    assert_int_equal(race.items[2].ending, HS_ENDING_OPEN);
    check_restored(&race);
    hs_journal_close(&journal, false);
    hs_race_release(&race);
}

/* What `path` holds, NUL-terminated; owned by the caller. */
static char *content_of(const char *name)
{
    char *text;
    size_t length;

    assert_int_equal(hs_file_read(&text, &length, name, 1 << 20, NULL), HS_OK);
    return text;
}

static void what_is_no_journal_stays(void **state)
{
    static const char *const texts[] = {"{\"format\":\"hiersearch.system/1\",\"name\":\"x\"}\n",
                                        "{\"format\":\"hiersearch.journal/22", "\n", "x"};

    (void)state;
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        struct hs_journal journal;
        struct hs_error err = {0};
        char *kept;

        unlink(path);
        close(open(path, O_WRONLY | O_CREAT, 0600));
        append(texts[i]);
        assert_status_is(hs_journal_create(&journal, path, NULL, &this_run, &err), HS_INVALID,
                         &err);
        assert_has(err.message, "expected a journal");
        assert_status_is(hs_journal_resume(&journal, path, NULL, &this_run, &err), HS_INVALID,
                         &err);
        kept = content_of(path);
        assert_string_equal(kept, texts[i]);
        free(kept);
    }
    unlink(path);
}

static void earlier_journal_is_put_aside(void **state)
{
    struct hs_journal journal;
    struct hs_error err = {0};
    char first[80], second[80], *before, *after;

    (void)state;
    snprintf(first, sizeof(first), "%s.1", path);
    snprintf(second, sizeof(second), "%s.2", path);
    write_session();
    before = content_of(path);
    for (int run = 1; run <= 2; run++) {
        assert_status_is(hs_journal_create(&journal, path, NULL, &this_run, &err), HS_OK, &err);
        assert_string_equal(journal.aside, run == 1 ? first : second);
        append("{\"bytes\":1024,\"name\":\"8\",\"samples\":[7]}\n");
        hs_journal_close(&journal, false);
    }
    after = content_of(first);
    assert_string_equal(before, after);
    free(before);
    free(after);
    assert_int_equal(unlink(first) + unlink(second) + unlink(path), 0);
}

static void first_line_alone_is_no_loss(void **state)
{
    struct hs_journal journal;
    struct hs_error err = {0};
    off_t bytes = -1;

    (void)state;
    unlink(path);
    close(open(path, O_WRONLY | O_CREAT, 0600));
    for (int run = 0; run < 3; run++) {
        assert_status_is(hs_journal_create(&journal, path, NULL, &this_run, &err), HS_OK, &err);
        assert_null(journal.aside);
        hs_journal_close(&journal, false);
        assert_true(bytes == -1 || file_bytes() == bytes);
        bytes = file_bytes();
    }
}

/* Neither its lines nor the file itself are touched while a run has it. */
static void journal_in_use_is_refused(void **state)
{
    struct hs_journal journal, other;
    struct hs_error err = {0};
    off_t before;

    (void)state;
    write_session();
    before = file_bytes();
    assert_status_is(hs_journal_resume(&journal, path, NULL, &this_run, &err), HS_OK, &err);
    assert_status_is(hs_journal_create(&other, path, NULL, &this_run, &err), HS_INVALID, &err);
    assert_has(err.message, "in use by");
    assert_status_is(hs_journal_resume(&other, path, NULL, &this_run, &err), HS_INVALID, &err);
    assert_int_equal(file_bytes(), before);
    hs_journal_close(&journal, true);
    assert_int_equal(file_bytes(), -1);
}

static void journal_is_not_the_output(void **state)
{
    struct hs_journal journal;
    struct hs_error err = {0};

    (void)state;
    unlink(path);
    assert_status_is(hs_journal_create(&journal, path, path, &this_run, &err), HS_INVALID, &err);
    assert_has(err.message, "same file");
    assert_int_equal(file_bytes(), -1);
}

/* A journal that another one has replaced is not ours to remove. */
static void only_own_journal_is_removed(void **state)
{
    struct hs_journal journal;
    struct hs_error err = {0};

    (void)state;
    unlink(path);
    assert_status_is(hs_journal_create(&journal, path, NULL, &this_run, &err), HS_OK, &err);
    unlink(path);
    close(open(path, O_WRONLY | O_CREAT, 0600));
    hs_journal_close(&journal, true);
    assert_int_equal(file_bytes(), 0);
}

/* /dev/full refuses every byte. */
static void full_disk_is_said_once(void **state)
{
    struct hs_journal journal;
    struct hs_race race = new_race();
    struct hs_error err = {0};

    (void)state;
    write_session();
    assert_status_is(hs_journal_resume(&journal, path, NULL, &this_run, &err), HS_OK, &err);
    close(journal.fd);
    journal.fd = open("/dev/full", O_WRONLY);
    add_sample(&race, 2, 1);
    assert_status_is(hs_journal_write(&journal, 1024, &race.items[2], &err), HS_IO, &err);
    assert_has(err.message, strerror(ENOSPC));
    assert_status_is(hs_journal_write(&journal, 1024, &race.items[2], &err), HS_OK, &err);
    assert_true(hs_journal_wants(&race.items[2]));
    hs_journal_close(&journal, false);
    hs_race_release(&race);
}

/* Takes the place of cJSON's, which walks the list from its start: once per element, that is
 * quadratic. */
static size_t elements_asked_for;

cJSON *cJSON_GetArrayItem(const cJSON *array, int index)
{
    cJSON *item = array->child;

    elements_asked_for++;
    while (item && index-- > 0)
        item = item->next;
    return item;
}

static void lists_are_read_from_one_element_to_the_next(void **state)
{
    enum { COUNT = 1000 };
    struct hs_journal journal;
    struct hs_race race;
    struct hs_text line = {0};

    (void)state;
    hs_text_append(&line, "{\"bytes\":1024,\"name\":\"8\",\"samples\":[1");
    for (int i = 1; i < COUNT; i++)
        hs_text_append(&line, ",%d", i);
    hs_text_append(&line, "]}\n");
    assert_false(line.failed);
    write_session();
    append(line.data);
    elements_asked_for = 0;
    resume(&journal, &race, false);
    assert_int_equal(race.items[2].seconds.count, 1 + COUNT);
    assert_true(race.items[2].seconds.values[COUNT] == COUNT - 1);
    assert_int_equal(elements_asked_for, 0);
    hs_journal_close(&journal, false);
    hs_race_release(&race);
    hs_text_release(&line);
}

static int make_folder(void **state)
{
    (void)state;
    if (!mkdtemp(folder))
        return -1;
    snprintf(path, sizeof(path), "%s/run.journal", folder);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    unlink(path);
    return rmdir(folder);
}

static const struct CMUnitTest tests[] = {
    HS_TEST("samples, endings and layers come back as they were written", comes_back_as_written),
    HS_TEST("lines of another message size are passed over", other_sizes_stay_out),
    HS_TEST("a torn last line is ignored and cut off", torn_line_is_cut_off),
    HS_TEST("lines of zeros are counted and gone past", lines_of_zeros_are_counted_and_gone_past),
    HS_TEST("a resumed journal goes on behind the old lines", goes_on_behind_the_old_lines),
    HS_TEST("the journal of another run is refused, with what differs, and left alone",
            another_run_is_refused),
    HS_TEST("where there is no journal, one is begun", no_journal_begins_one),
    HS_TEST("a torn first line is as good as no journal", torn_header_begins_anew),
    HS_TEST("a wrong line is named by its number", wrong_line_is_named),
    HS_TEST("lists are read from one element to the next",
            lists_are_read_from_one_element_to_the_next),
    HS_TEST("time-outs are kept, and forgotten on retry", timeouts_are_kept_or_retried),
    HS_TEST("a file that is no journal is refused and left as it is", what_is_no_journal_stays),
    HS_TEST("the journal of an earlier run is put aside", earlier_journal_is_put_aside),
    HS_TEST("a journal without a line of samples is begun anew", first_line_alone_is_no_loss),
    HS_TEST("a journal in use is refused and left as it is", journal_in_use_is_refused),
    HS_TEST("a journal is not the output", journal_is_not_the_output),
    HS_TEST("only the journal that is still there is removed", only_own_journal_is_removed),
    HS_TEST("a full disk is said once, and the run can go on", full_disk_is_said_once),
};

int main(void)
{
    hs_tests_to_stdout();
    return cmocka_run_group_tests_name("journal", tests, make_folder, remove_folder) == 0 ? 0 : 1;
}
