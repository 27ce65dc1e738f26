package main

import "strings"

// experiment that somebody published, and that docs/gallery repeats. What is about the publication is written here; what is about the
// repetition comes from its bundle.
type experiment struct {
	// name of its manifest and its bundle, without the extension.
	name, title string
	// source and published: where, and what. Sentences end with a full stop, source has none.
	source, published string
	// traps are errors of the publication, in short.
	traps []string
	// unexplained are things of which it does not say why they are so.
	unexplained []string
	// differs is what the repetition does otherwise.
	differs string
}

// id as the documents call it.
func (e experiment) id() string {
	id, _, _ := strings.Cut(e.name, "-")
	return strings.ToUpper(id)
}

var experiments = []experiment{
	{
		name: "s0-dotnet", title: "batch schemes of a driver",
		source: "the performance report of NewLife.MySql, a driver of .NET",
		published: "Twelve schemes for each of INSERT, UPDATE and DELETE of 100, 1,000 and 10,000 rows, as medians of three rounds and as speed-ups over " +
			"the single row: 21.0x for 1,000 rows in one INSERT, 60.6x for one DELETE with a list.",
		traps: []string{
			"The summary takes rows from two experiments: the 680 ms of one stand beside the \"2.1x\" of the other.",
			"The same scheme was measured in both, and differs by up to 53 %. Three rounds cannot show less.",
			"Commits are said to wait for the disk. A row in its own transaction takes 0.3 ms, and 5.8 ms in an earlier version of the report: now they do not.",
			"\"8.1x\" rests on a slow measurement of the baseline.",
			"Schemes that send literals do other work than those that bind parameters.",
		},
		differs: "mariadb of Node.js in the place of the .NET driver, 100 and 1,000 rows, and each commit waits for its flush.",
	},
	{
		name: "s0-dotnet-large", title: "10,000 rows, and drivers beside each other",
		source: "the same report of NewLife.MySql",
		published: "The same schemes with 10,000 rows, 680 ms for an INSERT pipelined in a transaction, and its headline against two other drivers of .NET: 2.1, " +
			"2.9 and 2.7 times the best competitor.",
		traps: []string{
			"The competitors execute a prepared statement for each row, in one transaction, and nothing else: with many rows in one INSERT the same report has 145 ms where its pipeline has 680 ms.",
			"One round to warm up and three that count, of which the median has no interval.",
		},
		differs: "mariadb in the place of the driver, and mysql2 in that of its best competitor, both of Node.js; each commit waits for its flush.",
	},
	{
		name: "s0-dotnet-delay", title: "pipelining behind longer round trips",
		source:      "the summary of the same report (3.1)",
		published:   "A sentence: where a round trip takes 1 ms, what pipelining gains on the network would be \"in theory 10x to 50x\".",
		unexplained: []string{"It was not measured, and over what is not said."},
		differs:     "1,000 rows, mariadb of Node.js, and a relay in the client's pod that makes each round trip longer by 1 ms and by what it costs itself.",
	},
	{
		name: "s1-ycsb", title: "storage engines under YCSB",
		source: "a blog of Topling; Azure SQL is quoted there from Microsoft",
		published: "Workload a with 10,000,000 records and 20 threads: throughput and latencies of MyTopling, MyRocks and PolarDB, each loaded and run once, as " +
			"grouped bars.",
		traps: []string{
			"An option for batches has a blank at its end, which makes it false: nothing was batched.",
			"The chart shows 17,163 operations per second where the table has 23,438.",
			"Azure SQL was measured by somebody else, on other machines, and its load is unknown.",
			"The headline is the throughput. PolarDB's reads have lower latencies, at the average and at each percentile.",
			"Versions, durability and caches are not stated.",
		},
		differs: "InnoDB and MyRocks of one MariaDB, 10,000 records, 4 threads, each trial from the loaded data.",
	},
	{
		name: "s1-ycsb-load", title: "loads by YCSB",
		source:      "the same blog of Topling",
		published:   "The loads of MyTopling, MyRocks and PolarDB, one each, with 10,000,000 records and 20 threads: two of its five charts.",
		unexplained: []string{"MyRocks loads 9,805 rows per second and runs at 13,957 operations, half of them updates: nobody says why.", "Azure's load is unknown."},
		differs:     "InnoDB and MyRocks of one MariaDB, 10,000 records, 4 threads, each trial a load from an empty schema on.",
	},
	{
		name: "s2-python", title: "what a call of a Python driver costs",
		source: "the benchmark baseline of informix-db, a driver in pure Python",
		published: "Thirteen means, from 103 ns for a parameter to 1.72 s for 1,000 inserts in autocommit, and what follows from them: one transaction is 53 " +
			"times as fast, and a pool 72 times.",
		traps: []string{
			"1,000 rows in 1.56 ms are less than their decoding takes: the cursor had returned 278 of them.",
			"72 does not follow from the table, which has 38.",
			"\"1000 times\" is 62.",
			"A gate by means of three to five rounds, against a baseline of another machine.",
		},
		differs: "MySQL Connector/Python without its C extension, on MariaDB; rows are counted and compared.",
	},
	{
		name: "s3-node", title: "drivers of Node.js",
		source: "the documentation of MariaDB Connector/Node.js",
		published: "Ten benchmarks of mysql, mysql2 and mariadb in operations per second, with margins and percentages, from 32.3 % less to 5,101.9 % more: " +
			"against mysql, and against mysql2 where mysql has no execute().",
		traps: []string{
			"\"Ten threads\" are one connection with one query at a time.",
			"The benchmark of pipelining waits for each answer.",
			"+5,101.9 % compares one bulk command with 100 round trips, into an engine that stores nothing.",
			"\"mysql\" is promise-mysql, with the cost of the wrapper.",
			"The warm-up is of mariadb alone, which runs last.",
		},
		differs: "mysql and mysql2 in the same versions, mariadb a year newer, Node.js 24, on MariaDB 10.11 of the same machine, into an engine that stores nothing. " +
			"Against mysql2 where mysql has no execute(), and mariadb's batch against 100 inserts of mysql, as published, though each of them is waited for here.",
	},
	{
		name: "s4-sweep", title: "a sweep over threads",
		source:    "the documentation of Tencent Cloud's MySQL, old and new network architecture",
		published: "sysbench with 2 to 3,000 threads, writing, reading and mixed, as three charts with two lines each, and three figures: +20 %, +22 % and +18 %.",
		traps: []string{
			"\"At least 20 % on average\" in all three cannot be, where the highest of the mixed one is 18 %.",
			"The charts have no numbers, and which numbers of threads they have is not said.",
			"3,000 threads of this test hold 276,000 prepared statements, and a server allows 16,382 unless it is told otherwise.",
			"The three workloads differ in the statements of an event, so their rates cannot be compared.",
			"Each point was measured once, on data that the points before had changed.",
		},
		differs: "one server of MySQL 9.7 with half a CPU behind round trips that take 4 ms and 2 ms longer, with 2 to 64 threads.",
	},
}
