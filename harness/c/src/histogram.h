// How long operations took, in the buckets of HdrHistogram with three significant digits.
#ifndef HISTOGRAM_H
#define HISTOGRAM_H

#include <stddef.h>
#include <stdint.h>

// One counter per bucket of a 64-bit value: 2048 values of their own, then 1024 for each further bit.
#define HISTOGRAM_BUCKETS (2048 + 53 * 1024)

struct histogram {
  uint64_t counts[HISTOGRAM_BUCKETS];
};

// Of a value of 2048 and more the 11 leading bits say the bucket.
static inline size_t histogram_index(uint64_t value)
{
  if (value < 2048)
    return (size_t)value;
  unsigned shift = 64u - (unsigned)__builtin_clzll(value) - 11u;
  return (size_t)(shift * 1024u + (value >> shift));
}

static inline void histogram_record(struct histogram *histogram, uint64_t nanoseconds)
{
  histogram->counts[histogram_index(nanoseconds)]++;
}

void histogram_clear(struct histogram *histogram);

#endif
