package engine

import "maps"

// Reasons why Assay owns settings, for messages such as "set by Assay (...)".
const (
	onlyVolume = "the data directory's volume is the only place that a server may write to"
	oneServer  = "clients and probes rely on one address, one port and one socket"
	logStream  = "the log goes to the pod's log"
	account    = "the benchmark's account is made and checked at every start"
	encryption = "whether connections are encrypted belongs to the target, and its tls field pins it"
	writable   = "the workload has to write its tables"
	process    = "the agent starts and stops the server"
)

// owned are the settings that Assay owns for every flavor. Users may set read-only directories
// of the image (basedir, plugin_dir, lc_messages_dir) and everything that affects performance.
var owned = map[string]string{
	"datadir":                   onlyVolume,
	"tmpdir":                    onlyVolume,
	"slave_load_tmpdir":         onlyVolume,
	"innodb_tmpdir":             onlyVolume,
	"innodb_data_home_dir":      onlyVolume,
	"innodb_log_group_home_dir": onlyVolume,
	"innodb_undo_directory":     onlyVolume,
	"secure_file_priv":          onlyVolume,
	"pid_file":                  process,
	"user":                      process,
	"chroot":                    process,
	"port":                      oneServer,
	"socket":                    oneServer,
	"bind_address":              oneServer,
	"networking":                oneServer,
	"name_resolve":              "a login must not wait for DNS",
	"log_error":                 logStream,
	"init_file":                 account,
	"grant_tables":              account,
	"require_secure_transport":  encryption,
	"ssl":                       encryption,
	"ssl_ca":                    encryption,
	"ssl_capath":                encryption,
	"ssl_cert":                  encryption,
	"ssl_key":                   encryption,
	"ssl_crl":                   encryption,
	"ssl_crlpath":               encryption,
	"default_storage_engine":    "the field storageEngine decides it",
	"storage_engine":            "the field storageEngine decides it",
	"read_only":                 writable,
	"innodb_read_only":          writable,
	"transaction_read_only":     writable,
	"defaults_file":             process,
	"defaults_extra_file":       process,
	"defaults_group_suffix":     process,
	"no_defaults":               process,
	"print_defaults":            process,
	"help":                      process,
	"version":                   process,
}

// OwnedWith adds the settings of one flavor to those that Assay owns for every flavor.
func OwnedWith(more ...map[string]string) map[string]string {
	all := maps.Clone(owned)
	for _, m := range more {
		maps.Copy(all, m)
	}
	return all
}
