package config

import (
	"errors"
	"strings"

	"github.com/tuttinode/tutti/core/device"
)

// Devices names the GPUs a transcoder uses. The zero value is none: the CPU.
type Devices = device.Selection

// errVAAPI refuses what other nodes of this kind could be built with.
var errVAAPI = errors.New("VAAPI devices (Intel, AMD) are not in this release: its FFmpeg is built without libva; " +
	"name NVIDIA GPUs, or leave it out to transcode on the CPU")

// ParseDevices reads "all", or indices and UUIDs of NVIDIA GPUs separated by commas.
// The empty text means none.
func ParseDevices(s string) (Devices, error) {
	if strings.Contains(strings.ToLower(s), "vaapi") || strings.HasPrefix(s, "/dev/dri/") {
		return Devices{}, errVAAPI
	}
	return device.ParseSelection(s)
}
