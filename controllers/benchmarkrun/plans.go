package benchmarkrun

import (
	"container/list"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/assay-bench/assay/internal/experiment"
	"github.com/assay-bench/assay/internal/show/metrics"
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
	// planner is the one run whose plan is made over several passes, since its last one; waiting are
	// those that come after it. So planning takes one worker, however many runs there are.
	planner types.UID
	since   time.Time
	waiting map[types.UID]bool
}

// plannerTime is how long a run may be the planner without a pass.
const plannerTime = 5 * time.Second

// mayPlan says whether a run may make its plan over several passes now. One that may not waits.
func (p *plans) mayPlan(uid types.UID, now time.Time) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.planner != "" && p.planner != uid && now.Sub(p.since) < plannerTime {
		return false
	}
	p.planner, p.since = uid, now
	return true
}

// hasToWait says whether a run waits for its turn to be planned, and it is not its turn.
func (p *plans) hasToWait(uid types.UID, now time.Time) bool {
	p.mu.Lock()
	waits := p.waiting[uid]
	p.mu.Unlock()
	return waits && !p.mayPlan(uid, now)
}

type keptPlan struct {
	uid     types.UID
	planned experiment.Planned
	bytes   int
}

// of a run: what is kept, and whether its plan was complete once.
func (p *plans) of(uid types.UID) (planned experiment.Planned, seen bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	e, kept := p.entries[uid]
	if !kept {
		return experiment.Planned{}, p.seen[uid]
	}
	p.used.MoveToFront(e)
	return e.Value.(keptPlan).planned, p.seen[uid]
}

// keep what was planned of a run, and at most so many bytes of all.
func (p *plans) keep(uid types.UID, planned experiment.Planned, most int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.entries == nil {
		p.entries, p.seen, p.waiting = map[types.UID]*list.Element{}, map[types.UID]bool{}, map[types.UID]bool{}
	}
	p.remove(uid)
	p.waiting[uid] = !planned.Complete()
	if planned.Complete() {
		delete(p.waiting, uid)
		p.release(uid)
	} else if p.planner != uid {
		return // it is made again when it is its turn
	}
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
	p.release(uid)
	delete(p.seen, uid)
	delete(p.waiting, uid)
}

// release lets another run be the planner. The lock is held.
func (p *plans) release(uid types.UID) {
	if p.planner == uid {
		p.planner = ""
	}
}

// isPlanned in more passes.
func (p *plans) isPlanned(uid types.UID) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.waiting[uid]
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

// Planning of a manager: what its metrics tell of plans.
func Planning(r *Reconciler) metrics.Planning {
	p := &r.plans
	p.mu.Lock()
	defer p.mu.Unlock()
	return metrics.Planning{Runs: len(p.waiting), Kept: len(p.entries), Bytes: p.bytes}
}
