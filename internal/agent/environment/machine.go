package environment

import (
	"strconv"
	"strings"
	"time"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// Machine is the node, as far as it is visible in a container. Architectures other than x86
// report neither the CPU's model nor its microcode; a virtual machine rarely has a governor.
func (r Reader) Machine() contract.Machine {
	f := r.files()
	cpu := firstCPU(f)
	m := contract.Machine{
		Kernel:      f.text("proc/sys/kernel/osrelease"),
		CPUModel:    cpu["model name"],
		Microcode:   cpu["microcode"],
		Governor:    f.text("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"),
		Clocksource: f.text("sys/devices/system/clocksource/clocksource0/current_clocksource"),
		HugePages:   chosen(f.text("sys/kernel/mm/transparent_hugepage/enabled")),
		CPUs:        countList(f.text(onlineCPUs)),
		BootID:      f.text("proc/sys/kernel/random/boot_id"),
	}
	if kib := f.numbers("proc/meminfo")["MemTotal"]; kib != nil {
		m.MemoryBytes = new(*kib << 10)
	}
	if boot := f.numbers("proc/stat")["btime"]; boot != nil {
		m.BootTime = new(time.Unix(*boot, 0).UTC())
	}
	return m
}

const onlineCPUs = "sys/devices/system/cpu/online"

// firstCPU is the entry of the first CPU in /proc/cpuinfo.
func firstCPU(f files) map[string]string {
	facts := map[string]string{}
	first, _, _ := strings.Cut(f.text("proc/cpuinfo"), "\n\n")
	for line := range strings.Lines(first) {
		key, value, _ := strings.Cut(line, ":")
		facts[strings.TrimSpace(key)] = strings.TrimSpace(value)
	}
	return facts
}

// chosen is the word in brackets, as in "always [madvise] never".
func chosen(text string) string {
	_, rest, _ := strings.Cut(text, "[")
	word, _, ok := strings.Cut(rest, "]")
	if !ok {
		return ""
	}
	return word
}

// countList counts the members of a kernel list, such as 0-3,8; it is absent for other text.
func countList(text string) *int64 {
	var n int64
	for part := range strings.SplitSeq(text, ",") {
		from, to, isRange := strings.Cut(part, "-")
		if !isRange {
			to = from
		}
		first, err := strconv.ParseUint(from, 10, 31)
		if err != nil {
			return nil
		}
		last, err := strconv.ParseUint(to, 10, 31)
		if err != nil || last < first {
			return nil
		}
		n += int64(last-first) + 1
	}
	return &n
}
