#include "console/options.h"
