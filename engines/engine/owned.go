package engine

// Reasons why Assay owns settings, for messages such as "set by Assay (...)".
const (
	OnlyVolume = "the data directory's volume is the only place that a server may write to"
	OneServer  = "clients and probes rely on one address, one port and one socket"
	LogStream  = "the log goes to the pod's log"
	account    = "the benchmark's account is made and checked at every start"
	Encrypted  = "whether connections are encrypted belongs to the target, and its tls field pins it"
	Writable   = "the workload has to write its tables"
	Process    = "the agent starts and stops the server"
)

// Owned are names of settings by the reason why Assay owns them.
type Owned map[string][]string

// owned are the settings that Assay owns for every flavor. Users may set read-only directories
// of the image (basedir, plugin_dir, lc_messages_dir) and everything that affects performance.
var owned = Owned{
	OnlyVolume: {
		"datadir", "tmpdir", "slave_load_tmpdir", "innodb_tmpdir", "innodb_data_home_dir", "innodb_log_group_home_dir",
		"innodb_undo_directory", "secure_file_priv",
	},
	Process: {
		"pid_file", "user", "chroot", "defaults_file", "defaults_extra_file", "defaults_group_suffix", "no_defaults", "print_defaults",
		"help", "version",
	},
	OneServer: {"port", "socket", "bind_address", "networking"},
	LogStream: {"log_error"},
	account:   {"init_file", "grant_tables"},
	Encrypted: {"require_secure_transport", "ssl", "ssl_ca", "ssl_capath", "ssl_cert", "ssl_key", "ssl_crl", "ssl_crlpath"},
	Writable:  {"read_only", "innodb_read_only", "transaction_read_only", "tx_read_only"},

	"a login must not wait for DNS":      {"name_resolve"},
	"the field storageEngine decides it": {"default_storage_engine", "storage_engine"},
}

// OwnedWith adds the settings of one flavor to those that Assay owns for every flavor, and says the reason by name.
func OwnedWith(more ...Owned) map[string]string {
	all := map[string]string{}
	for _, some := range append([]Owned{owned}, more...) {
		for reason, names := range some {
			for _, name := range names {
				all[name] = reason
			}
		}
	}
	return all
}
