//! The asynchronous driver of the crate `sqlx`.

use super::{Client, Driver, Target};
use crate::protocol::{Refusal, Result, Scheme, Value, failed, unsupported};
use crate::rows::{Cell, Fetched};
use sqlx::mysql::{
    MySqlArguments, MySqlConnectOptions, MySqlConnection, MySqlDatabaseError, MySqlPool, MySqlPoolOptions, MySqlRow,
    MySqlSslMode, MySqlTypeInfo,
};
use sqlx::pool::PoolConnection;
use sqlx::{
    Arguments, AssertSqlSafe, Column, Connection, Error, Executor, MySql, Row, SqlSafeStr, Statement, Type, TypeInfo,
    ValueRef,
};
use time::{Date, PrimitiveDateTime};

pub struct Sqlx {
    options: MySqlConnectOptions,
    test_before_acquire: bool,
    cached: bool,
}

impl Driver for Sqlx {
    const NAME: &'static str = "sqlx";
    const SCHEMES: &'static [(Scheme, &'static str)] = &[
        (
            Scheme::SingleRow,
            "raw_sql(text) without parameters: COM_QUERY. With parameters query_with(text, parameters): the driver has no \
             other way, so it prepares the text once per connection, keeps it among 100, and sends COM_STMT_EXECUTE",
        ),
        (
            Scheme::Prepared,
            "prepare(), then query_with() of the statement: COM_STMT_EXECUTE; the driver finds it by its text in its cache",
        ),
        (
            Scheme::MultiRow,
            "query_with(text of all tuples, parameters of all rows): prepared once per length, then COM_STMT_EXECUTE",
        ),
        (
            Scheme::InList,
            "query_with(text with a ? for each key, keys): prepared once per length, then COM_STMT_EXECUTE",
        ),
    ];
    const NO_ENCODE: Option<&'static str> = None;
    const TASKS: bool = true;
    type Client = SqlxClient;
    type Pool = MySqlPool;

    fn version() -> &'static str {
        super::locked("sqlx")
    }

    fn new(target: Target) -> Result<Self> {
        let mut driver = Self {
            options: MySqlConnectOptions::new()
                .host(&target.host)
                .port(target.port)
                .username(&target.user)
                .password(&target.password),
            test_before_acquire: true,
            cached: true,
        };
        if !target.database.is_empty() {
            driver.options = driver.options.database(&target.database);
        }
        driver.options = match &target.authority {
            None => driver.options.ssl_mode(MySqlSslMode::Disabled),
            Some(file) => driver.options.ssl_mode(MySqlSslMode::VerifyIdentity).ssl_ca(file),
        };
        for (name, value) in &target.options {
            driver = driver.with(name, value)?;
        }
        Ok(driver)
    }

    fn refuses(&self, scheme: Scheme) -> Option<&'static str> {
        let without = scheme == Scheme::Prepared && !self.cached;
        without.then_some("with statement-cache-capacity 0 sqlx prepares at every execution: that is not Prepared")
    }

    async fn connect(&self) -> Result<SqlxClient> {
        MySqlConnection::connect_with(&self.options).await.map(SqlxClient::Own).map_err(refusal)
    }

    async fn disconnect(client: SqlxClient) -> Result<()> {
        match client {
            SqlxClient::Own(connection) => connection.close().await.map_err(refusal),
            SqlxClient::Pooled(connection) => connection.close().await.map_err(refusal),
        }
    }

    /// The pool of sqlx does not reset sessions. Who acquires opens: the pool itself would open one after the other.
    async fn pool(&self, size: usize, _keep: bool) -> Result<MySqlPool> {
        let options = MySqlPoolOptions::new().min_connections(size as u32).max_connections(size as u32);
        Ok(options.test_before_acquire(self.test_before_acquire).connect_lazy_with(self.options.clone()))
    }

    async fn acquire(pool: &MySqlPool) -> Result<SqlxClient> {
        pool.acquire().await.map(SqlxClient::Pooled).map_err(refusal)
    }

    /// The pool takes the connection back on a task of its own: the next `acquire` waits for that.
    async fn release(client: SqlxClient) {
        drop(client);
    }

    async fn close(pool: MySqlPool) -> Result<()> {
        pool.close().await;
        Ok(())
    }
}

impl Sqlx {
    /// Sets one option. The driver's own parser of options ignores those it does not know.
    fn with(mut self, name: &str, value: &str) -> Result<Self> {
        let flag = || match value {
            "true" => Ok(true),
            "false" => Ok(false),
            _ => unsupported(format!("option {name} of sqlx: {value} is neither true nor false")),
        };
        self.options = match name {
            "statement-cache-capacity" => {
                let Ok(capacity) = value.parse() else {
                    return unsupported(format!("option {name} of sqlx: {value} is no number of statements"));
                };
                self.cached = capacity > 0;
                self.options.statement_cache_capacity(capacity)
            }
            "timezone" => self.options.timezone(Some(value.to_string())),
            "pipes_as_concat" => self.options.pipes_as_concat(flag()?),
            "no_engine_substitution" => self.options.no_engine_substitution(flag()?),
            "test_before_acquire" => {
                self.test_before_acquire = flag()?;
                self.options
            }
            _ => {
                return unsupported(format!(
                    "option {name}: of sqlx the harness knows statement-cache-capacity, timezone, pipes_as_concat, \
                     no_engine_substitution and test_before_acquire"
                ));
            }
        };
        Ok(self)
    }
}

pub enum SqlxClient {
    Own(MySqlConnection),
    Pooled(PoolConnection<MySql>),
}

impl SqlxClient {
    fn connection(&mut self) -> &mut MySqlConnection {
        match self {
            Self::Own(connection) => connection,
            Self::Pooled(connection) => connection,
        }
    }
}

impl Client for SqlxClient {
    type Row = Vec<Value>;
    type Statement = sqlx::mysql::MySqlStatement;

    fn shape(values: &[Value]) -> Self::Row {
        values.to_vec()
    }

    async fn text(&mut self, text: &str, fetched: &mut Fetched) -> Result<()> {
        let query = sqlx::raw_sql(AssertSqlSafe(text));
        if !fetched.wanted {
            return self.connection().execute(query).await.map(drop).map_err(refusal);
        }
        keep(self.connection().fetch_all(query).await.map_err(refusal)?, fetched)
    }

    async fn call(&mut self, text: &str, rows: &[Self::Row], fetched: &mut Fetched) -> Result<()> {
        let query = sqlx::query_with(AssertSqlSafe(text), arguments(rows)?);
        if !fetched.wanted {
            return self.connection().execute(query).await.map(drop).map_err(refusal);
        }
        keep(self.connection().fetch_all(query).await.map_err(refusal)?, fetched)
    }

    async fn prepare(&mut self, text: &str) -> Result<Self::Statement> {
        self.connection().prepare(AssertSqlSafe(text).into_sql_str()).await.map_err(refusal)
    }

    async fn execute(&mut self, statement: &Self::Statement, row: &Self::Row, fetched: &mut Fetched) -> Result<()> {
        let query = statement.query_with(arguments(std::slice::from_ref(row))?);
        if !fetched.wanted {
            return self.connection().execute(query).await.map(drop).map_err(refusal);
        }
        keep(self.connection().fetch_all(query).await.map_err(refusal)?, fetched)
    }

    /// The driver has no function that closes one statement: this closes all it keeps.
    async fn discard(&mut self, _: Self::Statement) -> Result<()> {
        self.connection().clear_cached_statements().await.map_err(refusal)
    }

    async fn forget(&mut self, _: &[String]) -> Result<()> {
        self.connection().clear_cached_statements().await.map_err(refusal)
    }

    fn encode(text: &str, row: &Self::Row) -> Result<()> {
        let query = sqlx::query_with::<MySql, _>(AssertSqlSafe(text), arguments(std::slice::from_ref(row))?);
        drop(std::hint::black_box(query)); // made as for execution, and not executed
        Ok(())
    }
}

/// The parameters of some rows, one after another; adding encodes.
fn arguments(rows: &[Vec<Value>]) -> Result<MySqlArguments> {
    let mut arguments = MySqlArguments::default();
    for value in rows.iter().flatten() {
        match value {
            Value::Int(int) => arguments.add(int),
            Value::Float(float) => arguments.add(float),
            Value::Text(text) => arguments.add(text.as_str()),
        }
        .map_err(|error| Refusal::Failed(error.to_string(), 0))?;
    }
    Ok(arguments)
}

fn keep(rows: Vec<MySqlRow>, fetched: &mut Fetched) -> Result<()> {
    for row in rows {
        fetched.rows.push((0..row.len()).map(|place| cell(&row, place)).collect::<Result<_>>()?);
    }
    Ok(())
}

fn cell(row: &MySqlRow, place: usize) -> Result<Cell> {
    let info = row.column(place).type_info();
    if row.try_get_raw(place).map_err(refusal)?.is_null() {
        return Ok(Cell::Null);
    }
    if fits::<i64>(info) {
        return row.try_get_unchecked(place).map(Cell::Int).map_err(refusal);
    }
    if fits::<String>(info) || info.name() == "DECIMAL" || info.name() == "JSON" {
        return row.try_get_unchecked(place).map(Cell::Text).map_err(refusal);
    }
    if fits::<u64>(info) {
        return row.try_get_unchecked(place).map(Cell::Uint).map_err(refusal);
    }
    if fits::<f64>(info) {
        return row.try_get_unchecked(place).map(Cell::Float).map_err(refusal);
    }
    if fits::<Date>(info) {
        return row.try_get_unchecked(place).map(Cell::Date).map_err(refusal);
    }
    if matches!(info.name(), "DATETIME" | "TIMESTAMP") {
        return row.try_get_unchecked::<PrimitiveDateTime, _>(place).map(Cell::DateTime).map_err(refusal);
    }
    if fits::<Vec<u8>>(info) {
        return row.try_get_unchecked(place).map(Cell::Bytes).map_err(refusal);
    }
    failed(format!("column {} is of type {info}: the harness makes no value of Rust of it", row.column(place).name()))
}

fn fits<T: Type<MySql>>(info: &MySqlTypeInfo) -> bool {
    T::compatible(info)
}

fn refusal(error: Error) -> Refusal {
    let server = error.as_database_error().and_then(|error| error.try_downcast_ref::<MySqlDatabaseError>());
    let code = server.map_or(0, MySqlDatabaseError::number);
    Refusal::Failed(error.to_string(), code)
}
