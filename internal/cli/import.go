package cli

import (
	"cmp"
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/assay-bench/assay/internal/cli/output"
	"github.com/assay-bench/assay/internal/record/bundle"
	"github.com/assay-bench/assay/internal/record/integrity"
)

const importHelp = `Verify a bundle and unpack it into a new folder.

The folder has run.json, the BenchmarkRun with its status, and below configmaps/ the verbatim bytes of
each key of each ConfigMap. No other command needs it: they read the bundle itself.

Exit codes:
  0  the folder is written
  1  nothing is written: the output says why
  6  the bundle is not what its digests say; the output names what differs, and nothing is written`

func newImport() *cobra.Command {
	folder := ""
	cmd := &cobra.Command{
		Use: "import BUNDLE", Short: "Verify a bundle and unpack it", Long: importHelp, Args: cobra.ExactArgs(1),
		Example: "  kubectl assay import demo" + bundle.Extension, ValidArgsFunction: completeBundle,
		RunE: func(cmd *cobra.Command, args []string) error {
			return importBundle(cmd.Context(), args[0], folder, streams{cmd.OutOrStdout(), cmd.ErrOrStderr()})
		},
	}
	cmd.Flags().StringVarP(&folder, "output", "o", "", "the folder, which must not exist; default: the name of the run, in this folder")
	return cmd
}

// completeBundle completes the path of a bundle.
func completeBundle(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return []cobra.Completion{"tar"}, cobra.ShellCompDirectiveFilterFileExt
}

func importBundle(ctx context.Context, path, folder string, to streams) (err error) {
	b, err := bundle.Open(path)
	if err != nil {
		return err
	}
	defer func() { _ = b.Close() }() // it was only read
	if err := (verification{from: b}).verify(ctx, to.problems); err != nil {
		return err
	}
	folder = cmp.Or(folder, b.Index.Run.Name)
	if err := b.Unpack(folder); err != nil {
		return err
	}
	p := output.NewPage(to.out)
	p.Line(fmt.Sprintf("%s: %d files of %s", folder, len(b.Index.Files), b))
	return p.Flush()
}

// differencesIn the files of a bundle from its index.
func differencesIn(b *bundle.Bundle) (out []output.Difference, err error) {
	differs, err := b.Check()
	for _, d := range differs {
		out = append(out, output.Difference{Kind: string(integrity.Tampered), Message: d.Error()})
	}
	return out, err
}
