// Command metrics-docs prints docs/reference/metrics.md.
package main

import (
	"fmt"

	"github.com/assay-bench/assay/internal/metrics"
)

func main() { fmt.Print(metrics.Reference()) }
