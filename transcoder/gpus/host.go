package gpus

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/tuttinode/tutti/core/fault"
)

// host is what the system's files tell of the machine, driver or not.
type host struct{ root string }

// pciGPU is an NVIDIA GPU on the PCI bus.
type pciGPU struct {
	pci string
	// driver holds it: "nvidia", "nouveau", "vfio-pci", "" for none.
	driver string
}

// The PCI ids of NVIDIA, and of display controllers: 3D controllers, as data center
// GPUs are, among them.
const (
	vendorNVIDIA = "0x10de"
	classDisplay = "0x03"
)

// pciGPUs returns the NVIDIA GPUs on the bus.
func (h host) pciGPUs() (out []pciGPU) {
	paths, _ := filepath.Glob(filepath.Join(h.root, "sys/bus/pci/devices/*"))
	for _, p := range paths {
		if h.text(p, "vendor") != vendorNVIDIA || !strings.HasPrefix(h.text(p, "class"), classDisplay) {
			continue
		}
		c := pciGPU{pci: filepath.Base(p)}
		if to, err := os.Readlink(filepath.Join(p, "driver")); err == nil {
			c.driver = filepath.Base(to)
		}
		out = append(out, c)
	}
	return out
}

func (h host) text(dir, name string) string {
	b, _ := os.ReadFile(filepath.Join(dir, name))
	return strings.TrimSpace(string(b))
}

func (h host) exists(path string) bool {
	_, err := os.Stat(filepath.Join(h.root, path))
	return err == nil
}

// container reports whether the node runs in one.
func (h host) container() bool {
	if h.exists(".dockerenv") || h.exists("run/.containerenv") {
		return true
	}
	groups := h.text(h.root, "proc/1/cgroup")
	for _, word := range []string{"docker", "kubepods", "containerd", "libpod", "/lxc"} {
		if strings.Contains(groups, word) {
			return true
		}
	}
	return false
}

const opFind = "find GPUs"

// explain says what a problem of the driver means on this machine.
func (h host) explain(t Problem) *fault.Fault {
	switch t.Kind {
	case Mismatch:
		return fault.New(fault.GPUDriverMismatch, opFind, h.kernelDriver()+"the libraries are of another version; reboot")
	case NoPermission:
		return fault.New(fault.GPUNoPermission, opFind, t.Detail)
	case NoLibrary, NoDriver:
		return h.without(t)
	case OldLibrary:
		return fault.New(fault.DriverTooOld, opFind, "the driver's library is "+t.Detail)
	}
	return fault.New(fault.CUDALibrary, opFind, t.Detail)
}

// without is for a machine where there is no driver to ask: is there a GPU at all,
// does another driver hold it, or is it outside of this container?
func (h host) without(t Problem) *fault.Fault {
	cards := h.pciGPUs()
	bound := 0
	for _, c := range cards {
		if c.driver == "nvidia" {
			bound++
		}
	}
	inside, device := h.container(), h.exists("dev/nvidiactl")
	switch {
	case inside && !device && bound > 0:
		return fault.New(fault.GPUToolkitMissing, opFind,
			fmt.Sprintf("the machine has %s, but this container was given none", gpuCount(bound)))
	case len(cards) == 0 && !device && inside:
		return fault.New(fault.NoDevices, opFind, "this container sees no NVIDIA GPU")
	case len(cards) == 0 && !device:
		return fault.New(fault.NoDevices, opFind, "the PCI bus has no NVIDIA GPU")
	case bound < len(cards):
		return fault.New(fault.GPUDriverNotLoaded, opFind, held(cards))
	case t.Kind == NoLibrary && inside:
		return fault.New(fault.CUDALibrary, opFind,
			"this container has GPUs, but not libnvidia-ml.so.1: NVIDIA_DRIVER_CAPABILITIES lacks utility")
	case t.Kind == NoLibrary:
		return fault.New(fault.CUDALibrary, opFind, "the driver is loaded, but libnvidia-ml.so.1 is not found")
	}
	return fault.New(fault.GPUDriverNotLoaded, opFind, t.Detail)
}

// none is for a driver that shows no device.
func (h host) none() *fault.Fault {
	cards := h.pciGPUs()
	switch {
	case len(cards) == 0:
		return fault.New(fault.NoDevices, opFind, "the driver shows no GPU")
	case h.container():
		return fault.New(fault.GPUToolkitMissing, opFind,
			fmt.Sprintf("the machine has %s, but this container was given none", gpuCount(len(cards))))
	}
	for _, c := range cards {
		if c.driver != "nvidia" {
			return fault.New(fault.GPUDriverNotLoaded, opFind, held(cards))
		}
	}
	return fault.New(fault.NoDevices, opFind, fmt.Sprintf("the driver shows none of %s on the PCI bus",
		gpuCount(len(cards))))
}

func gpuCount(n int) string {
	if n == 1 {
		return "1 NVIDIA GPU"
	}
	return strconv.Itoa(n) + " NVIDIA GPUs"
}

// held says which drivers hold the GPUs that NVIDIA's does not.
func held(cards []pciGPU) string {
	var parts []string
	for _, c := range cards {
		switch c.driver {
		case "nvidia":
		case "":
			parts = append(parts, c.pci+" has no driver")
		default:
			parts = append(parts, c.pci+" is held by "+c.driver)
		}
		if len(parts) == 4 {
			parts = append(parts, "…")
			break
		}
	}
	return strings.Join(parts, ", ")
}

// kernelDriver returns the version that the kernel runs, as the start of a sentence.
func (h host) kernelDriver() string {
	for word := range strings.FieldsSeq(h.text(h.root, "proc/driver/nvidia/version")) {
		if major, _, ok := strings.Cut(word, "."); ok && len(word) < 20 {
			if _, err := strconv.Atoi(major); err == nil {
				return "the kernel runs driver " + word + ", "
			}
		}
	}
	return ""
}
