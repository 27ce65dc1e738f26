package benchmarkrun

import (
	"container/list"
	"sync"

	"k8s.io/apimachinery/pkg/types"

	"github.com/assay-bench/assay/controllers/benchmarkrun/accept"
)

// plans are what was planned of runs that go on, by their UIDs. They are large: those that were used
// last are kept as long as they fit, and any other is made again from its spec when it is needed.
// The zero value is ready.
type plans struct {
	mu sync.Mutex
	// bytes of all that is kept.
	bytes int
	// used has the entries, the one that was used last at the front.
	used    list.List
	entries map[types.UID]*list.Element
	// seen are runs whose plan was complete once.
	seen map[types.UID]bool
}

type keptPlan struct {
	uid     types.UID
	planned accept.Planned
	bytes   int
}

// of a run: what is kept, and whether its plan was complete once.
func (p *plans) of(uid types.UID) (planned accept.Planned, seen bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	e, kept := p.entries[uid]
	if !kept {
		return accept.Planned{}, p.seen[uid]
	}
	p.used.MoveToFront(e)
	return e.Value.(keptPlan).planned, p.seen[uid]
}

// keep what was planned of a run, and at most so many bytes of all.
func (p *plans) keep(uid types.UID, planned accept.Planned, most int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.entries == nil {
		p.entries, p.seen = map[types.UID]*list.Element{}, map[types.UID]bool{}
	}
	p.remove(uid)
	entry := keptPlan{uid: uid, planned: planned, bytes: planned.Memory()}
	p.entries[uid] = p.used.PushFront(entry)
	p.bytes += entry.bytes
	if planned.Complete() {
		p.seen[uid] = true
	}
	// The newest stays, even where it alone is too large: its run could not go on without.
	for int64(p.bytes) > most && p.used.Len() > 1 {
		p.remove(p.used.Back().Value.(keptPlan).uid)
	}
}

// forget a run that has ended or is gone.
func (p *plans) forget(uid types.UID) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.remove(uid)
	delete(p.seen, uid)
}

func (p *plans) remove(uid types.UID) {
	e, kept := p.entries[uid]
	if !kept {
		return
	}
	p.bytes -= e.Value.(keptPlan).bytes
	p.used.Remove(e)
	delete(p.entries, uid)
}

// size of what is kept.
func (p *plans) size() (count, bytes int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.used.Len(), p.bytes
}
