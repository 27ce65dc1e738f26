package settings

import (
	"regexp"
	"strings"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// plainValue matches values that need no quotes in a my.cnf file.
var plainValue = regexp.MustCompile(`^[A-Za-z0-9_./:,@%+*-]+$`)

// Render writes settings as the group [mysqld] of a my.cnf file, under a comment. Values are
// escaped, so each stays on one line.
func Render(comment string, settings []contract.Setting) []byte {
	return append([]byte("# "+oneLine(comment)+"\n"), RenderGroup("mysqld", settings)...)
}

// RenderGroup writes settings as a group of a my.cnf file.
func RenderGroup(name string, settings []contract.Setting) []byte {
	var out strings.Builder
	out.WriteString("[" + oneLine(name) + "]\n")
	for _, s := range settings {
		out.WriteString(oneLine(s.Name))
		if s.Value != "" {
			out.WriteString(" = " + quoteValue(s.Value))
		}
		out.WriteByte('\n')
	}
	return []byte(out.String())
}

func quoteValue(value string) string {
	if value == emptyString || plainValue.MatchString(value) {
		return value
	}
	return `"` + valueEscaper.Replace(value) + `"`
}

// valueEscaper is the reverse of unescape. A NUL would end the line for a server;
// it has no escape, so Validate refuses it and Render drops it.
var valueEscaper = strings.NewReplacer(
	`\`, `\\`, `"`, `\"`, "\n", `\n`, "\r", `\r`, "\t", `\t`, "\b", `\b`, "\x00", "")

func oneLine(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' {
			return -1
		}
		return r
	}, s)
}
