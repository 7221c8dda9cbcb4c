package database

import (
	"context"
	"database/sql/driver"
)

// Translated makes a PostgreSQL driver accept statements written for SQLite: placeholders
// are question marks, booleans are 1 or 0, and text may be any bytes. The driver's
// connections must support contexts. Every error of the driver passes through maskErr,
// because drivers name hosts and users; maskErr must keep driver.ErrBadConn and io.EOF.
func Translated(c driver.Connector, clean func(error) error) driver.Connector {
	return translated{c, func(err error) error {
		if err == nil {
			return nil
		}
		return clean(err)
	}}
}

type translated struct {
	to    driver.Connector
	clean func(error) error
}

// postgresDriver is the driver of a translated connector; sql.DB.Driver returns it.
type speaking struct{ driver.Driver }

// Dialect implements the interface that DialectOf checks for.
func (speaking) Dialect() Dialect { return Postgres }

// Driver returns the driver.
func (t translated) Driver() driver.Driver { return speaking{t.to.Driver()} }

// Connect opens a connection.
func (t translated) Connect(ctx context.Context) (driver.Conn, error) {
	c, err := t.to.Connect(ctx)
	if err != nil {
		return nil, t.clean(err)
	}
	full, ok := c.(conn)
	if !ok {
		_ = c.Close()
		return nil, driver.ErrSkip
	}
	return &speaker{full, t.clean}, nil
}

// driverConn is what a driver's connection must implement.
type conn interface {
	driver.Conn
	driver.ConnBeginTx
	driver.ConnPrepareContext
	driver.ExecerContext
	driver.QueryerContext
	driver.Pinger
	driver.SessionResetter
}

// translatedConn translates statements and arguments. It does not expose the driver's own
// value checks: it gets database/sql's default conversions.
type speaker struct {
	to    conn
	clean func(error) error
}

// Prepare is PrepareContext without a context.
func (s *speaker) Prepare(query string) (driver.Stmt, error) {
	return s.PrepareContext(context.Background(), query)
}

// PrepareContext prepares a translated statement.
func (s *speaker) PrepareContext(ctx context.Context, query string) (driver.Stmt, error) {
	st, err := s.to.PrepareContext(ctx, numbered(query))
	if err != nil {
		return nil, s.clean(err)
	}
	return &sentence{st, s.clean}, nil
}

// Close closes the connection.
func (s *speaker) Close() error { return s.to.Close() }

// Begin is not used: database/sql prefers BeginTx.
func (s *speaker) Begin() (driver.Tx, error) {
	return s.BeginTx(context.Background(), driver.TxOptions{})
}

// BeginTx begins a transaction.
func (s *speaker) BeginTx(ctx context.Context, o driver.TxOptions) (driver.Tx, error) {
	tx, err := s.to.BeginTx(ctx, o)
	if err != nil {
		return nil, s.clean(err)
	}
	return deal{tx, s.clean}, nil
}

// translatedTx is a transaction with masked errors.
type deal struct {
	to    driver.Tx
	clean func(error) error
}

// Commit commits the transaction.
func (d deal) Commit() error { return d.clean(d.to.Commit()) }

// Rollback rolls the transaction back.
func (d deal) Rollback() error { return d.clean(d.to.Rollback()) }

// ExecContext runs a translated statement.
func (s *speaker) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	done, err := s.to.ExecContext(ctx, numbered(query), values(args))
	return done, s.clean(err)
}

// QueryContext runs a translated query.
func (s *speaker) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	rows, err := s.to.QueryContext(ctx, numbered(query), values(args))
	if err != nil {
		return nil, s.clean(err)
	}
	return answers{rows, s.clean}, nil
}

// Ping checks the connection.
func (s *speaker) Ping(ctx context.Context) error { return s.clean(s.to.Ping(ctx)) }

// ResetSession is called before the connection is used again.
func (s *speaker) ResetSession(ctx context.Context) error { return s.clean(s.to.ResetSession(ctx)) }

// encodeArgs converts arguments to what PostgreSQL stores.
func values(args []driver.NamedValue) []driver.NamedValue {
	out := make([]driver.NamedValue, len(args))
	for i, a := range args {
		switch v := a.Value.(type) {
		case bool:
			a.Value = int64(0)
			if v {
				a.Value = int64(1)
			}
		case string:
			a.Value = stored(v)
		}
		out[i] = a
	}
	return out
}

// translatedStmt is a prepared statement that translates its arguments.
type sentence struct {
	to    driver.Stmt
	clean func(error) error
}

// Close closes the statement.
func (s *sentence) Close() error { return s.to.Close() }

// NumInput is how many arguments there are.
func (s *sentence) NumInput() int { return s.to.NumInput() }

// Exec is not used: database/sql prefers ExecContext.
func (s *sentence) Exec([]driver.Value) (driver.Result, error) { return nil, driver.ErrSkip }

// Query is not used: database/sql prefers QueryContext.
func (s *sentence) Query([]driver.Value) (driver.Rows, error) { return nil, driver.ErrSkip }

// ExecContext runs the statement.
func (s *sentence) ExecContext(ctx context.Context, args []driver.NamedValue) (driver.Result, error) {
	st, ok := s.to.(driver.StmtExecContext)
	if !ok {
		return nil, driver.ErrSkip
	}
	done, err := st.ExecContext(ctx, values(args))
	return done, s.clean(err)
}

// QueryContext runs the statement as a query.
func (s *sentence) QueryContext(ctx context.Context, args []driver.NamedValue) (driver.Rows, error) {
	st, ok := s.to.(driver.StmtQueryContext)
	if !ok {
		return nil, driver.ErrSkip
	}
	rows, err := st.QueryContext(ctx, values(args))
	if err != nil {
		return nil, s.clean(err)
	}
	return answers{rows, s.clean}, nil
}

// translatedRows decodes the text of rows.
type answers struct {
	driver.Rows
	clean func(error) error
}

// Close closes the rows. It returns the error of a query for a single row.
func (a answers) Close() error { return a.clean(a.Rows.Close()) }

// Next reads a row.
func (a answers) Next(dest []driver.Value) error {
	if err := a.Rows.Next(dest); err != nil {
		return a.clean(err)
	}
	for i, v := range dest {
		if text, ok := v.(string); ok {
			dest[i] = meant(text)
		}
	}
	return nil
}
