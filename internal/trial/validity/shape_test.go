package validity

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-bench/assay/internal/ground/contract"
)

func TestCheckSizes(t *testing.T) {
	small, large, unlimited := sizeOf(2, 1<<30), sizeOf(4, 2<<30), size{}
	shapes := Sizes{Servers: contract.Limits{CPUs: new(4.0), MemoryBytes: new(int64(2 << 30))}, Clients: contract.Limits{CPUs: new(2.0), MemoryBytes: new(int64(1 << 30))}}
	const halved = " has another size than its shape: 4 CPUs became 2 and 2147483648 bytes of memory became 1073741824"
	tests := map[string]struct {
		results []contract.Result
		asked   Sizes
		want    []Finding
	}{
		"as the shapes say": {besideAgent(serverWith(sized(large, large), replicaOf(0, large, large)), nil, sized(small, small)), shapes, nil},
		"a server and a replica that a webhook made smaller": {besideAgent(serverWith(sized(small, small), replicaOf(0, large, large), replicaOf(1, small, small)), nil, sized(small, small)), shapes,
			[]Finding{{"size-not-given", Warning, "the target" + halved}, {"size-not-given", Warning, "replica 1" + halved}}},
		"the second client": {besideAgent(nil, nil, sized(small, small), sized(sizeOf(2.5, 1<<30), small)), shapes,
			[]Finding{{"size-not-given", Warning, "client 1 has another size than its shape: 2 CPUs became 2.5"}}},
		"a window too short for counters": {besideAgent(&contract.Environment{Limits: contract.Limits{CPUs: new(3.0)}}, nil, sized(small, small)), shapes,
			[]Finding{{"size-not-given", Warning, "the target has another size than its shape: 4 CPUs became 3"}}},
		"CPUs of its own without a quota": {besideAgent(new(sized(size{memory: large.memory}, unlimited)), nil, sized(unlimited, unlimited)), shapes, nil},
		"what the kernel rounds":          {besideAgent(new(sized(sizeOf(4.006, 2<<30-60<<10), large)), nil, sized(small, small)), shapes, nil},
		"a shape that nobody knows":       {besideAgent(new(sized(large, large)), nil, sized(large, large)), Sizes{}, nil},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, CheckSizes(tc.results, tc.asked)); diff != "" {
				t.Errorf("findings (-want +got):\n%s", diff)
			}
			for i := range tc.results {
				tc.results[i].State = contract.Failed
			}
			if got := CheckSizes(tc.results, tc.asked); len(got) != 0 {
				t.Errorf("%+v of a trial that failed", got)
			}
		})
	}
}
