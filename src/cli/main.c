/* Only main, so that tests can link everything else. */
#include "cli/commands.h"

int main(int argc, char **argv)
{
    return hs_program_run(hs_commands, argc, argv);
}
