package environment

import (
	"strconv"
	"strings"
)

// userHz is the unit of /proc/stat (USER_HZ): 1/100 s on every architecture that Linux has.
const userHz = 100

// nodeTimes are the busy time and the steal time of the whole machine, in seconds over all
// CPUs since its start.
//
// Busy is user, nice and system; guests are part of the first two. Interrupts are left out:
// they are mostly for packets of the measurement itself, and cannot be attributed.
func nodeTimes(f files) (busy, steal *float64) {
	line, _, _ := strings.Cut(f.text("proc/stat"), "\n")
	fields := strings.Fields(line)
	// cpu user nice system idle iowait irq softirq steal guest guest_nice
	const user, nice, system, stolen = 1, 2, 3, 8
	if len(fields) <= system || fields[0] != "cpu" {
		return nil, nil
	}
	seconds := make([]float64, len(fields))
	for i, field := range fields[1:] {
		ticks, err := strconv.ParseUint(field, 10, 63)
		if err != nil {
			return nil, nil
		}
		seconds[i+1] = float64(ticks) / userHz
	}
	if len(fields) > stolen {
		steal = &seconds[stolen]
	}
	return new(seconds[user] + seconds[nice] + seconds[system]), steal
}
