// Command bench is SELECT 1 in a loop, written by hand, without the harness: what the harness is compared with.
//
//	bench DRIVER HOST PORT SECONDS DATABASE [WARMUP]
//
// The user's name and password are in ASSAY_USERNAME and ASSAY_PASSWORD. Behind a warm-up of so many
// seconds it prints {"operations":N,"nanoseconds":N}.
package main

import (
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
	if len(args) == 5 {
		args = append(args, "0")
	}
	if len(args) != 6 {
		return fmt.Errorf("usage: bench DRIVER HOST PORT SECONDS DATABASE [WARMUP]")
	}
	limit, err := seconds(args[3])
	if err != nil {
		return err
	}
	warmup, err := seconds(args[5])
	if err != nil {
		return err
	}
	open, ok := map[string]func(string, string) (func(time.Duration) (int, time.Duration, error), error){
		"go-sql-driver": goSQLDriver, "go-mysql": goMySQL}[args[0]]
	if !ok {
		return fmt.Errorf("there is no driver %s; go-sql-driver and go-mysql are known", args[0])
	}
	loop, err := open(net.JoinHostPort(args[1], args[2]), args[4])
	if err != nil {
		return err
	}
	if _, _, err := loop(warmup); err != nil {
		return err
	}
	operations, took, err := loop(limit)
	if err != nil {
		return err
	}
	fmt.Printf("{\"operations\":%d,\"nanoseconds\":%d}\n", operations, took.Nanoseconds())
	return nil
}

func seconds(text string) (time.Duration, error) {
	n, err := strconv.ParseFloat(text, 64)
	return time.Duration(n * float64(time.Second)), err
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
