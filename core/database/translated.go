package database

import (
	"context"
	"database/sql/driver"
)

// Translated makes a PostgreSQL driver accept statements written for SQLite: placeholders
// are question marks, booleans are 1 or 0, and text may be any bytes. The driver's
// connections must support contexts. Every error of the driver passes through maskErr,
// because drivers name hosts and users; maskErr must keep driver.ErrBadConn and io.EOF.
func Translated(c driver.Connector, maskErr func(error) error) driver.Connector {
	return connector{c, func(err error) error {
		if err == nil {
			return nil
		}
		return maskErr(err)
	}}
}

type connector struct {
	to      driver.Connector
	maskErr func(error) error
}

// postgresDriver is the driver of a translated connector; sql.DB.Driver returns it.
type postgresDriver struct{ driver.Driver }

// Dialect implements the interface that DialectOf checks for.
func (postgresDriver) Dialect() Dialect { return Postgres }

// Driver returns the driver.
func (t connector) Driver() driver.Driver { return postgresDriver{t.to.Driver()} }

// Connect opens a connection.
func (t connector) Connect(ctx context.Context) (driver.Conn, error) {
	c, err := t.to.Connect(ctx)
	if err != nil {
		return nil, t.maskErr(err)
	}
	full, ok := c.(driverConn)
	if !ok {
		_ = c.Close()
		return nil, driver.ErrSkip
	}
	return &translatedConn{full, t.maskErr}, nil
}

// driverConn is what a driver's connection must implement.
type driverConn interface {
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
type translatedConn struct {
	to      driverConn
	maskErr func(error) error
}

// Prepare is PrepareContext without a context.
func (s *translatedConn) Prepare(query string) (driver.Stmt, error) {
	return s.PrepareContext(context.Background(), query)
}

// PrepareContext prepares a translated statement.
func (s *translatedConn) PrepareContext(ctx context.Context, query string) (driver.Stmt, error) {
	st, err := s.to.PrepareContext(ctx, numberPlaceholders(query))
	if err != nil {
		return nil, s.maskErr(err)
	}
	return &translatedStmt{st, s.maskErr}, nil
}

// Close closes the connection.
func (s *translatedConn) Close() error { return s.to.Close() }

// Begin is not used: database/sql prefers BeginTx.
func (s *translatedConn) Begin() (driver.Tx, error) {
	return s.BeginTx(context.Background(), driver.TxOptions{})
}

// BeginTx begins a transaction.
func (s *translatedConn) BeginTx(ctx context.Context, o driver.TxOptions) (driver.Tx, error) {
	tx, err := s.to.BeginTx(ctx, o)
	if err != nil {
		return nil, s.maskErr(err)
	}
	return translatedTx{tx, s.maskErr}, nil
}

// translatedTx is a transaction with masked errors.
type translatedTx struct {
	to      driver.Tx
	maskErr func(error) error
}

// Commit commits the transaction.
func (d translatedTx) Commit() error { return d.maskErr(d.to.Commit()) }

// Rollback rolls the transaction back.
func (d translatedTx) Rollback() error { return d.maskErr(d.to.Rollback()) }

// ExecContext runs a translated statement.
func (s *translatedConn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result,
	error) {
	done, err := s.to.ExecContext(ctx, numberPlaceholders(query), encodeArgs(args))
	return done, s.maskErr(err)
}

// QueryContext runs a translated query.
func (s *translatedConn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows,
	error) {
	rows, err := s.to.QueryContext(ctx, numberPlaceholders(query), encodeArgs(args))
	if err != nil {
		return nil, s.maskErr(err)
	}
	return translatedRows{rows, s.maskErr}, nil
}

// Ping checks the connection.
func (s *translatedConn) Ping(ctx context.Context) error { return s.maskErr(s.to.Ping(ctx)) }

// ResetSession is called before the connection is used again.
func (s *translatedConn) ResetSession(ctx context.Context) error {
	return s.maskErr(s.to.ResetSession(ctx))
}

// encodeArgs converts arguments to what PostgreSQL stores.
func encodeArgs(args []driver.NamedValue) []driver.NamedValue {
	out := make([]driver.NamedValue, len(args))
	for i, a := range args {
		switch v := a.Value.(type) {
		case bool:
			a.Value = int64(0)
			if v {
				a.Value = int64(1)
			}
		case string:
			a.Value = encodeText(v)
		}
		out[i] = a
	}
	return out
}

// translatedStmt is a prepared statement that translates its arguments.
type translatedStmt struct {
	to      driver.Stmt
	maskErr func(error) error
}

// Close closes the statement.
func (s *translatedStmt) Close() error { return s.to.Close() }

// NumInput returns how many arguments there are.
func (s *translatedStmt) NumInput() int { return s.to.NumInput() }

// Exec is not used: database/sql prefers ExecContext.
func (s *translatedStmt) Exec([]driver.Value) (driver.Result, error) { return nil, driver.ErrSkip }

// Query is not used: database/sql prefers QueryContext.
func (s *translatedStmt) Query([]driver.Value) (driver.Rows, error) { return nil, driver.ErrSkip }

// ExecContext runs the statement.
func (s *translatedStmt) ExecContext(ctx context.Context, args []driver.NamedValue) (driver.Result, error) {
	st, ok := s.to.(driver.StmtExecContext)
	if !ok {
		return nil, driver.ErrSkip
	}
	done, err := st.ExecContext(ctx, encodeArgs(args))
	return done, s.maskErr(err)
}

// QueryContext runs the statement as a query.
func (s *translatedStmt) QueryContext(ctx context.Context, args []driver.NamedValue) (driver.Rows, error) {
	st, ok := s.to.(driver.StmtQueryContext)
	if !ok {
		return nil, driver.ErrSkip
	}
	rows, err := st.QueryContext(ctx, encodeArgs(args))
	if err != nil {
		return nil, s.maskErr(err)
	}
	return translatedRows{rows, s.maskErr}, nil
}

// translatedRows decodes the text of rows.
type translatedRows struct {
	driver.Rows
	maskErr func(error) error
}

// Close closes the rows. It returns the error of a query for a single row.
func (a translatedRows) Close() error { return a.maskErr(a.Rows.Close()) }

// Next reads a row.
func (a translatedRows) Next(dest []driver.Value) error {
	if err := a.Rows.Next(dest); err != nil {
		return a.maskErr(err)
	}
	for i, v := range dest {
		if text, ok := v.(string); ok {
			dest[i] = decodeText(text)
		}
	}
	return nil
}
