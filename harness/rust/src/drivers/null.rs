//! The driver that does nothing: it measures the harness.

use super::{Client, Driver, Target};
use crate::protocol::{Result, Scheme, Value};
use crate::rows::Fetched;
use std::hint::black_box;

pub struct Null;

pub struct NullClient;

const NOTHING: &str = "nothing";

impl Driver for Null {
    const NAME: &'static str = "null";
    const SCHEMES: &'static [(Scheme, &'static str)] = &[
        (Scheme::SingleRow, NOTHING),
        (Scheme::Prepared, NOTHING),
        (Scheme::ExecuteMany, NOTHING),
        (Scheme::Pipelined, NOTHING),
        (Scheme::MultiRow, NOTHING),
        (Scheme::MultiStatement, NOTHING),
        (Scheme::InList, NOTHING),
        (Scheme::Batch, NOTHING),
    ];
    const NO_ENCODE: Option<&'static str> = None;
    const TASKS: bool = false;
    type Client = NullClient;
    type Pool = ();

    fn version() -> &'static str {
        "1"
    }

    fn new(_: Target) -> Result<Self> {
        Ok(Self)
    }

    async fn connect(&self) -> Result<NullClient> {
        Ok(NullClient)
    }

    async fn disconnect(_: NullClient) -> Result<()> {
        Ok(())
    }

    async fn pool(&self, _size: usize, _keep: bool) -> Result<()> {
        Ok(())
    }

    async fn acquire(_: &()) -> Result<NullClient> {
        Ok(NullClient)
    }

    async fn release(_: NullClient) {}

    async fn close(_: ()) -> Result<()> {
        Ok(())
    }
}

/// What the harness hands over goes through `black_box`, or the compiler would leave the harness's own work out.
impl Client for NullClient {
    type Row = Vec<Value>;
    type Statement = ();

    fn shape(values: &[Value]) -> Self::Row {
        values.to_vec()
    }

    async fn text(&mut self, text: &str, _: &mut Fetched) -> Result<()> {
        black_box(text);
        Ok(())
    }

    async fn call(&mut self, text: &str, rows: &[Self::Row], _: &mut Fetched) -> Result<()> {
        black_box((text, rows));
        Ok(())
    }

    async fn prepare(&mut self, text: &str) -> Result<()> {
        black_box(text);
        Ok(())
    }

    async fn execute(&mut self, _: &(), row: &Self::Row, _: &mut Fetched) -> Result<()> {
        black_box(row);
        Ok(())
    }

    async fn discard(&mut self, _: ()) -> Result<()> {
        Ok(())
    }

    async fn batch(&mut self, text: &str, rows: &[Self::Row]) -> Result<()> {
        black_box((text, rows));
        Ok(())
    }

    fn literal(row: &Self::Row, parameter: usize, text: &mut String) -> Result<()> {
        black_box((row, parameter));
        text.push('0');
        Ok(())
    }

    fn encode(text: &str, row: &Self::Row) -> Result<()> {
        black_box((text, row));
        Ok(())
    }
}
