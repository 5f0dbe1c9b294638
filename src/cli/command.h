#include "console/command.h"
