// Command driver-docs prints docs/driver-operations.md.
package main

import (
	"fmt"

	"github.com/assay-bench/assay/runners/drivers"
)

func main() { fmt.Print(drivers.Document()) }
