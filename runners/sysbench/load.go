package sysbench

import (
	"regexp"
	"strconv"

	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/runners/runner"
)

// Scripts of the adapter, in the working directory.
const (
	loadFile = "load.lua"
	bulkFile = "bulk.lua"
)

// bulkScript is bulk_insert with two differences. Its tables get the storage engine of
// the target, and one that exists is an error, as in the other tests. Every run begins
// with empty tables, as prepare left them: each thread inserts the keys 1, 2, 3, ...
// into a table of its own, so that the run after a warm-up would end at its first
// statement. TRUNCATE comes before the clock of sysbench starts; it is counted as one
// statement of the kind other per thread.
const bulkScript = `require("bulk_insert")
sysbench.cmdline.options = {mysql_storage_engine = {"Storage engine of the tables", "InnoDB"}}
function prepare()
   local con = sysbench.sql.driver():connect()
   for i = 1, sysbench.opt.threads do
      print(string.format("Creating table 'sbtest%d'...", i))
      con:query(string.format("CREATE TABLE sbtest%d (id INTEGER NOT NULL, k INTEGER DEFAULT '0' NOT NULL, PRIMARY KEY (id)) ENGINE = %s",
         i, sysbench.opt.mysql_storage_engine))
   end
end
local connect = thread_init
function thread_init()
   connect()
   con:query("TRUNCATE TABLE sbtest" .. thread_id + 1)
end
`

// loadScript loads the tables as every OLTP test of sysbench 1.0 does, with two
// differences: the rows of a table follow from its number and size alone, and with
// --parts it loads a part of the tables, where sysbench always makes all of them.
//
// In a prepare, --rand-seed has no effect: only run seeds the generator (sysbench.c,
// print_run_mode), and LuaJIT seeds the generator of libc from the clock. So no
// two loads were equal, and no checksum could prove a reload. sb_rng_state is the
// state of xoroshiro128+ of the calling thread (sb_rand.h); sysbench exports it. The
// multipliers are odd constants of splitmix64: no state is zero, which the generator
// could not leave. Threads and clients share no state, so their numbers do not
// matter. Tried with 1.0.20: equal checksums with 1, 2 and 3 threads and with 1 and
// 3 clients, and loading takes as long as before.
//
// Each thread says how long it was inside of statements, and outside of them, which is where it makes rows. Its line is one string, so that
// no other thread's text is within it.
const loadScript = `require("oltp_common")
local ffi = require("ffi")
ffi.cdef("extern uint64_t sb_rng_state[2]; typedef struct { long s, ns; } assay_time; int clock_gettime(int, assay_time*);")
local time = ffi.new("assay_time")
local function now()
   ffi.C.clock_gettime(1, time)
   return tonumber(time.s) + tonumber(time.ns) / 1e9
end
local function timed(con)
   local all = {inside = 0}
   for _, name in ipairs({"query", "bulk_insert_init", "bulk_insert_next", "bulk_insert_done"}) do
      all[name] = function(self, text)
         local began = now()
         local result = con[name](con, text)
         all.inside = all.inside + now() - began
         return result
      end
   end
   return all
end
sysbench.cmdline.options.part = {"The part of the tables to load, from 0", 0}
sysbench.cmdline.options.parts = {"Number of parts", 1}
local function load_part()
   local opt = sysbench.opt
   local con = timed(sysbench.sql.driver():connect())
   local began = now()
   local thread = sysbench.tid % opt.threads
   for i = opt.part + 1 + thread * opt.parts, opt.tables, opt.threads * opt.parts do
      ffi.C.sb_rng_state[0] = 0x9E3779B97F4A7C15ULL * i
      ffi.C.sb_rng_state[1] = 0xBF58476D1CE4E5B9ULL * i
      create_table(sysbench.sql.driver(), con, i)
   end
   if opt.part + thread * opt.parts < opt.tables then
      io.write(string.format("Thread %d: %.6f s inside of statements, %.6f s outside\n", thread, con.inside, now() - began - con.inside))
   end
end
sysbench.cmdline.commands.prepare = {load_part, sysbench.cmdline.PARALLEL_COMMAND}
`

// threadLine is what each thread with a table says at the end of load.lua.
var threadLine = regexp.MustCompile(`^Thread \d+: (\d+\.\d{6}) s inside of statements, (\d+\.\d{6}) s outside$`)

// threadLoad is how long a thread was inside of statements and outside of them, in s.
type threadLoad struct{ inside, outside float64 }

func threadLoadOf(m []string) threadLoad {
	inside, _ := strconv.ParseFloat(m[1], 64) // digits, by the pattern
	outside, _ := strconv.ParseFloat(m[2], 64)
	return threadLoad{inside, outside}
}

// loadTimes are the means of the threads; none where no thread said anything, such as with a script of the user.
func loadTimes(threads []threadLoad) []contract.Measurement {
	if len(threads) == 0 {
		return nil
	}
	var sum threadLoad
	for _, t := range threads {
		sum.inside, sum.outside = sum.inside+t.inside, sum.outside+t.outside
	}
	return runner.LoadTimes(sum.outside/float64(len(threads)), sum.inside/float64(len(threads)))
}

// sameBytes: the script leaves the same rows in every load. What a script of the user
// loads is not known.
func sameBytes(t contract.Trial) bool {
	p, err := workloadOf(t)
	return err == nil && p.Script == nil
}

// part is which of the tables sbtest1 to sbtest<tables> a phase is about: the index
// of a part among parts. Tables are dealt out one by one, so the parts differ by one
// table at most, and the first ones have more.
type part struct{ index, parts, tables int }

// partOf: prepare is shared out among the clients; cleanup is done by one for all.
func partOf(t contract.Trial, phase contract.Phase, p Params) part {
	all := part{parts: 1, tables: p.tables()}
	if phase != contract.PhasePrepare || t.Clients <= 1 {
		return all
	}
	return part{index: t.Ref.Client, parts: t.Clients, tables: all.tables}
}

// count of the tables of the part; 0 when there are fewer tables than parts.
func (s part) count() int {
	if s.index >= s.tables {
		return 0
	}
	return (s.tables-s.index-1)/s.parts + 1
}

// has says whether the table is one of the part, by the number in its name.
func (s part) has(table string) bool {
	i, err := strconv.Atoi(table)
	return err == nil && table == strconv.Itoa(i) && i >= 1 && i <= s.tables && (i-1)%s.parts == s.index
}
