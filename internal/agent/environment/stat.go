package environment

import (
	"strconv"
	"strings"
)

// userHz is the unit of /proc/stat (USER_HZ): 1/100 s on every architecture that Linux has.
const userHz = 100

// nodeTimes are how long the CPUs of the whole machine were busy, and how long a
// hypervisor gave them to others, in seconds over all CPUs since the start of the machine.
//
// Busy is user, nice and system; guests are in the first two. Interrupts are left out: what
// they take is mostly for packets of the measurement itself, and nobody can tell for whom.
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
