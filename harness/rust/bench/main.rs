//! SELECT 1 in a loop, as a user of a driver would write it: what the harness is compared with. It shares nothing with
//! the harness but the drivers and their lock file. Connections are not encrypted.
//! Usage: bench mysql|mysql_async|sqlx HOST PORT DATABASE, with ASSAY_USERNAME and ASSAY_PASSWORD; each line of standard
//! input is the seconds of a run, and has a line as its answer.

use std::env;
use std::error::Error;
use std::io::BufRead;
use std::time::{Duration, Instant};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

struct Target {
    host: String,
    port: u16,
    database: String,
    user: String,
    password: String,
}

fn main() -> Result<()> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [driver, host, port, database] = arguments.as_slice() else {
        return Err("usage: bench mysql|mysql_async|sqlx HOST PORT DATABASE".into());
    };
    let target = Target {
        host: host.clone(),
        port: port.parse()?,
        database: database.clone(),
        user: env::var("ASSAY_USERNAME")?,
        password: env::var("ASSAY_PASSWORD")?,
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    match driver.as_str() {
        "mysql" => blocking(&target),
        "mysql_async" => runtime.block_on(asynchronous(&target)),
        "sqlx" => runtime.block_on(sqlx(&target)),
        other => Err(format!("there is no driver {other}: mysql, mysql_async and sqlx are").into()),
    }
}

fn runs() -> impl Iterator<Item = Result<Duration>> {
    std::io::stdin().lock().lines().map(|line| Ok(Duration::try_from_secs_f64(line?.trim().parse()?)?))
}

fn answer(operations: u64, passed: Duration) {
    println!("{{\"operations\":{operations},\"nanoseconds\":{}}}", passed.as_nanos());
}

fn blocking(target: &Target) -> Result<()> {
    use mysql::prelude::Queryable;
    let opts = mysql::OptsBuilder::new()
        .ip_or_hostname(Some(&target.host))
        .tcp_port(target.port)
        .prefer_socket(false)
        .user(Some(&target.user))
        .pass(Some(&target.password))
        .db_name(Some(&target.database));
    let mut conn = mysql::Conn::new(opts)?;
    for time in runs() {
        let (time, mut operations, first) = (time?, 0, Instant::now());
        while first.elapsed() < time {
            let rows: Vec<i64> = conn.query("SELECT 1")?;
            operations += rows.len() as u64;
        }
        answer(operations, first.elapsed());
    }
    Ok(())
}

async fn asynchronous(target: &Target) -> Result<()> {
    use mysql_async::prelude::Queryable;
    let opts = mysql_async::OptsBuilder::default()
        .ip_or_hostname(&target.host)
        .tcp_port(target.port)
        .prefer_socket(false)
        .user(Some(&target.user))
        .pass(Some(&target.password))
        .db_name(Some(&target.database));
    let mut conn = mysql_async::Conn::new(opts).await?;
    for time in runs() {
        let (time, mut operations, first) = (time?, 0, Instant::now());
        while first.elapsed() < time {
            let rows: Vec<i64> = conn.query("SELECT 1").await?;
            operations += rows.len() as u64;
        }
        answer(operations, first.elapsed());
    }
    conn.disconnect().await?;
    Ok(())
}

async fn sqlx(target: &Target) -> Result<()> {
    use sqlx::{Connection, Executor, Row};
    let options = sqlx::mysql::MySqlConnectOptions::new()
        .host(&target.host)
        .port(target.port)
        .username(&target.user)
        .password(&target.password)
        .database(&target.database)
        .ssl_mode(sqlx::mysql::MySqlSslMode::Disabled);
    let mut connection = sqlx::mysql::MySqlConnection::connect_with(&options).await?;
    for time in runs() {
        let (time, mut operations, first) = (time?, 0, Instant::now());
        while first.elapsed() < time {
            let rows = connection.fetch_all("SELECT 1").await?;
            let values: Vec<i64> = rows.iter().map(|row| row.try_get(0)).collect::<std::result::Result<_, _>>()?;
            operations += values.len() as u64;
        }
        answer(operations, first.elapsed());
    }
    connection.close().await?;
    Ok(())
}
