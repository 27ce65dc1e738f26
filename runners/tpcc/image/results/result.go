// Package tpch: this file becomes a part of go-tpc's own package, and results.patch calls it. go-tpc reports the latencies of TPC-H from a
// histogram with buckets of 67 ms, without the time to fetch the rows, and says nothing of a result that it does not
// check. This prints one line for each query whose result was read to its end.
package tpch

import (
	"fmt"
	"hash/crc32"
	"sort"
	"strings"
	"time"
)

// epoch is what the begins of queries count from.
var epoch = time.Now()

// printResult says when a query began and how long it took up to its last row, in s, and what it returned: the number of rows, and the
// CRC-32 (IEEE) of the rows in the order of their bytes, with a tab after each value and a newline after each row. The order in which a
// server returns rows that the query does not order is its own affair.
func printResult(query string, start time.Time, rows [][]string) {
	took := time.Since(start)
	lines := make([]string, 0, len(rows))
	for _, row := range rows {
		lines = append(lines, strings.Join(row, "\t")+"\t\n")
	}
	sort.Strings(lines)
	sum := crc32.NewIEEE()
	for _, line := range lines {
		_, _ = sum.Write([]byte(line))
	}
	fmt.Printf("[Result] %s - Began(s): %.6f, Takes(s): %.6f, Rows: %d, CRC-32: %08x\n",
		strings.ToUpper(query), start.Sub(epoch).Seconds(), took.Seconds(), len(rows), sum.Sum32())
}
