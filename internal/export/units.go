package export

// secondsPer unit of time.
var secondsPer = map[string]float64{"s": 1, "ms": 1e-3, "us": 1e-6, "µs": 1e-6, "ns": 1e-9}

// inSeconds are the values of a series in seconds; ok is false for what is no time.
func (s *series) inSeconds() (values []float64, ok bool) {
	factor, ok := secondsPer[s.unit]
	if !ok {
		return nil, false
	}
	for _, v := range s.values {
		values = append(values, v*factor)
	}
	return values, true
}
