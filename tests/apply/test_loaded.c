/*
 * Functions of CUDA's driver as a program loads it, and does not keep it: with what stands in for
 * the driver (gpu_memory.c), compiled here.
 */
#include "test.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "apply/loaded.h"

static char folder[] = "/tmp/hs-loaded-XXXXXX", library[PATH_MAX];

static int compile_driver(void **state)
{
    char command[2 * PATH_MAX];

    (void)state;
    if (!mkdtemp(folder))
        return -1;
    snprintf(library, sizeof(library), "%s/libcuda.so.1", folder);
    snprintf(command, sizeof(command),
             "cc -shared -fPIC -Wl,-soname,libcuda.so.1 -o %s tests/apply/gpu_memory.c 2>&1",
             library);
    return system(command);
}

static int remove_driver(void **state)
{
    (void)state;
    return unlink(library) || rmdir(folder);
}

static void a_driver_is_found_when_the_program_loads_it_later(void **state)
{
    static const char name[] = "cuPointerGetAttribute";
    struct hs_loaded known = {0}, other = {0};
    void *driver, *function;

    (void)state;
    if (hs_loaded_cuda(name)) /* somebody preloads it */
        skip();
    assert_null(hs_loaded_cuda_again(&known, name));
    assert_null(hs_loaded_cuda_again(&known, name));
    driver = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    assert_non_null(driver);
    function = dlsym(driver, name);
    assert_non_null(function);
    assert_ptr_equal(hs_loaded_cuda_again(&known, name), function);
    assert_ptr_equal(hs_loaded_cuda(name), function);
    assert_null(hs_loaded_cuda_again(&other, "cuNothingOfThatName"));

    /* What the library that has a function sees: its own, and what it is linked with. */
    assert_ptr_equal(hs_loaded_by(function, name), function);
    assert_non_null(hs_loaded_by(function, "printf"));
    assert_null(hs_loaded_by(function, "cuNothingOfThatName"));
    assert_null(hs_loaded_by(folder, name)); /* the program */

    /* The program lets go of it: who was told of a function can still call it. */
    assert_int_equal(dlclose(driver), 0);
    assert_ptr_equal(hs_loaded_cuda_again(&known, name), function);
    driver = dlopen(library, RTLD_NOW | RTLD_NOLOAD);
    assert_non_null(driver);
    dlclose(driver);
}

static const struct CMUnitTest tests[] = {
    HS_TEST("a driver is found when the program loads it later, and stays",
            a_driver_is_found_when_the_program_loads_it_later),
};

int main(void)
{
    hs_tests_to_stdout();
    return cmocka_run_group_tests(tests, compile_driver, remove_driver) == 0 ? 0 : 1;
}
