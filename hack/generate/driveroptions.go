package main

import "github.com/assay-bench/assay/runners/drivers"

// driverOptions is where the policies of the chart read which options of drivers need no right.
const driverOptions = "charts/assay/generated/driver-options.cel"

func deriveDriverOptions() error { return write(driverOptions, []byte(drivers.HarmlessOptions())) }
