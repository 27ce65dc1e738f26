package accept

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/engines/engine"
	"github.com/assay-bench/assay/internal/experiment"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/ground/settings"
)

const (
	// maxSettings is the bound of status.resolved.targets[].settings.
	maxSettings = 1024
	// maxSettingName and maxSettingValue are those of its texts, maxSettingBytes of all together.
	maxSettingName  = 253
	maxSettingValue = 4096
	maxSettingBytes = 64 << 10
)

// resolveServer pins image, shape and settings of a server that Assay provides.
func (in references) resolveServer(field string, t v1alpha1.Target, d experiment.Demand, chosen v1alpha1.InstanceShapeSpec) (v1alpha1.ResolvedTarget, error) {
	out := v1alpha1.ResolvedTarget{Name: t.Name, Image: t.MySQL.Image}
	e, ok := in.Catalogue.Engine(t.MySQL.Flavor)
	if !ok {
		return out, experiment.Refuse(v1alpha1.ReasonInvalidSpec, "%s.mysql.flavor: this operator has no engine %q", field, t.MySQL.Flavor)
	}
	if !slices.Contains(e.StorageEngines, t.MySQL.StorageEngine) {
		return out, experiment.Refuse(v1alpha1.ReasonInvalidSpec, "%s.mysql.storageEngine: %s has no %s: use one of %s",
			field, t.MySQL.Flavor, t.MySQL.StorageEngine, strings.Join(e.StorageEngines, ", "))
	}
	if why, lacks := e.Facts.Lacks[engine.Encryption]; lacks && t.MySQL.TLS != "" && string(t.MySQL.TLS) != string(contract.TLSDisabled) {
		return out, experiment.Refuse(v1alpha1.ReasonInvalidSpec, "%s.mysql.tls: Assay provides %s without TLS (%s): leave tls out", field, t.MySQL.Flavor, why)
	}
	if out.Image == "" {
		entry, ok := in.Catalogue.Config.Engines[t.MySQL.Flavor][t.MySQL.Version]
		if !ok {
			return out, experiment.Refuse(v1alpha1.ReasonVersionNotInCatalogue,
				"%s.mysql.version: the engine catalogue has no %s %q; it has: %s. Add it to the chart value engines.%s, or set image; kubectl assay explain %s says more",
				field, t.MySQL.Flavor, t.MySQL.Version, in.Catalogue.Config.Versions(t.MySQL.Flavor), t.MySQL.Flavor, v1alpha1.ReasonVersionNotInCatalogue)
		}
		out.Image = entry.Image
	}
	shape, err := in.shape(field+".shape", t.Shape, chosen)
	if err != nil {
		return out, err
	}
	out.Shape = &shape
	user, err := in.userSettings(field+".mysql", t.MySQL)
	if err != nil {
		return out, err
	}
	if refusals := e.Refuse(field+".mysql.config", user); len(refusals) > 0 {
		return out, experiment.Refuse(v1alpha1.ReasonSettingInvalid, "%v", errors.Join(refusals...))
	}
	if err := experiment.CheckGiven(field+".mysql.configFrom, config", in.Run.Spec.Matrix, namesOf(user)); err != nil {
		return out, err
	}
	replication, err := replicationSettings(e, field+".mysql", t.MySQL, user)
	if err != nil {
		return out, err
	}
	lists := []sourced{
		{v1alpha1.SourceShape, experiment.ShapeSettings(e, shape, t.MySQL)},
		{v1alpha1.SourceWorkload, d.Limits(e)},
		{v1alpha1.SourceStarts, startSettings(e, in.Run.Spec)},
		{v1alpha1.SourceReplication, replication},
		{v1alpha1.SourceSpec, user},
	}
	if err := d.Fits(field+".mysql", t.MySQL, user, in.Run.Spec.Matrix, e); err != nil {
		return out, err
	}
	out.Settings = mergeSettings(lists)
	if err := (serverPages{field, e, shape, out.Settings, in.Run.Spec.Matrix}).check(); err != nil {
		return out, err
	}
	if n := len(out.Settings); n > maxSettings {
		return out, experiment.Refuse(v1alpha1.ReasonSettingInvalid, "%s.mysql: %d server settings, and at most %d are kept", field, n, maxSettings)
	}
	return out, checkSettings(field+".mysql", out.Settings)
}

// checkSettings refuses settings that do not fit into the status, which pins them.
func checkSettings(field string, list []v1alpha1.ServerSetting) error {
	all := 0
	for _, s := range list {
		if len(s.Name) > maxSettingName || len(s.Value) > maxSettingValue {
			return experiment.Refuse(v1alpha1.ReasonSettingInvalid, "%s: the setting %s has a name of %d bytes and a value of %d, and at most %d and %d are kept",
				field, contract.Cut(s.Name, 100), len(s.Name), len(s.Value), maxSettingName, maxSettingValue)
		}
		all += len(s.Name) + len(s.Value)
	}
	if all > maxSettingBytes {
		return experiment.Refuse(v1alpha1.ReasonSettingInvalid, "%s: %d server settings have %d bytes, and at most %d are kept", field, len(list), all, maxSettingBytes)
	}
	return nil
}

// maxConfigFrom are the bytes of all ConfigMaps with settings of a target: a line of two bytes becomes
// a setting that takes twenty times as much memory.
const maxConfigFrom = 256 << 10

// userSettings merges the settings of configFrom and config.
func (in references) userSettings(field string, m *v1alpha1.MySQLTarget) ([]contract.Setting, error) {
	var lists [][]contract.Setting
	given := 0
	for i, ref := range m.ConfigFrom {
		at := fmt.Sprintf("%s.configFrom[%d]", field, i)
		cm, err := in.configMap(at, ref.Name)
		if err != nil {
			return nil, err
		}
		for key, text := range cm.Data {
			given += len(key) + len(text)
		}
		if given > maxConfigFrom {
			return nil, experiment.Refuse(v1alpha1.ReasonSettingInvalid, "%s (ConfigMap %s): the ConfigMaps of configFrom have more than %d bytes together: leave out what the server does not need",
				at, ref.Name, maxConfigFrom)
		}
		list, err := settings.Parse(cm.Data)
		if err != nil {
			return nil, experiment.Refuse(v1alpha1.ReasonSettingInvalid, "%s (ConfigMap %s): %v", at, ref.Name, err)
		}
		lists = append(lists, list)
	}
	list, err := settings.Parse(m.Config)
	if err != nil {
		return nil, experiment.Refuse(v1alpha1.ReasonSettingInvalid, "%s.config: %v", field, err)
	}
	return settings.Merge(append(lists, list)...), nil
}

// startSettings are those of a server that is started again for a trial.
func startSettings(e engine.Engine, spec v1alpha1.BenchmarkRunSpec) []contract.Setting {
	if spec.Design.Starts != v1alpha1.StartsPerBlock && !spec.VariesSettings(v1alpha1.ApplyRestart) {
		return nil
	}
	return e.Restarts
}

func namesOf(list []contract.Setting) (names []string) {
	for _, s := range list {
		names = append(names, s.Name)
	}
	return names
}

// sourced are settings of one source.
type sourced struct {
	source   v1alpha1.SettingSource
	settings []contract.Setting
}

// mergeSettings of several sources, the later ones before the earlier ones.
func mergeSettings(lists []sourced) []v1alpha1.ServerSetting {
	var all [][]contract.Setting
	from := map[contract.Setting]v1alpha1.SettingSource{}
	for _, l := range lists {
		all = append(all, l.settings)
		for _, st := range l.settings {
			st.Name = settings.CanonicalName(st.Name)
			from[st] = l.source
		}
	}
	var out []v1alpha1.ServerSetting
	for _, st := range settings.Merge(all...) {
		out = append(out, v1alpha1.ServerSetting{Name: st.Name, Value: st.Value, Source: from[st]})
	}
	return out
}

// replicationSettings are the settings that every server of a target with replicas has. It
// refuses a setting of the user that contradicts them.
func replicationSettings(e engine.Engine, field string, m *v1alpha1.MySQLTarget, user []contract.Setting) ([]contract.Setting, error) {
	if m.Replication == nil {
		return nil, nil
	}
	if e.Replicated == nil {
		return nil, experiment.Refuse(v1alpha1.ReasonInvalidSpec, "%s.replication: Assay provides %s without replicas (%s): leave replication out, or use another flavor",
			field, e.Flavor, e.Facts.Lacks[engine.Replicas])
	}
	needed := e.Replicated(contract.Target{})
	for _, u := range user {
		name := strings.TrimPrefix(strings.ToLower(settings.CanonicalName(u.Name)), "loose_")
		taken := e.UndoesReplication != nil && e.UndoesReplication(name) ||
			slices.ContainsFunc(needed, func(s contract.Setting) bool { return s.Name == name })
		if taken {
			return nil, experiment.Refuse(v1alpha1.ReasonSettingInvalid,
				"%s.config.%s: set by Assay, because replication needs it: remove it, or leave replication out", field, u.Name)
		}
	}
	return needed, nil
}
