//! The asynchronous driver of the crate `mysql_async`.

use super::{Client, Driver, ONE_SIZE, Target, cells};
use crate::protocol::{Refusal, Result, Scheme, Value};
use crate::rows::Fetched;
use mysql_async::prelude::{Protocol, Queryable};
use mysql_async::{
    Conn, Error, Opts, OptsBuilder, Pool, PoolConstraints, QueryResult, SslOpts, Statement,
};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use std::path::PathBuf;

pub struct MySqlAsync {
    opts: Opts,
}

/// Options that the fields of a request decide.
const DECIDED: &[&str] = &[
    "socket",
    "prefer_socket",
    "pool_min",
    "pool_max",
    "require_ssl",
    "verify_ca",
    "verify_identity",
    "built_in_roots",
];

impl Driver for MySqlAsync {
    const NAME: &'static str = "mysql_async";
    const SCHEMES: &'static [(Scheme, &'static str)] = &[
        (
            Scheme::SingleRow,
            "query_iter(text) without parameters: COM_QUERY. With parameters exec_iter(text, parameters): the driver has no \
             other way, so it prepares the text once per connection, keeps it among 32, and sends COM_STMT_EXECUTE",
        ),
        (Scheme::Prepared, "prep(), then exec_iter(statement, parameters): COM_STMT_EXECUTE"),
        (
            Scheme::MultiRow,
            "exec_iter(text of all tuples, parameters of all rows): prepared once per length, then COM_STMT_EXECUTE",
        ),
        (
            Scheme::MultiStatement,
            "query_iter(text of statements joined by ;): COM_QUERY; parameters are written into it by Value::as_sql",
        ),
        (
            Scheme::InList,
            "exec_iter(text with a ? for each key, keys): prepared once per length, then COM_STMT_EXECUTE",
        ),
        (
            Scheme::Batch,
            "exec_batch(text, rows): COM_STMT_BULK_EXECUTE with all rows on MariaDB, elsewhere a loop of COM_STMT_EXECUTE",
        ),
    ];
    const NO_ENCODE: Option<&'static str> =
        Some("mysql_async encodes parameters while it sends them; it has no public function that does it alone");
    const TASKS: bool = true;
    type Client = Conn;
    type Pool = Pool;

    fn version() -> &'static str {
        super::locked("mysql_async")
    }

    fn new(target: Target) -> Result<Self> {
        target.refuse_options(DECIDED)?;
        // Only an URL takes options by their names.
        let pairs: Vec<String> =
            target.options.iter().map(|(name, value)| format!("{name}={}", encoded(value))).collect();
        let options = Opts::from_url(&format!("mysql://host?{}", pairs.join("&")))
            .map_err(|error| Refusal::Unsupported(format!("option of mysql_async: {error}")))?;
        let encrypted = target.authority.map(|file| {
            SslOpts::default().with_root_certs(vec![PathBuf::from(file).into()]).with_disable_built_in_roots(true)
        });
        let builder = OptsBuilder::from_opts(options)
            .ip_or_hostname(target.host)
            .tcp_port(target.port)
            .prefer_socket(false) // the request says host and port
            .user(Some(target.user))
            .pass(Some(target.password))
            .db_name(Some(target.database).filter(|name| !name.is_empty()))
            .ssl_opts(encrypted);
        Ok(Self { opts: builder.into() })
    }

    async fn connect(&self) -> Result<Conn> {
        Conn::new(self.opts.clone()).await.map_err(refusal)
    }

    async fn disconnect(client: Conn) -> Result<()> {
        client.disconnect().await.map_err(refusal)
    }

    async fn pool(&self, size: usize, keep: bool) -> Result<Pool> {
        let asked = self.opts.pool_opts().clone();
        let reset = asked.reset_connection() && !keep;
        let constraints = PoolConstraints::new(size, size).expect(ONE_SIZE);
        let opts = asked.with_constraints(constraints).with_reset_connection(reset);
        Ok(Pool::new(OptsBuilder::from_opts(self.opts.clone()).pool_opts(opts)))
    }

    async fn acquire(pool: &Pool) -> Result<Conn> {
        pool.get_conn().await.map_err(refusal)
    }

    /// The pool takes the connection back on its own task, where it also resets it: the next `acquire` waits for that.
    async fn release(client: Conn) {
        drop(client);
    }

    async fn close(pool: Pool) -> Result<()> {
        pool.disconnect().await.map_err(refusal)
    }
}

impl Client for Conn {
    type Row = Vec<mysql_async::Value>;
    type Statement = Statement;

    fn shape(values: &[Value]) -> Self::Row {
        cells::shape(values)
    }

    async fn text(&mut self, text: &str, fetched: &mut Fetched) -> Result<()> {
        drain(self.query_iter(text).await.map_err(refusal)?, fetched).await
    }

    async fn call(&mut self, text: &str, rows: &[Self::Row], fetched: &mut Fetched) -> Result<()> {
        drain(self.exec_iter(text, cells::flatten(rows)).await.map_err(refusal)?, fetched).await
    }

    async fn prepare(&mut self, text: &str) -> Result<Statement> {
        self.prep(text).await.map_err(refusal)
    }

    async fn execute(&mut self, statement: &Statement, row: &Self::Row, fetched: &mut Fetched) -> Result<()> {
        drain(self.exec_iter(statement, row.clone()).await.map_err(refusal)?, fetched).await
    }

    async fn discard(&mut self, statement: Statement) -> Result<()> {
        self.close(statement).await.map_err(refusal)
    }

    async fn batch(&mut self, text: &str, rows: &[Self::Row]) -> Result<()> {
        self.exec_batch(text, rows.iter().cloned()).await.map_err(refusal)
    }

    fn literal(row: &Self::Row, parameter: usize, text: &mut String) -> Result<()> {
        text.push_str(&row[parameter].as_sql(false));
        Ok(())
    }
}

/// Reads every result to its end. Dropping it would leave the rest, with its errors, to the next call.
async fn drain<P: Protocol>(mut result: QueryResult<'_, '_, P>, fetched: &mut Fetched) -> Result<()> {
    while !result.is_empty() {
        let mut kept = Ok(());
        let keep = |row| {
            if kept.is_ok() {
                kept = cells::keep(row, fetched);
            }
        };
        result.for_each(keep).await.map_err(refusal)?;
        kept?;
    }
    result.drop_result().await.map_err(refusal)
}

fn encoded(value: &str) -> String {
    utf8_percent_encode(value, NON_ALPHANUMERIC).to_string()
}

fn refusal(error: Error) -> Refusal {
    let code = if let Error::Server(server) = &error { server.code } else { 0 };
    Refusal::Failed(error.to_string(), code)
}
