// Package main: this file becomes a part of go-tpc's own main package. go-tpc takes the password from its command line alone, which
// everybody on the node can read; this takes it from the environment, and puts it where go-tpc looks. The command line that
// the kernel shows stays as it is.
package main

import "os"

func init() {
	if password, given := os.LookupEnv("GO_TPC_PASSWORD"); given {
		os.Args = append(os.Args, "--password="+password)
	}
}
