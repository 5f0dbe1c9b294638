#include "console/system_find.h"
