#include "driver.h"

const struct driver *const drivers[] = {&libmariadb_driver, &null_driver, NULL};
