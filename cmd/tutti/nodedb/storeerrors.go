package nodedb

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/tuttinode/tutti/core/fault"
)

// unreachable is an error of a connection, without where it led to.
type unreachable struct{ text string }

func (u unreachable) Error() string { return u.text }

// clean is an error of the driver without host, user and address. What the server
// itself said stays: its code is what the other functions go by.
func clean(err error) error {
	var said *pgconn.PgError
	var connect *pgconn.ConnectError
	_, isFault := errors.AsType[*fault.Fault](err)
	switch {
	case errors.Is(err, driver.ErrBadConn) || err == io.EOF || isFault && !errors.As(err, &connect):
		return err
	case isFault: // from our own look at a new connection
		f, _ := errors.AsType[*fault.Fault](err)
		return f
	case errors.As(err, &connect) && errors.As(err, &said):
		return unreachable{"the server refused the connection: " + said.Code + plain(said.Code)}
	case errors.As(err, &said):
		return err
	case errors.Is(err, context.Canceled):
		return context.Canceled
	}
	return unreachable{"the connection: " + reason(err)}
}

// plain returns what such a code means: the server's own words name the user and the
// database.
func plain(code string) string {
	switch {
	case strings.HasPrefix(code, "3D"):
		return ", there is no such database"
	case strings.HasPrefix(code, "28"):
		return ", user or password are wrong, or pg_hba.conf allows no connection from here"
	case strings.HasPrefix(code, "53300"):
		return ", it has too many connections"
	case strings.HasPrefix(code, "57P"):
		return ", it is starting or stopping"
	case strings.HasPrefix(code, "42501"):
		return ", the user may not connect to the database"
	}
	return ""
}

// reason returns a network's error without addresses.
func reason(err error) string {
	var dns *net.DNSError
	var call *os.SyscallError
	var timeout net.Error
	switch {
	case errors.As(err, &dns):
		return "the host's name cannot be resolved"
	case errors.As(err, &call):
		return call.Err.Error()
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &timeout) && timeout.Timeout():
		return "no answer in time"
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, net.ErrClosed):
		return "it was closed"
	case strings.Contains(err.Error(), "tls"), strings.Contains(err.Error(), "x509"):
		return "TLS could not be agreed on"
	}
	return fmt.Sprintf("it failed (%T)", err)
}

// StoreLost reports whether an error means that the database could not be asked, or that
// its answer got lost.
func StoreLost(err error) bool {
	var gone unreachable
	var said *pgconn.PgError
	switch {
	case errors.As(err, &gone), errors.Is(err, driver.ErrBadConn), errors.Is(err, sql.ErrConnDone),
		errors.Is(err, sql.ErrTxDone),
		errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled), errors.Is(err, fault.StoreUnreachable),
		errors.Is(err, fault.StoreBookInUse):
		return true
	case errors.As(err, &said):
		// Connections, the server's end and start, and a server that takes no writes.
		return strings.HasPrefix(said.Code, "08") || strings.HasPrefix(said.Code, "57P") || said.Code == "25006"
	}
	return false
}

// StoreTransient reports whether an error may be gone the next time.
func StoreTransient(err error) bool {
	var said *pgconn.PgError
	if !errors.As(err, &said) {
		return StoreLost(err)
	}
	for _, class := range []string{"08", "40", "53", "55", "57", "58", "25"} {
		if strings.HasPrefix(said.Code, class) {
			return true
		}
	}
	return false
}

// StoreFull reports whether the server has no disk space left.
func StoreFull(err error) bool {
	var said *pgconn.PgError
	return errors.As(err, &said) && said.Code == "53100"
}

// StoreDamaged reports whether the server found its files damaged.
func StoreDamaged(err error) bool {
	var said *pgconn.PgError
	return errors.As(err, &said) && (said.Code == "XX001" || said.Code == "XX002")
}
