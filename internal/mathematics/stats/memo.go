package stats

import "sync"

// memo keeps what is dear to compute and asked for often, such as null distributions. It is bounded:
// users choose the numbers of blocks and comparisons, and the manager lives long.
type memo[K comparable, V any] struct {
	// most values are kept. Where another one comes, all are forgotten.
	most  int
	mu    sync.Mutex
	known map[K]V
}

// of is the value for the key, computed where it is not kept. Values are shared: nobody
// changes them.
func (m *memo[K, V]) of(key K, compute func(K) V) V {
	m.mu.Lock()
	value, ok := m.known[key]
	m.mu.Unlock()
	if ok {
		return value
	}
	value = compute(key) // twice for two callers at once, which is as good
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.known == nil || len(m.known) >= m.most {
		m.known = map[K]V{}
	}
	m.known[key] = value
	return value
}
