package changepoint

import (
	"crypto/sha256"
	"encoding/binary"
	"math"
	"slices"
	"sync"
)

// mostKnown searches are remembered. Where another one comes, all are forgotten.
const mostKnown = 4096

// memo of searches: whoever looks at a series looks again before it is longer, and the same series has
// the same changes. It is safe for concurrent use.
type memo struct {
	mu    sync.Mutex
	known map[[sha256.Size]byte][]Change
}

var searched memo

// of a series is what was found in it before, or what find finds.
func (m *memo) of(series []float64, o Options, find func() []Change) []Change {
	key := keyOf(series, o)
	m.mu.Lock()
	changes, is := m.known[key]
	m.mu.Unlock()
	if !is {
		changes = find() // twice for two callers at once, which is as good
		m.mu.Lock()
		if m.known == nil || len(m.known) >= mostKnown {
			m.known = map[[sha256.Size]byte][]Change{}
		}
		m.known[key] = changes
		m.mu.Unlock()
	}
	return slices.Clone(changes)
}

func keyOf(series []float64, o Options) [sha256.Size]byte {
	data := binary.BigEndian.AppendUint64(nil, math.Float64bits(o.ErrorRate))
	data = binary.BigEndian.AppendUint64(data, uint64(o.Permutations))
	data = binary.BigEndian.AppendUint64(data, o.Seed)
	for _, v := range series {
		data = binary.BigEndian.AppendUint64(data, math.Float64bits(v))
	}
	return sha256.Sum256(data)
}
