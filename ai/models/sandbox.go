package models

import (
	"slices"
	"strconv"
	"strings"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/fetchurl"
)

// Sandbox is what a container may do beyond serving its model, and its resource limits. The
// zero value permits nothing.
type Sandbox struct {
	// Network lets it reach other hosts.
	Network bool
	// Root says whether it may change the files of its image.
	Root Root
	// WriteModels lets it change the directory of models.
	WriteModels bool
	// MemoryBytes bounds its main memory, 0 is most of the machine's.
	MemoryBytes int64
	// Processes bounds its processes and threads, 0 is the node's default.
	Processes int64
	// Capabilities are kernel capabilities that it keeps.
	Capabilities []string
}

// Root says whether a container may change the files of its image.
type Root int

const (
	// RootAuto is read-only, and writable after the container failed because of it.
	RootAuto Root = iota
	// RootReadOnly and RootWritable are the operator's choice.
	RootReadOnly
	RootWritable
)

const (
	// minMemoryGB is about the lowest limit that an engine accepts.
	minMemoryGB, maxMemoryGB = 0.01, 100_000
	// minProcesses is what the smallest server needs.
	minProcesses, maxProcesses = 16, 4_000_000
)

func readNetwork(d *draft, v node) { d.entry.Sandbox.Network = v.text == "true" }

func readWriteModels(d *draft, v node) { d.entry.Sandbox.WriteModels = v.text == "true" }

func readReadOnly(d *draft, v node) {
	d.entry.Sandbox.Root = RootWritable
	if v.text == "true" {
		d.entry.Sandbox.Root = RootReadOnly
	}
}

func readMemory(d *draft, v node) {
	gb, err := strconv.ParseFloat(v.text, 64)
	if err != nil || !(gb >= minMemoryGB && gb <= maxMemoryGB) {
		d.reject(fault.ModelFieldInvalid, v, "memory_gb", v.short()+" is not an amount of memory",
			"write the main memory that the container may take in GB, 64 for example")
		return
	}
	d.entry.Sandbox.MemoryBytes = int64(gb * GB)
}

func readProcesses(d *draft, v node) {
	n, ok := whole(v.text, maxProcesses)
	if !ok || n < minProcesses {
		d.reject(fault.ModelFieldInvalid, v, "processes", v.short()+" is not a whole number from 16 to 4000000",
			"write how many processes and threads the container may have, 8192 for example")
		return
	}
	d.entry.Sandbox.Processes = int64(n)
}

// grantable are the capabilities that a container may keep. They act on the container
// alone: none permits an escape or access to the machine's network. Read-only.
var grantable = []string{
	"CHOWN", "DAC_OVERRIDE", "FOWNER", "FSETID", "KILL", "NET_BIND_SERVICE",
	"SETFCAP", "SETGID", "SETPCAP", "SETUID", "SYS_CHROOT",
}

// Grantable reports whether a container may keep a capability.
func Grantable(capability string) bool { return slices.Contains(grantable, capability) }

func readCapabilities(d *draft, v node) {
	for _, item := range v.items {
		name := strings.TrimPrefix(item.text, "CAP_")
		if item.kind != isString || !slices.Contains(grantable, name) {
			d.reject(fault.ModelFieldInvalid, item, "capabilities",
				item.short()+" is no capability that a container can be given",
				"write some of "+list(grantable))
			return
		}
		if !slices.Contains(d.entry.Sandbox.Capabilities, name) {
			d.entry.Sandbox.Capabilities = append(d.entry.Sandbox.Capabilities, name)
		}
	}
}

func readRequestURLs(d *draft, v node) {
	p, ok := fetchurl.ParsePolicy(v.text)
	if !ok {
		d.reject(fault.ModelFieldInvalid, v, "request_urls", quoted(v.text)+" is not fetch, data, public or any",
			`write "fetch" to let the node fetch images of the internet for the model server`)
		return
	}
	d.entry.RequestURLs = p
}
