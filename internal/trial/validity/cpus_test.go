package validity

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
)

func TestCheckCPUs(t *testing.T) {
	of := func(boot string, cpus int64, set string) contract.Environment {
		return contract.Environment{Machine: contract.Machine{BootID: boot, CPUs: &cpus}, Limits: contract.Limits{CPUSet: set}}
	}
	tests := map[string]struct {
		target  *contract.Environment
		clients []contract.Environment
		want    []Finding
	}{
		"both on all CPUs": {new(of("a", 2, "")), []contract.Environment{of("a", 2, "")}, []Finding{{"cpu-shared", Note,
			"on the machine of the target and client 0 server and tool may run on the same CPUs, 2 of 2, and take them from each other: design.cpus: Apart gives each its own"}}},
		"each on its own":          {new(of("a", 4, "0-1")), []contract.Environment{of("a", 4, "2-3")}, nil},
		"on two machines":          {new(of("a", 2, "")), []contract.Environment{of("b", 2, "")}, nil},
		"an external target":       {nil, []contract.Environment{of("a", 2, ""), of("a", 2, "")}, nil},
		"a machine without a name": {new(of("", 2, "")), []contract.Environment{of("", 2, "")}, nil},
		"one of two clients shares a CPU": {new(of("a", 4, "0-1")), []contract.Environment{of("a", 4, "2-3"), of("a", 4, "1,3")}, []Finding{{"cpu-shared", Note,
			"on the machine of the target, client 0 and client 1 server and tool may run on the same CPUs, 1 of 4, and take them from each other"}}},
		"a set that nobody understands is all of them": {new(of("a", 4, "all")), []contract.Environment{of("a", 4, "")}, []Finding{{"cpu-shared", Note,
			"on the machine of the target and client 0 server and tool may run on the same CPUs, 4 of 4, and take them from each other: design.cpus: Apart gives each its own"}}},
		"one CPU, which nobody can divide": {new(of("a", 1, "")), []contract.Environment{of("a", 1, "")}, []Finding{{"cpu-shared", Note,
			"on the machine of the target and client 0 server and tool may run on the same CPUs, 1 of 1, and take them from each other"}}},
		"a client on a part of what the server has": {new(of("a", 4, "")), []contract.Environment{of("a", 4, "3")}, []Finding{{"cpu-shared", Note,
			"on the machine of the target and client 0 server and tool may run on the same CPUs, 1 of 4, and take them from each other"}}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			var results []contract.Result
			for i, e := range tc.clients {
				r := contract.Result{State: contract.Succeeded, Client: contract.Client{Environment: e}}
				r.Trial.Client = i
				if i == 0 {
					r.Target = tc.target
				}
				results = append(results, r)
			}
			if diff := cmp.Diff(tc.want, CheckCPUs(results, v1alpha1.CPUsFree)); diff != "" {
				t.Errorf("findings (-want +got):\n%s", diff)
			}
		})
	}
}

// A run says which CPUs it wants, and is told where server and tool have others.
func TestCheckAskedCPUs(t *testing.T) {
	of := func(boot string, cpus int64, set string) contract.Environment {
		return contract.Environment{Machine: contract.Machine{BootID: boot, CPUs: &cpus}, Limits: contract.Limits{CPUSet: set}}
	}
	const apart, turns = "although design.cpus is Apart: the machine has one CPU", "took turns on one CPU, as design.cpus: Together wants"
	one := of("a", 2, "1")
	tests := map[string]struct {
		asked    v1alpha1.CPUs
		target   *contract.Environment
		clients  []contract.Environment
		severity Severity
		want     string
	}{
		"apart, as asked":                    {v1alpha1.CPUsApart, new(of("a", 2, "0")), []contract.Environment{one}, "", ""},
		"apart, on a machine of one CPU":     {v1alpha1.CPUsApart, new(of("a", 1, "")), []contract.Environment{of("a", 1, "")}, Warning, apart},
		"together, as asked":                 {v1alpha1.CPUsTogether, &one, []contract.Environment{one, one}, Note, turns},
		"together, on a machine of one CPU":  {v1alpha1.CPUsTogether, new(of("a", 1, "")), []contract.Environment{of("a", 1, "")}, Note, turns},
		"together, and each has its own":     {v1alpha1.CPUsTogether, new(of("a", 2, "0")), []contract.Environment{one}, Warning, "and 0 of 1 clients took turns"},
		"together, and both have all":        {v1alpha1.CPUsTogether, new(of("a", 2, "")), []contract.Environment{of("a", 2, "")}, Warning, "and 0 of 1 clients"},
		"together, and both have two":        {v1alpha1.CPUsTogether, new(of("a", 4, "2-3")), []contract.Environment{of("a", 4, "2-3")}, Warning, "and 0 of 1 clients"},
		"together, on two machines":          {v1alpha1.CPUsTogether, new(of("b", 2, "1")), []contract.Environment{one}, Warning, "and 0 of 1 clients"},
		"together, and a client elsewhere":   {v1alpha1.CPUsTogether, &one, []contract.Environment{of("b", 2, ""), one}, Warning, "and 1 of 2 clients"},
		"together with nobody knows whom":    {v1alpha1.CPUsTogether, nil, []contract.Environment{one}, Warning, "and 0 of 1 clients"},
		"together with a replica, no server": {v1alpha1.CPUsTogether, &contract.Environment{Machine: of("b", 2, "").Machine, Replicas: []contract.Replica{{Machine: &one.Machine, Limits: &one.Limits}}}, []contract.Environment{one}, Warning, "and 0 of 1 clients"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			var results []contract.Result
			for i, e := range tc.clients {
				r := contract.Result{State: contract.Succeeded, Client: contract.Client{Environment: e}}
				if r.Trial.Client = i; i == 0 {
					r.Target = tc.target
				}
				results = append(results, r)
			}
			got := CheckCPUs(results, tc.asked)
			if tc.want == "" && len(got) > 0 || tc.want != "" && (len(got) != 1 || got[0].Severity != tc.severity || !strings.Contains(got[0].Message, tc.want)) {
				t.Errorf("%+v, want %q", got, tc.want)
			}
		})
	}
}

// Of a trial in which no client succeeded nothing is known.
func TestNobodyTookTurns(t *testing.T) {
	one := contract.Environment{Machine: contract.Machine{BootID: "a", CPUs: new(int64(2))}, Limits: contract.Limits{CPUSet: "1"}}
	failed := []contract.Result{{State: contract.Failed, Client: contract.Client{Environment: one}, Target: &one}}
	if got := CheckCPUs(failed, v1alpha1.CPUsTogether); len(got) > 0 {
		t.Errorf("%+v", got)
	}
}
