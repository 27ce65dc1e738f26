package validity

import (
	"fmt"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// Sizes are the limits that the shapes of a trial give to each server and to each tool. A part is absent where nobody said.
type Sizes struct{ Servers, Clients contract.Limits }

// CheckSizes compares the sizes of the servers and of the tools at the start of a window with those of their shapes. It needs the results
// of all clients. A limit that the kernel does not have is not compared: a kubelet takes the quota off containers with CPUs of their own.
func CheckSizes(results []contract.Result, asked Sizes) []Finding {
	var out []Finding
	compare := func(shape contract.Limits, now size, side string) {
		if how := became(size{shape.CPUs, shape.MemoryBytes}, now); how != "" {
			out = append(out, Finding{"size-not-given", Warning, side + " has another size than its shape: " + how})
		}
	}
	for _, r := range results {
		if r.State != contract.Succeeded {
			continue
		}
		if t := r.Target; t != nil {
			compare(asked.Servers, sizeFrom(t.Before, &t.Limits), serverOf(r))
			for _, replica := range t.Replicas {
				compare(asked.Servers, sizeFrom(replica.Before, replica.Limits), fmt.Sprintf("replica %d", replica.Index))
			}
		}
		compare(asked.Clients, sizeFrom(r.Client.Before, &r.Client.Limits), fmt.Sprintf(clientSide+"%d", r.Trial.Client))
	}
	return out
}
