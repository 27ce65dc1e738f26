package drivers

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/runners/runner"
)

// conversation is the list of turns of a trial, and what each is about.
type conversation struct {
	params   Params
	design   contract.Measuring
	endpoint contract.Endpoint
	// seed of the rows: that of Prepare, so that they are the same in every trial of the run.
	seed  int64
	turns []runner.Turn
	// hello, and by driver the turn that prepared it.
	hello    int
	prepared map[string]int
	// tables and data: by name the turn that made them.
	tables, data map[string]int
	// content is what each table holds by now.
	content map[string]content
	// runs are those that answer for a cell.
	runs []run
}

// content of a table: so many rows that were put there by a turn.
type content struct {
	rows, turn int
	known      bool
}

// run is one run request.
type run struct {
	cell   cell
	turn   int
	warmup bool
}

// converse plans the conversation of a trial, which has a design of its measurements. It is a
// pure function of the trial, so that its transcript can be read again at any time.
func converse(p Params, t contract.Trial) *conversation {
	c := &conversation{
		params: p, design: *t.Measurement, endpoint: t.Endpoint, seed: runner.Seed(t, contract.PhasePrepare),
		prepared: map[string]int{}, tables: map[string]int{}, data: map[string]int{}, content: map[string]content{},
	}
	c.hello = c.say(runner.Turn{}, hello())
	for i, d := range p.inLanguage() {
		c.prepared[d.shown()] = c.say(runner.Turn{Needs: []int{c.hello}, Unsupported: c.refuses(d.refused)}, prepare(connection(i), d, t.Endpoint))
	}
	for _, cell := range p.inOrder(t.Seed, runner.Value(t.Ref.Block)) {
		c.measure(cell)
	}
	c.cleanUp()
	return c
}

// say adds a turn with a request, whose id is its place.
func (c *conversation) say(t runner.Turn, r request) int {
	r.number(len(c.turns) + 1)
	t.Request = encode(r)
	c.turns = append(c.turns, t)
	return len(c.turns) - 1
}

func connection(driver int) string { return fmt.Sprintf("c%d", driver+1) }

// connectionOf a driver of the trial.
func (c *conversation) connectionOf(d Driver) string {
	for i, other := range c.params.inLanguage() {
		if other.shown() == d.shown() {
			return connection(i)
		}
	}
	panic("no such driver: " + d.shown()) // cells come from the same list
}

// measure adds the turns of a cell: its table and data if they are not there yet, the
// warm-up, and what counts.
func (c *conversation) measure(cell cell) {
	needs := []int{c.prepared[cell.driver.shown()]}
	if cell.operation.table != nil {
		needs = append(needs, c.makeTable(cell))
	}
	var setup []string
	switch {
	case cell.operation.writes != "":
		setup = cell.fill(c.seed)
		c.content[cell.tableIn()] = content{}
	case cell.operation.table != nil:
		needs = append(needs, c.fill(cell))
	}
	if cell.dataRows() > 0 {
		needs = append(needs, c.sendData(cell))
	}
	warmups := cell.warmups(c.design)
	for i := range warmups + cell.counted(c.design) {
		warmup := i < warmups
		turn := c.say(runner.Turn{
			Needs: needs, Unsupported: c.refuses(cell.refused), Setup: setup, Counters: counterNames, Questions: cell.questions(),
		}, c.request(cell, warmup))
		c.runs = append(c.runs, run{cell: cell, turn: turn, warmup: warmup})
		if i == 0 {
			// What did not work once is not tried again.
			needs = append(needs[:len(needs):len(needs)], turn)
		}
	}
}

// refuses asks a driver or a cell what the harness has not got for it. Without an answer to
// hello nothing is refused: the turn needs that one anyway.
func (c *conversation) refuses(refused func(hello answer) string) func([]runner.Exchange) string {
	return func(before []runner.Exchange) string {
		a, err := readAnswer(before[c.hello])
		if err != nil || a.State != stateOK {
			return ""
		}
		return refused(a)
	}
}

// request that runs a cell.
func (c *conversation) request(cell cell, warmup bool) request {
	r := &runRequest{
		header:     header{Do: "run"},
		Connection: c.connectionOf(cell.driver), Kind: cell.operation.kind, Scheme: cmp.Or(cell.scheme, singleRow),
		Session: dedicated, Commit: cell.transaction == oneTransaction, Inline: cell.operation.inline, RowsPerOperation: 1, Chunk: cell.chunk, Concurrency: cell.concurrency,
		Statement: strings.ReplaceAll(cell.sql(), cell.tableName(), cell.tableIn()),
	}
	r.Head, r.Group, r.Separator, r.Tail = pieces(cell.scheme, r.Statement)
	if cell.operation.kind == kindExecute || cell.operation.kind == kindQuery {
		r.Session = cell.session
	}
	if cell.dataRows() > 0 {
		r.Data, r.RowsPerOperation = cell.dataName(), cell.rows
	}
	switch {
	case cell.measure == measureRounds:
		r.Operations = cell.concurrency
	case warmup:
		r.Seconds = c.design.WarmupSeconds
	default:
		r.Seconds = c.design.DurationSeconds
	}
	return r
}

// tableName is how the statement calls the table; tableIn how the server does.
func (c cell) tableName() string {
	if c.operation.table == nil {
		return "\x00" // is in no statement
	}
	return c.operation.table.name
}

func (c cell) tableIn() string {
	if c.operation.table == nil {
		return ""
	}
	return c.operation.table.in(c.engine)
}

// makeTable returns the turn that makes the table of a cell. The server is asked which
// storage engine it has really taken.
func (c *conversation) makeTable(cell cell) int {
	name := cell.tableIn()
	turn, made := c.tables[name]
	if !made {
		turn = len(c.turns)
		c.turns = append(c.turns, runner.Turn{
			Setup: cell.operation.table.create(cell.engine, c.endpoint.StorageEngine),
			Questions: []string{
				"SELECT ENGINE FROM information_schema.TABLES WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = '" + name + "'",
			},
		})
		c.tables[name] = turn
	}
	return turn
}

func (c cell) dataName() string { return fmt.Sprintf("%s-%d", c.operation.name, c.dataRows()) }

// sendData returns the turn in which the harness gets the rows of a cell.
func (c *conversation) sendData(cell cell) int {
	name := cell.dataName()
	turn, sent := c.data[name]
	if !sent {
		rows := cell.operation.parameters(c.seed, cell.dataRows())
		turn = c.say(runner.Turn{Needs: []int{c.hello}, Brief: true}, keep(name, rows))
		c.data[name] = turn
	}
	return turn
}

// fill returns the turn that put into the table what a cell reads. It is a turn of its own,
// because that of a driver may be left out.
func (c *conversation) fill(cell cell) int {
	name := cell.tableIn()
	if now := c.content[name]; now.known && now.rows == cell.tableRows() {
		return now.turn
	}
	c.turns = append(c.turns, runner.Turn{Needs: []int{c.tables[name]}, Setup: cell.fill(c.seed)})
	turn := len(c.turns) - 1
	c.content[name] = content{rows: cell.tableRows(), turn: turn, known: true}
	return turn
}

// cleanUp drops the tables: an external server keeps nothing of a trial.
func (c *conversation) cleanUp() {
	for _, d := range c.params.inLanguage() {
		c.say(runner.Turn{Needs: []int{c.prepared[d.shown()]}}, forget(c.connectionOf(d)))
	}
	for _, name := range slices.Sorted(maps.Keys(c.tables)) {
		c.turns = append(c.turns, runner.Turn{Setup: []string{"DROP TABLE IF EXISTS " + name}})
	}
}

// command of a trial.
func command(t contract.Trial, _ contract.Phase, credentials runner.Credentials) (runner.Command, error) {
	p, err := decode(t.Workload)
	if err != nil {
		return runner.Command{}, err
	}
	l, err := p.language()
	if err == nil && t.Endpoint.TLS == contract.TLSRequired && len(credentials.CA) == 0 {
		err = errNoAuthority
	}
	if err == nil && t.Measurement == nil {
		err = errNoDesign
	}
	if err != nil {
		return runner.Command{}, err
	}
	out := runner.Command{
		Path: l.path, Args: l.args, Dialogue: converse(p, t).turns,
		Env: map[string]string{"ASSAY_USERNAME": credentials.Username, "ASSAY_PASSWORD": credentials.Password},
	}
	if len(credentials.CA) > 0 {
		out.Files = map[string][]byte{"ca.pem": credentials.CA}
		out.Env["ASSAY_CA"] = "ca.pem"
	}
	return out, nil
}
