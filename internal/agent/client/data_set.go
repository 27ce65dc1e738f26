package client

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/assay-bench/assay/internal/ground/contract"
)

// dataOffer waits for what the manager offers of a data set. It decides whether the load is restored or made.
func dataOffer(ctx context.Context, a *Agent, want string) (o outcome[*contract.DataOffer]) {
	name := contract.DataOfferName(a.Trial)
	err := a.retry(ctx, "read the offer of the data set", func(ctx context.Context) error {
		data, err := a.API.Secret(ctx, name)
		if err != nil {
			return err
		}
		offer, err := contract.ParseDataOffer(data[contract.KeyDataOffer], want)
		if err != nil {
			return fmt.Errorf("%w: Secret %s: %w", ErrRefused, name, err)
		}
		o.found = &offer
		return nil
	})
	if err != nil {
		return o.failed(failed(contract.ReasonDataSetFailed, "no signed URLs of the object store: %v", err))
	}
	return o
}

// fetchDataSet has the target's agent restore the data set.
func fetchDataSet(ctx context.Context, s session) outcome[*contract.DataSetReport] {
	from := *s.offer.Restore
	report := &contract.DataSetReport{DataSetRef: from.DataSetRef, Restored: s.offer.SHA256, Made: from.Made}
	o := outcome[*contract.DataSetReport]{found: report}
	return transferDataSet(ctx, s, o, contract.PathFetch, "restoring the data set "+from.Name)
}

// archiveDataSet has the target's agent bring the loaded data to the object store.
func archiveDataSet(ctx context.Context, s session, load measured) outcome[*contract.DataSetReport] {
	report := &contract.DataSetReport{DataSetRef: s.offer.DataSet, Made: time.Now().UTC()}
	if load.ended != nil {
		report.Made = load.ended.UTC()
	}
	o := outcome[*contract.DataSetReport]{found: report}
	done := transferDataSet(ctx, s, o, contract.PathArchive, "making the data set "+report.Name)
	if done.failure == nil || !s.offer.MayFail || ctx.Err() != nil {
		return done
	}
	report.NotKept = done.failure.Message
	return o // the data is what was loaded: it serves this run
}

// transferDataSet asks the target's agent for one of the operations with an archive. The ID is that of the load and the path: a load has
// one of each at most.
func transferDataSet(ctx context.Context, s session, o outcome[*contract.DataSetReport], path, doing string) outcome[*contract.DataSetReport] {
	done, err := operate(ctx, s, path, contract.Operation{ID: s.Trial + path, Archive: &s.offer.Archive})
	if err == nil {
		o.found.Copy = &done
		return o
	}
	reason, message := contract.ReasonDataSetFailed, err.Error()
	var refused *refusedError
	if errors.As(err, &refused) {
		message = refused.Message
		if refused.Reason == contract.ReasonPartDamaged {
			reason = contract.ReasonDataSetDamaged
		}
	}
	return outcome[*contract.DataSetReport]{}.failed(failed(reason, "%s: %s", doing, message))
}

// sameAsMade compares the tables of a data set that was restored with those that were counted when it was made.
func sameAsMade(tables []contract.Table, made contract.DataSet) *contract.Failure {
	text := compareTables(tables, made.Tables).text()
	if text == "" {
		return nil
	}
	return failed(contract.ReasonDataDiffers, "the data set %s was restored, and is not what run %s loaded: %s: remove it, and make it again", made.Name, made.Run, text)
}
