package sysbench

// loadFile is the script of prepare, in the working directory.
const loadFile = "load.lua"

// loadScript loads the tables as every OLTP test of sysbench 1.0 does, with one
// difference: the rows of a table follow from its number and size alone. In a
// prepare, --rand-seed has no effect: only run seeds the generator (sysbench.c,
// print_run_mode), and LuaJIT seeds the generator of libc from the clock. So no
// two loads were equal, and no checksum could prove a reload.
//
// sb_rng_state is the state of xoroshiro128+ of the calling thread (sb_rand.h);
// sysbench exports it. The multipliers are odd constants of splitmix64: no state
// is zero, which the generator could not leave. Threads share no state, so their
// number does not matter. Tried with 1.0.20: equal checksums with 1, 2 and 3
// threads, and loading takes as long as before.
const loadScript = `require("oltp_common")
local ffi = require("ffi")
ffi.cdef("extern uint64_t sb_rng_state[2];")
local create = create_table
function create_table(drv, con, table_num)
   ffi.C.sb_rng_state[0] = 0x9E3779B97F4A7C15ULL * table_num
   ffi.C.sb_rng_state[1] = 0xBF58476D1CE4E5B9ULL * table_num
   create(drv, con, table_num)
end
`
