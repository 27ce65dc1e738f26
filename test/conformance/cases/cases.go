// Package cases has what every driver of every language is held against, for the tests of the conformance and for the vectors that are
// made of it.
package cases

// Everything is every operation by every scheme, transaction and session: benchmarks of a workload, in JSON.
const Everything = `
	{"operation": "Insert", "schemes": ["SingleRow", "Prepared", "ExecuteMany", "Pipelined", "MultiRow", "MultiStatement", "Batch"], "transactions": ["Autocommit", "One"], "rows": [3, 25], "chunk": 10},
	{"operation": "Update", "schemes": ["SingleRow", "Prepared", "ExecuteMany", "Pipelined", "MultiStatement", "Batch"], "transactions": ["Autocommit", "One"], "rows": [25], "chunk": 10},
	{"operation": "Delete", "schemes": ["SingleRow", "Prepared", "ExecuteMany", "Pipelined", "MultiStatement", "InList", "Batch"], "transactions": ["Autocommit", "One"], "sessions": ["Dedicated", "Pool", "New"], "rows": [25], "chunk": 10},
	{"operation": "InsertTexts", "schemes": ["SingleRow", "Prepared", "MultiRow"], "rows": [5]},
	{"operation": "InsertText", "schemes": ["SingleRow", "Prepared", "ExecuteMany", "Pipelined", "MultiRow", "MultiStatement", "Batch"], "rows": [7], "chunk": 3},
	{"operation": "SelectByKey", "schemes": ["SingleRow", "Prepared", "Pipelined"], "sessions": ["Dedicated", "Pool", "New"], "rows": [7]},
	{"operation": "SelectRows", "schemes": ["SingleRow", "Prepared"], "rows": [1, 1000]},
	{"operation": "SelectASCII", "schemes": ["SingleRow", "Prepared"], "rows": [3]},
	{"operation": "SelectUTF8", "schemes": ["SingleRow", "Prepared"], "rows": [3]},
	{"operation": "SelectOne", "schemes": ["SingleRow", "Prepared", "Pipelined"]},
	{"operation": "SelectParameter", "schemes": ["SingleRow", "Prepared"]},
	{"operation": "SelectParameters", "schemes": ["SingleRow", "Prepared"]},
	{"operation": "SelectWide", "schemes": ["SingleRow", "Prepared"]},
	{"operation": "SelectWideUncached"},
	{"operation": "SelectCollations", "schemes": ["SingleRow", "Prepared"]},
	{"operation": "Do", "schemes": ["SingleRow", "Prepared"]},
	{"operation": "Connect"},
	{"operation": "Encode"}`

// AtOnce is what is also done with several operations at once.
const AtOnce = `
	{"operation": "Insert", "schemes": ["SingleRow", "Prepared", "ExecuteMany", "Pipelined", "MultiRow", "MultiStatement", "Batch"], "transactions": ["Autocommit", "One"], "sessions": ["Dedicated", "Pool", "New"], "rows": [4], "chunk": 3, "concurrency": [2]},
	{"operation": "SelectByKey", "schemes": ["SingleRow", "Prepared", "Pipelined"], "sessions": ["Dedicated", "Pool", "New"], "rows": [7], "concurrency": [2]},
	{"operation": "SelectOne", "schemes": ["SingleRow", "Prepared", "Pipelined"], "concurrency": [2]},
	{"operation": "Connect", "concurrency": [2]}`
