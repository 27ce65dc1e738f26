//! The blocking driver of the crate `mysql`.

use super::{Client, Driver, ONE_SIZE, Target, cells};
use crate::protocol::{Refusal, Result, Scheme, Value};
use crate::rows::Fetched;
use mysql::prelude::{Protocol, Queryable};
use mysql::{
    Conn, Error, Opts, OptsBuilder, Pool, PoolConstraints, PoolOpts, PooledConn, QueryResult, SslOpts,
    Statement, UrlError,
};
use std::path::PathBuf;

pub struct MySql {
    opts: Opts,
}

/// Options that the fields of a request decide.
const DECIDED: &[&str] = &[
    "user",
    "password",
    "host",
    "port",
    "socket",
    "prefer_socket",
    "db_name",
    "pool_min",
    "pool_max",
    "root_cert_path",
    "danger_skip_domain_validation",
    "danger_accept_invalid_certs",
    "cert_chain_path",
    "priv_key_path",
];

impl Driver for MySql {
    const NAME: &'static str = "mysql";
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
        Some("mysql encodes parameters while it sends them; it has no public function that does it alone");
    const TASKS: bool = false;
    type Client = MySqlClient;
    type Pool = Pool;

    fn version() -> &'static str {
        super::locked("mysql")
    }

    fn new(target: Target) -> Result<Self> {
        target.refuse_options(DECIDED)?;
        let options = target.options.into_iter().collect();
        let encrypted = target.authority.map(|file| SslOpts::default().with_root_cert_path(Some(PathBuf::from(file))));
        let builder = OptsBuilder::new()
            .from_hash_map(&options)
            .map_err(|error| option(&error))?
            .ip_or_hostname(Some(target.host))
            .tcp_port(target.port)
            .prefer_socket(false) // the request says host and port
            .user(Some(target.user))
            .pass(Some(target.password))
            .db_name(Some(target.database).filter(|name| !name.is_empty()))
            .ssl_opts(encrypted);
        Ok(Self { opts: builder.into() })
    }

    async fn connect(&self) -> Result<MySqlClient> {
        Conn::new(self.opts.clone()).map(MySqlClient::Own).map_err(refusal)
    }

    async fn disconnect(client: MySqlClient) -> Result<()> {
        drop(client); // sends COM_QUIT
        Ok(())
    }

    async fn pool(&self, size: usize, keep: bool) -> Result<Pool> {
        let asked = self.opts.get_pool_opts();
        let opts = PoolOpts::new()
            .with_constraints(PoolConstraints::new(size, size).expect(ONE_SIZE))
            .with_check_health(asked.check_health())
            .with_reset_connection(asked.reset_connection() && !keep);
        Pool::new(OptsBuilder::from_opts(self.opts.clone()).pool_opts(opts)).map_err(refusal)
    }

    async fn acquire(pool: &Pool) -> Result<MySqlClient> {
        pool.get_conn().map(MySqlClient::Pooled).map_err(refusal)
    }

    async fn release(client: MySqlClient) {
        drop(client);
    }

    async fn close(pool: Pool) -> Result<()> {
        drop(pool);
        Ok(())
    }
}

pub enum MySqlClient {
    Own(Conn),
    Pooled(PooledConn),
}

impl MySqlClient {
    fn conn(&mut self) -> &mut Conn {
        match self {
            Self::Own(conn) => conn,
            Self::Pooled(conn) => conn.as_mut(),
        }
    }
}

impl Client for MySqlClient {
    type Row = Vec<mysql::Value>;
    type Statement = Statement;

    fn shape(values: &[Value]) -> Self::Row {
        cells::shape(values)
    }

    async fn text(&mut self, text: &str, fetched: &mut Fetched) -> Result<()> {
        drain(self.conn().query_iter(text).map_err(refusal)?, fetched)
    }

    async fn call(&mut self, text: &str, rows: &[Self::Row], fetched: &mut Fetched) -> Result<()> {
        drain(self.conn().exec_iter(text, cells::flatten(rows)).map_err(refusal)?, fetched)
    }

    async fn prepare(&mut self, text: &str) -> Result<Statement> {
        self.conn().prep(text).map_err(refusal)
    }

    async fn execute(&mut self, statement: &Statement, row: &Self::Row, fetched: &mut Fetched) -> Result<()> {
        drain(self.conn().exec_iter(statement, row.clone()).map_err(refusal)?, fetched)
    }

    async fn discard(&mut self, statement: Statement) -> Result<()> {
        self.conn().close(statement).map_err(refusal)
    }

    async fn batch(&mut self, text: &str, rows: &[Self::Row]) -> Result<()> {
        self.conn().exec_batch(text, rows.iter().cloned()).map_err(refusal)
    }

    fn literal(row: &Self::Row, parameter: usize, text: &mut String) -> Result<()> {
        text.push_str(&row[parameter].as_sql(false));
        Ok(())
    }
}

/// Reads every result to its end. Dropping it would read as much, but an error after the first result would be lost.
fn drain<T: Protocol>(mut result: QueryResult<T>, fetched: &mut Fetched) -> Result<()> {
    while let Some(set) = result.iter() {
        for row in set {
            cells::keep(row.map_err(refusal)?, fetched)?;
        }
    }
    Ok(())
}

fn option(error: &UrlError) -> Refusal {
    Refusal::Unsupported(format!("option of mysql: {error}"))
}

fn refusal(error: Error) -> Refusal {
    let code = if let Error::MySqlError(server) = &error { server.code } else { 0 };
    Refusal::Failed(error.to_string(), code)
}
