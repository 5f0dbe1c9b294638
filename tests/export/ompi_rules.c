/*
 * Open MPI's own reader of coll/tuned rules, and its look-up.
 *     ompi_rules MCA_COLL_TUNED.SO FILE [COLLECTIVE SIZE BYTES]...
 * prints what the reader returns ("read 3", negative: refused), then for each question the number
 * of the algorithm.
 */
#include <dlfcn.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#define COLLECTIVES 22 /* COLLCOUNT of 4.1 */

int main(int argc, char **argv)
{
    void *mpi = dlopen("libmpi.so.40", RTLD_NOW | RTLD_GLOBAL);
    void *tuned = argc > 2 && mpi ? dlopen(argv[1], RTLD_NOW) : NULL;
    int (*load)(const char *, void **, int);
    void *(*find)(void *, int, int);
    int (*look_up)(void *, size_t, int *, int *, int *);
    void *rules = NULL;
    int status;

    if (!tuned) {
        fprintf(stderr, "ompi_rules: %s\n", argc > 2 ? dlerror() : "usage");
        return 2;
    }
    *(void **)&load = dlsym(tuned, "ompi_coll_tuned_read_rules_config_file");
    *(void **)&find = dlsym(tuned, "ompi_coll_tuned_get_com_rule_ptr");
    *(void **)&look_up = dlsym(tuned, "ompi_coll_tuned_get_target_method_params");
    if (!load || !find || !look_up)
        return 2;
    status = load(argv[2], &rules, COLLECTIVES);
    printf("read %d\n", status);
    for (int i = 3; i + 2 < argc && status >= 0; i += 3) {
        int fan, segment, requests;
        void *rule = find(rules, atoi(argv[i]), atoi(argv[i + 1]));

        printf("%s %s %s: %d\n", argv[i], argv[i + 1], argv[i + 2],
               rule ? look_up(rule, strtoull(argv[i + 2], NULL, 10), &fan, &segment, &requests)
                    : 0);
    }
    return 0;
}
