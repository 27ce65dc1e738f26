package client

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/assay-bench/assay/internal/agent/pause"
	"github.com/assay-bench/assay/internal/ground/contract"
)

// everySchema is the server of a trial with tenants as its first client queries it: the tables are those of all tenants, each by the
// name contract.OfTenant gives it. All other answers are those that one schema gives.
type everySchema struct {
	Server
	schemas []Server
}

// everySchemaOf a trial's tenants. The first server is that of the first schema.
func everySchemaOf(s session, first Server) (Server, error) {
	names := s.all.Schemas()
	if len(names) == 0 || !s.first() {
		return first, nil
	}
	e := everySchema{Server: first, schemas: []Server{first}}
	for _, name := range names[1:] {
		endpoint := s.trial.Endpoint
		endpoint.Database = name
		server, err := s.Connect(endpoint, s.credentials)
		if err != nil {
			return nil, err
		}
		e.schemas = append(e.schemas, server)
	}
	return e, nil
}

// Close what the servers keep.
func (e everySchema) Close() error {
	var errs []error
	for _, s := range e.schemas {
		if pool, is := s.(io.Closer); is {
			errs = append(errs, pool.Close())
		}
	}
	return errors.Join(errs...)
}

// Tables of all schemas, in the order of the tenants.
func (e everySchema) Tables(ctx context.Context) (tables []contract.Table, unchecked string, err error) {
	var without []string
	for i, s := range e.schemas {
		own, why, err := s.Tables(ctx)
		if err != nil {
			return nil, "", err
		}
		if why != "" && !slices.Contains(without, why) {
			without = append(without, why)
		}
		tables = append(tables, e.named(i, own)...)
	}
	return tables, strings.Join(without, "; "), nil
}

// Count the rows of the tables of all schemas.
func (e everySchema) Count(ctx context.Context) (tables []contract.Table, err error) {
	for i, s := range e.schemas {
		own, err := s.Count(ctx)
		if err != nil {
			return nil, err
		}
		tables = append(tables, e.named(i, own)...)
	}
	return tables, nil
}

// Analyze tables by the names that Tables gives them.
func (e everySchema) Analyze(ctx context.Context, tables []contract.Table) string {
	var without []string
	for i, s := range e.schemas {
		var own []contract.Table
		for _, t := range tables {
			if name, is := strings.CutPrefix(t.Name, contract.OfTenant(i+1, "")); is {
				t.Name = name
				own = append(own, t)
			}
		}
		if why := s.Analyze(ctx, own); why != "" {
			without = append(without, why)
		}
	}
	return strings.Join(without, "; ")
}

// named tables of a schema among those of all.
func (e everySchema) named(schema int, tables []contract.Table) []contract.Table {
	out := slices.Clone(tables)
	for i := range out {
		out[i].Name = contract.OfTenant(schema+1, out[i].Name)
	}
	return out
}

// alone is the trial as one client knows it that loads the data of a schema by itself, for the schema of each tenant in its server; without
// tenants the one of the trial.
func alone(r role) (out []contract.Trial) {
	each := func(t contract.Trial) contract.Trial {
		t.Clients, t.Inputs = 1, r.trial.Inputs
		t.Endpoint.TLS = r.trial.Endpoint.TLS // it is settled
		return t
	}
	first, host := 0, r.all.GroupOf(r.all.Ref.Client).Host
	for _, g := range r.all.Groups {
		if g.Tenant > 0 && g.Host == host {
			out = append(out, each(r.all.Of(first)))
		}
		first += g.Clients
	}
	if len(out) == 0 {
		return []contract.Trial{each(r.trial)}
	}
	return out
}

// idle until the window of the others has ended: a client that left before would have its pod taken away while they measure. When a load ends nobody
// knows before, and its duration is only its limit: the first client of all delivers last.
func idle(ctx context.Context, s session, planned time.Time) *contract.Failure {
	if s.trial.Loads {
		return waitForPeer(ctx, s, 0)
	}
	// A tool that works may come to its window later than one that does nothing.
	works := s.trial
	works.Idle = false
	later := s.runner.Opening(works).Delay(works) - s.opening().Delay(s.trial)
	if err := pause.For(ctx, time.Until(planned)+later+time.Duration(s.trial.DurationSeconds)*time.Second); err != nil {
		return failed(contract.ReasonInterrupted, "waiting for the end of the window: %v", err)
	}
	return nil
}
