package nvml

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"

	"github.com/tuttinode/tutti/core/device"
	"github.com/tuttinode/tutti/transcoder/gpus"
)

// library is nvml.dll, which the driver installs among the system's libraries. go-nvml
// does not know this system, so the few functions that the node cannot do without are
// called here; figures of the moment beyond memory and load are left out.
type library struct {
	dll     *windows.LazyDLL
	devices []card
	driver  device.Driver
}

type card struct {
	handle uintptr
	about  device.GPU
}

// Watch writes a report at once and at every tick until ctx ends or w is closed, or
// says in one report why there is nothing to tell and returns.
func Watch(ctx context.Context, w io.Writer, tick <-chan time.Time) error {
	l, problem := openLibrary()
	if problem != nil {
		return gpus.WriteReport(w, gpus.ReportLine{Problem: problem})
	}
	now := time.Now()
	for {
		if err := gpus.WriteReport(w, l.read(now)); err != nil {
			return fmt.Errorf("report the GPUs: %w", err)
		}
		select {
		case <-ctx.Done():
			return nil
		case now = <-tick:
		}
	}
}

// Numbers of the library's documentation.
const (
	success         = 0
	noPermission    = 4
	driverNotLoaded = 9
	versionMismatch = 18
	maxText         = 96
	maxCards        = 64
)

// errNoFunction stands for a function that the library lacks.
const errNoFunction = 13

// call calls a function of the library; one that is not there is an error like others.
func (l *library) call(name string, args ...uintptr) uintptr {
	proc := l.dll.NewProc(name)
	if proc.Find() != nil {
		return errNoFunction
	}
	code, _, _ := proc.Call(args...)
	return code
}

func openLibrary() (*library, *gpus.Problem) {
	l := &library{dll: windows.NewLazySystemDLL("nvml.dll")}
	if err := l.dll.Load(); err != nil {
		return nil, &gpus.Problem{Kind: gpus.NoLibrary, Detail: "nvml.dll is not found among the system's libraries"}
	}
	if code := l.call("nvmlInit_v2"); code != success {
		return nil, problem(code)
	}
	l.driver.Version = l.text("nvmlSystemGetDriverVersion")
	var cuda int32
	if l.call("nvmlSystemGetCudaDriverVersion_v2", uintptr(unsafe.Pointer(&cuda))) == success && cuda > 0 {
		l.driver.CUDA = fmt.Sprintf("%d.%d", cuda/1000, cuda%1000/10)
	}
	var count uint32
	if code := l.call("nvmlDeviceGetCount_v2", uintptr(unsafe.Pointer(&count))); code != success {
		return nil, problem(code)
	}
	for i := range min(count, maxCards) {
		var c card
		if l.call("nvmlDeviceGetHandleByIndex_v2", uintptr(i), uintptr(unsafe.Pointer(&c.handle))) == success {
			l.describe(&c)
			l.devices = append(l.devices, c)
		}
	}
	slices.SortStableFunc(l.devices, func(a, b card) int {
		return bytes.Compare([]byte(a.about.PCI),
			[]byte(b.about.PCI))
	})
	for i := range l.devices {
		l.devices[i].about.Index = i
	}
	return l, nil
}

func problem(code uintptr) *gpus.Problem {
	kind := gpus.Failed
	switch code {
	case driverNotLoaded:
		kind = gpus.NoDriver
	case versionMismatch:
		kind = gpus.Mismatch
	case noPermission:
		kind = gpus.NoPermission
	}
	return &gpus.Problem{Kind: kind, Detail: fmt.Sprintf("NVML error %d", code)}
}

// text calls a function that fills a buffer, with further arguments before it.
func (l *library) text(name string, before ...uintptr) string {
	var b [maxText]byte
	if l.call(name, append(before, uintptr(unsafe.Pointer(&b[0])), maxText)...) != success {
		return ""
	}
	text, _, _ := bytes.Cut(b[:], []byte{0})
	return gpus.Plain(string(text))
}

// pciInfo is nvmlPciInfo_t.
type pciInfo struct {
	legacyID                                   [16]byte
	domain, bus, device, deviceID, subsystemID uint32
	id                                         [32]byte
}

// memoryInfo is nvmlMemory_t, in bytes.
type memoryInfo struct{ total, free, used uint64 }

func (l *library) describe(c *card) {
	c.about.UUID = device.UUID(l.text("nvmlDeviceGetUUID", c.handle))
	c.about.Name = l.text("nvmlDeviceGetName", c.handle)
	var pci pciInfo
	if l.call("nvmlDeviceGetPciInfo_v3", c.handle, uintptr(unsafe.Pointer(&pci))) == success {
		c.about.PCI = fmt.Sprintf("%04x:%02x:%02x.0", pci.domain, pci.bus&0xff, pci.device&0xff)
	}
	c.about.Memory = device.Bytes(l.memory(c).total)
	var major, minor int32
	if l.call("nvmlDeviceGetCudaComputeCapability", c.handle, uintptr(unsafe.Pointer(&major)),
		uintptr(unsafe.Pointer(&minor))) == success {
		c.about.Compute = 10*int(major) + int(minor)
	}
	c.about.Encodes = encodes(c.about.Compute)
}

// encodes reports whether GPUs of a generation have encoder units.
func encodes(compute int) bool {
	return !slices.Contains([]int{80, 90, 100, 103}, compute) && (compute == 0 || compute >= 50)
}

func (l *library) memory(c *card) (m memoryInfo) {
	l.call("nvmlDeviceGetMemoryInfo", c.handle, uintptr(unsafe.Pointer(&m)))
	return m
}

// read returns the state of now.
func (l *library) read(now time.Time) gpus.ReportLine {
	line := gpus.ReportLine{Driver: l.driver}
	for i := range l.devices {
		c := &l.devices[i]
		s := device.Sample{At: now, Used: device.Bytes(l.memory(c).used)}
		var load struct{ gpu, memory uint32 }
		if l.call("nvmlDeviceGetUtilizationRates", c.handle, uintptr(unsafe.Pointer(&load))) == success {
			s.GPU = device.Percent(min(load.gpu, 100))
		}
		var sessions, fps, latency uint32
		if l.call("nvmlDeviceGetEncoderStats", c.handle, uintptr(unsafe.Pointer(&sessions)), uintptr(unsafe.Pointer(&fps)),
			uintptr(unsafe.Pointer(&latency))) == success {
			s.EncoderSessions = int(sessions)
		}
		line.Devices = append(line.Devices, gpus.ReportEntry{Device: c.about, Sample: s})
	}
	return line
}
