package main

import (
	"strconv"
	"strings"
)

// template is what the operations of a run build their texts from.
type template struct {
	text                         string   // with a ? for each parameter
	head, group, separator, tail string   // of a text in which the group stands once for each row
	parts                        []string // what stands between the question marks of the group
}

func newTemplate(r *request) template {
	return template{r.Statement, r.Head, r.Group, r.Separator, r.Tail, strings.Split(r.Group, "?")}
}

// inlined is the text with an integer in place of the first question mark.
func (t template) inlined(n int64) string {
	before, after, _ := strings.Cut(t.text, "?")
	return before + strconv.FormatInt(n, 10) + after
}

// repeated is the text for so many rows, with question marks.
func (t template) repeated(times int) string {
	var b strings.Builder
	b.Grow(len(t.head) + times*(len(t.group)+len(t.separator)) + len(t.tail))
	b.WriteString(t.head)
	for i := range times {
		if i > 0 {
			b.WriteString(t.separator)
		}
		b.WriteString(t.group)
	}
	b.WriteString(t.tail)
	return b.String()
}
