package main

import "context"

// nullDriver opens and sends nothing: what remains is the harness.
var nullDriver = driver{
	name: "null",
	can: map[string]string{
		"SingleRow": "nothing", "Prepared": "nothing", "ExecuteMany": "nothing", "Pipelined": "nothing",
		"MultiRow": "nothing but the text and the list of parameters", "MultiStatement": "nothing but the text and the list of parameters",
		"InList": "nothing but the text and the list of parameters", "Batch": "nothing", "Pool": "nothing", "Encode": "nothing",
		"Concurrency": goroutines,
	},
	open: func(target) (client, error) { return nothing{}, nil },
}

type nothing struct{}

func (nothing) connect(context.Context) (session, error) { return nothingSession{}, nil }
func (nothing) pool(int) (pool, error)                   { return nothing{}, nil }
func (nothing) acquire(context.Context) (session, error) { return nothingSession{}, nil }
func (nothing) close() error                             { return nil }
func (nothing) encode(string, []any) error               { return nil }

type nothingSession struct{}

func (nothingSession) call(string, []any, *rows) error { return nil }
func (nothingSession) calls(t template, rows [][]any) error {
	_, _ = t.repeated(len(rows)), flatten(nil, rows)
	return nil
}
func (nothingSession) all(string, [][]any) error         { return nil }
func (nothingSession) prepare(string) (statement, error) { return nothingStatement{}, nil }
func (nothingSession) close() error                      { return nil }

type nothingStatement struct{}

func (nothingStatement) call([]any, *rows) error { return nil }
func (nothingStatement) close() error            { return nil }
