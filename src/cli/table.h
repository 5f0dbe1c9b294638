#include "console/table.h"
