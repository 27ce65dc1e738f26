package accept

import (
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/controllers/benchmarkrun/decision"
	"github.com/assay-bench/assay/internal/experiment"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/ground/resources"
	"github.com/assay-bench/assay/internal/trial/quoted"
	"github.com/assay-bench/assay/runners/runner"
)

// reader of a format of published numbers.
type reader struct {
	read func([]byte) runner.Report
	// names of the main measurements, in their order.
	names []string
}

// readerOf a format; false for one that this operator cannot read.
func (in references) readerOf(format string) (reader, bool) {
	if format == quoted.FormatTable {
		return reader{read: quoted.Table}, true
	}
	tool, ok := in.Catalogue.Tool(quoted.Tools[format])
	return reader{tool.Quote, tool.Summary}, ok && tool.Quotes()
}

// maxQuotedText bounds the published text, in bytes, so that it and what was read from
// it fit into one ConfigMap.
const maxQuotedText = 256 << 10

// resolvePublished reads the numbers that somebody else measured, and copies them into
// a ConfigMap of the run: the text as it is, and what was read from it. They go into the
// status of the target and nowhere else: never into a summary, a comparison or a test.
// It returns the digest of the text.
func (in references) resolvePublished(field string, t v1alpha1.Target, r *resolution) (sha string, err error) {
	format, ok := in.readerOf(t.Published.Format)
	if !ok {
		return "", experiment.Refuse(v1alpha1.ReasonInvalidSpec, "%s.format: this operator cannot read published output of %s", field, t.Published.Format)
	}
	name := contract.QuotedName(in.Run.Name, t.Name)
	cm, copied := in.copied(name)
	if !copied {
		if cm, err = in.configMap(field+".configMap", t.Published.ConfigMap.Name); err != nil {
			return "", err
		}
	}
	texts := textsOf(cm)
	read, err := readQuoted(field, t, format, cm)
	if err != nil {
		return "", err
	}
	if !copied {
		encoded, err := read.Encode()
		if err != nil {
			return "", err
		}
		data := map[string]string{contract.KeyQuoted: string(encoded)}
		for key, text := range texts {
			data[key] = string(text)
		}
		r.copies = append(r.copies, decision.Create{Object: resources.Pinned(in.Run, name, v1alpha1.RoleQuoted, data, nil)})
	}
	r.targets = append(r.targets, v1alpha1.TargetStatus{Name: t.Name, Quoted: read.Values(format.names), Source: t.Published.Source})
	return resources.DigestOf(texts), nil
}

// textsOf are the published texts of a ConfigMap, by their keys.
func textsOf(cm *corev1.ConfigMap) map[string][]byte {
	texts := resources.Files(cm)
	maps.DeleteFunc(texts, func(key string, _ []byte) bool { return !slices.Contains(quoted.Keys(), key) })
	return texts
}

// readQuoted refuses texts that are of no use.
func readQuoted(field string, t v1alpha1.Target, format reader, cm *corev1.ConfigMap) (quoted.Numbers, error) {
	source, texts := t.Published.ConfigMap.Name, textsOf(cm)
	size := 0
	for _, text := range texts {
		size += len(text)
	}
	switch {
	case len(texts) == 0:
		return quoted.Numbers{}, experiment.Refuse(v1alpha1.ReasonPublishedUnreadable, "%s.configMap: ConfigMap %q has none of the keys %q; it has: %q",
			field, source, quoted.Keys(), slices.Sorted(maps.Keys(resources.Files(cm))))
	case size > maxQuotedText:
		return quoted.Numbers{}, experiment.Refuse(v1alpha1.ReasonPublishedUnreadable, "%s.configMap: ConfigMap %q has %d bytes of text: use at most %d, without status lines and histograms",
			field, source, size, maxQuotedText)
	}
	read, err := quoted.Read(format.read, texts)
	if err != nil {
		return quoted.Numbers{}, experiment.Refuse(v1alpha1.ReasonPublishedUnreadable, "%s.configMap: ConfigMap %q, %v", field, source, err)
	}
	read.Target, read.Format, read.Source = t.Name, t.Published.Format, t.Published.Source
	return read, nil
}
