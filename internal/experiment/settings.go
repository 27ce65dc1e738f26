package experiment

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/engines/engine"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/ground/settings"
)

// checkSettings refuses settings of the matrix that cannot vary in every trial of the run. Whether a server takes the values, it alone
// knows.
func checkSettings(w Work) error {
	for i, axis := range w.spec.Matrix {
		name, is := axis.Setting()
		if !is {
			continue
		}
		field := fmt.Sprintf("spec.matrix[%d]", i)
		if err := checkVariable(field, name, axis); err != nil {
			return err
		}
		if err := checkOnlyTarget(w, field, axis); err != nil {
			return err
		}
		for at, t := range w.spec.Targets {
			if err := checkVaries(w, field, name, axis, at, t); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkVariable refuses a name that is that of no variable, and values that are none or the same.
func checkVariable(field, name string, axis v1alpha1.Axis) error {
	if name != engine.Bare(name) {
		return Refuse(v1alpha1.ReasonSettingInvalid, "%s: config.%s: give the name of the variable as the server shows it: config.%s", field, name, engine.Bare(name))
	}
	for i, v := range axis.Values {
		if v.String() == "" {
			return Refuse(v1alpha1.ReasonSettingInvalid, "%s: config.%s has an empty value: write the value that the server shows", field, name)
		}
		for _, before := range axis.Values[:i] {
			if settings.SameValue(name, before.String(), v.String()) {
				return Refuse(v1alpha1.ReasonSettingInvalid, "%s: %s and %s are one value of config.%s: leave one out", field, before.String(), v.String(), name)
			}
		}
	}
	return nil
}

// checkOnlyTarget refuses a target that is not the only measured one: the trials of others would bear values that their servers do not have.
func checkOnlyTarget(w Work, field string, axis v1alpha1.Axis) error {
	if axis.Target == "" {
		return nil
	}
	known := false
	for _, t := range w.spec.Targets {
		control := w.spec.ControlOf() == axis.Target && t.Name == v1alpha1.ControlName
		switch {
		case t.Name == axis.Target:
			known = t.Published == nil
		case t.Published == nil && !control:
			return Refuse(v1alpha1.ReasonInvalidSpec, "%s.target: every cell is measured on every target, and the setting would not vary on %s: leave target out, and it varies on all, "+
				"or measure %s in a run of its own", field, t.Name, axis.Target)
		}
	}
	if !known {
		return Refuse(v1alpha1.ReasonInvalidSpec, "%s.target: the run measures no target %q: leave target out, or use the name of the target", field, axis.Target)
	}
	return nil
}

// checkVaries refuses a target whose server cannot have the setting changed.
func checkVaries(w Work, field, name string, axis v1alpha1.Axis, at int, t v1alpha1.Target) error {
	switch {
	case t.Published != nil:
		return nil
	case t.External != nil:
		return Refuse(v1alpha1.ReasonInvalidSpec, "%s: config.%s cannot vary on spec.targets[%d] (%s), which is external: Assay changes no settings of a server that it did not start; "+
			"set them yourself, and make a run for each", field, name, at, t.Name)
	case t.MySQL.Replication != nil:
		return Refuse(v1alpha1.ReasonInvalidSpec, "%s: config.%s cannot vary on spec.targets[%d] (%s), which has replicas: make a target for each value, with mysql.config",
			field, name, at, t.Name)
	}
	e, known := w.engine(t.MySQL.Flavor)
	if !known {
		return nil // another refusal says so
	}
	if why, lacks := e.Facts.Lacks[engine.VariesSettings]; lacks {
		return Refuse(v1alpha1.ReasonInvalidSpec, "%s: config.%s cannot vary on spec.targets[%d] (%s): %s: make a target for each value, with mysql.config", field, name, at, t.Name, why)
	}
	var wanted []contract.Setting
	for _, v := range axis.Values {
		wanted = append(wanted, contract.Setting{Name: name, Value: v.String()})
	}
	if refusals := e.Refuse(field, wanted); len(refusals) > 0 {
		return Refuse(v1alpha1.ReasonSettingInvalid, "%v", refusals[0])
	}
	return CheckGiven(fmt.Sprintf("spec.targets[%d].mysql.config", at), w.spec.Matrix, slices.Collect(maps.Keys(t.MySQL.Config)))
}

// CheckGiven refuses settings of a target, by the names in a field, that vary in the matrix.
func CheckGiven(field string, matrix []v1alpha1.Axis, names []string) error {
	for _, axis := range matrix {
		varied, is := axis.Setting()
		if !is {
			continue
		}
		for _, name := range names {
			if sameOption(name, varied) || strings.TrimPrefix(engine.Bare(name), "skip_") == varied {
				return Refuse(v1alpha1.ReasonSettingInvalid, "%s.%s: it varies in spec.matrix, which sets it before each trial: remove it from one of both", field, name)
			}
		}
	}
	return nil
}

// FitsVaried refuses values of the matrix that are lower than what the workload needs (Fits).
func (d Demand) FitsVaried(matrix []v1alpha1.Axis, needed []contract.Setting) error {
	for i, axis := range matrix {
		name, is := axis.Setting()
		for _, v := range axis.Values {
			if !is {
				break
			}
			var refused *Refusal
			err := d.Fits("spec", &v1alpha1.MySQLTarget{Config: map[string]string{name: v.String()}}, []contract.Setting{{Name: name, Value: v.String()}}, needed)
			if errors.As(err, &refused) {
				return Refuse(refused.Reason, "spec.matrix[%d]: %s", i, strings.TrimPrefix(refused.Message, "spec."))
			}
		}
	}
	return nil
}
