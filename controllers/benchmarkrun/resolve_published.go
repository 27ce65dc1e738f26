package benchmarkrun

import (
	"context"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/quoted"
	"github.com/assay-bench/assay/internal/resources"
	"github.com/assay-bench/assay/runners/runner"

	"github.com/assay-bench/assay/internal/contract"
)

// quotedFormats are the runners that read a format of published numbers.
var quotedFormats = map[string]string{"YCSB": "ycsb", "Sysbench": "sysbench"}

// maxQuotedText bounds the published text, in bytes, so that it and what was read from
// it fit into one ConfigMap.
const maxQuotedText = 256 << 10

// resolvePublished reads the numbers that somebody else measured, and copies them into
// a ConfigMap of the run: the text as it is, and what was read from it. They go into the
// status of the target and nowhere else: never into a summary, a comparison or a test.
func (r *Reconciler) resolvePublished(ctx context.Context, s *scope, field string, t v1alpha1.Target) (v1alpha1.ResolvedTarget, error) {
	out := v1alpha1.ResolvedTarget{Name: t.Name}
	tool, ok := r.Runner(quotedFormats[t.Published.Format])
	if !ok || tool.Quote == nil {
		return out, refuse(v1alpha1.ReasonInvalidSpec, "%s.format: this operator cannot read published output of %s", field, t.Published.Format)
	}
	source, name := t.Published.ConfigMap.Name, contract.QuotedName(s.run.Name, t.Name)
	cm, err := r.configMap(ctx, s, field+".configMap", source)
	if err != nil {
		return out, err
	}
	texts := textsOf(cm)
	read, err := readQuoted(field, t, tool, texts, filesOf(cm))
	if err != nil {
		return out, err
	}
	encoded, err := read.Encode()
	if err != nil {
		return out, err
	}
	data := map[string]string{contract.KeyQuoted: string(encoded)}
	for key, text := range texts {
		data[key] = string(text)
	}
	if cm, err = r.pin(ctx, s, resources.Pinned(s.run, name, v1alpha1.RoleQuoted, data, nil)); err != nil {
		return out, err
	}
	// The copy may be of an earlier pass, from before the user changed the text.
	texts = textsOf(cm)
	if read, err = readQuoted(field, t, tool, texts, texts); err != nil {
		return out, err
	}
	st := s.targetStatus(t.Name)
	st.Quoted, st.Source = read.Values(tool.Summary), t.Published.Source
	out.PublishedSHA256 = digest(texts)
	return out, nil
}

// textsOf are the published texts of a ConfigMap, by their keys.
func textsOf(cm *corev1.ConfigMap) map[string][]byte {
	texts := filesOf(cm)
	maps.DeleteFunc(texts, func(key string, _ []byte) bool { return !slices.Contains(quoted.Keys(), key) })
	return texts
}

// readQuoted refuses texts that are of no use.
func readQuoted(field string, t v1alpha1.Target, tool runner.Runner, texts, all map[string][]byte) (quoted.Numbers, error) {
	source := t.Published.ConfigMap.Name
	size := 0
	for _, text := range texts {
		size += len(text)
	}
	switch {
	case len(texts) == 0:
		return quoted.Numbers{}, refuse(v1alpha1.ReasonPublishedUnreadable, "%s.configMap: ConfigMap %q has none of the keys %q; it has: %q",
			field, source, quoted.Keys(), slices.Sorted(maps.Keys(all)))
	case size > maxQuotedText:
		return quoted.Numbers{}, refuse(v1alpha1.ReasonPublishedUnreadable, "%s.configMap: ConfigMap %q has %d bytes of text: use at most %d, without status lines and histograms",
			field, source, size, maxQuotedText)
	}
	read, err := quoted.Read(tool.Quote, texts)
	if err != nil {
		return quoted.Numbers{}, refuse(v1alpha1.ReasonPublishedUnreadable, "%s.configMap: ConfigMap %q, %v", field, source, err)
	}
	read.Target, read.Format, read.Source = t.Name, t.Published.Format, t.Published.Source
	return read, nil
}
