package cli

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	apimeta "k8s.io/apimachinery/pkg/api/meta"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/cli/exit"
	"github.com/assay-bench/assay/internal/cli/kube"
	"github.com/assay-bench/assay/internal/cli/output"
	"github.com/assay-bench/assay/internal/mathematics/figure"
	"github.com/assay-bench/assay/internal/record/bundle"
	"github.com/assay-bench/assay/internal/record/integrity"
	"github.com/assay-bench/assay/internal/record/stored"
)

const verifyHelp = `Compare all that a run has stored with the digests in its records and in its status.

Exit codes:
  0  everything holds; what a bundle leaves out on purpose is named
  1  nothing can be said: an object cannot be read, or the run has not ended, or it ended before its
     plan was stored
  6  something was changed after it was stored, or is gone, or the file of a bundle is damaged; the output names it

Of a bundle ("kubectl assay export --bundle") every file is compared with the index first.

Objects of an object store are compared with --objects, which names a copy of the folder of the
run (status.results.store), such as "aws s3 sync" makes.

Whoever may write the status and the ConfigMaps of a run can make a new chain for it. Note
the head when the run has ended, and give it with --head.`

func newVerify(k *kube.Config) *cobra.Command {
	var v verification
	cmd := &cobra.Command{
		Use: "verify RUN|BUNDLE", Short: "Compare what a run has stored with its digests", Long: verifyHelp, Args: cobra.ExactArgs(1),
		Example: "  kubectl assay verify demo\n  kubectl assay verify demo --head 3b1f...", ValidArgsFunction: k.CompleteRuns(1),
		RunE: onRuns(k, func(ctx context.Context, runs []stored.Source, to streams) error {
			v.from = runs[0]
			return v.verify(ctx, to.out)
		}),
	}
	v.format.AddTo(cmd)
	cmd.Flags().StringVar(&v.head, "head", "", "the head that was noted when the run had ended (status.integrity.head)")
	cmd.Flags().StringVar(&v.objects, "objects", "", "a copy of the run's folder in the object store, to be compared too")
	return cmd
}

// verification is what the command was called with.
type verification struct {
	from stored.Source
	// head that was noted, and the folder with the objects; may be empty.
	head, objects string
	format        output.Format
}

// verify a run, and print what holds. It ends with exit.ErrDiffers for a run that is not what it has stored.
func (v verification) verify(ctx context.Context, out io.Writer) error {
	doc, err := v.check(ctx)
	if err != nil {
		return err
	}
	err = v.format.Write(out, doc, func(out io.Writer) error { return tellVerification(out, doc) })
	if !doc.Verified {
		return errors.Join(exit.ErrDiffers, err)
	}
	return err
}

// verified is what a run has stored, which is verified first.
func verified(ctx context.Context, from stored.Source, notes io.Writer) (*stored.Run, error) {
	if err := (verification{from: from}).verify(ctx, notes); err != nil {
		return nil, err
	}
	return stored.Read(ctx, from)
}

// check at a run that has ended: what was compared, and what differs.
func (v verification) check(ctx context.Context) (output.Verification, error) {
	doc := output.Verification{Version: output.VerificationVersion}
	objects, done, err := objectsIn(v.objects)
	if err != nil {
		return doc, err
	}
	defer done()
	run, err := v.from.Run(ctx)
	if err != nil {
		return doc, err
	}
	doc.Namespace, doc.Name, doc.UID = run.Namespace, run.Name, string(run.UID)
	if !run.Finished() {
		return doc, fmt.Errorf("%s has not ended: what it stores still grows", v.from)
	}
	if b, is := v.from.(*bundle.Bundle); is {
		if doc.Differences, err = differencesIn(b); err != nil || len(doc.Differences) > 0 {
			return doc, err
		}
	}
	report, err := stored.Verify(ctx, v.from, run, objects)
	if err != nil {
		return doc, err
	}
	if !report.Chained {
		return doc, fmt.Errorf("%s has no status.integrity: it ended before its plan was stored, or the status was edited", v.from)
	}
	doc.Plan, doc.Records, doc.Attempts, doc.Summary, doc.Results = report.Plan, report.Records, report.Trials, report.Summary, report.Results
	doc.LeftOut, doc.AbsentObjects, doc.Head = report.LeftOut, report.Absent, run.Status.Integrity.Head
	if objects != nil {
		doc.Objects = &report.Objects
	}
	if run.Status.Results != nil {
		doc.Store = run.Status.Results.Store
	}
	doc.Differences = v.differencesOf(run, report)
	doc.Verified = len(doc.Differences) == 0
	return doc, nil
}

// differencesOf what a run has stored from its digests, from the head that was noted, and what the manager found.
func (v verification) differencesOf(run *v1alpha1.BenchmarkRun, report integrity.Report) (out []output.Difference) {
	for _, f := range report.Findings {
		out = append(out, output.Difference{Kind: string(f.Kind), Message: f.String()})
	}
	tampered := func(text string) {
		out = append(out, output.Difference{Kind: string(integrity.Tampered), Message: text})
	}
	if v.head != "" && v.head != run.Status.Integrity.Head {
		tampered("the head that was noted is " + v.head)
	}
	if c := apimeta.FindStatusCondition(run.Status.Conditions, v1alpha1.ConditionValid); c != nil && c.Reason == v1alpha1.ReasonTampered {
		tampered("the manager found at the end of the run: " + c.Message)
	}
	return out
}

// tellVerification: what was compared, and what differs. Where the files of a bundle differ already, nothing else was compared.
func tellVerification(out io.Writer, doc output.Verification) error {
	var lines []string
	if doc.Head != "" {
		lines = append(lines, fmt.Sprintf("compared: %s of the plan, %d of the records (%s), %d of the summary, %s",
			figure.Counted(doc.Plan, "part"), doc.Records, figure.Counted(doc.Attempts, "attempt"), doc.Summary, figure.Counted(doc.Results, "result")))
		lines = append(lines, aboutObjects(doc)...)
		lines = append(lines, "head: "+doc.Head)
	}
	if len(doc.LeftOut) > 0 {
		var parts []string
		for _, key := range slices.Sorted(maps.Keys(doc.LeftOut)) {
			parts = append(parts, fmt.Sprintf("%d %s", doc.LeftOut[key], key))
		}
		lines = append(lines, "left out of the bundle on purpose, and not compared: "+strings.Join(parts, ", "))
	}
	for _, d := range doc.Differences {
		lines = append(lines, fmt.Sprintf("%s: %s", d.Kind, d.Message))
	}
	p := output.NewPage(out)
	p.Line(fmt.Sprintf("BenchmarkRun %s/%s, UID %s", doc.Namespace, doc.Name, doc.UID))
	for _, line := range lines {
		p.Item("  ", line)
	}
	p.Line(map[bool]string{true: "verified", false: "DIFFERS"}[doc.Verified])
	return p.Flush()
}

// objectsIn a folder finds them by their keys; nil without a folder. Nothing outside of the folder
// is read, whatever a key says.
func objectsIn(folder string) (object integrity.ObjectDigest, done func(), err error) {
	if folder == "" {
		return nil, func() {}, nil
	}
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, nil, fmt.Errorf("the copy of the objects (--objects): %w", err)
	}
	object = func(key string) (string, error) {
		file, err := root.Open(filepath.FromSlash(key))
		if errors.Is(err, fs.ErrNotExist) {
			return "", nil
		}
		if err != nil {
			return "", err
		}
		defer func() { _ = file.Close() }() // it was only read
		hash := sha256.New()
		if _, err := io.Copy(hash, file); err != nil {
			return "", err
		}
		return hex.EncodeToString(hash.Sum(nil)), nil
	}
	return object, func() { _ = root.Close() }, nil
}

// aboutObjects says what was compared of the object store; nothing for a run without one.
func aboutObjects(doc output.Verification) []string {
	switch {
	case doc.Store == "":
		return nil
	case doc.Objects == nil:
		return []string{fmt.Sprintf("objects: not compared: copy %s to a folder, and name it with --objects", doc.Store)}
	case doc.AbsentObjects > 0:
		return []string{fmt.Sprintf("objects: %d compared, %d not there as the run has recorded", *doc.Objects, doc.AbsentObjects)}
	}
	return []string{fmt.Sprintf("objects: %d compared", *doc.Objects)}
}
