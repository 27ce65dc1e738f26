package drivers

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// harmless are the options of each driver that change how it talks to the server, how long it waits, and how it shows values; and
// nothing else. Any other may make a driver load classes or plugins, read files of the client, send statements of its own, or
// write to a log, so that who sets one needs the right to create pods. The policies of the chart ask for it.
var harmless = map[string]string{
	"Node/mysql":         "acquireTimeout bigNumberStrings connectTimeout dateStrings queueLimit stringifyObjects supportBigNumbers timezone waitForConnections",
	"Node/promise-mysql": "acquireTimeout bigNumberStrings connectTimeout dateStrings queueLimit stringifyObjects supportBigNumbers timezone waitForConnections",
	"Node/mysql2": "bigNumberStrings compress connectTimeout dateStrings decimalNumbers enableKeepAlive maxPreparedStatements queueLimit rowsAsArray " +
		"supportBigNumbers timezone typeCast waitForConnections",
	"Node/mariadb": "acquireTimeout bigIntAsNumber bulk checkDuplicate compress connectTimeout dateStrings decimalAsNumber foundRows insertIdAsNumber " +
		"keepAliveDelay maxAllowedPacket minDelayValidation noControlAfterUse pipelining prepareCacheLength resetAfterUse rowsAsArray socketTimeout timezone",
	"Python/PyMySQL":                     "connect_timeout max_allowed_packet read_timeout use_unicode write_timeout",
	"Python/mysqlclient":                 "binary_prefix compress connect_timeout executemany_fallback read_timeout use_unicode write_timeout",
	"Python/mysql-connector-python":      "buffered compress connection_timeout consume_results get_warnings pool_reset_session raise_on_warnings read_timeout use_unicode write_timeout",
	"Python/mysql-connector-python-pure": "buffered compress connection_timeout consume_results get_warnings pool_reset_session raise_on_warnings read_timeout use_unicode write_timeout",
	"Python/mariadb":                     "compress connect_timeout pool_reset_connection pool_validation_interval read_timeout write_timeout",
	"Python/asyncmy":                     "binary_prefix connect_timeout pool_recycle read_timeout stmt_cache_size use_unicode",
	"Python/aiomysql":                    "connect_timeout pool_recycle use_unicode",
	"Go/go-sql-driver":                   "checkConnLiveness clientFoundRows columnsWithAlias compress interpolateParams maxAllowedPacket parseTime readTimeout rejectReadOnly timeout writeTimeout",
	"Go/go-mysql":                        "compress readTimeout writeTimeout",
	"Java/mysql-connector-j": "cachePrepStmts cacheResultSetMetadata cacheServerConfiguration connectTimeout defaultFetchSize dontTrackOpenResources elideSetAutoCommits " +
		"maintainTimeStats maxAllowedPacket netTimeoutForStreamingResults prepStmtCacheSize prepStmtCacheSqlLimit readOnlyPropagatesToServer rewriteBatchedStatements " +
		"socketTimeout tcpKeepAlive tcpNoDelay tcpRcvBuf tcpSndBuf useCompression useCursorFetch useLocalSessionState useLocalTransactionState useReadAheadInput " +
		"useServerPrepStmts useUnbufferedInput",
	"Java/mariadb-java-client": "cachePrepStmts connectTimeout defaultFetchSize disablePipeline maxAllowedPacket prepStmtCacheSize prepStmtCacheSqlLimit rewriteBatchedStatements " +
		"socketTimeout tcpKeepAlive tcpNoDelay tcpRcvBuf tcpSndBuf useBatchMultiSend useBatchMultiSendNumber useBulkStmts useBulkStmtsForInserts useCompression usePipelineAuth " +
		"useReadAheadInput useServerPrepStmts",
	"Rust/mysql":            "compress read_timeout reset_connection check_health stmt_cache_size tcp_connect_timeout_ms tcp_keepalive_time_ms tcp_nodelay write_timeout",
	"Rust/mysql_async":      "compression conn_ttl reset_connection stmt_cache_size tcp_keepalive tcp_nodelay wait_timeout",
	"Rust/sqlx":             "no_engine_substitution pipes_as_concat statement-cache-capacity test_before_acquire timezone",
	"C/libmariadb":          "compress connect-timeout read-timeout write-timeout",
	"PHP/mysqli":            "MYSQLI_CLIENT_COMPRESS MYSQLI_CLIENT_FOUND_ROWS MYSQLI_OPT_CONNECT_TIMEOUT MYSQLI_OPT_INT_AND_FLOAT_NATIVE MYSQLI_OPT_NET_CMD_BUFFER_SIZE MYSQLI_OPT_NET_READ_BUFFER_SIZE MYSQLI_OPT_READ_TIMEOUT",
	"PHP/pdo_mysql":         "PDO::ATTR_STRINGIFY_FETCHES PDO::ATTR_TIMEOUT PDO::MYSQL_ATTR_COMPRESS PDO::MYSQL_ATTR_FOUND_ROWS PDO::MYSQL_ATTR_USE_BUFFERED_QUERY",
	"Ruby/mysql2":           "cache_rows cast cast_booleans connect_timeout flags read_timeout write_timeout",
	"DotNet/NewLife.MySql":  "CommandTimeout ConnectionTimeout ExecuteMany",
	"DotNet/MySqlConnector": "ConnectionTimeout DefaultCommandTimeout Keepalive Pipelining UseAffectedRows UseCompression",
	"DotNet/MySql.Data":     "CacheServerProperties ConnectionTimeout DefaultCommandTimeout Keepalive UseAffectedRows UseCompression",
}

// HarmlessOptions of the drivers as an expression of CEL: a map from LANGUAGE/NAME to a list of names.
func HarmlessOptions() string {
	var all []string
	for _, driver := range slices.Sorted(maps.Keys(harmless)) {
		all = append(all, fmt.Sprintf("'%s': ['%s']", driver, strings.Join(optionsOf(driver), "', '")))
	}
	return "{" + strings.Join(all, ", ") + "}"
}

func optionsOf(driver string) []string {
	options := strings.Fields(harmless[driver])
	slices.Sort(options)
	return options
}

// harmlessRows of a table in Markdown.
func harmlessRows() string {
	var rows strings.Builder
	for _, driver := range slices.Sorted(maps.Keys(harmless)) {
		language, name, _ := strings.Cut(driver, "/")
		fmt.Fprintf(&rows, "| %s, `%s` | `%s` |\n", language, name, strings.Join(optionsOf(driver), "`, `"))
	}
	return rows.String()
}
