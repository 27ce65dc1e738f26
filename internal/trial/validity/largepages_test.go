package validity

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-bench/assay/internal/ground/contract"
)

func TestCheckLargePages(t *testing.T) {
	const mib = int64(1) << 20
	pages := func(touched, reserved *int64) *contract.Usage {
		return &contract.Usage{HugePagesBytes: touched, HugePagesReservedBytes: reserved}
	}
	server := func(after *contract.Usage, replicas ...contract.Replica) []contract.Result {
		node := contract.Machine{HugePageBytes: new(2 * mib), HugePagesSetAsideBytes: new(1024 * mib)}
		return []contract.Result{
			{State: contract.Succeeded, Target: &contract.Environment{Machine: node, After: after, Replicas: replicas}},
			{State: contract.Succeeded},
		}
	}
	replica := func(after *contract.Usage) contract.Replica { return contract.Replica{Index: 1, After: after} }
	full := pages(new(400*mib), new(528*mib))
	on := LargePages{On: true, PoolBytes: 512 * mib}
	const unknown = ": large_pages is ON, and nobody knows whether the server uses huge pages: the kernel does not show those of the container"
	const none = ": large_pages is ON, and the server uses no huge page, so that it went on with ordinary pages"
	const node = " (the node has set 1073741824 bytes aside in pages of 2097152)"
	found := func(messages ...string) (out []Finding) {
		for _, m := range messages {
			out = append(out, Finding{"large-pages-not-used", Warning, m})
		}
		return out
	}
	tests := map[string]struct {
		results []contract.Result
		asked   LargePages
		want    []Finding
	}{
		"the whole pool, and a part of it was touched": {server(full), on, nil},
		"nobody asked": {server(pages(new(int64(0)), nil)), LargePages{PoolBytes: 512 * mib}, nil},
		"none":         {server(pages(new(int64(0)), new(int64(0)))), on, found("the target" + none + node)},
		"reserved, and the server has left them alone":  {server(pages(new(int64(0)), new(528*mib))), on, found("the target" + none + node)},
		"a part of the pool":                            {server(pages(new(128*mib), new(256*mib))), on, found("the target: large_pages is ON, and 268435456 bytes of huge pages are less than the buffer pool of 536870912, so that the rest of it is in ordinary pages" + node)},
		"a kernel that does not show what was reserved": {server(pages(new(128*mib), nil)), on, nil},
		"a pool that nobody set":                        {server(pages(new(2*mib), new(2*mib))), LargePages{On: true}, nil},
		"a kernel that shows nothing":                   {server(&contract.Usage{}), on, found("the target" + unknown)},
		"an agent that read no counters":                {server(nil), on, found("the target" + unknown)},
		"a replica with ordinary pages":                 {server(full, replica(pages(new(int64(0)), nil))), on, found("replica 1" + none)},
		"a trial that failed":                           {[]contract.Result{{State: contract.Failed, Target: &contract.Environment{}}}, on, nil},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, CheckLargePages(tc.results, tc.asked)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
	before := server(nil)
	before[0].Target.Before = full
	if got := CheckLargePages(before, on); got != nil {
		t.Errorf("the first sample of a window alone: %v", got)
	}
}
