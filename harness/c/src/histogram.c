#include "histogram.h"

#include <string.h>

void histogram_clear(struct histogram *histogram) { memset(histogram, 0, sizeof *histogram); }

uint64_t histogram_lowest(size_t index)
{
  if (index < 2048)
    return index;
  // The index is shift*1024 plus 11 bits of which the first is set, and that one counts as 1024.
  size_t shift = index / 1024 - 1;
  return (uint64_t)(index - shift * 1024) << shift;
}
