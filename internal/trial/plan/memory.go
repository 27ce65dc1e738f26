package plan

// CellBytes is about how many bytes the JSON of the cells has: the part of a plan that grows with
// the texts of a spec.
func (p *Plan) CellBytes() int {
	n := 0
	for _, cell := range p.Cells {
		n += 4
		for axis, value := range cell {
			n += len(axis) + len(value.StrVal) + 8
		}
	}
	return n
}

// Memory is about how many bytes the plan takes in memory. The texts of the axes are shared.
func (p *Plan) Memory() int {
	const cell, value, trial = 64, 96, 20
	return len(p.Cells)*(cell+value*len(p.Axes)) + trial*cap(p.Trials)
}

// Largest limits of a plan.
func Largest() Limits { return Limits{Cells: MaxCells, Trials: MaxTrials} }
