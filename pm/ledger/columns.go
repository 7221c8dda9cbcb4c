package ledger

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/big"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/pm"
)

// querier is a database or a database transaction.
type querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// each calls f for every row of a query and closes the rows: the next statement on the same
// connection needs that.
func each(ctx context.Context, q querier, f func(*sql.Rows) error, query string, args ...any) error {
	rows, err := q.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	return drain(rows, f)
}

func drain(rows *sql.Rows, f func(*sql.Rows) error) error {
	for rows.Next() {
		if err := f(rows); err != nil {
			return errors.Join(err, rows.Close())
		}
	}
	return errors.Join(rows.Err(), rows.Close())
}

// errColumn: a column holds what this package never writes there.
var errColumn = errors.New("a column is damaged")

// into scans a BLOB whose length is known, so that a damaged row is an error and
// not a shorter hash.
func into(dst []byte) sql.Scanner { return blob(dst) }

type blob []byte

// Scan copies the bytes.
func (b blob) Scan(src any) error {
	from, ok := src.([]byte)
	if !ok || len(from) != len(b) {
		return fmt.Errorf("%w: %d bytes expected", errColumn, len(b))
	}
	copy(b, from)
	return nil
}

// intoOptional scans a BLOB that may be NULL; then it stays as it is.
func intoOptional(dst []byte) sql.Scanner { return optional(dst) }

type optional []byte

// Scan copies the bytes if there are any.
func (o optional) Scan(src any) error {
	if src == nil {
		return nil
	}
	return blob(o).Scan(src)
}

// value scans an exact amount.
type value struct{ to *pm.Value }

// Scan reads a decimal number or a fraction.
func (v value) Scan(src any) error {
	text, ok := asText(src)
	if !ok {
		return fmt.Errorf("%w: not an amount", errColumn)
	}
	parsed, err := parseValue(text)
	if err == nil {
		*v.to = parsed
	}
	return err
}

func parseValue(text string) (pm.Value, error) {
	r, ok := new(big.Rat).SetString(text)
	if !ok {
		return pm.Value{}, fmt.Errorf("%w: %q is not an amount", errColumn, text)
	}
	return pm.ValueOf(r), nil
}

// wei scans a whole amount.
type wei struct{ to *core.Wei }

// Scan reads a decimal number.
func (w wei) Scan(src any) error {
	text, ok := asText(src)
	if !ok {
		return fmt.Errorf("%w: not an amount of wei", errColumn)
	}
	return w.to.UnmarshalText([]byte(text))
}

// bigInt scans an integer of any size.
type bigInt struct{ to *big.Int }

// Scan reads a decimal number.
func (w bigInt) Scan(src any) error {
	text, ok := asText(src)
	if ok {
		_, ok = w.to.SetString(text, 10)
	}
	if !ok {
		return fmt.Errorf("%w: not a whole number", errColumn)
	}
	return nil
}

func asText(src any) (string, bool) {
	switch s := src.(type) {
	case string:
		return s, true
	case []byte:
		return string(s), true
	}
	return "", false
}

// amountText returns an amount as it is stored.
func amountText(v pm.Value) string {
	text, _ := v.MarshalText() // it has no errors
	return string(text)
}

func nanos(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixNano()
}

func timeOf(n int64) time.Time {
	if n == 0 {
		return time.Time{}
	}
	return time.Unix(0, n).UTC()
}
