// Package dolt describes Dolt 2 as Assay provides it: one `dolt sql-server` with its data in the
// data directory. Dolt speaks the MySQL protocol over a storage engine of its own, a tree of
// content-addressed chunks that keeps versions of all tables.
//
// Differences from mysqld:
//
//   - There is no init file. The statements run once, by `dolt sql` on the empty data directory,
//     which keeps accounts and privileges as well.
//   - The configuration is a YAML file, and a setting is a system variable. See settings.go.
//   - Dolt shows the variables and counters of MySQL 8.0 for compatibility, with MySQL's defaults
//     and with zeros. Most mean nothing. See facts.go.
//   - VERSION() is that of MySQL. Only version_comment says that it is Dolt.
//   - There is one authentication plugin that every driver can use without TLS:
//     mysql_native_password.
//
// Written by hand for it, and named in docs/contributing/add-an-engine.md:
//
//  1. this folder, with image
//  2. a line in engines/engines.go
//  3. its versions in charts/assay/values.yaml
//  4. a line in hack/images/images.yaml
//  5. engines/testdata/servers/Dolt.yaml
//  6. internal/trial/likeness: its defaults in testdata, and its settings in catalogue.yaml
package dolt

import (
	"slices"

	"github.com/assay-bench/assay/engines/engine"
	"github.com/assay-bench/assay/internal/ground/contract"
)

// Engine returns the facts about Dolt.
func Engine() engine.Engine {
	return engine.Engine{
		Flavor: "Dolt",
		About: "Dolt 2.0 and later: one `dolt sql-server` with its own versioned storage. Each transaction is flushed to the " +
			"journal before it is acknowledged. No version of the data is committed.",
		Facts: facts(),
		// Dolt accepts this name for its own storage engine.
		StorageEngines: []string{"InnoDB"},
		Owned:          owned(),
		// Not `dolt version`: it asks GitHub for the newest release, and waits for the answer.
		Version:      func() engine.Command { return command("sql", "--result-format=csv", "--query=SELECT dolt_version()") },
		Oldest:       []int{2, 0},
		Defaults:     defaults,
		Limits:       limits,
		Config:       config,
		Initialise:   initialise,
		Serve:        serve,
		BootstrapSQL: bootstrap,
	}
}

// command of the one program. It reports its use over the network unless told otherwise, and
// keeps its own configuration in the home directory, or in the one that an image names.
func command(args ...string) engine.Command {
	return engine.Command{
		Programs: []string{"dolt"}, Args: args,
		Env: []string{"DOLT_ROOT_PATH=", "DOLT_DISABLE_EVENT_FLUSH=true", "DOLT_EVENTS_EMITTER=null"},
	}
}

// initialise runs the statements in the empty data directory. They create the schema, and the file
// of accounts: with it, the server creates no root account without a password.
func initialise(p engine.Paths) engine.Command {
	return command("--data-dir="+p.Data, "sql", "--file="+p.Init)
}

// serve passes the limit of memory on, which no file has.
func serve(t contract.Target, p engine.Paths) engine.Command {
	c := command("sql-server", "--config="+p.Config)
	for _, s := range t.Settings {
		if engine.Bare(s.Name) == memoryLimit {
			c.Env = append(c.Env, "GOMEMLIMIT="+s.Value)
		}
	}
	return c
}

// bootstrap has no privileges on a pattern: Dolt takes the name of the schema as it stands.
func bootstrap(t contract.Target, password string) []string {
	out := slices.Concat(engine.NeutralSession(), engine.CreateSchemas(t),
		[]string{"CREATE USER IF NOT EXISTS " + engine.Account(t) + " IDENTIFIED WITH mysql_native_password BY " + engine.QuoteString(password) + ";"})
	for _, schema := range t.Schemas() {
		out = append(out, engine.GrantOn(t, schema))
	}
	return out
}
