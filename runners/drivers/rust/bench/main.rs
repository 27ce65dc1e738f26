//! SELECT 1 in a loop, as a user of a driver would write it: what the harness is compared with. It shares nothing with
//! the harness but the drivers and their lock file. Connections are not encrypted.
//! Usage: bench mysql|mysql_async|sqlx HOST PORT SECONDS DATABASE, with ASSAY_USERNAME and ASSAY_PASSWORD

use std::env;
use std::error::Error;
use std::time::{Duration, Instant};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

struct Target {
    host: String,
    port: u16,
    database: String,
    user: String,
    password: String,
    time: Duration,
}

fn main() -> Result<()> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [driver, host, port, seconds, database] = arguments.as_slice() else {
        return Err("usage: bench mysql|mysql_async|sqlx HOST PORT SECONDS DATABASE".into());
    };
    let target = Target {
        host: host.clone(),
        port: port.parse()?,
        database: database.clone(),
        user: env::var("ASSAY_USERNAME")?,
        password: env::var("ASSAY_PASSWORD")?,
        time: Duration::try_from_secs_f64(seconds.parse()?)?,
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let (operations, passed) = match driver.as_str() {
        "mysql" => blocking(&target)?,
        "mysql_async" => runtime.block_on(asynchronous(&target))?,
        "sqlx" => runtime.block_on(sqlx(&target))?,
        other => return Err(format!("there is no driver {other}: mysql, mysql_async and sqlx are").into()),
    };
    println!("{{\"operations\":{operations},\"nanoseconds\":{}}}", passed.as_nanos());
    Ok(())
}

fn blocking(target: &Target) -> Result<(u64, Duration)> {
    use mysql::prelude::Queryable;
    let opts = mysql::OptsBuilder::new()
        .ip_or_hostname(Some(&target.host))
        .tcp_port(target.port)
        .prefer_socket(false)
        .user(Some(&target.user))
        .pass(Some(&target.password))
        .db_name(Some(&target.database));
    let mut conn = mysql::Conn::new(opts)?;
    let (mut operations, first) = (0, Instant::now());
    while first.elapsed() < target.time {
        let rows: Vec<i64> = conn.query("SELECT 1")?;
        operations += rows.len() as u64;
    }
    Ok((operations, first.elapsed()))
}

async fn asynchronous(target: &Target) -> Result<(u64, Duration)> {
    use mysql_async::prelude::Queryable;
    let opts = mysql_async::OptsBuilder::default()
        .ip_or_hostname(&target.host)
        .tcp_port(target.port)
        .prefer_socket(false)
        .user(Some(&target.user))
        .pass(Some(&target.password))
        .db_name(Some(&target.database));
    let mut conn = mysql_async::Conn::new(opts).await?;
    let (mut operations, first) = (0, Instant::now());
    while first.elapsed() < target.time {
        let rows: Vec<i64> = conn.query("SELECT 1").await?;
        operations += rows.len() as u64;
    }
    let passed = first.elapsed();
    conn.disconnect().await?;
    Ok((operations, passed))
}

async fn sqlx(target: &Target) -> Result<(u64, Duration)> {
    use sqlx::{Connection, Executor, Row};
    let options = sqlx::mysql::MySqlConnectOptions::new()
        .host(&target.host)
        .port(target.port)
        .username(&target.user)
        .password(&target.password)
        .database(&target.database)
        .ssl_mode(sqlx::mysql::MySqlSslMode::Disabled);
    let mut connection = sqlx::mysql::MySqlConnection::connect_with(&options).await?;
    let (mut operations, first) = (0, Instant::now());
    while first.elapsed() < target.time {
        let rows = connection.fetch_all("SELECT 1").await?;
        let values: Vec<i64> = rows.iter().map(|row| row.try_get(0)).collect::<std::result::Result<_, _>>()?;
        operations += values.len() as u64;
    }
    let passed = first.elapsed();
    connection.close().await?;
    Ok((operations, passed))
}
