package ycsb

import (
	"strconv"
	"strings"
)

// marks are what our binding says beside YCSB: see README.md.
type marks struct {
	// seen says that there was any: then the last one has to be COMPLETE.
	seen bool
	// driver is its name and version.
	driver string
	// tls is protocol and cipher of a session, or none; empty where nobody told.
	tls string
	// complete, and incomplete with what was missing.
	complete   bool
	incomplete string
	// batched are rows that went into batches, confirmed those that the driver confirmed;
	// absent without batches.
	batched, confirmed *int64
	// setupSeconds is how long all threads together took to connect.
	setupSeconds *float64
	// window is when the measured window was, for a process that was told when to begin.
	window *windowMark
	// collections of garbage within the window.
	collections []collection
	// errors as they were counted, one text per class.
	errors []string
}

// add reads a line of our binding. It is false when the line is none, or has a form that
// this release does not know.
func (m *marks) add(line string) bool {
	rest, ok := strings.CutPrefix(line, markPrefix)
	if !ok {
		return false
	}
	m.seen = true
	name, value, _ := strings.Cut(rest, ", ")
	switch name {
	case "Driver":
		m.driver = driverName(value)
	case "Java", "Server", "Table", "Threads":
	case "TLS":
		m.tls = value
	case "Error":
		m.errors = append(m.errors, value)
	case "BatchedRows":
		n, ok := wholeNumbers(value, 2)
		if ok {
			m.batched, m.confirmed = &n[0], &n[1]
		}
		return ok
	case "Setup":
		ms, ok := wholeNumbers(value, 1)
		if ok {
			m.setupSeconds = new(float64(ms[0]) / 1000)
		}
		return ok
	case "Window":
		m.window = parseWindow(value)
		return m.window != nil
	case "GC":
		c, ok := parseCollection(value)
		m.collections = append(m.collections, c)
		return ok
	case "COMPLETE":
		m.complete = true
	case "INCOMPLETE":
		m.incomplete = value
	default:
		return false
	}
	return true
}

// driverName leaves out what a driver says of its build, and its name where it comes
// twice: "MySQL Connector/J mysql-connector-j-9.7.0 (Revision: ...)", and of older ones mysql-connector-java.
func driverName(text string) string {
	text, _, _ = strings.Cut(text, " (")
	return strings.NewReplacer(" mysql-connector-j-", " ", " mysql-connector-java-", " ").Replace(text)
}

// wholeNumbers of a list; ok is false where it is none, or has not so many.
func wholeNumbers(list string, many int) (numbers []int64, ok bool) {
	for text := range strings.SplitSeq(list, ", ") {
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil || n < 0 {
			return nil, false
		}
		numbers = append(numbers, n)
	}
	return numbers, len(numbers) == many
}
