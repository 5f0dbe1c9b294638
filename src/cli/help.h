#include "console/help.h"
