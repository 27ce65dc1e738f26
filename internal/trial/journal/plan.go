package journal

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/trial/plan"
)

// trialsPerPart of the plan: about 200 KiB of JSON.
const trialsPerPart = 5000

// Plan is one part of the plan of a run. Only the first part has the cells.
type Plan struct {
	header
	// Part is the number of the part, from 0. Parts is the number of parts.
	Part  int32 `json:"part"`
	Parts int32 `json:"parts"`
	plan.Plan
}

// SplitPlan splits a plan into encoded parts, chained: an older manager must not begin records
// without links. It fails with a TooLargeError for cells that no part holds.
func SplitPlan(p *plan.Plan) ([][]byte, error) {
	parts := int32((len(p.Trials) + trialsPerPart - 1) / trialsPerPart)
	var out [][]byte
	for trials := range slices.Chunk(p.Trials, trialsPerPart) {
		part := Plan{header: chained(out), Part: int32(len(out)), Parts: parts, Plan: *p}
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

// decodePlan reads a part of the plan. An unknown field is an error: a newer program wrote it,
// and it may change what is measured.
func decodePlan(gz []byte) (Plan, error) {
	var p Plan
	plain, err := open(gz)
	if err != nil {
		return p, fmt.Errorf("decoding a part of the plan: %w", err)
	}
	if err := json.Unmarshal(plain, &p); err != nil {
		return p, fmt.Errorf("decoding a part of the plan: %w", err)
	}
	strict := json.NewDecoder(bytes.NewReader(plain))
	strict.DisallowUnknownFields()
	if strict.Decode(new(Plan)) != nil {
		return p, &TooNewError{Version: contract.JournalVersion, MinReader: contract.JournalReader + 1}
	}
	return p, nil
}

// CheckPlan fails with a TooNewError for a part of the plan of a newer manager. Whatever else
// is wrong with the part matters only to a reader that needs it.
func CheckPlan(part []byte) error {
	var newer *TooNewError
	if _, err := open(part); errors.As(err, &newer) {
		return newer
	}
	return nil
}

// JoinPlan joins the parts of a plan. It fails with a TooNewError for the plan of a newer
// manager.
func JoinPlan(parts [][]byte) (*plan.Plan, error) {
	var whole *plan.Plan
	for i, data := range parts {
		p, err := decodePlan(data)
		if err != nil {
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
