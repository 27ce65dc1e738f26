package affinity

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"github.com/assay-bench/assay/internal/agent/environment"
	"github.com/assay-bench/assay/internal/ground/contract"
)

// members of a set.
func members(set *unix.CPUSet) (all []int) {
	for cpu := range 64 {
		if set.IsSet(cpu) {
			all = append(all, cpu)
		}
	}
	return all
}

func TestPartOf(t *testing.T) {
	// Two packages of two cores with two CPUs each, as x86 numbers them.
	hyperthreads := [][]int{{0, 4}, {1, 5}, {2, 6}, {3, 7}}
	tests := map[string]struct {
		cores            [][]int
		servers, clients int64
		wantServers      []int
		wantClients      []int
	}{
		"one core each of two":                         {[][]int{{0}, {1}}, 700, 450, []int{0}, []int{1}},
		"a side has a core however little it asks for": {[][]int{{0}, {1}, {2}, {3}}, 10, 10_000, []int{0}, []int{1, 2, 3}},
		"the other side has one too":                   {[][]int{{0}, {1}, {2}, {3}}, 10_000, 10, []int{0, 1, 2}, []int{3}},
		"CPUs of one core are never apart":             {hyperthreads, 2000, 2000, []int{0, 1, 4, 5}, []int{2, 3, 6, 7}},
		"in the ratio of what both ask for":            {hyperthreads, 6000, 2000, []int{0, 1, 2, 4, 5, 6}, []int{3, 7}},
		"those of one core, where there is no other":   {[][]int{{1, 5}}, 1, 1, []int{1}, []int{5}},
		"one CPU is not divided":                       {[][]int{{0}}, 1, 1, nil, nil},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			for side, want := range map[Side][]int{Servers: tc.wantServers, Clients: tc.wantClients} {
				part, err := partOf(tc.cores, &contract.CPUs{Servers: tc.servers, Clients: tc.clients}, side)
				if want == nil {
					if err != ErrOneCPU {
						t.Errorf("side %d: %v, want %v", side, err, ErrOneCPU)
					}
					continue
				}
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(want, members(part)); diff != "" {
					t.Errorf("side %d (-want +got):\n%s", side, diff)
				}
			}
		})
	}
}

// Both ends have one CPU, whatever they ask for.
func TestPartOfBoth(t *testing.T) {
	tests := map[string]struct {
		cores [][]int
		want  int
	}{
		"the last core":        {[][]int{{0}, {1}}, 1},
		"its first CPU":        {[][]int{{0, 4}, {1, 5}, {2, 6}, {3, 7}}, 3},
		"the only CPU will do": {[][]int{{0}}, 0},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			for _, side := range []Side{Servers, Clients} {
				part, err := partOf(tc.cores, &contract.CPUs{Together: true, Servers: 3000, Clients: 900}, side)
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff([]int{tc.want}, members(part)); diff != "" {
					t.Errorf("side %d (-want +got):\n%s", side, diff)
				}
			}
		})
	}
}

func TestPartOfNoTopology(t *testing.T) {
	for _, together := range []bool{false, true} {
		if _, err := partOf(nil, &contract.CPUs{Together: together, Servers: 1, Clients: 1}, Servers); err != ErrNoTopology {
			t.Errorf("together %t: %v, want %v", together, err, ErrNoTopology)
		}
	}
}

// helperEnv makes the test binary keep itself to a side, and start a child that says what it may use.
const helperEnv = "ASSAY_TEST_SIDE"

func TestMain(m *testing.M) {
	side, helps := os.LookupEnv(helperEnv)
	if !helps {
		os.Exit(m.Run())
	}
	for range 8 { // threads besides those of the runtime
		go func() {
			runtime.LockOSThread()
			select {}
		}()
	}
	if side == "narrowed" {
		runtime.LockOSThread()
		var one unix.CPUSet
		one.Set(0)
		if err := unix.SchedSetaffinity(0, &one); err != nil {
			panic(err)
		}
	}
	var r environment.Reader
	side, both := strings.CutPrefix(side, "both ")
	cpus := &contract.CPUs{Machines: []string{r.Machine().BootID}, Together: both, Servers: 1, Clients: 1}
	if err := Keep(r, cpus, map[string]Side{"servers": Servers, "clients": Clients}[side]); err != nil {
		fmt.Fprint(os.Stderr, err)
		os.Exit(1)
	}
	child := exec.Command("grep", "-h", "Cpus_allowed_list", "/proc/self/status")
	child.Stdout, child.Stderr = os.Stdout, os.Stderr
	if err := child.Run(); err != nil {
		os.Exit(1)
	}
	threads, _ := filepath.Glob("/proc/self/task/*/status")
	for _, thread := range threads {
		text, err := os.ReadFile(thread)
		if err != nil {
			continue // a thread that has ended
		}
		for line := range strings.Lines(string(text)) {
			if strings.HasPrefix(line, "Cpus_allowed_list") {
				fmt.Print(line)
			}
		}
	}
	os.Exit(0)
}

// Both sides, on the kernel of this machine: what they and their children may use has nothing in common, or is one CPU.
func TestKeep(t *testing.T) {
	var r environment.Reader
	if runtime.NumCPU() < 2 {
		t.Skip("this machine has one CPU")
	}
	said := map[string]string{}
	for _, side := range []string{"servers", "clients", "both servers", "both clients"} {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), helperEnv+"="+side)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		lines := strings.Split(strings.TrimSpace(string(out)), "\n")
		for _, line := range lines {
			if line != lines[0] {
				t.Errorf("%s: a thread has %q, the child %q", side, line, lines[0])
			}
		}
		said[side] = lines[0]
	}
	if said["servers"] == said["clients"] {
		t.Errorf("both sides have %q", said["servers"])
	}
	if one := said["both servers"]; one != said["both clients"] || strings.ContainsAny(one, "-,") {
		t.Errorf("together the servers have %q, and the clients %q", one, said["both clients"])
	}
	// A process that has a part already keeps it.
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), helperEnv+"=narrowed")
	if out, err := cmd.CombinedOutput(); err == nil || !strings.Contains(string(out), ErrNarrowed.Error()) {
		t.Errorf("a container with CPUs of its own: %v, %s", err, out)
	}
	if err := Keep(r, &contract.CPUs{Machines: []string{"another"}, Servers: 1, Clients: 1}, Servers); err != nil {
		t.Errorf("a machine that is not divided: %v", err)
	}
	if err := Keep(r, nil, Clients); err != nil {
		t.Errorf("without a division: %v", err)
	}
}
