#include "histogram.h"

#include <string.h>

void histogram_clear(struct histogram *histogram) { memset(histogram, 0, sizeof *histogram); }
