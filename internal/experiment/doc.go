// Package experiment says what the spec of a run asks for, without a cluster. It is pure: the manager accepts runs with it, the
// command foresees them, and a stored run is analysed by what it declared.
//
// In: a spec with its defaults, the catalogue of tools and engines, and the limits of the operator. Out: the work of the tool,
// the plan with what its trials need of a server, what its blocks can show, what it will do to its data, and the bytes that
// its results may take. It refuses (Refusal, with the reason of the condition) a tool or a parameter that it does not know, a
// matrix that gives no plan, and a plan that cannot be carried out: one that does not fit into the deadline, the data, a
// result or the budget, or whose declared comparisons can never have a verdict.
//
//	work.go      what a run asks of its tool
//	search.go    the cells of a run that searches a rate
//	plan.go      the plan, and the checks of its cells
//	expand.go    asks the tool about all cells, some in each pass
//	settings.go  settings of the server that vary between trials
//	demand.go    the limits of a server that the trials need
//	wear.go      what the trials do to the data
//	analysis.go  what is compared, what the blocks can show, and the interim analyses of a run that may end early
//	bytes.go     the bytes of a spec, of a plan, and those that the results may take
//	preview.go   all of it at once
//	refusal.go   an error that only the user can mend
//
// What a reference of the spec means, such as the name of a shape, needs the cluster, and is decided by
// controllers/benchmarkrun/accept.
//
// Its folder is the floor of what a run asks for before it has data: the search of the highest rate (search), what trials do to
// the data (wear), nodes (placement, queue), the bounds of a namespace (quota) and times (calendar) have packages of their own there.
//
// May import: api, engines, runners, ground, mathematics, trial, verdict.
package experiment
