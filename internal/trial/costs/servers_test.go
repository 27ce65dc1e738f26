package costs

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// What an operation costs on several servers is what all of them used for all operations.
func TestOfServers(t *testing.T) {
	slow := func(r *contract.Result) { // half of the operations with the same CPU time and the same bytes: each costs twice as much
		r.Measurements[0].Value = new(1000.0)
	}
	merged := trial(func(r *contract.Result) { r.Measurements[0].Value = new(3000.0) })
	servers := func(second ...func(*contract.Result)) []Server {
		a, b := trial(), trial(second...)
		return []Server{ServerOf([]contract.Result{a}, a), ServerOf([]contract.Result{b}, b)}
	}
	rate := Rate{PerHour: 0.54, Currency: "EUR"}
	both := []contract.Result{trial(), trial(slow)}
	want := map[string]string{
		ServerCPU: "1000 s/Mop", Written: "266.6666667 B/op", Flushes: "0.3333333333 1/op", ServerMemory: "6442450944 B",
		ClientCPU: "333.3333333 s/Mop", ClientMemory: "2097152 B", Price: "0.05 EUR/Mop",
	}
	if diff := cmp.Diff(want, shown(OfServers(Of(both, merged, rate), servers(slow)))); diff != "" {
		t.Errorf("costs (-want +got):\n%s", diff)
	}
	for _, absent := range []string{ServerCPU, ServerMemory} {
		delete(want, absent)
	}
	silent := func(r *contract.Result) { slow(r); r.Target = nil }
	if diff := cmp.Diff(want, shown(OfServers(Of(both, merged, rate), servers(silent)))); diff != "" {
		t.Errorf("one server says nothing of its container (-want +got):\n%s", diff)
	}
}
