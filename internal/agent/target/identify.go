package target

import (
	"context"
	"strings"

	"github.com/assay-bench/assay/engines"
	"github.com/assay-bench/assay/engines/engine"
	"github.com/assay-bench/assay/internal/agent/supervise"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// identify reads the version of the image's server, and refuses another flavor before anything
// is written. The manager has the timeout, as for the first login.
func identify(ctx context.Context, p programs, e engine.Engine) (version string, err error) {
	exit, said, err := p.carryOut(ctx, e.Version())
	if err != nil {
		return "", err
	}
	if exit != (supervise.Exit{}) {
		return "", failWithLog(contract.ReasonServerMissing, lastWords{e.Facts.Log, said}, "the server of the image cannot run: asked for its version, it %s", exit)
	}
	if version, err = engines.Recognise(e, strings.Join(said, "\n")); err != nil {
		return "", fail(contract.ReasonServerMissing, "%v", err)
	}
	p.Log.Info("found the server", "flavor", e.Flavor, "version", version)
	return version, nil
}
