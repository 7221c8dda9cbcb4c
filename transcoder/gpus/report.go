package gpus

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/tuttinode/tutti/core/device"
)

// ReportVersion is the version of this form. Both sides are the same program; a line of
// another version means that its file was replaced while the node ran.
const ReportVersion = 1

// Limits of a line.
const (
	MaxBytes     = 256 << 10
	MaxDevices   = 64
	MaxProcesses = 16
	MaxText      = 300
)

// ReportKind says why there are no devices.
type ReportKind string

// The kinds of problems.
const (
	// NoLibrary: libnvidia-ml.so.1 cannot be opened.
	NoLibrary ReportKind = "no library"
	// NoDriver: the kernel runs no driver.
	NoDriver ReportKind = "no driver"
	// Mismatch: the kernel's driver is of another version than the library.
	Mismatch ReportKind = "mismatch"
	// NoPermission: the device files may not be opened.
	NoPermission ReportKind = "no permission"
	// OldLibrary: the library lacks what even the oldest driver that can be used has.
	OldLibrary ReportKind = "old library"
	// Failed is everything else.
	Failed ReportKind = "failed"
)

// Problem is why the driver cannot be asked; the process that reports it ends.
type Problem struct {
	Kind   ReportKind `json:"kind"`
	Detail string     `json:"detail,omitempty"`
}

// ReportEntry is a device and what it does.
type ReportEntry struct {
	Device device.GPU    `json:"device"`
	Sample device.Sample `json:"sample"`
	// Lost says that it fell off the bus since it was described.
	Lost bool `json:"lost,omitempty"`
}

// Unreadable is a device that the driver counts but does not describe.
type Unreadable struct {
	// Position is the driver's index.
	Position int    `json:"position"`
	Why      string `json:"why"`
	// Lost: it fell off the bus.
	Lost bool `json:"lost,omitempty"`
}

// ReportLine is one report: a problem, or driver and devices.
type ReportLine struct {
	V          int           `json:"v"`
	Problem    *Problem      `json:"trouble,omitempty"`
	Driver     device.Driver `json:"driver"`
	Devices    []ReportEntry `json:"devices,omitempty"`
	Unreadable []Unreadable  `json:"unreadable,omitempty"`
}

// ErrInvalidReport is in the errors of WriteReport and ParseReport that are about the report itself.
var ErrInvalidReport = errors.New("invalid report")

// WriteReport writes the line and its end.
func WriteReport(w io.Writer, l ReportLine) error {
	l.V = ReportVersion
	b, err := json.Marshal(l)
	if err != nil {
		return err
	}
	if len(b) >= MaxBytes {
		return fmt.Errorf("%w: %d bytes, more than %d", ErrInvalidReport, len(b), MaxBytes)
	}
	_, err = w.Write(append(b, '\n'))
	return err
}

// ParseReport reads a line, with or without its end.
func ParseReport(b []byte) (ReportLine, error) {
	if len(b) > MaxBytes {
		return ReportLine{}, fmt.Errorf("%w: %d bytes, more than %d", ErrInvalidReport, len(b), MaxBytes)
	}
	var l ReportLine
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&l); err != nil {
		return ReportLine{}, fmt.Errorf("%w: %w", ErrInvalidReport, err)
	}
	if _, err := dec.Token(); err != io.EOF {
		return ReportLine{}, fmt.Errorf("%w: text after its end", ErrInvalidReport)
	}
	if why := l.check(); why != "" {
		return ReportLine{}, fmt.Errorf("%w: %s", ErrInvalidReport, why)
	}
	return l, nil
}
