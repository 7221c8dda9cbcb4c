package models

import (
	"strconv"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/fault"
)

// maxContainers bounds the containers of one entry, and of all warm ones.
const maxContainers = 100

// finish checks what depends on several fields of the entry.
func (d *draft) finish() {
	for _, name := range []string{"pipeline", "model_id"} {
		if _, ok := d.given[name]; !ok {
			d.missing(name)
		}
	}
	if _, ok := d.given["warm"]; !ok {
		d.notice("warm", "is left out, which counts as false: the model is loaded at its first job")
	}
	d.finishPrice()
	d.finishCA()
	if d.external {
		d.noticeUnused("has no effect on an external server", "optimization_flags", "gpus", "vram_gb", "image")
		d.noticeUnused("has no effect on an external server",
			"network", "read_only", "write_models", "memory_gb", "processes", "capabilities")
		d.entry.Sandbox = Sandbox{}
		d.entry.Flags, d.entry.GPUs, d.entry.VRAM, d.entry.Image = nil, GPUs{}, 0, ""
		return
	}
	d.noticeUnused("has no effect without url", "token", "served_model", "ca")
	d.entry.Token, d.entry.ServedModel, d.entry.CA = core.Secret{}, "", ""
	if d.entry.Remote { // nothing is started here
		d.entry.Flags, d.entry.GPUs, d.entry.VRAM, d.entry.Image = nil, GPUs{}, 0, ""
		return
	}
	if d.entry.Capacity > maxContainers {
		d.reject(fault.ModelFieldInvalid, d.given["capacity"], "capacity",
			strconv.Itoa(d.entry.Capacity)+" containers are more than a machine runs", "write 100 or less")
	}
	d.checkFlags()
	if d.pipeline.Capability == capability.LLM {
		d.finishLLM()
	}
	d.checkDevices()
	d.checkShape()
	if d.entry.VRAM == 0 {
		d.entry.VRAM = max(d.pipeline.VRAM, LargeModels()[d.entry.Model.ID])
	}
}

// noticeUnused reports fields that apply only to the other kind of entry.
func (d *draft) noticeUnused(why string, names ...string) {
	for _, name := range names {
		if v, ok := d.given[name]; ok {
			d.noticeAt(v, name, why)
		}
	}
}

// missing rejects the entry because a required field is missing.
func (d *draft) missing(name string) {
	remedy := `add "` + name + `"`
	switch {
	case d.inline && d.l.isPriceField(name):
		remedy = "give -pricePerUnit, or write a file instead"
	case d.inline:
		remedy = "write pipeline:model_id:warm"
	case d.l.isPriceField(name):
		remedy += ", or give -pricePerUnit for all"
	}
	d.rejectEntry(fault.ModelFieldMissing, name, "missing minimum field", remedy)
}

// checkDevices checks the number and names of the devices against the node's.
func (d *draft) checkDevices() {
	have := d.l.options.Devices
	at := d.given["gpus"]
	if need := d.entry.GPUs.Count; need > 1 && need > len(have) {
		d.reject(fault.ModelDevices, at, "gpus",
			"the model needs "+count(need, "device")+", the node was given "+count(len(have), "device"),
			"give more with -gpu, or spread the model over fewer")
		return
	}
	for _, id := range d.entry.GPUs.IDs {
		if len(have) > 0 && !hasDevice(have, id) {
			d.reject(fault.ModelDevices, at, "gpus", "the node was not given the device "+id,
				"name one of "+deviceNames(have))
		}
	}
}

func hasDevice(have []Device, id string) bool {
	for _, d := range have {
		if d.ID == id {
			return true
		}
	}
	return false
}

func deviceNames(have []Device) string {
	names := make([]string, len(have))
	for i, d := range have {
		names[i] = d.ID
	}
	return list(names)
}
