package target

import (
	"context"
	"strings"

	"github.com/assay-bench/assay/engines"
	"github.com/assay-bench/assay/internal/agent/supervise"
	"github.com/assay-bench/assay/internal/ground/contract"
)

// identify reads the version of the image's server, and refuses another flavor before anything
// is written. The manager has the timeout, as for the first login.
func (a *agent) identify(ctx context.Context) (version string, err error) {
	e := a.in.engine
	exit, said, err := a.carryOut(ctx, e.Version())
	if err != nil {
		return "", err
	}
	if exit != (supervise.Exit{}) {
		return "", failWithLog(contract.ReasonServerMissing, lastWords{e.Facts.Log, said}, "the server of the image cannot run: asked for its version, it %s", exit)
	}
	if version, err = engines.Recognise(e, strings.Join(said, "\n")); err != nil {
		return "", fail(contract.ReasonServerMissing, "%v", err)
	}
	a.Log.Info("found the server", "flavor", e.Flavor, "version", version)
	return version, nil
}
