package main

import (
	"context"
	"fmt"
	"log/slog"
	"strconv"

	"github.com/tuttinode/tutti/core/device"
)

// target is a device to be measured.
type target struct {
	// name is "cpu", or the GPU's index, or what the command line has.
	name string
	uuid device.UUID
}

const processor = "cpu"

func (t target) gpu() bool { return t.name != processor }

// selection reads the text of -gpu.
func selection(list string) (device.Selection, error) {
	s, err := device.ParseSelection(list)
	if err != nil {
		return s, fmt.Errorf("-gpu: %w", err)
	}
	return s, nil
}

// targets returns what was asked for, by its names alone: nothing where that is all.
func targets(s device.Selection) []target {
	if s.None() {
		return []target{{name: processor}}
	}
	var out []target
	for _, id := range s.IDs {
		out = append(out, target{name: strconv.Itoa(id)})
	}
	for _, id := range s.UUIDs {
		out = append(out, target{name: string(id), uuid: id})
	}
	return out
}

// deviceNames returns the devices for tables.
func deviceNames(targets []target) []string {
	var out []string
	for _, t := range targets {
		out = append(out, t.name)
	}
	return out
}

// withoutEncoder finds the GPUs, by their names, whose frames the CPU encodes: the
// driver reports no encoder, or libav can open none, as our engine then sees it too.
func withoutEncoder(ctx context.Context, s settings) map[string]bool {
	known := make(map[device.UUID]device.GPU)
	if s.inventory != nil {
		for _, d := range s.inventory.Devices() {
			known[d.UUID] = d
		}
	}
	none := make(map[string]bool)
	for _, t := range s.devices {
		if !t.gpu() {
			continue
		}
		if d, ok := known[t.uuid]; ok && !d.Encodes {
			none[t.name] = true
			continue
		}
		none[t.name] = opensNone(ctx, s, t)
	}
	return none
}

// opensNone reports whether a GPU is known to have no encoder that libav can open. Where
// that cannot be found out, the other program shall try the encoder.
func opensNone(ctx context.Context, s settings, t target) bool {
	c, err := start(ctx, s, t, slog.New(slog.DiscardHandler))
	if err != nil {
		return false
	}
	defer c.Close()
	n, err := c.EncoderLimit(ctx, 1)
	return err == nil && n == 0
}
