package v1alpha1

import "slices"

// ControlOf is the name of the target that the control of the analysis repeats; empty without a control.
func (s *BenchmarkRunSpec) ControlOf() string {
	if s.Analysis == nil || !s.Analysis.Control {
		return ""
	}
	for _, c := range s.Analysis.Comparisons {
		if c.Factor == FactorTarget && c.Baseline != nil {
			return c.Baseline.String()
		}
	}
	for _, t := range s.Targets {
		if t.Published == nil {
			return t.Name
		}
	}
	return ""
}

// addControl adds the target that repeats the baseline, once. A name that no target has adds none:
// who accepts the run refuses it.
func (s *BenchmarkRunSpec) addControl() {
	of := s.ControlOf()
	named := func(name string) func(Target) bool { return func(t Target) bool { return t.Name == name } }
	if of == "" || slices.ContainsFunc(s.Targets, named(ControlName)) {
		return
	}
	if i := slices.IndexFunc(s.Targets, named(of)); i >= 0 {
		twin := *s.Targets[i].DeepCopy()
		twin.Name = ControlName
		if twin.MySQL != nil {
			twin.MySQL.Storage.Retain, twin.MySQL.Storage.Snapshot = false, nil // nobody has asked for the volume of the twin
		}
		s.Targets = append(slices.Clip(s.Targets), twin)
	}
}
