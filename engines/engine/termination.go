package engine

import (
	"unicode/utf8"
)

// maxTermination is how much of a termination message Kubernetes keeps, in bytes.
const maxTermination = 4096

// cutTo keeps the first n bytes, or fewer so that no character is torn.
func cutTo(s string, n int) string {
	n = max(n, 0)
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}
