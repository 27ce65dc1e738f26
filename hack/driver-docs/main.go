// Command driver-docs prints docs/reference/driver-operations.md.
package main

import (
	"fmt"

	"github.com/assay-bench/assay/runners/drivers"
)

func main() { fmt.Print(drivers.Document()) }
