package transcoders

import (
	"github.com/tuttinode/tutti/server/access"
	"github.com/tuttinode/tutti/server/remote"
)

// hosts counts the registered workers by host. The zero value is empty; guarded by
// Service.mu.
type hosts map[string]int

func (h *hosts) add(addr string) {
	if *h == nil {
		*h = make(hosts)
	}
	(*h)[access.Host(addr)]++
}

func (h hosts) remove(addr string) {
	host := access.Host(addr)
	if h[host]--; h[host] <= 0 {
		delete(h, host)
	}
}

// fromOtherWorker reports whether a result for a worker without an instance comes from the
// host of another worker: task ids can be guessed. A result from a host without workers is
// accepted, because it may come through a proxy.
func (s *Service) fromOtherWorker(w *worker, from string) bool {
	host := access.Host(from)
	if w.id.Instance != "" || host == access.Host(w.id.Addr) {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.hosts[host] > 0
}

// signedName returns the worker with its device, "rig7 gpu 0". Only a device that the worker has
// registered is added, since every name is counted.
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
