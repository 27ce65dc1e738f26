//! Conversations with the driver `null`.

use super::*;
use crate::protocol::Scheme;

fn harness() -> Harness {
    let mut harness = Harness::new().unwrap();
    let data = json!({"id": 1, "do": "data", "name": "rows", "rows": [[1, "a"], [2, "b"], [3, null]]});
    let prepare = json!({"id": 2, "do": "prepare", "connection": "c", "driver": "null"});
    assert_eq!(harness.answer(&data.to_string()), json!({"id": 1, "state": "ok", "rows": 3}));
    let want = json!({"id": 2, "state": "ok", "version": "1", "library": "", "cipher": ""});
    assert_eq!(harness.answer(&prepare.to_string()), want);
    harness
}

fn run(harness: &mut Harness, fields: Json) -> Json {
    let mut request = json!({"id": 7, "do": "run", "connection": "c", "kind": "Execute", "scheme": "SingleRow",
        "statement": "INSERT INTO t VALUES (?, ?)", "data": "rows", "rowsPerOperation": 2, "chunk": 2, "operations": 3});
    for (name, value) in fields.as_object().unwrap() {
        request[name] = value.clone();
    }
    harness.answer(&request.to_string())
}

#[test]
fn hello_names_every_driver_with_its_schemes() {
    let answer = harness().answer(r#"{"id": 3, "do": "hello", "protocol": "assay.dev/driver/v1"}"#);
    let drivers = answer["drivers"].as_array().unwrap();
    let names: Vec<&str> = drivers.iter().map(|driver| driver["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["mysql", "mysql_async", "sqlx", "null"]);
    for driver in drivers {
        for (scheme, how) in driver["schemes"].as_object().unwrap() {
            assert!(serde_json::from_value::<Scheme>(json!(scheme)).is_ok(), "{scheme} is a scheme");
            assert!(!how.as_str().unwrap().is_empty(), "{scheme} is described");
        }
    }
}

#[test]
fn the_null_driver_runs_every_scheme_session_and_transaction() {
    let mut harness = harness();
    for scheme in ["SingleRow", "Prepared", "ExecuteMany", "Pipelined", "MultiRow", "MultiStatement", "Batch"] {
        for session in ["Dedicated", "Pool", "New"] {
            for transaction in ["Autocommit", "One"] {
                let fields = json!({"scheme": scheme, "session": session, "transaction": transaction});
                let answer = run(&mut harness, fields);
                assert_eq!(answer["state"], "ok", "{scheme} {session} {transaction}: {answer}");
                assert_eq!((&answer["operations"], &answer["rows"]), (&json!(3), &json!(0)));
            }
        }
    }
}

#[test]
fn connect_encode_and_queries_without_parameters_run() {
    let mut harness = harness();
    let lean = |kind: &str| json!({"id": 8, "do": "run", "connection": "c", "kind": kind, "operations": 2});
    assert_eq!(harness.answer(&lean("Connect").to_string())["operations"], 2);
    let mut encode = lean("Encode");
    encode["statement"] = json!("SELECT 1");
    assert_eq!(harness.answer(&encode.to_string())["operations"], 2);
    let mut query = lean("Query");
    query["scheme"] = json!("SingleRow");
    query["statement"] = json!("SELECT 1");
    assert_eq!(harness.answer(&query.to_string())["checksum"], 0);
}

#[test]
fn what_cannot_be_done_is_said_and_the_harness_goes_on() {
    let mut harness = harness();
    let cases = [
        (json!({"scheme": "Telepathy"}), "unsupported"),
        (json!({"session": "Borrowed"}), "unsupported"),
        (json!({"hurry": true}), "unsupported"),
        (json!({"scheme": "InList"}), "unsupported"),
        (json!({"scheme": "MultiRow", "chunk": 0}), "failed"),
        (json!({"scheme": "Batch", "kind": "Query"}), "unsupported"),
        (json!({"scheme": "MultiRow", "inline": true}), "unsupported"),
        (json!({"statement": "SELECT ?"}), "failed"),
        (json!({"data": "nowhere"}), "failed"),
        (json!({"rowsPerOperation": 0}), "failed"),
        (json!({"operations": 0}), "failed"),
        (json!({"connection": "d"}), "failed"),
    ];
    for (fields, want) in cases {
        let answer = run(&mut harness, fields.clone());
        assert_eq!(answer["state"], want, "{fields}: {answer}");
        assert_eq!(answer["id"], 7);
        assert!(!answer["reason"].as_str().unwrap().is_empty());
    }
    assert_eq!(run(&mut harness, json!({}))["state"], "ok");
}

#[test]
fn unknown_requests_drivers_versions_and_options_are_unsupported() {
    let mut harness = harness();
    let cases = [
        json!({"do": "dance"}),
        json!({"do": "hello", "protocol": "assay.dev/driver/v2"}),
        json!({"do": "prepare", "connection": "d", "driver": "nosuch"}),
        json!({"do": "prepare", "connection": "d", "driver": "null", "version": "2"}),
        json!({"do": "prepare", "connection": "d", "driver": "null", "options": {"fast": "yes"}}),
        json!({"do": "prepare", "connection": "d", "driver": "mysql", "options": {"fast": "yes"}}),
        json!({"do": "prepare", "connection": "d", "driver": "mysql", "options": {"host": "elsewhere"}}),
        json!({"do": "prepare", "connection": "d", "driver": "mysql_async", "options": {"fast": "yes"}}),
        json!({"do": "prepare", "connection": "d", "driver": "sqlx", "options": {"fast": "yes"}}),
        json!({"do": "prepare", "connection": "d", "driver": "sqlx", "options": {"test_before_acquire": "maybe"}}),
    ];
    for case in cases {
        let answer = harness.answer(&case.to_string());
        assert_eq!(answer["state"], "unsupported", "{case}: {answer}");
    }
}

#[test]
fn a_closed_connection_is_gone() {
    let mut harness = harness();
    let close = r#"{"id": 9, "do": "close", "connection": "c"}"#;
    assert_eq!(harness.answer(close), json!({"id": 9, "state": "ok"}));
    assert_eq!(harness.answer(close)["state"], "failed");
}
