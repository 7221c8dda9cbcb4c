package gpus

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/tuttinode/tutti/core/device"
	"github.com/tuttinode/tutti/core/fault"
)

// problem is a fault of one GPU, or of all of them.
type problem struct {
	// about is a device's index, "" for all.
	about string
	fault *fault.Fault
}

// verdict is a report classified by the operator's selection of GPUs.
type verdict struct {
	driver device.Driver
	// present were asked for and are there; usable are those that can transcode.
	present, usable []device.GPU
	problems        []problem
	// blind: the driver cannot be queried from here at all.
	blind bool
	// missing: another query may find more devices.
	missing bool
}

// classify classifies a report.
func (h host) classify(want device.Selection, l ReportLine) verdict {
	v := verdict{driver: l.Driver}
	blame := func(about string, f *fault.Fault) { v.problems = append(v.problems, problem{about, f}) }
	if l.Problem != nil {
		v.blind, v.missing = l.Problem.Kind == NoLibrary, true
		blame("", h.explain(*l.Problem))
		return v
	}
	have := known(&l)
	if len(have)+len(l.Unreadable) == 0 {
		v.missing = true
		blame("", h.none())
		return v
	}
	choice := want.Choose(have)
	v.present = choice.Devices
	for _, u := range l.Unreadable {
		if want.All || slices.Contains(want.IDs, u.Position) {
			v.missing = true
			blame(strconv.Itoa(u.Position), unreadable(u))
		}
	}
	v.usable = modern(l.Driver, whole(v.present, blame), blame)
	if f := unknown(without(choice, l.Unreadable), have); f != nil {
		v.missing = true
		blame("", f)
	}
	return v
}

// known returns the devices that the driver reports. Lost ones join the unreadable: only a new
// process can find them again.
func known(l *ReportLine) (have []device.GPU) {
	for _, e := range l.Devices {
		if e.Lost {
			l.Unreadable = append(l.Unreadable, Unreadable{Position: e.Device.Index, Lost: true})
			continue
		}
		have = append(have, e.Device)
	}
	return have
}

// without returns a choice's unknown without those of which is said already that they
// cannot be read.
func without(c device.GPUChoice, list []Unreadable) device.GPUChoice {
	c.Unknown = slices.DeleteFunc(c.Unknown, func(name string) bool {
		return slices.ContainsFunc(list, func(u Unreadable) bool { return strconv.Itoa(u.Position) == name })
	})
	return c
}

// whole returns the devices without MIG instances.
func whole(devices []device.GPU, blame func(string, *fault.Fault)) (out []device.GPU) {
	for _, d := range devices {
		if d.MIG {
			blame(d.ID(), fault.New(fault.GPUIsMIG, opFind,
				fmt.Sprintf("GPU %d, %s, is divided into instances (MIG)", d.Index, d.Name)))
			continue
		}
		out = append(out, d)
	}
	return out
}

// modern returns the devices for which the driver is new enough. An old driver only lacks the
// encoder interface, so GPUs without an encoder stay usable.
func modern(driver device.Driver, devices []device.GPU, blame func(string, *fault.Fault)) (out []device.GPU) {
	if !driver.TooOld() {
		return devices
	}
	for _, d := range devices {
		if !d.Encodes {
			out = append(out, d)
		}
	}
	if len(out) < len(devices) {
		detail := fmt.Sprintf("the driver is %s, the oldest that will do for GPUs that encode is %s", driver.Version,
			device.MinimumDriver)
		blame("", fault.New(fault.DriverTooOld, opFind, detail))
	}
	return out
}

func unreadable(u Unreadable) *fault.Fault {
	if u.Lost {
		return fault.New(fault.GPUFault, opFind, fmt.Sprintf("XID %d: %s", lost, xidMeaning(lost)))
	}
	return fault.New(fault.GPUFault, opFind, u.Why)
}

// unknown names what was asked for and is not there, and what is.
func unknown(c device.GPUChoice, have []device.GPU) *fault.Fault {
	var parts []string
	if len(c.Unknown) > 0 {
		parts = append(parts, "there is no GPU "+strings.Join(c.Unknown, ", "))
	}
	if len(c.Ambiguous) > 0 {
		parts = append(parts, "more than one GPU begins with "+strings.Join(c.Ambiguous, ", "))
	}
	if len(parts) == 0 {
		return nil
	}
	var there []string
	for _, d := range have {
		there = append(there, fmt.Sprintf("%d (%s, %s)", d.Index, d.Name, d.UUID))
		if len(there) == 8 && len(have) > 8 {
			there = append(there, fmt.Sprintf("and %d more", len(have)-8))
			break
		}
	}
	if len(there) > 0 {
		parts = append(parts, "the machine has "+strings.Join(there, ", "))
	}
	return fault.New(fault.GPUIndexUnknown, opFind, strings.Join(parts, "; "))
}
