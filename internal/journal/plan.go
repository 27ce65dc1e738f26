package journal

import (
	"fmt"
	"slices"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/plan"
)

// trialsPerPart of the plan: about 200 KiB of JSON.
const trialsPerPart = 5000

// Plan is one part of the plan of a run. The cells stand in the first part only.
type Plan struct {
	// Version is always the constant Version.
	Version string `json:"version"`
	// Part is the number of the part, from 0; Parts is how many there are.
	Part  int32 `json:"part"`
	Parts int32 `json:"parts"`
	plan.Plan
}

// SplitPlan cuts a plan into parts, each encoded.
func SplitPlan(p *plan.Plan) ([][]byte, error) {
	parts := int32((len(p.Trials) + trialsPerPart - 1) / trialsPerPart)
	var out [][]byte
	for trials := range slices.Chunk(p.Trials, trialsPerPart) {
		part := Plan{Version: Version, Part: int32(len(out)), Parts: parts, Plan: *p}
		part.Trials = trials
		if part.Part > 0 {
			part.Cells = nil
		}
		data, err := encode(part)
		if err != nil {
			return nil, err
		}
		out = append(out, data)
	}
	return out, nil
}

// JoinPlan puts a plan together again.
func JoinPlan(parts [][]byte) (*plan.Plan, error) {
	var whole *plan.Plan
	for i, data := range parts {
		var p Plan
		if err := decode(data, &p, func() string { return p.Version }); err != nil {
			return nil, err
		}
		if int(p.Part) != i || int(p.Parts) != len(parts) {
			return nil, fmt.Errorf("part %d of the plan says that it is part %d of %d", i, p.Part, p.Parts)
		}
		if whole == nil {
			whole = &p.Plan
		} else {
			whole.Trials = append(whole.Trials, p.Trials...)
		}
	}
	if whole == nil {
		return nil, fmt.Errorf("the plan has no parts")
	}
	return whole, nil
}

// summaryPerPart entries go into one part of the summary.
const summaryPerPart = 2000

// Summary is one part of the summary of a run.
type Summary struct {
	// Version is always the constant Version.
	Version string `json:"version"`
	// Part is the number of the part, from 0.
	Part int32 `json:"part"`
	// Entries in the order of the cells, the targets and the measurements.
	Entries []v1alpha1.SummaryEntry `json:"entries"`
}

// SplitSummary cuts a summary into parts, each encoded.
func SplitSummary(entries []v1alpha1.SummaryEntry) ([][]byte, error) {
	var out [][]byte
	for chunk := range slices.Chunk(entries, summaryPerPart) {
		data, err := encode(Summary{Version: Version, Part: int32(len(out)), Entries: chunk})
		if err != nil {
			return nil, err
		}
		out = append(out, data)
	}
	return out, nil
}

// DecodeSummary reads a part of the summary.
func DecodeSummary(gz []byte) (Summary, error) {
	var s Summary
	err := decode(gz, &s, func() string { return s.Version })
	return s, err
}
