package conformance

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/test/helpers/hang"
)

// Every harness says the CPU time of its operations: more than nothing, and no more than the CPUs of this machine have while it is
// asked. Its clock may have large steps, so that one run of half a second may have too little of it on a busy machine.
func TestCPUTime(t *testing.T) {
	// behind is what a clock that is read in one thread may lag behind the other threads on each CPU, by its steps and the kernel's
	// ticks, at both of its readings.
	const behind = 100 * time.Millisecond
	cpus := onlineCPUs(t)
	forEach(t, func(t *testing.T, h harness) {
		p := h.start(t, nil)
		p.ask(t, `{"id":1,"do":"hello","protocol":"assay.dev/driver/v2"}`)
		p.ask(t, `{"id":2,"do":"prepare","connection":"c","driver":"null","version":"","host":"127.0.0.1","port":1,"database":"","tls":false,"options":{}}`)
		for began, id := time.Now(), 3; ; id++ {
			asked := time.Now()
			a := p.ask(t, fmt.Sprintf(`{"id":%d,"do":"run","connection":"c","kind":"Query","scheme":"SingleRow","session":"Dedicated","commit":false,`+
				`"inline":false,"statement":"SELECT 1","head":"","group":"","separator":"","tail":"","data":"","rowsPerOperation":1,"chunk":1,"concurrency":1,"operations":0,"seconds":0.5}`, id))
			most := time.Duration(cpus) * (time.Since(asked) + behind)
			switch {
			case a.State != "ok":
				t.Fatalf("%+v", a)
			case a.CPUNanoseconds == nil && time.Since(began) < hang.Limit:
				continue
			case a.CPUNanoseconds == nil:
				t.Fatal("no run has a CPU time")
			case *a.CPUNanoseconds < 1 || time.Duration(*a.CPUNanoseconds) > most:
				t.Errorf("%d operations took %d ns of CPU time, and %d CPUs have %s", a.Operations, *a.CPUNanoseconds, cpus, most)
			}
			t.Logf("null: %.4g s of CPU time per million operations", float64(*a.CPUNanoseconds)/1e3/float64(a.Operations))
			break
		}
		p.end(t)
	})
}

// onlineCPUs of this machine, whichever of them this process may use.
func onlineCPUs(t *testing.T) int {
	t.Helper()
	list, err := os.ReadFile("/sys/devices/system/cpu/online")
	if err != nil {
		t.Fatal(err)
	}
	return len(contract.CPUList(strings.TrimSpace(string(list))))
}
