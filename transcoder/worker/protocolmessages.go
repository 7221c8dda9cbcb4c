package worker

import (
	"errors"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
)

// HelloMessage is a worker's first message.
type HelloMessage struct {
	Version int
	Device  string
	// Missing names the restrictions that could not be applied to the worker.
	Missing []string
}

// EncodeHello makes a HelloMessage.
func EncodeHello(h HelloMessage) []byte {
	var e encoder
	e.num(int64(h.Version))
	e.text(clipText(h.Device, maxName))
	notes := h.Missing[:min(len(h.Missing), maxNotes)]
	e.num(int64(len(notes)))
	for _, n := range notes {
		e.text(clipText(n, maxText))
	}
	return e.b
}

// DecodeHello reads a HelloMessage.
func DecodeHello(b []byte) (HelloMessage, error) {
	d := decoder{b: b}
	h := HelloMessage{Version: int(d.within("the version", 0, 1<<20)), Device: d.text("the device", maxName)}
	n := d.within("the number of notes", 0, maxNotes)
	for range n {
		h.Missing = append(h.Missing, d.text("a note", maxText))
	}
	return h, d.end()
}

// EncodeError makes the message of a job's failure: code, operation, public
// detail and cause. An error without a code goes as Unexpected.
func EncodeError(err error) []byte {
	f, ok := errors.AsType[*fault.Fault](err)
	if !ok {
		f = &fault.Fault{Code: fault.CodeOf(err), Err: err}
	}
	cause := ""
	if f.Err != nil {
		cause = f.Err.Error()
	}
	var e encoder
	e.text(clipText(string(f.Code), maxName))
	e.text(clipText(f.Op, maxText))
	e.text(clipText(f.Detail, maxText))
	e.text(clipText(cause, maxText))
	return e.b
}

// DecodeError reads a job's failure. A code that this program does not know
// becomes Unexpected, so that a worker cannot invent any; one that is not a worker's
// to report is malformed.
func DecodeError(b []byte) (*fault.Fault, error) {
	d := decoder{b: b}
	f := &fault.Fault{
		Code:   fault.Code(d.text("the code", maxName)),
		Op:     d.text("the operation", maxText),
		Detail: d.text("the detail", maxText),
	}
	if cause := d.text("the cause", maxText); cause != "" {
		f.Err = errors.New(cause)
	}
	if err := d.end(); err != nil {
		return nil, err
	}
	if _, known := fault.Lookup(f.Code); !known {
		f.Code, f.Detail = fault.Unexpected, ""
	}
	if !engineFaults[f.Code] {
		return nil, protocolErrorf("a failure %s, which is not a worker's to report", f.Code)
	}
	return f, nil
}

// EncodeSession makes the message that names a session.
func EncodeSession(id core.SessionID) []byte {
	var e encoder
	e.text(clipText(string(id), maxName))
	return e.b
}

// DecodeSession reads a session's name.
func DecodeSession(b []byte) (core.SessionID, error) {
	d := decoder{b: b}
	id := core.SessionID(d.text("the session", maxName))
	return id, d.end()
}

// EncodeInputPlace makes the message that says where a payload is.
func EncodeInputPlace(p InputPlace) []byte {
	var e encoder
	e.place(p)
	return e.b
}

// DecodeInputPlace reads where a payload is.
func DecodeInputPlace(b []byte) (InputPlace, error) {
	d := decoder{b: b}
	p := d.place()
	return p, d.end()
}

// clipText bounds text whose end matters less than that the message arrives.
func clipText(s string, limit int) string { return s[:min(len(s), limit)] }
