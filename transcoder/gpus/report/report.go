// Package report is what the process that watches the driver writes, line by line,
// and how the node reads it. Lines come from a process that runs a vendor's
// library, so they are read as strictly as if a stranger had written them.
//
// It asks no driver and starts no process: transcoder/nvml makes reports,
// transcoder/gpus reads them.
package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/tuttinode/tutti/core/gpu"
)

// Version is of this form; both sides are of the same program, and a line of
// another version means that the program was replaced while the node ran.
const Version = 1

// Limits of a line.
const (
	MaxBytes     = 256 << 10
	MaxDevices   = 64
	MaxProcesses = 16
	MaxText      = 300
)

// Kind says why there are no devices.
type Kind string

// The kinds of problems.
const (
	// NoLibrary: libnvidia-ml.so.1 cannot be opened.
	NoLibrary Kind = "no library"
	// NoDriver: the kernel runs no driver.
	NoDriver Kind = "no driver"
	// Mismatch: the kernel's driver is of another version than the library.
	Mismatch Kind = "mismatch"
	// NoPermission: the device files may not be opened.
	NoPermission Kind = "no permission"
	// OldLibrary: the library lacks what even the oldest driver that can be used has.
	OldLibrary Kind = "old library"
	// Failed is everything else.
	Failed Kind = "failed"
)

// Problem is why the driver cannot be asked; the process that says so ends.
type Problem struct {
	Kind   Kind   `json:"kind"`
	Detail string `json:"detail,omitempty"`
}

// Entry is a device and what it does.
type Entry struct {
	Device gpu.Device `json:"device"`
	Sample gpu.Sample `json:"sample"`
	// Lost says that it fell off the bus since it was described.
	Lost bool `json:"lost,omitempty"`
}

// Unreadable is a device that the driver counts and does not tell of.
type Unreadable struct {
	// Position is the driver's index.
	Position int    `json:"position"`
	Why      string `json:"why"`
	// Lost: it fell off the bus.
	Lost bool `json:"lost,omitempty"`
}

// Line is one report: a problem, or driver and devices.
type Line struct {
	V          int          `json:"v"`
	Problem    *Problem     `json:"trouble,omitempty"`
	Driver     gpu.Driver   `json:"driver"`
	Devices    []Entry      `json:"devices,omitempty"`
	Unreadable []Unreadable `json:"unreadable,omitempty"`
}

// ErrInvalid is in the errors of Write and Parse that are about the report itself.
var ErrInvalid = errors.New("invalid report")

// Write writes the line and its end.
func Write(w io.Writer, l Line) error {
	l.V = Version
	b, err := json.Marshal(l)
	if err != nil {
		return err
	}
	if len(b) >= MaxBytes {
		return fmt.Errorf("%w: %d bytes, more than %d", ErrInvalid, len(b), MaxBytes)
	}
	_, err = w.Write(append(b, '\n'))
	return err
}

// Parse reads a line, with or without its end.
func Parse(b []byte) (Line, error) {
	if len(b) > MaxBytes {
		return Line{}, fmt.Errorf("%w: %d bytes, more than %d", ErrInvalid, len(b), MaxBytes)
	}
	var l Line
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&l); err != nil {
		return Line{}, fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	if _, err := dec.Token(); err != io.EOF {
		return Line{}, fmt.Errorf("%w: text after its end", ErrInvalid)
	}
	if why := l.check(); why != "" {
		return Line{}, fmt.Errorf("%w: %s", ErrInvalid, why)
	}
	return l, nil
}
