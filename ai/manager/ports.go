package manager

import (
	"net"
	"strconv"
	"strings"
	"sync"

	"github.com/tuttinode/tutti/core/fault"
)

// basePorts are where the ports of a pipeline's containers begin; the network's
// operators have firewalls and dashboards that know them.
var basePorts = map[string]int{
	"text-to-image": 8000, "image-to-image": 8100, "image-to-video": 8200, "upscale": 8300,
	"audio-to-text": 8400, "llm": 8500, "segment-anything-2": 8600, "image-to-text": 8700,
	"text-to-speech": 8800, "live-video-to-video": 8900,
}

// portsPerPipeline is how many ports a pipeline has before another's begin.
const portsPerPipeline = 100

// HostPorts reserves a pipeline's usual ports and, where these are taken, others.
type HostPorts struct {
	free func(port int) bool

	mu    sync.Mutex
	taken map[int]bool // guarded by mu
}

// NewPorts makes HostPorts. free says whether a port of 127.0.0.1 can be used; nil
// tries.
func NewPorts(free func(port int) bool) *HostPorts {
	if free == nil {
		free = bindable
	}
	return &HostPorts{free: free, taken: make(map[int]bool)}
}

// Take reserves the pipeline's usual port for the slot: two digits of the
// pipeline and two of the slot, 8503 for llm on GPU 3. When it is taken, or the
// slot has no such digits, it is the pipeline's next free one, and when all are
// taken one that the system chooses.
func (p *HostPorts) Take(pipeline, slot string) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if base, ok := basePorts[pipeline]; ok {
		first := suffix(slot)
		for i := range portsPerPipeline {
			port := base + (first+i)%portsPerPipeline
			if !p.taken[port] && p.free(port) {
				p.taken[port] = true
				return port, nil
			}
		}
	}
	port, err := anyPort(p.taken)
	if err != nil {
		return 0, fault.Wrap(fault.ModelNoPort, "reserve a port for "+pipeline, err)
	}
	p.taken[port] = true
	return port, nil
}

// Give ends a reservation.
func (p *HostPorts) Give(port int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.taken, port)
}

// suffix is the two digits that the existing node derives from a slot's name:
// "3" is 03, "colocated-2-3" is 23, "emulated-0" is 00.
func suffix(slot string) int {
	digits := slot
	if rest, ok := strings.CutPrefix(slot, "colocated-"); ok {
		index, device, _ := strings.Cut(rest, "-")
		digits = index + strings.TrimPrefix(device, "emulated-")
	} else {
		digits = strings.TrimPrefix(digits, "emulated-")
	}
	n, err := strconv.Atoi(digits)
	if err != nil || n < 0 || n >= portsPerPipeline {
		return 0
	}
	return n
}

func bindable(port int) bool {
	l, err := net.Listen("tcp4", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	if err != nil {
		return false
	}
	return l.Close() == nil
}

// anyPort asks the system for a port that is not reserved yet.
func anyPort(taken map[int]bool) (int, error) {
	for {
		l, err := net.Listen("tcp4", "127.0.0.1:0")
		if err != nil {
			return 0, err
		}
		port := l.Addr().(*net.TCPAddr).Port
		if err := l.Close(); err != nil {
			return 0, err
		}
		if !taken[port] {
			return port, nil
		}
	}
}
