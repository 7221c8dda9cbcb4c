package gpus

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/tuttinode/tutti/core/device"
)

// Forms of texts in a report. Read-only.
var (
	uuidForm   = regexp.MustCompile(`^(GPU|MIG)-[0-9A-Za-z/-]{1,80}$`)
	pciForm    = regexp.MustCompile(`^[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-9a-f]$`)
	numberForm = regexp.MustCompile(`^[0-9A-Za-z._-]{0,40}$`)
)

// Bounds that no GPU comes near.
const (
	maxMemory      = device.Bytes(1) << 50
	maxTemperature = 1000
	maxSessions    = 1 << 20
	maxXID         = 1 << 16
)

// check says what is wrong with a report, "" for nothing.
func (l ReportLine) check() string {
	switch {
	case l.V != ReportVersion:
		return fmt.Sprintf("version %d, not %d", l.V, ReportVersion)
	case l.Problem != nil:
		return l.checkProblem()
	case len(l.Devices) > MaxDevices || len(l.Unreadable) > MaxDevices:
		return fmt.Sprintf("%d devices", len(l.Devices)+len(l.Unreadable))
	case !numberForm.MatchString(l.Driver.Version) || !numberForm.MatchString(l.Driver.CUDA):
		return "strange versions of the driver"
	}
	uuids, indices := make(map[device.UUID]bool), make(map[int]bool)
	for _, e := range l.Devices {
		if uuids[e.Device.UUID] || indices[e.Device.Index] {
			return fmt.Sprintf("device %d is reported twice", e.Device.Index)
		}
		uuids[e.Device.UUID], indices[e.Device.Index] = true, true
		if why := checkDevice(e.Device); why != "" {
			return why
		}
		if why := checkSample(e.Sample); why != "" {
			return fmt.Sprintf("device %d: %s", e.Device.Index, why)
		}
	}
	for _, u := range l.Unreadable {
		if u.Position < 0 || u.Position > maxSessions || !plain(u.Why) {
			return "a strange device that cannot be read"
		}
	}
	return ""
}

func (l ReportLine) checkProblem() string {
	switch l.Problem.Kind {
	case NoLibrary, NoDriver, Mismatch, NoPermission, OldLibrary, Failed:
	default:
		return fmt.Sprintf("unknown problem %.40q", l.Problem.Kind)
	}
	if len(l.Devices) > 0 || len(l.Unreadable) > 0 {
		return "problem and devices at once"
	}
	if !plain(l.Problem.Detail) {
		return "strange words about a problem"
	}
	return ""
}

func checkDevice(d device.GPU) string {
	switch {
	case d.Index < 0 || d.Index >= 4*MaxDevices:
		return fmt.Sprintf("device index %d", d.Index)
	case !uuidForm.MatchString(string(d.UUID)):
		return fmt.Sprintf("device %d has the UUID %.60q", d.Index, d.UUID)
	case d.PCI != "" && !pciForm.MatchString(d.PCI):
		return fmt.Sprintf("device %d is at %.40q", d.Index, d.PCI)
	case !plain(d.Name):
		return fmt.Sprintf("device %d has a strange name", d.Index)
	case d.Memory < 0 || d.Memory > maxMemory, d.Compute < 0 || d.Compute > 10000:
		return fmt.Sprintf("device %d has %d bytes and compute capability %d", d.Index, d.Memory, d.Compute)
	}
	return ""
}

func checkSample(s device.Sample) string {
	for _, p := range []device.Percent{s.GPU, s.Encoder, s.Decoder} {
		if p < 0 || p > 100 {
			return fmt.Sprintf("a load of %d", p)
		}
	}
	switch {
	case s.Used < 0 || s.Used > maxMemory, s.Foreign < 0 || s.Foreign > maxMemory:
		return fmt.Sprintf("%d and %d bytes in use", s.Used, s.Foreign)
	case s.EncoderSessions < 0 || s.EncoderSessions > maxSessions:
		return fmt.Sprintf("%d encoders", s.EncoderSessions)
	case s.Temperature < 0 || s.Temperature > maxTemperature, s.SlowdownAt < 0 || s.SlowdownAt > maxTemperature:
		return fmt.Sprintf("%d degrees, slower at %d", s.Temperature, s.SlowdownAt)
	case !plain(s.Throttled), s.Uncorrected < 0, s.XID < 0 || s.XID > maxXID:
		return "strange reasons, memory errors or critical errors"
	case len(s.Processes) > MaxProcesses:
		return fmt.Sprintf("%d processes", len(s.Processes))
	}
	for _, p := range s.Processes {
		if p.PID < 0 || p.Used < 0 || p.Used > maxMemory || !plain(p.Name) {
			return "a strange process"
		}
	}
	return ""
}

// plain reports whether text may go into a log or onto a page: short and printable.
func plain(s string) bool {
	return len(s) <= MaxText && utf8.ValidString(s) &&
		!strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) })
}

// Plain makes text plain: without what cannot be printed, and not too long.
func Plain(s string) string {
	s = strings.Map(func(r rune) rune {
		if r == utf8.RuneError || !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, s)
	for len(s) > MaxText {
		_, n := utf8.DecodeLastRuneInString(s)
		s = s[:len(s)-n]
	}
	return s
}
