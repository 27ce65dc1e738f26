// Command bench is SELECT 1 in a loop, written by hand, without the harness: what the harness is compared with.
//
//	bench DRIVER HOST PORT DATABASE
//
// The user's name and password are in ASSAY_USERNAME and ASSAY_PASSWORD. Each line of standard input is
// the seconds of a run, and is answered by {"operations":N,"nanoseconds":N}.
package main

import (
	"bufio"
	"context"
	"database/sql"
	"fmt"
	"net"
	"os"
	"strconv"
	"time"

	gomysql "github.com/go-mysql-org/go-mysql/client"
	"github.com/go-sql-driver/mysql"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) != 4 {
		return fmt.Errorf("usage: bench DRIVER HOST PORT DATABASE")
	}
	open, ok := map[string]func(string, string) (func(time.Duration) (int, time.Duration, error), error){
		"go-sql-driver": goSQLDriver, "go-mysql": goMySQL}[args[0]]
	if !ok {
		return fmt.Errorf("there is no driver %s; go-sql-driver and go-mysql are known", args[0])
	}
	loop, err := open(net.JoinHostPort(args[1], args[2]), args[3])
	if err != nil {
		return err
	}
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		seconds, err := strconv.ParseFloat(lines.Text(), 64)
		if err != nil {
			return err
		}
		operations, took, err := loop(time.Duration(seconds * float64(time.Second)))
		if err != nil {
			return err
		}
		fmt.Printf("{\"operations\":%d,\"nanoseconds\":%d}\n", operations, took.Nanoseconds())
	}
	return lines.Err()
}

func goSQLDriver(address, database string) (func(time.Duration) (int, time.Duration, error), error) {
	config := mysql.NewConfig()
	config.User, config.Passwd = os.Getenv("ASSAY_USERNAME"), os.Getenv("ASSAY_PASSWORD")
	config.Net, config.Addr, config.DBName = "tcp", address, database
	connector, err := mysql.NewConnector(config)
	if err != nil {
		return nil, err
	}
	ctx := context.Background()
	conn, err := sql.OpenDB(connector).Conn(ctx)
	if err != nil {
		return nil, err
	}
	return func(limit time.Duration) (int, time.Duration, error) {
		begin := time.Now()
		for n := 0; ; n++ {
			if took := time.Since(begin); took >= limit {
				return n, took, nil
			}
			rows, err := conn.QueryContext(ctx, "SELECT 1")
			if err != nil {
				return 0, 0, err
			}
			for rows.Next() {
				var one int64
				if err := rows.Scan(&one); err != nil {
					return 0, 0, err
				}
			}
			if err := rows.Close(); err != nil {
				return 0, 0, err
			}
		}
	}, nil
}

func goMySQL(address, database string) (func(time.Duration) (int, time.Duration, error), error) {
	conn, err := gomysql.Connect(address, os.Getenv("ASSAY_USERNAME"), os.Getenv("ASSAY_PASSWORD"), database)
	if err != nil {
		return nil, err
	}
	return func(limit time.Duration) (int, time.Duration, error) {
		begin := time.Now()
		for n := 0; ; n++ {
			if took := time.Since(begin); took >= limit {
				return n, took, nil
			}
			result, err := conn.Execute("SELECT 1")
			if err != nil {
				return 0, 0, err
			}
			if _, err := result.GetInt(0, 0); err != nil {
				return 0, 0, err
			}
			result.Close()
		}
	}, nil
}
