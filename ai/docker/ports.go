package docker

import (
	"net"
	"strconv"
	"strings"
	"sync"

	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/fault"
)

const (
	// overflowFirst to overflowLast are used when a pipeline's own port is taken. They are
	// below Linux's range for outgoing connections, so that none takes one by chance.
	overflowFirst = 21000
	overflowLast  = 21999
)

// basePorts returns the existing node's ports per pipeline: base plus GPU index.
func basePorts() map[string]uint16 {
	m := make(map[string]uint16)
	for i, id := range []capability.ID{
		capability.TextToImage, capability.ImageToImage, capability.ImageToVideo, capability.Upscale,
		capability.AudioToText, capability.LLM, capability.SegmentAnything2, capability.ImageToText,
		capability.TextToSpeech, capability.LiveVideoToVideo,
	} {
		m[id.Pipeline()] = 8000 + 100*uint16(i)
	}
	return m
}

// reservedPort reports whether a port in these ranges belongs to a node on this machine,
// which may not listen yet.
func reservedPort(port uint16) bool { return 8935 <= port && port <= 8937 }

// Ports allocates host ports for containers: the existing node's port if it is free, else
// one of the overflow range, as for a second container on a GPU or a GPU named by UUID.
type Ports struct {
	free func(port uint16) bool
	base map[string]uint16

	mu    sync.Mutex // covers taken
	taken map[uint16]bool
}

// NewPorts makes an allocator. free reports whether no program uses a port; nil tries to
// listen on it.
func NewPorts(free func(port uint16) bool) *Ports {
	if free == nil {
		free = listenable
	}
	return &Ports{free: free, base: basePorts(), taken: make(map[uint16]bool)}
}

// listenable reports whether a listener can be opened on 127.0.0.1.
func listenable(port uint16) bool {
	l, err := net.Listen("tcp4", net.JoinHostPort("127.0.0.1", strconv.Itoa(int(port))))
	if err != nil {
		return false
	}
	return l.Close() == nil
}

// Take allocates a port for a container of the pipeline on the devices, until Release. A
// program may still take it before the container starts: then Start returns
// ContainerPortConflict, and the next Take returns another port. The error is
// ContainerPortConflict if none is left.
func (p *Ports) Take(pipeline string, devices []string) (uint16, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if port, ok := p.preferred(pipeline, devices); ok && p.takeLocked(port) {
		return port, nil
	}
	for port := uint16(overflowFirst); port <= overflowLast; port++ {
		if p.takeLocked(port) {
			return port, nil
		}
	}
	return 0, fault.New(fault.ContainerPortConflict, "choose host port",
		"none is free from "+strconv.Itoa(overflowFirst)+" to "+strconv.Itoa(overflowLast))
}

// preferred returns the existing node's port: base and the first GPU's index. A
// container without GPU counts as on GPU 0.
func (p *Ports) preferred(pipeline string, devices []string) (uint16, bool) {
	base, ok := p.base[pipeline]
	if !ok {
		return 0, false
	}
	if len(devices) == 0 {
		return base, true
	}
	index, err := strconv.ParseUint(strings.TrimPrefix(devices[0], "emulated-"), 10, 16)
	if err != nil || index > 99 {
		return 0, false
	}
	port := base + uint16(index)
	return port, !reservedPort(port)
}

func (p *Ports) takeLocked(port uint16) bool {
	if p.taken[port] || !p.free(port) {
		return false
	}
	p.taken[port] = true
	return true
}

// Hold allocates the port of a container that was adopted, until Release. No other has it: it is
// in the container's name.
func (p *Ports) Hold(port uint16) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.taken[port] = true
}

// Release frees the port of a removed container.
func (p *Ports) Release(port uint16) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.taken, port)
}
