package stored

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"

	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/trial/quoted"
)

// perObject is about what an object of the JSON of quoted numbers takes in memory, in bytes, and
// perElement one more element of a list or a map.
const perObject, perElement = 300, 24

func (r *Run) readQuoted(ctx context.Context) error {
	for _, t := range r.Object.Spec.Targets {
		if t.Published == nil {
			continue
		}
		name := contract.QuotedName(r.Object.Name, t.Name)
		cm, err := r.from.ConfigMap(ctx, name)
		if err != nil {
			return err
		}
		if cm == nil && r.Object.Status.Plan == nil {
			continue // the run was refused before it made the copy
		}
		if cm, err = r.ConfigMap(ctx, name); err != nil {
			return err
		}
		text := []byte(cm.Data[contract.KeyQuoted])
		if err := r.take(bytes.Count(text, []byte("{"))*perObject + bytes.Count(text, []byte(","))*perElement + len(text)); err != nil {
			return err
		}
		var numbers quoted.Numbers
		if err := json.Unmarshal(text, &numbers); err != nil {
			return fmt.Errorf("ConfigMap %s: %s: %w", name, contract.KeyQuoted, err)
		}
		if numbers.Version != quoted.Version {
			return fmt.Errorf("ConfigMap %s: version: got %q, want %q", name, contract.Cut(numbers.Version, contract.MaxName), quoted.Version)
		}
		r.Quoted = append(r.Quoted, numbers)
	}
	return nil
}
