#include "console/figures.h"
