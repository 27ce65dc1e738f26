package environment

import "strings"

// tcp reads the sent segments of the network namespace, from the two lines of /proc/net/snmp
// that begin with "Tcp:": the names and the numbers.
func tcp(text string) (segments, retransmits *int64) {
	var names []string
	for line := range strings.Lines(text) {
		fields := strings.Fields(line)
		if len(fields) == 0 || fields[0] != "Tcp:" {
			continue
		}
		if names == nil {
			names = fields
			continue
		}
		for i, name := range names[:min(len(names), len(fields))] {
			switch name {
			case "OutSegs":
				segments = number(fields[i])
			case "RetransSegs":
				retransmits = number(fields[i])
			}
		}
		break
	}
	return segments, retransmits
}
