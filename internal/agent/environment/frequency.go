package environment

import (
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// Frequency of the CPUs now; nil where it cannot be read. The cpufreq driver has it for each
// CPU; without a driver, x86 has it in /proc/cpuinfo, and other architectures do not. It is
// slow on machines with many CPUs, so it must not be called inside a measured window.
func (r Reader) Frequency() *contract.Frequency {
	var mhz []float64
	f := r.files()
	names, _ := fs.Glob(os.DirFS(string(f)), "sys/devices/system/cpu/cpu[0-9]*/cpufreq/scaling_cur_freq") // the pattern is a valid one
	for _, name := range names {
		if kHz := f.number(name); kHz != nil && *kHz > 0 {
			mhz = append(mhz, float64(*kHz)/1000)
		}
	}
	if len(mhz) == 0 {
		mhz = nominal(f.text("proc/cpuinfo"))
	}
	n := len(mhz)
	if n == 0 {
		return nil
	}
	slices.Sort(mhz)
	return &contract.Frequency{CPUs: int64(n), MinMHz: mhz[0], P50MHz: mhz[(n-1)/2], MaxMHz: mhz[n-1]}
}

// nominal reads the lines "cpu MHz : 2599.998".
func nominal(text string) []float64 {
	var mhz []float64
	for line := range strings.Lines(text) {
		key, value, _ := strings.Cut(line, ":")
		if strings.TrimSpace(key) != "cpu MHz" {
			continue
		}
		if v, err := strconv.ParseFloat(strings.TrimSpace(value), 64); err == nil && v > 0 {
			mhz = append(mhz, v)
		}
	}
	return mhz
}
