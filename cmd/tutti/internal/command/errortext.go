package command

import (
	"errors"
	"fmt"

	"github.com/tuttinode/tutti/cmd/tutti/nodedb"
	"github.com/tuttinode/tutti/core/fault"
)

// Describe returns a failure for a terminal: what happened, and what to do about it.
func Describe(err error) string {
	err = ByCause(err)
	code, row := ExitFault(err)
	text := fault.Printable(err.Error())
	if row.Remedy == "" {
		return text
	}
	return fmt.Sprintf("%s\n  cause:  %s\n  remedy: %s\n  more:   tutti help %s", text, row.Cause, row.Remedy, code)
}

// describeUse is Describe for a mistake on the command line, most of which are no condition with a code: the
// usage text, which follows, is their remedy.
func describeUse(err error) string {
	if _, ok := errors.AsType[*fault.Fault](err); ok {
		return Describe(err)
	}
	return fault.Printable(err.Error())
}

// ExitFault returns what the operator has to look at: that a part of the node ended says
// less than why it did.
func ExitFault(err error) (fault.Code, fault.Row) {
	code := fault.CodeOf(err)
	for f, ok := errors.AsType[*fault.Fault](err); ok; f, ok = errors.AsType[*fault.Fault](f.Err) {
		code = f.Code
		if code != fault.ComponentFailed && code != fault.StartFailed {
			break
		}
	}
	row, _ := fault.Lookup(code)
	return code, row
}

// ByCause is a failure by its cause where that is a full disk or a damaged database. A
// certificate, key or table that could not be written or read has a code of its own, whose
// remedy would not help.
func ByCause(err error) error {
	var code fault.Code
	switch {
	case fault.OutOfSpace(err) || nodedb.DiskFull(err):
		code = fault.DataDiskFull
	case nodedb.FileDamaged(err) && !ofAnotherNode(err):
		code = fault.DatabaseDamaged
	default:
		return err
	}
	last, ok := errors.AsType[*fault.Fault](err)
	if !ok {
		return fault.Wrap(code, "", err)
	}
	for f := last; ok; f, ok = errors.AsType[*fault.Fault](f.Err) {
		last = f
	}
	return &fault.Fault{Code: code, Op: last.Op, Detail: last.Detail, Err: last.Err}
}

// ofAnotherNode reports whether what failed reads the database of the existing node.
func ofAnotherNode(err error) bool { return errors.Is(err, fault.OldDataUnreadable) }
