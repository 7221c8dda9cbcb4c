//go:build !windows

package nvml

import (
	"time"

	"github.com/NVIDIA/go-nvml/pkg/nvml"
)

// maxEvents bounds what is taken at once: a GPU in agony reports without end.
const maxEvents = 64

// listen asks for critical errors. GPUs and drivers that cannot tell of them are
// left out.
func (r *Reader) listen() {
	for _, name := range []string{"nvmlEventSetCreate", "nvmlEventSetFree", "nvmlDeviceRegisterEvents",
		"nvmlEventSetWait"} {
		if !r.has[name] {
			return
		}
	}
	set, ret := r.lib.EventSetCreate()
	if ret != nvml.SUCCESS {
		return
	}
	listening := false
	for _, d := range r.devices {
		if d.handle.RegisterEvents(nvml.EventTypeXidCriticalError, set) == nvml.SUCCESS {
			listening = true
		}
	}
	if !listening {
		set.Free()
		return
	}
	r.events = set
}

// readEvent takes the errors that were reported since the last time.
func (r *Reader) readEvent(now time.Time) {
	if r.events == nil {
		return
	}
	for range maxEvents {
		e, ret := r.events.Wait(0)
		if ret != nvml.SUCCESS {
			return
		}
		if e.EventType&nvml.EventTypeXidCriticalError == 0 || e.EventData == 0 || e.EventData >= 1<<16 || e.Device == nil {
			continue
		}
		uuid, ret := e.Device.GetUUID()
		for _, d := range r.devices {
			if ret == nvml.SUCCESS && string(d.about.UUID) == uuid {
				d.xid, d.xidAt = int(e.EventData), now
			}
		}
	}
}
