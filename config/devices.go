package config

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Devices names the GPUs a transcoder uses. The zero value is none: the CPU.
type Devices struct {
	// All takes every device the driver shows.
	All bool
	// IDs are device indices, in the order given, each once.
	IDs []int
}

var errDevices = errors.New("not a list of device numbers or the word all")

// ParseDevices reads "all" or device numbers separated by commas. The empty text
// means none.
func ParseDevices(s string) (Devices, error) {
	switch s {
	case "":
		return Devices{}, nil
	case "all":
		return Devices{All: true}, nil
	}
	var d Devices
	for _, part := range strings.Split(s, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(part))
		if err != nil || n < 0 || n > 1023 {
			return Devices{}, errDevices
		}
		if slices.Contains(d.IDs, n) {
			return Devices{}, fmt.Errorf("device %d is named twice", n)
		}
		d.IDs = append(d.IDs, n)
	}
	return d, nil
}

// None reports whether no GPU is used.
func (d Devices) None() bool { return !d.All && len(d.IDs) == 0 }

// String writes the devices as ParseDevices reads them.
func (d Devices) String() string {
	if d.All {
		return "all"
	}
	parts := make([]string, len(d.IDs))
	for i, id := range d.IDs {
		parts[i] = strconv.Itoa(id)
	}
	return strings.Join(parts, ",")
}
