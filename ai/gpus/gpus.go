// Package gpus finds the GPUs that runner containers may be given, and how much
// memory each has, by asking the driver's own tool. A node without it has what
// its operator names, of unknown memory.
//
// It is for placing containers only; transcoding finds its devices itself.
package gpus

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tuttinode/tutti/core/fault"
)

// Device is a GPU.
type Device struct {
	// ID is the driver's index, "0".
	ID string
	// MemoryBytes is its memory, 0 when unknown.
	MemoryBytes int64
}

// Tool asks the driver: it returns what nvidia-smi prints for Query.
type Tool func(ctx context.Context) ([]byte, error)

// timeout bounds the question: a driver in trouble lets its tool hang.
const timeout = 10 * time.Second

// Query is the real Tool.
func Query(ctx context.Context) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, "nvidia-smi", "--query-gpu=index,memory.total", "--format=csv,noheader,nounits")
	cmd.WaitDelay = time.Second
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil && said.Len()+len(out) > 0 {
		return nil, fmt.Errorf("%w: %s%s", err, out, said.Bytes())
	}
	return out, err
}

// Find returns the devices that were asked for: all, or those with the given
// indices. Asking for none gives none. The error is NoDevices: all were asked for
// and the driver shows none, or some that were named are not there; those that are
// come beside it.
func Find(ctx context.Context, all bool, ids []int, ask Tool) ([]Device, error) {
	const op = "find GPUs"
	if !all && len(ids) == 0 {
		return nil, nil
	}
	out, err := ask(ctx)
	switch {
	case err != nil && all:
		return nil, fault.Wrap(fault.NoDevices, op, err)
	case errors.Is(err, exec.ErrNotFound):
		// The node may be in a container without the tool: the engine knows better.
		return named(ids, nil), nil
	case err != nil:
		return nil, fault.Wrap(fault.NoDevices, op, err)
	}
	have, err := parse(out)
	if err != nil {
		return nil, fault.Wrap(fault.NoDevices, op, err)
	}
	if all {
		if len(have) == 0 {
			return nil, fault.New(fault.NoDevices, op, "the driver shows no GPU")
		}
		return have, nil
	}
	var found []Device
	var missing []string
	for _, d := range named(ids, have) {
		if slices.ContainsFunc(have, func(h Device) bool { return h.ID == d.ID }) {
			found = append(found, d)
		} else {
			missing = append(missing, d.ID)
		}
	}
	if len(missing) > 0 {
		return found, fault.New(fault.NoDevices, op, fmt.Sprintf("there is no GPU %s, the driver shows %d", strings.Join(missing, ", "), len(have)))
	}
	return found, nil
}

// named are the devices with the indices, in their order, with what is known.
func named(ids []int, known []Device) []Device {
	var out []Device
	for _, n := range ids {
		d := Device{ID: strconv.Itoa(n)}
		for _, k := range known {
			if k.ID == d.ID {
				d = k
			}
		}
		out = append(out, d)
	}
	return out
}

// parse reads lines of index and memory in MiB. Memory that the driver does not
// tell is unknown.
func parse(out []byte) ([]Device, error) {
	var devices []Device
	for line := range strings.Lines(string(out)) {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		index, memory, ok := strings.Cut(line, ",")
		n, err := strconv.Atoi(strings.TrimSpace(index))
		if !ok || err != nil || n < 0 {
			return nil, fmt.Errorf("the driver's tool says %.100q", line)
		}
		d := Device{ID: strconv.Itoa(n)}
		if mib, err := strconv.ParseInt(strings.TrimSpace(memory), 10, 32); err == nil && mib > 0 {
			d.MemoryBytes = mib << 20
		}
		devices = append(devices, d)
	}
	return devices, nil
}
