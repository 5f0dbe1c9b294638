/* What NCCL's environment is after NCCL has read its configuration file: ncclGetUniqueId reads it,
 * and needs no GPU. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    void *nccl = argc > 1 ? dlopen(argv[1], RTLD_NOW) : NULL;
    int (*get_id)(char *);
    char id[128];

    if (!nccl)
        return 2;
    *(void **)&get_id = dlsym(nccl, "ncclGetUniqueId");
    printf("status %d\n", get_id(id));
    for (int i = 2; i < argc; i++)
        printf("%s=%s\n", argv[i], getenv(argv[i]) ? getenv(argv[i]) : "(unset)");
    return 0;
}
