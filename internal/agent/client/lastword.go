package client

import (
	"bytes"
	"regexp"
	"strings"

	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/runners/runner"
)

const (
	// maxWord is the maximum length of a line in a message, in bytes.
	maxWord = 300
	// maxLines is the number of last lines of an output that are searched.
	maxLines = 40
)

// telling are words in lines with the reason of a tool's end.
var telling = regexp.MustCompile(`(?i)fatal|error|fail|denied|refused|cannot|can't|unable|lost|killed|abort|panic`)

// withLastWord adds the tool's last error message to a failure without it; nil stays nil.
func (in invocation) withLastWord(f *contract.Failure) *contract.Failure {
	if f == nil {
		return nil
	}
	// Masked before it is cut: a part of a secret would not be found.
	word := cut(mask([]string{lastWord(in.output)}, in.secrets)[0])
	if word == "" || strings.Contains(f.Message, word) {
		return f
	}
	return failed(f.Reason, "%s; the tool's last word: %s", f.Message, word)
}

// lastWord is the last line that names an error, of stderr before stdout; else
// the last line of either.
func lastWord(o runner.Output) string {
	last := ""
	for _, text := range [][]byte{o.Stderr, o.Stdout} {
		for n := 0; n < maxLines && len(text) > 0; n++ {
			i := bytes.LastIndexByte(text, '\n')
			line := strings.TrimSpace(strings.ToValidUTF8(string(text[i+1:]), "?"))
			text = text[:max(i, 0)]
			if telling.MatchString(line) {
				return line
			}
			if last == "" {
				last = line
			}
		}
	}
	return last
}

// cut keeps the beginning of a line.
func cut(line string) string {
	if len(line) <= maxWord {
		return line
	}
	return strings.ToValidUTF8(line[:maxWord], "") + "..."
}
