package main

import (
	"fmt"
	"strings"
)

// crateFolder is where the image of a harness in Rust has what fetch.sh kept of its crates.
const crateFolder = "usr/share/doc/crates/"

// crates are those that a harness in Rust was compiled from. A program in Rust does not name them itself.
func crates(all files) ([]part, error) {
	var out []part
	for line := range strings.Lines(all[crateFolder+"list.txt"]) {
		f := strings.SplitN(strings.TrimSpace(line), " ", 3)
		if len(f) < 3 {
			return nil, fmt.Errorf("%slist.txt: %q is not NAME VERSION LICENSE", crateFolder, line)
		}
		if f[2] == "-" {
			f[2] = "" // the crate has a text alone
		}
		out = append(out, part{
			kind: "cargo", name: f[0], version: f[1],
			license: strings.ReplaceAll(f[2], "/", " OR "), // as it was written before SPDX
			texts:   all.licenses(crateFolder + f[0] + "-" + f[1]),
		})
	}
	return out, nil
}
