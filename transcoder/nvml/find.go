//go:build !windows

package nvml

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/NVIDIA/go-nvml/pkg/nvml"

	"github.com/tuttinode/tutti/core/device"
	"github.com/tuttinode/tutti/transcoder/gpus"
)

// driver is what stays the same while the process runs.
type driver = device.Driver

// nvmlDevice is one that gave a handle.
type nvmlDevice struct {
	handle nvml.Device
	about  device.GPU
	// xid is the last critical error and xidAt its time.
	xid   int
	xidAt time.Time
}

func (r *Reader) readDriver() driver {
	var d driver
	if s, ret := r.lib.SystemGetDriverVersion(); ret == nvml.SUCCESS {
		d.Version = s
	}
	if r.has["nvmlSystemGetCudaDriverVersion_v2"] {
		if n, ret := r.lib.SystemGetCudaDriverVersion_v2(); ret == nvml.SUCCESS && n > 0 {
			d.CUDA = fmt.Sprintf("%d.%d", n/1000, n%1000/10)
		}
	}
	return d
}

// find takes stock. The number of devices does not change while the library is
// initialized; a new process sees new ones.
func (r *Reader) find() nvml.Return {
	count, ret := r.lib.DeviceGetCount()
	if ret != nvml.SUCCESS {
		return ret
	}
	for i := range min(count, gpus.MaxDevices) {
		handle, ret := r.lib.DeviceGetHandleByIndex(i)
		if ret == nvml.SUCCESS {
			var d *nvmlDevice
			if d, ret = r.describe(i, handle); ret == nvml.SUCCESS {
				r.devices = append(r.devices, d)
				continue
			}
		}
		r.unreadable = append(r.unreadable, gpus.Unreadable{Position: i, Why: text(ret),
			Lost: ret == nvml.ERROR_GPU_IS_LOST})
	}
	r.number()
	return nvml.SUCCESS
}

// number counts in the order of the bus. Where a device cannot be read its place is
// not known, and the driver's own numbers stay.
func (r *Reader) number() {
	if len(r.unreadable) > 0 {
		return
	}
	slices.SortStableFunc(r.devices, func(a, b *nvmlDevice) int { return cmp.Compare(a.about.PCI, b.about.PCI) })
	for i, d := range r.devices {
		d.about.Index = i
	}
}

// describe asks for what does not change.
func (r *Reader) describe(index int, handle nvml.Device) (*nvmlDevice, nvml.Return) {
	d := &nvmlDevice{handle: handle, about: device.GPU{Index: index}}
	uuid, ret := handle.GetUUID()
	if ret != nvml.SUCCESS {
		return nil, ret
	}
	d.about.UUID = device.UUID(uuid)
	if pci, ret := handle.GetPciInfo(); ret == nvml.SUCCESS {
		d.about.PCI = busID(pci)
	}
	if name, ret := handle.GetName(); ret == nvml.SUCCESS {
		d.about.Name = gpus.Plain(name)
	}
	if m, ret := handle.GetMemoryInfo(); ret == nvml.SUCCESS {
		d.about.Memory = device.Bytes(m.Total)
	}
	if r.has["nvmlDeviceGetCudaComputeCapability"] {
		if major, minor, ret := handle.GetCudaComputeCapability(); ret == nvml.SUCCESS {
			d.about.Compute = 10*major + minor
		}
	}
	d.about.MIG = r.divided(handle)
	d.about.Encodes = r.encodes(d)
	return d, nvml.SUCCESS
}

func (r *Reader) divided(handle nvml.Device) bool {
	if !r.has["nvmlDeviceGetMigMode"] {
		return false
	}
	now, _, ret := handle.GetMigMode()
	return ret == nvml.SUCCESS && now == nvml.DEVICE_MIG_ENABLE
}

// withoutEncoders are the compute capabilities whose GPUs have no encoder units:
// A100 and A30, H100 and H200, B200 and B300.
func withoutEncoders() []int { return []int{80, 90, 100, 103} }

// encodes reports whether the GPU has encoder units. Where the driver does not report
// that clearly, its generation does.
func (r *Reader) encodes(d *nvmlDevice) bool {
	if slices.Contains(withoutEncoders(), d.about.Compute) {
		return false
	}
	if r.has["nvmlDeviceGetEncoderCapacity"] {
		switch _, ret := d.handle.GetEncoderCapacity(nvml.ENCODER_QUERY_H264); ret {
		case nvml.SUCCESS:
			// A capacity of 0 is a GPU that is busy.
			return true
		case nvml.ERROR_NOT_SUPPORTED:
			return false
		}
	}
	return d.about.Compute == 0 || d.about.Compute >= 50
}

// busID is "0000:3b:00.0", as the kernel writes it. The driver writes more digits of
// the domain.
func busID(p nvml.PciInfo) string {
	if p.Domain <= 0xffff {
		return fmt.Sprintf("%04x:%02x:%02x.0", p.Domain, p.Bus&0xff, p.Device&0xff)
	}
	id, _, _ := bytes.Cut(p.BusId[:], []byte{0})
	return strings.ToLower(string(id))
}
