package benchmarkrun

// seed of the run. A run whose plan was lost has that of the status; one that was never
// planned has none, and starts no tool.
func (s *scope) seed() int64 {
	switch st := s.run.Status.Plan; {
	case s.plan != nil:
		return s.plan.Seed
	case st != nil && st.Seed != nil:
		return *st.Seed
	}
	return 0
}
