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

const (
	editsFlags = "SET GLOBAL changes only what a value names, so that values of earlier trials stay"
	needsTLS   = "SET GLOBAL has no effect until the server reads its TLS settings again"
)

// startOnly are variables that SET GLOBAL does not change as a whole, by the reason.
var startOnly = map[string]string{
	"optimizer_switch": editsFlags, "optimizer_trace": editsFlags, "optimizer_trace_features": editsFlags,
	"tls_version": needsTLS, "tls_ciphersuites": needsTLS, "ssl_cipher": needsTLS, "ssl_session_cache_mode": needsTLS, "ssl_session_cache_timeout": needsTLS,
}

// variedSetting is an axis of a setting of the server.
type variedSetting struct {
	v1alpha1.Axis
	// field of the axis in the spec, and the name of the variable.
	field, name string
}

// checkSettings refuses settings of the matrix that cannot vary in every trial of the run. Whether a server takes the values, it alone
// knows.
func checkSettings(w Work) error {
	for i, axis := range w.spec.Matrix {
		name, is := axis.Setting()
		if !is {
			continue
		}
		v := variedSetting{axis, fmt.Sprintf("spec.matrix[%d]", i), name}
		if err := v.check(); err != nil {
			return err
		}
		if err := v.checkTarget(w); err != nil {
			return err
		}
		for at := range w.spec.Targets {
			if err := v.checkOn(w, at); err != nil {
				return err
			}
		}
	}
	return nil
}

// check refuses a name that is that of no variable, and values that are none or the same.
func (v variedSetting) check() error {
	if bare := engine.Bare(v.name); v.name != bare {
		return Refuse(v1alpha1.ReasonSettingInvalid, "%s: %s: give the name of the variable as the server shows it: config.%s", v.field, v.Name, bare)
	}
	if why, is := startOnly[strings.ToLower(v.name)]; is && v.Apply != v1alpha1.ApplyRestart {
		return Refuse(v1alpha1.ReasonSettingInvalid, "%s.apply: %s: %s: set apply: Restart", v.field, v.Name, why)
	}
	for i, value := range v.Values {
		if value.String() == "" {
			return Refuse(v1alpha1.ReasonSettingInvalid, "%s: %s has an empty value: write the value that the server shows", v.field, v.Name)
		}
		for _, before := range v.Values[:i] {
			if settings.SameValue(v.name, before.String(), value.String()) {
				return Refuse(v1alpha1.ReasonSettingInvalid, "%s: %s and %s are one value of %s: leave one out", v.field, before.String(), value.String(), v.Name)
			}
		}
	}
	return nil
}

// checkTarget refuses a target that is not the only measured one: the trials of others would bear values that their servers do not have.
func (v variedSetting) checkTarget(w Work) error {
	if v.Target == "" {
		return nil
	}
	known := false
	for _, t := range w.spec.Targets {
		control := w.spec.ControlOf() == v.Target && t.Name == v1alpha1.ControlName
		switch {
		case t.Name == v.Target:
			known = t.Published == nil
		case t.Published == nil && !control:
			return Refuse(v1alpha1.ReasonInvalidSpec, "%s.target: every cell is measured on every target, and the setting would not vary on %s: leave target out, and it varies on all, "+
				"or measure %s in a run of its own", v.field, t.Name, v.Target)
		}
	}
	if !known {
		return Refuse(v1alpha1.ReasonInvalidSpec, "%s.target: the run measures no target %q: leave target out, or use the name of the target", v.field, v.Target)
	}
	return nil
}

// checkOn refuses a target of the run whose server cannot have the setting changed.
func (v variedSetting) checkOn(w Work, at int) error {
	t := w.spec.Targets[at]
	refuse := func(why string) error {
		return Refuse(v1alpha1.ReasonInvalidSpec, "%s: %s cannot vary on spec.targets[%d] (%s), %s", v.field, v.Name, at, t.Name, why)
	}
	switch {
	case t.Published != nil:
		return nil
	case t.External != nil:
		return refuse("which is external: Assay changes no settings of a server that it did not start; set them yourself, and make a run for each")
	case t.MySQL.Replication != nil:
		return refuse("which has replicas: make a target for each value, with mysql.config")
	}
	e, known := w.engine(t.MySQL.Flavor)
	if !known {
		return nil // another refusal says so
	}
	if why, lacks := e.Facts.Lacks[engine.VariesSettings]; lacks {
		return refuse("because " + why + ": make a target for each value, with mysql.config")
	}
	if older := v.name == "innodb_log_file_size" || v.name == "innodb_log_files_in_group"; older && e.Facts.Family == "MySQL" && t.MySQL.Version != "5.7" {
		return Refuse(v1alpha1.ReasonSettingInvalid, "%s: %s: %s 8.0.30 and later ignore it beside innodb_redo_log_capacity, on spec.targets[%d] (%s): use config.innodb_redo_log_capacity",
			v.field, v.Name, t.MySQL.Flavor, at, t.Name)
	}
	var wanted []contract.Setting
	for _, value := range v.Values {
		wanted = append(wanted, contract.Setting{Name: v.name, Value: value.String()})
	}
	if refusals := e.Refuse(v.field, wanted); len(refusals) > 0 {
		return Refuse(v1alpha1.ReasonSettingInvalid, "%v", refusals[0])
	}
	return CheckGiven(fmt.Sprintf("spec.targets[%d].mysql.config", at), w.spec.Matrix, slices.Sorted(maps.Keys(t.MySQL.Config)))
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

func (d Demand) fitsVaried(matrix []v1alpha1.Axis, needed []contract.Setting) error {
	for i, axis := range matrix {
		name, is := axis.Setting()
		for _, v := range axis.Values {
			if !is {
				break
			}
			var refused *Refusal
			err := d.fits("spec", &v1alpha1.MySQLTarget{Config: map[string]string{name: v.String()}}, []contract.Setting{{Name: name, Value: v.String()}}, needed)
			if errors.As(err, &refused) {
				return Refuse(refused.Reason, "spec.matrix[%d]: %s", i, strings.TrimPrefix(refused.Message, "spec."))
			}
		}
	}
	return nil
}
