package main

import (
	"strconv"
	"strings"
)

// template is a statement taken apart once, so that an operation only puts texts together.
type template struct {
	text  string
	parts []string // what stands between the question marks
}

func newTemplate(statement string) template {
	return template{text: statement, parts: strings.Split(statement, "?")}
}

// parameters is how many question marks the statement has.
func (t template) parameters() int { return len(t.parts) - 1 }

// inlined is the text with an integer in place of the first question mark.
func (t template) inlined(n int64) string {
	rest := t.text[len(t.parts[0])+1:]
	return t.parts[0] + strconv.FormatInt(n, 10) + rest
}

// repeated is a statement of which one part stands there once for each row: the group behind VALUES, or the question mark
// of a list.
type repeated struct{ before, group, separator, after string }

func (r repeated) text(times int) string {
	var b strings.Builder
	b.Grow(len(r.before) + times*(len(r.group)+len(r.separator)) + len(r.after))
	b.WriteString(r.before)
	for i := range times {
		if i > 0 {
			b.WriteString(r.separator)
		}
		b.WriteString(r.group)
	}
	b.WriteString(r.after)
	return b.String()
}

// multiRow finds the group of an INSERT: the parentheses that open behind the last VALUES, with all question marks.
func (t template) multiRow() (repeated, error) {
	keyword := strings.LastIndex(strings.ToUpper(t.text), "VALUES")
	if keyword < 0 {
		return repeated{}, cannot("MultiRow needs INSERT ... VALUES (?, ...); the statement has no VALUES: %s", t.text)
	}
	rest := t.text[keyword+len("VALUES"):]
	open := len(rest) - len(strings.TrimLeft(rest, " \t\r\n"))
	if !strings.HasPrefix(rest[open:], "(") {
		return repeated{}, cannot("MultiRow needs INSERT ... VALUES (?, ...); behind VALUES there is no group: %s", t.text)
	}
	end, depth := -1, 0
	for i := open; i < len(rest) && end < 0; i++ {
		switch rest[i] {
		case '(':
			depth++
		case ')':
			depth--
			if depth == 0 {
				end = i + 1
			}
		}
	}
	if end < 0 {
		return repeated{}, cannot("MultiRow: the group behind VALUES is not closed: %s", t.text)
	}
	start := keyword + len("VALUES") + open
	end += keyword + len("VALUES")
	r := repeated{before: t.text[:start], group: t.text[start:end], separator: ", ", after: t.text[end:]}
	if strings.Count(r.group, "?") != t.parameters() {
		return repeated{}, cannot("MultiRow: every parameter has to be in the group behind VALUES: %s", t.text)
	}
	return r, nil
}

// inList repeats the only question mark of a statement that ends in IN (?).
func (t template) inList() (repeated, error) {
	end := strings.TrimRight(t.text, " \t\r\n")
	if t.parameters() != 1 || !strings.HasSuffix(strings.ToUpper(t.parts[0]), "IN (") || !strings.HasSuffix(end, "(?)") {
		return repeated{}, cannot("InList needs one parameter and IN (?) at the end: %s", t.text)
	}
	return repeated{before: t.parts[0], group: "?", separator: ", ", after: t.parts[1]}, nil
}

// joined is several statements in one text.
func (t template) joined() repeated { return repeated{group: t.text, separator: ";"} }
