// Command kubectl-assay is a plugin of kubectl: `kubectl assay verify RUN`.
package main

import (
	"os"

	"github.com/assay-bench/assay/internal/cli"
)

func main() { os.Exit(cli.Main(os.Args[1:], os.Stdout, os.Stderr)) }
