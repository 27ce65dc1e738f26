package tpch

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-sql-driver/mysql"
)

const (
	// again is how often a query is looked for that began after the last look, and patience how long a look may take.
	again, patience = 200 * time.Millisecond, 10 * time.Second
	// interrupted is the error of a query that was ended, and sortAborted that of one that was sorting then.
	interrupted, sortAborted = 1317, 1028
	// whoAndWhere is the id of a connection, and what its server calls itself.
	whoAndWhere = "SELECT CONNECTION_ID(), CONCAT_WS(':', @@hostname, @@port, @@server_id)"
)

// errElsewhere: the id of a connection means another one there, or none.
var errElsewhere = errors.New("the connection for it leads to another server than that of the queries")

// Interrupts end queries that would go on behind the load that they were beside. Package ch calls it. A server goes on with a query whose client has
// left until it has a row for it, beside what is measured next: it has to be told.
type Interrupts struct {
	mu sync.Mutex
	// servers of the connections, by their ids.
	servers map[int64]string
	asked   atomic.Bool
}

// Join with a connection, whose queries can be ended then.
func (i *Interrupts) Join(ctx context.Context, conn *sql.Conn) error {
	var id int64
	var server string
	if err := conn.QueryRowContext(ctx, whoAndWhere).Scan(&id, &server); err != nil {
		return err
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.servers == nil {
		i.servers = map[int64]string{}
	}
	i.servers[id] = server
	return nil
}

// All queries of all connections are ended, until done says that there are none any more. Each account may do that to its own. A query of which
// that is refused goes on to its end; the first refusal is said.
func (i *Interrupts) All(db *sql.DB, done <-chan struct{}) {
	i.asked.Store(true)
	for said := false; ; {
		select {
		case <-done:
			return
		default:
		}
		var refused *mysql.MySQLError
		if err := i.kill(db); !said && (errors.As(err, &refused) || errors.Is(err, errElsewhere)) {
			fmt.Printf("[Result] KILL QUERY - Refused: %s\n", strings.ReplaceAll(err.Error(), "\n", " "))
			said = true
		}
		select {
		case <-done:
			return
		case <-time.After(again):
		}
	}
}

// kill what is under way now. Nothing happens to a connection that is idle.
func (i *Interrupts) kill(db *sql.DB) error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	var own int64
	var here string
	if err := conn.QueryRowContext(ctx, whoAndWhere).Scan(&own, &here); err != nil {
		return err
	}
	i.mu.Lock()
	servers := maps.Clone(i.servers)
	i.mu.Unlock()
	for id, server := range servers {
		if server != here {
			err = errElsewhere
		} else if _, refusal := conn.ExecContext(ctx, fmt.Sprintf("KILL QUERY %d", id)); refusal != nil {
			err = refusal
		}
	}
	return err
}

// Ended says whether a query that failed was ended by All, and prints when it began and for how long it was under way, in s.
func (i *Interrupts) Ended(query string, start time.Time, err error) bool {
	var answer *mysql.MySQLError
	if !i.asked.Load() || !errors.As(err, &answer) || answer.Number != interrupted && answer.Number != sortAborted {
		return false
	}
	fmt.Printf("[Result] %s - Began(s): %.6f, Interrupted(s): %.6f\n", strings.ToUpper(query), start.Sub(epoch).Seconds(), time.Since(start).Seconds())
	return true
}
