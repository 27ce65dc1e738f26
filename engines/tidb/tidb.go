// Package tidb describes TiDB 6.6 and later as Assay provides it: one tidb-server with its
// embedded store (unistore) in the data directory. That is TiDB's own store for development
// and tests: it has one copy, and does not sync commits. A cluster of TiKV is an external
// target.
//
// Differences from mysqld:
//
//   - There is no command that makes a data directory. The server makes it at its first
//     start, and only then runs the init file. A data directory whose first start did
//     not end with a login is thrown away by the agent.
//   - Some settings are items of a TOML file, others are system variables, which TiDB keeps
//     in its data. See settings.go.
//   - There is one authentication plugin that every driver can use without TLS:
//     mysql_native_password. TiDB's caching_sha2_password needs TLS.
package tidb

import (
	"slices"

	"github.com/assay-bench/assay/engines/engine"
	"github.com/assay-bench/assay/internal/ground/contract"
)

// Engine returns the facts about TiDB.
func Engine() engine.Engine {
	return engine.Engine{
		Flavor: "TiDB",
		About: "TiDB 6.6 and later: one tidb-server with its embedded store, which is for tests. It has one copy, and commits are not " +
			"synced. A cluster of TiDB is an external target.",
		Facts: facts(),
		// TiDB accepts this name for its own storage engine.
		StorageEngines: []string{"InnoDB"},
		Owned:          owned(),
		Version: func() engine.Command {
			return engine.Command{Programs: programs(), Args: []string{"-V"}}
		},
		Oldest:       []int{6, 6},
		Defaults:     defaults,
		Limits:       limits,
		Config:       config,
		Serve:        serve,
		BootstrapSQL: bootstrap,
	}
}

func programs() []string { return []string{"tidb-server"} }

// serve makes TiDB refuse a file with an unknown item, as mysqld does.
func serve(_ contract.Target, p engine.Paths) engine.Command {
	return engine.Command{Programs: programs(), Args: []string{
		"--config=" + p.Config, "--config-strict", "--initialize-sql-file=" + p.Init,
	}}
}

// bootstrap sets the user's system variables, and drops the root account without a password
// that TiDB creates for every host.
func bootstrap(t contract.Target, password string) []string {
	identified := " IDENTIFIED WITH mysql_native_password BY " + engine.QuoteString(password)
	if t.TLS == contract.TLSRequired {
		// require_secure_transport cannot be set here, because TiDB needs an encrypted session
		// for it. There is no other account.
		identified += " REQUIRE SSL"
	}
	return slices.Concat(engine.NeutralSession(), engine.CreateSchemas(t),
		[]string{"CREATE USER IF NOT EXISTS " + engine.Account(t) + identified + ";"}, engine.Grants(t),
		[]string{"DROP USER IF EXISTS 'root'@'%', 'root'@'localhost';"}, variables(t.Settings))
}

// minMemoryLimit is the minimum that TiDB accepts, in bytes.
const minMemoryLimit = 512 << 20

// defaults limit the memory of TiDB to four fifths of the shape's memory without the data.
//
//	tidb_server_memory_limit = 80 % x (memory - data in memory), in whole MiB, at least 512 MiB
//
// 80 % is TiDB's own default, but of the whole memory of the container including the data, and
// it does not show the number. Below 512 MiB TiDB accepts no limit, so there is none.
func defaults(s engine.Shape, _ string) []contract.Setting {
	limit := s.MemoryLimit()
	if limit < minMemoryLimit {
		return nil
	}
	return []contract.Setting{engine.Number("tidb_server_memory_limit", limit)}
}

// stockTokens is TiDB's default number of concurrently working sessions.
const stockTokens = 1000

// limits raise the number of concurrently working sessions. Connections, prepared statements
// and open tables are not limited.
func limits(d contract.Demand) []contract.Setting {
	return engine.Raised("token_limit", d.Connections, stockTokens, 0)
}
