package fakegpu

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// script is the lines by key. A key of a device is "device0.name", or "device.name"
// for all of them, by the order of the script and not of PCI bus ids. Values in
// brackets are what holds without the line.
//
//	devices [1]            how many
//	driver [550.54.15]     version; it decides the CUDA version and the NVENC interface
//	cuda.init [0]          error of cuInit: 100 no device, 803 driver mismatch, 999 unknown
//	cuda.module [0]        error of loading kernels
//	encoder.cap [-1]       NVENC sessions on the machine, -1 for no cap
//	encoder.refusal [10]   what the cap says: 10 out of memory, 21 on newer drivers
//	encoder.least.width, .height [145, 49; HEVC 129, 33]
//	decoder.least          both sides; without it as NVDEC has it, e.g. 144 for HEVC, 128 for VP9
//	nvml.init [0]          error of nvmlInit: 9 driver not loaded, 18 version mismatch
//	nvml.hang, nvml.crash  1: every question to NVML hangs, crashes
//
//	deviceN.name [NVIDIA GeForce RTX 4090], .uuid, .pci [0000:01:00.0 …], .compute [89]
//	deviceN.memory [24564], .used [0], .context [160]   MiB: all, in use by others, per context
//	deviceN.encodes [1]    0: a GPU without NVENC
//	deviceN.encoder.others [0]   NVENC sessions of other programs
//	deviceN.codecs [h264]  what NVENC encodes; hevc is valid, but far larger than asked for
//	deviceN.decodes        codecs, e.g. "h264,hevc"
//	deviceN.decode.every [0], .decode.error [1]   every so many frames the decoder refuses one, with this CUDA error
//	deviceN.mig [0], .lost [0]
//	deviceN.fail [0]       CUDA error of all work: 719 launch failure, 2 out of memory, 46 unavailable
//	deviceN.hang, .crash   list of points: open,session,copy,kernel,decoder,decode,map,encode
//	deviceN.after [0]      the three above begin after so many frames, decoded or encoded since this was set
//	deviceN.slow.decode, .slow.encode [0]   µs per frame; any point of hang has one
//	deviceN.temperature [45], .slowdown [93], .shutdown [98], .throttle [0]   bits of NVML's reasons
//	deviceN.utilization [0], .utilization.encoder, .utilization.decoder, .utilization.memory
//	deviceN.ecc [0]        uncorrected errors; -1: the GPU has no ECC
//	deviceN.xid            an event of this number; "79/2" is another one than "79/1"
//	deviceN.processes      of others: "pid:MiB:name,…"
type script map[string]string

func (s script) text() string {
	var b strings.Builder
	for _, key := range slices.Sorted(maps.Keys(s)) {
		fmt.Fprintf(&b, "%s=%s\n", key, s[key])
	}
	return b.String()
}

// Script replaces the whole script by lines of key=value. Running processes see it
// with their next call.
func (d *Driver) Script(lines ...string) {
	d.script = script{}
	for _, line := range lines {
		key, value, _ := strings.Cut(line, "=")
		d.script[key] = value
	}
	d.countFromHere()
	d.publish()
}

// Set changes one line.
func (d *Driver) Set(key, value string) {
	d.script[key] = value
	if strings.HasSuffix(key, ".after") {
		d.countFromHere()
	}
	d.publish()
}

// Unset takes a line away, so that what holds without it holds again.
func (d *Driver) Unset(key string) {
	delete(d.script, key)
	d.publish()
}

func (d *Driver) publish() { d.state.publish(d.script.text() + d.since) }

// countFromHere makes "after" count the frames from now on.
func (d *Driver) countFromHere() {
	d.since = ""
	for device := range maxDevices {
		c := d.Counts(device)
		d.since += fmt.Sprintf("device%d.since=%d\n", device, c.PicturesDecoded+c.PicturesEncoded)
	}
}
