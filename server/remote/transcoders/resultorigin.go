package transcoders

import (
	"net"

	"github.com/tuttinode/tutti/server/remote"
)

// hosts counts the registered workers of each address. The zero value has none; the
// caller holds Service.mu.
type hosts map[string]int

func (h *hosts) add(addr string) {
	if *h == nil {
		*h = make(hosts)
	}
	(*h)[hostOf(addr)]++
}

func (h hosts) remove(addr string) {
	host := hostOf(addr)
	if h[host]--; h[host] <= 0 {
		delete(h, host)
	}
}

func hostOf(addr string) string {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return addr
	}
	return host
}

// stranger reports whether a result for a worker without an instance comes from where
// another worker is, and this one is not: ids of tasks can be guessed. A result from
// where no worker is passes, because a way back through a proxy is nothing unusual.
func (s *Service) fromOtherWorker(w *worker, from string) bool {
	host := hostOf(from)
	if w.id.Instance != "" || host == hostOf(w.id.Addr) {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.hosts[host] > 0
}

// by is who did the work, "rig7 gpu 0": with the device where it is one that the
// worker has registered, as books are kept of every name.
func (w *worker) signedName(device string) string {
	if device = remote.Printable(device); device == "" {
		return w.name
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, d := range w.state.devices {
		if device == d.Device || device == "gpu "+d.Device {
			return w.name + " " + device
		}
	}
	return w.name
}
