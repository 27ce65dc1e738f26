package validity

import (
	"cmp"
	"fmt"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// LargePages is what the servers of a trial were to do with huge pages.
type LargePages struct {
	// On: large_pages is ON.
	On bool
	// PoolBytes is the buffer pool that was asked for; 0 where nobody said.
	PoolBytes int64
}

// CheckLargePages says which servers with large_pages: ON do not have their buffer pool in huge pages. A server goes on with ordinary pages
// when it does not get them, and says so in its log alone. It needs the results of all clients.
//
// A huge page that nobody has touched is reserved, and not in use: what is reserved has to be as much as the pool, and something in use.
// Where the kernel shows no reservations, a pool of which only a part is in huge pages is not found.
func CheckLargePages(results []contract.Result, asked LargePages) []Finding {
	if !asked.On {
		return nil
	}
	var out []Finding
	add := func(side, problem string) {
		if problem != "" {
			out = append(out, Finding{"large-pages-not-used", Warning, side + ": " + problem})
		}
	}
	for _, r := range results {
		if r.State != contract.Succeeded || r.Target == nil {
			continue
		}
		add(serverOf(r), asked.missing(cmp.Or(r.Target.After, r.Target.Before), &r.Target.Machine))
		for _, replica := range r.Target.Replicas {
			add(fmt.Sprintf("replica %d", replica.Index), asked.missing(cmp.Or(replica.After, replica.Before), replica.Machine))
		}
	}
	return out
}

// missing says what a server has not in huge pages, or that nobody knows; empty where it has all.
func (l LargePages) missing(u *contract.Usage, m *contract.Machine) string {
	const on = "large_pages is ON, and "
	if u == nil || u.HugePagesBytes == nil {
		return on + "nobody knows whether the server uses huge pages: the kernel does not show those of the container"
	}
	touched, reserved := *u.HugePagesBytes, u.HugePagesReservedBytes
	node := ""
	if m != nil && m.HugePagesSetAsideBytes != nil && m.HugePageBytes != nil {
		node = fmt.Sprintf(" (the node has set %d bytes aside in pages of %d)", *m.HugePagesSetAsideBytes, *m.HugePageBytes)
	}
	switch {
	case touched == 0:
		return on + "the server uses no huge page, so that it went on with ordinary pages" + node
	case reserved != nil && max(*reserved, touched) < l.PoolBytes:
		return fmt.Sprintf(on+"%d bytes of huge pages are less than the buffer pool of %d, so that the rest of it is in ordinary pages%s", max(*reserved, touched), l.PoolBytes, node)
	}
	return ""
}
