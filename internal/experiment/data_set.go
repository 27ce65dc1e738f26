package experiment

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/ground/settings"
	"github.com/assay-bench/assay/runners/runner"
)

// CheckDataSet refuses spec.data where the object store is missing, or an archive cannot stand for what a target or the tool does.
func CheckDataSet(w Work) error {
	if w.spec.Data == nil {
		return nil
	}
	if !w.config.Results.Store.Configured() {
		return Refuse(v1alpha1.ReasonInvalidSpec, "spec.data: this operator has no object store (chart value results.store), in which data sets are kept: leave data out")
	}
	for i, t := range w.spec.Targets {
		if t.MySQL == nil {
			continue
		}
		if e, known := w.engine(t.MySQL.Flavor); known && !e.Portable {
			return Refuse(v1alpha1.ReasonInvalidSpec, "spec.data: Assay cannot give the data directory of one server of %s (spec.targets[%d]) to another: leave data out",
				t.MySQL.Flavor, i)
		}
	}
	if w.Tool.Skips(prepares(w, 0), contract.PhasePrepare) {
		return Refuse(v1alpha1.ReasonInvalidSpec, "spec.data: spec.workload.%s loads nothing before its trials that could be kept: leave data out", w.Tool.Name)
	}
	return nil
}

// prepares is the load, without what is known of a target.
func prepares(w Work, seed int64) contract.Trial {
	return contract.Trial{
		Version: contract.TrialVersion, Runner: w.Tool.Name, Workload: w.Params, Clients: 1, Seed: seed, DurationSeconds: 1,
		Ref: contract.TrialRef{Phase: string(contract.PhasePrepare)}, Measurement: w.Measurement(),
		// No tool keeps in its rows how it reached the server.
		Endpoint: contract.Endpoint{Host: "database", Port: 3306, Database: "database", TLS: contract.TLSDisabled},
	}
}

// DataOf is what the key of a data set is made from.
type DataOf struct {
	// Target and Resolved are those of the server.
	Target   v1alpha1.Target
	Resolved v1alpha1.ResolvedTarget
	// ImageID is the digest of its image, from the container runtime.
	ImageID string
	// ToolImageID is the digest of the image of the tool, from there, too: a tag may be moved.
	ToolImageID string
	// Inputs are the files of the workload; nil without any.
	Inputs *v1alpha1.ResolvedInputs
	// Seed of the run.
	Seed int64
	// Database is the name of the schema.
	Database string
}

// DataKey is the SHA-256 of all that the bytes of a loaded data directory depend on: the flavor, the digest of the server's image, its
// settings but for those that no file depends on, the storage engine, the digest of the tool's image, and what the tool is called with. Of a tool with files of the
// user it is the whole workload in place of the command line.
func DataKey(w Work, of DataOf) (string, error) {
	load, err := loadOf(w, of)
	if err != nil {
		return "", err
	}
	data, err := json.Marshal(map[string]any{
		"format": contract.DataSetVersion, "flavor": of.Target.MySQL.Flavor, "image": ImageDigest(of.ImageID), "settings": FormsFiles(of.Resolved.Settings),
		"storageEngine": of.Target.MySQL.StorageEngine, "database": of.Database, "tool": w.Tool.Name, "toolImage": ImageDigest(of.ToolImageID), "load": load,
	})
	if err != nil {
		return "", fmt.Errorf("the key of the data set: %w", err)
	}
	return contract.Digest(data), nil
}

// FormsFiles are the settings on which the files of a data directory depend, sorted by name.
func FormsFiles(all []v1alpha1.ServerSetting) (kept []contract.Setting) {
	for _, s := range all {
		if name := settings.CanonicalName(s.Name); !slices.Contains(formsNoFile, name) || dumps(all, name) {
			kept = append(kept, contract.Setting{Name: name, Value: s.Value})
		}
	}
	slices.SortFunc(kept, func(a, b contract.Setting) int { return strings.Compare(a.Name, b.Name) })
	return kept
}

// dumps says whether a setting decides what is in the dump of the buffer pool, and the dump has another name than that of the file which
// is not archived.
func dumps(all []v1alpha1.ServerSetting, name string) bool {
	return strings.HasPrefix(name, "innodb_buffer_pool_") && slices.ContainsFunc(all, func(s v1alpha1.ServerSetting) bool {
		return settings.CanonicalName(s.Name) == "innodb_buffer_pool_filename"
	})
}

// ImageDigest is the digest of an image, whatever registry it came from.
func ImageDigest(imageID string) string {
	if _, digest, is := strings.Cut(imageID, "@"); is {
		return digest
	}
	return imageID
}

// loadOf is what the tool is called with.
func loadOf(w Work, of DataOf) (any, error) {
	if of.Inputs != nil {
		return map[string]any{"workload": w.Params, "inputs": of.Inputs.SHA256, "seed": of.Seed}, nil
	}
	trial := prepares(w, of.Seed)
	trial.Endpoint.StorageEngine = of.Target.MySQL.StorageEngine
	command, err := w.Tool.Command(trial, contract.PhasePrepare, runner.Credentials{Username: "user", Password: "password"})
	if err != nil {
		return nil, fmt.Errorf("the key of the data set: %w", err)
	}
	if len(command.Dialogue) > 0 {
		return map[string]any{"workload": w.Params, "seed": of.Seed}, nil
	}
	return map[string]any{
		"path": command.Path, "args": command.Args, "files": command.Files, "env": command.Env, "seed": command.Seed,
	}, nil
}

// formsNoFile are settings that change neither the content nor the layout of a file in the data directory of a server that was stopped
// cleanly: how much memory it takes, what a commit waits for, and limits of connections. Targets that differ only in them share a data
// set. Any other setting is part of the key: one too many costs a load, one too few would restore other data.
var formsNoFile = []string{
	"innodb_buffer_pool_size", "innodb_buffer_pool_instances", "innodb_buffer_pool_chunk_size", "innodb_buffer_pool_dump_pct",
	"innodb_flush_log_at_trx_commit", "innodb_flush_log_at_timeout", "sync_binlog", "rocksdb_flush_log_at_trx_commit", "rocksdb_block_cache_size",
	"innodb_io_capacity", "innodb_io_capacity_max", "innodb_read_io_threads", "innodb_write_io_threads", "innodb_flush_method", "innodb_flush_neighbors",
	"innodb_thread_concurrency", "innodb_purge_threads", "innodb_page_cleaners", "innodb_lru_scan_depth", "innodb_adaptive_hash_index",
	"innodb_log_buffer_size", "innodb_max_dirty_pages_pct", "innodb_max_dirty_pages_pct_lwm", "innodb_adaptive_flushing",
	"max_connections", "max_prepared_stmt_count", "table_open_cache", "thread_cache_size", "thread_handling", "thread_pool_size",
	"sort_buffer_size", "join_buffer_size", "read_buffer_size", "read_rnd_buffer_size", "tmp_table_size", "max_heap_table_size",
}
